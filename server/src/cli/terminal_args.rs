//! Options of the commands that follow sessions in the terminal.

use super::{Data, Only, Remote, session};
use clap::Args;

#[derive(Debug, Args)]
pub struct Tail {
    /// Our ids, the agent's own ids, or unique prefixes of either [default: all sessions, for which a key needs
    /// `read_all`]
    #[arg(value_name = "SESSION", value_parser = session, num_args = 0..=16)]
    pub sessions: Vec<String>,
    /// Number of messages of each named session to print first
    #[arg(long, short = 'n', default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=500))]
    pub lines: u32,
    /// First print all messages since this time, of all sessions: `2026-11-21`, `2026-11-21T14:00:00Z`
    #[arg(long, value_name = "WHEN", conflicts_with = "lines")]
    pub since: Option<String>,
    #[command(flatten)]
    pub only: Only,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
    /// Print reasoning and system messages too
    #[arg(long)]
    pub dev: bool,
    /// Print one message per line as JSON, again after each change, including hidden ones
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Tui {
    /// Session to open: our id, the agent's own id, or a unique prefix of either [default: the list]
    #[arg(value_parser = session)]
    pub session: Option<String>,
    /// Disable colours, if it is set to anything
    #[arg(long, value_name = "1", env = "NO_COLOR", num_args = 0..=1, default_missing_value = "1")]
    pub no_color: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
}
