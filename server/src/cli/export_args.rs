//! The options of `verbatim export`.

use super::{Data, Only, session};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Export {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub only: Only,
    #[arg(long, value_enum, required_unless_present = "preview")]
    pub format: Option<ExportFormat>,
    /// Mask keys, tokens, passwords, e-mail addresses and home folders. What was masked is reported on standard error
    #[arg(long)]
    pub redact: bool,
    /// Mask what this regular expression matches, too
    #[arg(long, value_name = "REGEX", requires = "redact")]
    pub mask: Vec<String>,
    /// Print what would be masked, and write nothing
    #[arg(long, requires = "redact", conflicts_with = "output")]
    pub preview: bool,
    /// With `--preview`: print JSON
    #[arg(long, requires = "preview")]
    pub json: bool,
    /// File to write instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The imported bytes, exactly
    Original,
    /// The session and its sub-agents with everything, a line each: `verbatim import` reads it again
    Jsonl,
    /// The session and its messages
    Json,
    /// A page in one file, to read
    Html,
    /// Text, to read
    Markdown,
    /// A SQLite file with the table `messages` of the older chat host
    MessagesDb,
}
