//! `verbatim share`.

use super::Data;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Share {
    /// Create a link by which somebody without a log-in reads a session as it is now, and print it; it is only shown
    /// once
    Create(ShareCreate),
    /// List links, newest first
    List(ShareList),
    /// Revoke a link; it doesn't open from then on
    Revoke(ShareRevoke),
}

#[derive(Debug, Args)]
pub struct ShareCreate {
    /// Session id, or a unique prefix of it
    pub session: String,
    /// Days until it expires, 1 to 365 [default: 7]
    #[arg(long)]
    pub days: Option<i64>,
    /// Number of the first message [default: 1]
    #[arg(long, value_name = "SEQ")]
    pub from: Option<i64>,
    /// Number of the last message [default: the last one]
    #[arg(long, value_name = "SEQ")]
    pub to: Option<i64>,
    /// Show secrets, files and pictures too
    #[arg(long)]
    pub unmasked: bool,
    /// Note for your list of links
    #[arg(long, value_name = "NOTE")]
    pub label: Option<String>,
    #[command(flatten)]
    pub data: Data,
    /// Print `{"url", "share"}`
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShareList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShareRevoke {
    /// Id of the link
    pub id: String,
    #[command(flatten)]
    pub data: Data,
    /// Print the remaining links as JSON
    #[arg(long)]
    pub json: bool,
}
