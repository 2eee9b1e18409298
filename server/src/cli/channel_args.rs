//! The options of `verbatim channels`.

use super::Data;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Channels {
    /// List channels, with what waits there and what they refused
    List(ChannelsList),
    /// List what a channel refused for good
    Refused(ChannelNamed),
    /// Send a test message, and wait until the channel took it
    Test(ChannelNamed),
    /// Send again what a channel refused
    Retry(ChannelNamed),
    /// Give up what a channel refused
    Clear(ChannelNamed),
}

#[derive(Debug, Args)]
pub struct ChannelsList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ChannelNamed {
    /// Its name, its id, or a unique prefix of the id
    pub channel: String,
    #[command(flatten)]
    pub data: Data,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}
