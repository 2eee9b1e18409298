//! What a person may type.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The self-hosted home of everything that coding agents see, say and do.
#[derive(Debug, Parser)]
#[command(name = "verbatim", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find this machine's sessions and show them in the browser
    Serve(Serve),
    /// Import files or folders of transcripts
    Import(Import),
    /// List sessions, latest activity first
    Sessions(Sessions),
    /// Print the messages of a session
    Show(Show),
    /// Print a fresh log-in link of the running server
    Open(Open),
    /// Write a session as it was imported, or as JSON
    Export(Export),
    /// Check data directory, database, transcripts and server
    Doctor(Doctor),
}

/// Where the data lies.
#[derive(Debug, Clone, Args)]
pub struct Data {
    /// Folder of the database and its lock [default: this system's folder for application data]
    #[arg(long, value_name = "DIR", env = "VERBATIM_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Database to use instead of the one in the data directory: `postgres://...`
    #[arg(long, value_name = "URL", env = "VERBATIM_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Serve {
    #[command(flatten)]
    pub data: Data,
    /// Address to listen at; only loopback ones for now
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7117")]
    pub listen: SocketAddr,
    /// Claude Code folder to read; naming it is consent
    #[arg(long, value_name = "DIR")]
    pub claude_dir: Vec<PathBuf>,
    /// Claude Code's own setting: where its folder lies
    #[arg(long, value_name = "DIR", env = "CLAUDE_CONFIG_DIR", hide = true)]
    pub claude_config_dir: Option<PathBuf>,
    /// Don't look for agents' folders
    #[arg(long)]
    pub no_discover: bool,
    /// Read all folders that are found, without asking
    #[arg(long)]
    pub yes: bool,
    /// Open the link in the browser
    #[arg(long)]
    pub open: bool,
    /// Show a built-in example session, and nothing of this machine
    #[arg(long)]
    pub demo: bool,
    /// Name of this build, for development: pages that another one drew reload
    #[arg(long, value_name = "NAME", env = "VERBATIM_BUILD", hide = true)]
    pub build: Option<String>,
}

#[derive(Debug, Args)]
pub struct Import {
    /// Files, or folders to search for `*.jsonl`
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub data: Data,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Sessions {
    #[command(flatten)]
    pub data: Data,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Show {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    #[command(flatten)]
    pub data: Data,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Open {
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct Export {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    #[command(flatten)]
    pub data: Data,
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// File to write instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The imported bytes, exactly
    Original,
    /// The session and its messages
    Json,
}

#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    pub data: Data,
}

fn session(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("the name of the session is empty; `verbatim sessions` lists them".to_owned());
    }
    Ok(text.to_owned())
}
