//! What a person may type to follow sessions in the terminal.

use super::{Data, Only, Remote, session};
use clap::Args;

#[derive(Debug, Args)]
pub struct Tail {
    /// Our ids, the agent's own ids, or unique prefixes of either [default: all sessions, for which a key needs `read_all`]
    #[arg(value_name = "SESSION", value_parser = session, num_args = 0..=16)]
    pub sessions: Vec<String>,
    /// Messages of each named session to begin with
    #[arg(long, short = 'n', default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=500))]
    pub lines: u32,
    /// Begin with all messages from then on, also of sessions that aren't named: `2026-11-21`, `2026-11-21T14:00:00Z`
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
    /// One message a line as JSON, again whenever it changes, with everything that is hidden
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Tui {
    /// Session to begin with: our id, the agent's own id, or a unique prefix of either [default: the list]
    #[arg(value_parser = session)]
    pub session: Option<String>,
    /// Draw without colours, if it is set to anything
    #[arg(long, value_name = "1", env = "NO_COLOR", num_args = 0..=1, default_missing_value = "1")]
    pub no_color: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
}
