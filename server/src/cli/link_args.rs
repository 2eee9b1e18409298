//! Options of the commands that print a log-in link.

use super::Data;
use clap::Args;

#[derive(Debug, Args)]
pub struct Open {
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct Pair {
    #[command(flatten)]
    pub data: Data,
    /// Name of the device in the list of log-ins [default: its browser's]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}
