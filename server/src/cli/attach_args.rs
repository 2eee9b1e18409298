//! Options of `verbatim attach`.

use super::{Data, session};
use clap::Args;

#[derive(Debug, Args)]
pub struct Attach {
    /// Session to join: our id, the agent's own id, or a unique prefix of either [default: list those that are open]
    #[arg(value_parser = session)]
    pub session: Option<String>,
    /// Leave the session to its terminal instead
    #[arg(long, requires = "session")]
    pub leave: bool,
    #[command(flatten)]
    pub data: Data,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
