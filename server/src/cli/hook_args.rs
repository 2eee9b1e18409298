//! Options of `verbatim hook`.

use super::Data;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Hook {
    /// Add the hooks to Claude Code's settings; other settings stay
    Install(HookInstall),
    /// Remove the hooks
    Uninstall(HookUninstall),
    /// Check whether the hooks are installed, and the server is reachable
    Status(HookStatus),
    /// Send an event of Claude Code from standard input; the hooks call it
    Send(HookSend),
    /// Wait for what people write in a session of Claude Code, and wake it with that; the hooks call it
    Wait(HookWait),
}

/// Location of the settings.
#[derive(Debug, Clone, Args)]
pub struct HookWhere {
    /// Settings of all your projects (default)
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// Settings of one project, in `.claude/settings.local.json`, which isn't shared
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Claude Code's folder [default: `.claude` in your home]
    #[arg(long, value_name = "DIR", env = "CLAUDE_CONFIG_DIR")]
    pub claude_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct HookInstall {
    #[command(flatten)]
    pub place: HookWhere,
    #[command(flatten)]
    pub data: Data,
    /// Address of the server [default: that of the running one, otherwise `http://127.0.0.1:7117`]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// File with the key to use, as of a machine that forwards its sessions [default: a new key for this machine's server]
    #[arg(long, value_name = "FILE", requires = "server")]
    pub key_file: Option<PathBuf>,
    /// Seconds that Claude Code waits for your decision before it asks in its terminal
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..=86_000))]
    pub wait: u32,
    /// Certificate of the authority to trust besides those of the system (PEM), as of `verbatim tls init`. Each event then runs a command,
    /// as with `--command`
    #[arg(long, value_name = "FILE", requires = "server")]
    pub ca: Option<PathBuf>,
    /// Run a command for each event, if HTTP isn't allowed; the settings then contain no key
    #[arg(long)]
    pub command: bool,
}

#[derive(Debug, Args)]
pub struct HookUninstall {
    #[command(flatten)]
    pub place: HookWhere,
}

#[derive(Debug, Args)]
pub struct HookStatus {
    #[command(flatten)]
    pub place: HookWhere,
    #[command(flatten)]
    pub data: Data,
}

/// The server that a hook reports to.
#[derive(Debug, Args)]
pub struct HookServer {
    /// Address of the server
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// File with the key
    #[arg(long, value_name = "FILE")]
    pub key_file: PathBuf,
    /// Certificate of the authority to trust besides those of the system (PEM)
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct HookWait {
    #[command(flatten)]
    pub server: HookServer,
    /// Seconds to wait at most
    #[arg(long, value_name = "SECONDS", default_value_t = 604_800, value_parser = clap::value_parser!(u32).range(1..=2_000_000))]
    pub wait: u32,
    /// How Claude Code was started: it waits in a terminal alone
    #[arg(long, env = "CLAUDE_CODE_ENTRYPOINT", hide = true, hide_env = true)]
    pub entrypoint: Option<String>,
}

#[derive(Debug, Args)]
pub struct HookSend {
    #[command(flatten)]
    pub server: HookServer,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=86_000))]
    pub wait: u32,
}
