//! The options of `verbatim export`.

use super::{Data, Only, session};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Export {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session, required_unless_present = "all")]
    pub session: Option<String>,
    /// Every session: `--output` is a folder, which gets a file of each. Sub-agents come along with `--format jsonl` alone
    #[arg(long, conflicts_with_all = ["session", "preview"], requires = "format", requires = "output")]
    pub all: bool,
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
    /// File to write instead of standard output; with `--all`, a folder
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
    /// The messages as the body of a request to Anthropic's Messages API
    Anthropic,
    /// The messages as the body of a Chat Completions request
    Openai,
    /// The messages as the body of a request to the Gemini API
    Gemini,
    /// A SQLite file with the table `messages` of the older chat host
    MessagesDb,
}

impl ExportFormat {
    /// What the API writes for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Jsonl => "jsonl",
            Self::Json | Self::MessagesDb => "json",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
        }
    }

    /// The end of a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Anthropic => "anthropic.json",
            Self::Openai => "openai.json",
            Self::Gemini => "gemini.json",
            Self::Original | Self::Json | Self::MessagesDb => "json",
        }
    }

    /// Does it include the sessions of sub-agents?
    pub fn has_children(self) -> bool {
        self == Self::Jsonl
    }
}
