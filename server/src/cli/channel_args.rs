//! Options of `verbatim channels`.

use super::Data;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Channels {
    /// List channels, with their numbers of queued and rejected deliveries
    List(ChannelsList),
    /// List the rejected deliveries of a channel
    Refused(ChannelNamed),
    /// Send a test message, and wait until the channel accepts it
    Test(ChannelNamed),
    /// Send rejected deliveries again
    Retry(ChannelNamed),
    /// Discard rejected deliveries
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
    /// Name, id, or unique prefix of the id
    pub channel: String,
    #[command(flatten)]
    pub data: Data,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}
