//! Options of `verbatim export` and `verbatim erase`.

use super::{Data, Only, session};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Export {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session, required_unless_present = "all")]
    pub session: Option<String>,
    /// Export every session; `--output` is a folder with one file for each. Only `--format jsonl` includes sub-agents
    #[arg(long, conflicts_with_all = ["session", "preview"], requires = "format", requires = "output")]
    pub all: bool,
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub only: Only,
    #[arg(long, value_enum, required_unless_present = "preview")]
    pub format: Option<ExportFormat>,
    /// Mask keys, tokens, passwords, e-mail addresses and home folders. A report is written to standard error
    #[arg(long)]
    pub redact: bool,
    /// Also mask text that matches this regular expression
    #[arg(long, value_name = "REGEX", requires = "redact")]
    pub mask: Vec<String>,
    /// Print the text that would be masked, without exporting
    #[arg(long, requires = "redact", conflicts_with = "output")]
    pub preview: bool,
    /// With `--preview`: print JSON
    #[arg(long, requires = "preview")]
    pub json: bool,
    /// Output file, or folder with `--all` [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The text is read from standard input, because an argument would be in the shell's history. Backups, exports, transcripts on disk, and messages that channels have sent keep it"
)]
pub struct Erase {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    #[command(flatten)]
    pub data: Data,
    /// Print where the text is found, and change nothing
    #[arg(long)]
    pub preview: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The exact bytes of the imported file
    Original,
    /// The complete session with its sub-agents, one JSON object per line; `verbatim import` can read it
    Jsonl,
    /// The session and its messages
    Json,
    /// A single HTML page
    Html,
    /// Markdown
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
    /// Returns the name of the format in the API.
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

    /// Returns the file extension.
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

    /// Returns true if it includes the sessions of sub-agents.
    pub fn has_children(self) -> bool {
        self == Self::Jsonl
    }
}
