//! The command line.

mod attach_args;
mod backup_args;
mod channel_args;
mod context_args;
mod export_args;
mod forward_args;
mod hook_args;
mod key_args;
mod link_args;
mod machine_args;
mod message_args;
mod public_args;
mod schedule_args;
mod share_args;
mod sign_on_args;
mod terminal_args;
mod types_args;
mod user_args;

pub use attach_args::Attach;
pub use backup_args::{Backup, BackupCommand, BackupMake, BackupPlace, MigrateStore, Restore};
pub use channel_args::{ChannelNamed, Channels, ChannelsList};
pub use context_args::Context;
pub use export_args::{Erase, Export, ExportFormat};
pub use forward_args::{Forward, Machine, MachineAdd, MachineList, MachineNamed, MachineRename};
pub use hook_args::{Hook, HookInstall, HookSend, HookServer, HookStatus, HookUninstall, HookWait, HookWhere};
pub use key_args::{Key, KeyCreate, KeyList, KeyQuota, KeyRevoke};
pub use link_args::{Open, Pair};
pub use machine_args::{Completions, ConfigCommand, Man, Service, TlsCommand, TlsInit};
pub use message_args::MessageArgs;
pub use public_args::PublicArgs;
pub use schedule_args::{Schedule, ScheduleAdd, ScheduleList, ScheduleNamed, SchedulePause, ScheduleRemove};
pub use share_args::{Share, ShareCreate, ShareList, ShareRevoke};
pub use sign_on_args::SignOnArgs;
pub use terminal_args::{Tail, Tui};
pub use types_args::{Types, TypesList, TypesPut, TypesRemove};
pub use user_args::{User, UserAdd, UserList, UserNamed, UserProject, UserRename, UserRole};

use crate::config::Config;
use crate::listening;
use app::shared::message_filter::MessageFilter;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use model::Role;
use model::audit::AuditKind;
use model::run_prompt::PromptPart;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

/// Self-hosted server and viewer for the sessions of coding agents
#[derive(Debug, Parser)]
#[command(name = "verbatim", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Returns the format of the command's log. Only that of a server can be JSON.
    pub fn log_format(&self) -> LogFormat {
        match &self.command {
            Command::Serve(serve) => serve.log_format,
            _ => LogFormat::Text,
        }
    }
}

/// Returns the command line as it is described, without values from elsewhere.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the command line, over the environment and `config.toml`. Exits if the command line is invalid.
///
/// # Errors
///
/// If `config.toml` is invalid. Help is printed all the same.
pub fn parse() -> anyhow::Result<Cli> {
    let command = command();
    let config = Config::read(&command);
    // Without a file that is invalid the command line is read all the same: it may ask for help.
    let mut command = match &config {
        Ok(config) => config.on(command),
        Err(_) => command,
    };
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let config = match &matches {
        Err(error) if !error.use_stderr() => error.exit(),
        _ => config?,
    };
    let matches = match matches {
        Ok(matches) => matches,
        Err(error) => match config.explain(&error, &command) {
            Some(explained) => return Err(explained),
            None => error.exit(),
        },
    };
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Command::Serve(serve) = &mut cli.command {
        let source = matches.subcommand_matches("serve").and_then(|serve| serve.value_source("data_dir"));
        serve.data_dir_typed = source == Some(ValueSource::CommandLine);
        serve.passed = listening::passed()?;
    }
    Ok(cli)
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find this machine's sessions and show them in the browser
    Serve(Box<Serve>),
    /// Import files or folders of transcripts
    Import(Import),
    /// List sessions, latest activity first
    Sessions(Sessions),
    /// Print the messages of a session
    Show(Show),
    /// Print a new log-in link of the running server
    Open(Open),
    /// Log in a phone, or another device: print a QR code with a new link
    Pair(Pair),
    /// Start an agent in a folder; follow it in the browser
    Run(Run),
    /// List the agents that run in their own terminals, and join one
    Attach(Attach),
    /// Post a message to a session, or to a new one
    Send(SendMessage),
    /// Post a message of the host: people see it, models never read it
    Notify(Notify),
    /// Ask a question and print the answer
    Ask(Ask),
    /// Print messages as they arrive
    Tail(Tail),
    /// Read, write and decide in the terminal
    Tui(Tui),
    /// Schedule prompts, once or repeatedly
    #[command(subcommand)]
    Schedule(Schedule),
    /// List and test channels, and retry or discard rejected deliveries
    #[command(subcommand)]
    Channels(Channels),
    /// Serve tools for an agent (log, ask, search) by the Model Context Protocol, on standard input and output
    Mcp(Mcp),
    /// Create, list and revoke agents' keys
    #[command(subcommand)]
    Key(Key),
    /// Add, list and remove people, and set their roles and the projects that they see
    #[command(subcommand)]
    User(User),
    /// Add, list, rename and remove machines that send their agents' sessions here
    #[command(subcommand)]
    Machine(Machine),
    /// Send this machine's agents' sessions to a server on another machine, and follow them
    Forward(Forward),
    /// Create, list and revoke links by which somebody without a log-in reads a session
    #[command(subcommand)]
    Share(Share),
    /// Let Claude Code report its state and ask for permissions here
    #[command(subcommand)]
    Hook(Hook),
    /// List, declare and remove message types
    #[command(subcommand)]
    Types(Types),
    /// Export a session, or all of them
    Export(Export),
    /// Erase a text, such as a password, from a session and from all that is imported from now on
    Erase(Erase),
    /// Print the contents of a model's context when it wrote a reply
    Context(Context),
    /// Print or check the exact texts that an agent was given
    ContextLog(ContextLog),
    /// Print the audit log: log-ins, created keys, decisions, deletions, changed settings
    Audit(Audit),
    /// Check the data directory, database, audit log, transcripts and server
    Doctor(Doctor),
    /// Back up everything, while the server runs or not; list and check backups
    Backup(Backup),
    /// Restore a backup into an empty data directory or database
    Restore(Restore),
    /// Copy everything to PostgreSQL, or back to SQLite
    MigrateStore(MigrateStore),
    /// Print the options of the server, and where each is from
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Run the server in the background, as a systemd service of yours
    #[command(subcommand)]
    Service(Service),
    /// Create an authority of your own, and a certificate for this server
    #[command(subcommand)]
    Tls(TlsCommand),
    /// Print a script by which a shell completes commands and options
    Completions(Completions),
    /// Write man pages, one per command
    #[command(hide = true)]
    Man(Man),
}

/// Location of the data.
#[derive(Debug, Clone, Args)]
pub struct Data {
    /// Folder of the database and its lock [default: this system's folder for application data]
    #[arg(long, value_name = "DIR", env = "VERBATIM_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Database to use instead of the one in the data directory: `postgres://...`
    #[arg(long, value_name = "URL", env = "VERBATIM_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
}

/// Server and credential.
#[derive(Debug, Clone, Args)]
pub struct Remote {
    /// Address of the server [default: this machine's]
    #[arg(long, value_name = "URL", env = "VERBATIM_URL")]
    pub server: Option<String>,
    /// Agent key to use; other users can see it here, but not in the environment [default: this machine's credential]
    #[arg(long, value_name = "KEY", env = "VERBATIM_KEY", hide_env_values = true)]
    pub key: Option<String>,
}

/// Filter of a session's messages.
#[derive(Debug, Clone, Default, Args)]
pub struct Only {
    /// Only messages of these types: `CODE_EDIT,TODO`
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Only messages of these roles: `user`, `assistant`, `tool`, `model`, `system`, `host`
    #[arg(long = "role", value_name = "ROLE", value_parser = role, value_delimiter = ',')]
    pub roles: Vec<Role>,
}

impl Only {
    pub fn filter(&self) -> MessageFilter {
        MessageFilter { types: self.types.clone(), roles: self.roles.clone() }
    }
}

/// Session to post to.
#[derive(Debug, Clone, Args)]
pub struct Target {
    /// Our id, the agent's own id, or a unique prefix of either [default: a new session]
    #[arg(long, value_name = "SESSION", value_parser = session, conflicts_with_all = ["agent", "title"])]
    pub session: Option<String>,
    /// Agent name of a new session
    #[arg(long, value_name = "NAME", default_value = "shell")]
    pub agent: String,
    /// Title of a new session
    #[arg(long)]
    pub title: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Each option can also be set in the environment (`VERBATIM_LISTEN`) and in `config.toml`: see `verbatim config show`"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Serve {
    #[command(flatten)]
    pub data: Data,
    /// Address to listen on. One that other machines reach needs `--public-url`, and `--tls-cert` or `--trusted-proxy`
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7117", value_parser = address)]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub public: PublicArgs,
    #[command(flatten)]
    pub sign_on: SignOnArgs,
    /// Claude Code folder to read; this is consent, but not for targets of links in it
    #[arg(long, value_name = "DIR")]
    pub claude_dir: Vec<PathBuf>,
    /// Environment variable to pass to agents started here, in addition to those that they need
    #[arg(long, value_name = "NAME")]
    pub agent_env: Vec<String>,
    /// Host that channels can reach even if it is private, and without TLS
    #[arg(long, value_name = "NAME")]
    pub channel_host: Vec<String>,
    #[command(flatten)]
    pub messages: MessageArgs,
    /// Let people with the role viewer export sessions byte for byte, as others can
    #[arg(long)]
    pub viewers_export: bool,
    /// Don't look for agents' folders
    #[arg(long)]
    pub no_discover: bool,
    /// Read all folders that are found without asking, including targets of links
    #[arg(long)]
    pub yes: bool,
    /// Open the link in the browser
    #[arg(long)]
    pub open: bool,
    /// Take over from the server that runs on the data directory, if one does: it gives its port, and no request fails
    #[arg(long)]
    pub take_over: bool,
    /// Seconds for which `--take-over` waits for agents at work; then they are ended, and can be continued
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub agents_wait: u64,
    /// Make no copy of the database before an update migrates it
    #[arg(long)]
    pub no_update_copy: bool,
    /// Show a built-in example session, and nothing of this machine; data is temporary unless `--data-dir` is given
    #[arg(long)]
    pub demo: bool,
    /// True if the data directory is set on the command line, rather than in the environment.
    #[arg(skip)]
    pub data_dir_typed: bool,
    /// The listening socket that a service manager passed.
    #[arg(skip)]
    pub passed: Option<TcpListener>,
    /// Limit of writes per second for each agent's key; bursts of four seconds are allowed; 0 means no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 500)]
    pub posts_per_second: u32,
    /// Limit of open connections: a new one closes the oldest without a credential, or an idle one. A key can have an
    /// eighth of them
    #[arg(long, value_name = "NUMBER", default_value_t = 8192)]
    pub connections: usize,
    /// Format of the log on standard error: `text` has warnings; `json` has one object per line, including each
    /// request. `RUST_LOG` sets the level: `error`, `warn`, `info`, `debug` or `off`
    #[arg(long, value_enum, value_name = "FORMAT", env = "VERBATIM_LOG_FORMAT", default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Durability of a commit: `full` survives a power failure; `relaxed` is faster on slow disks, but a power failure
    /// can lose the last messages; `off` is for tests. `SQLite` only
    #[arg(long, value_enum, default_value_t = Durability::Full, hide = true)]
    pub durability: Durability,
    /// Size of the write-ahead log in pages before a checkpoint, for tests. `SQLite` only
    #[arg(long, value_name = "PAGES", default_value_t = store::Tuning::default().checkpoint_pages, hide = true)]
    pub checkpoint_pages: u32,
    /// Seconds between two checks of the stored data. `SQLite` only
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, hide = true)]
    pub check_every: u64,
    /// Name of this build, for development: pages of another build reload
    #[arg(long, value_name = "NAME", env = "VERBATIM_BUILD", hide = true)]
    pub build: Option<String>,
}

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    Full,
    Relaxed,
    Off,
}

impl Serve {
    pub fn tuning(&self) -> store::Tuning {
        let durability = match self.durability {
            Durability::Full => store::Durability::Full,
            Durability::Relaxed => store::Durability::Relaxed,
            Durability::Off => store::Durability::Off,
        };
        store::Tuning {
            durability,
            checkpoint_pages: self.checkpoint_pages,
            copies_before_update: !self.no_update_copy,
            ..store::Tuning::default()
        }
    }
}

#[derive(Debug, Args)]
pub struct Import {
    /// Files and folders; links in them aren't followed
    #[arg(required_unless_present = "list", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// List the folders of agents on this machine, without importing
    #[arg(long, conflicts_with = "paths")]
    pub list: bool,
    #[command(flatten)]
    pub data: Data,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Sessions {
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Show {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    #[command(flatten)]
    pub only: Only,
    #[command(flatten)]
    pub data: Data,
    /// Print reasoning and system messages too
    #[arg(long)]
    pub dev: bool,
    /// Print one message per line as JSON, including hidden ones
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Notify {
    #[command(flatten)]
    pub data: Data,
    /// The message in markdown; `-` or nothing reads standard input
    pub text: Option<String>,
    /// Session to post to [default: `operations`, and each session with an open run]
    #[arg(long, value_name = "SESSION", value_parser = session)]
    pub session: Option<String>,
    /// Also tell the agents: a marker of the deployment stays in their conversations
    #[arg(long)]
    pub deploy: bool,
    /// Id of the message; a repeated one is stored once
    #[arg(long)]
    pub id: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ContextLog {
    #[command(flatten)]
    pub data: Data,
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_name = "SESSION", value_parser = session)]
    pub session: String,
    /// Only texts that were given in this run
    #[arg(long)]
    pub run: Option<String>,
    /// Print only this part, byte for byte
    #[arg(long, value_parser = part, requires = "run", conflicts_with = "json")]
    pub part: Option<PromptPart>,
    /// Check that each entry is unchanged, and that none is missing
    #[arg(long, conflicts_with_all = ["run", "json"])]
    pub check: bool,
    /// Print JSON, one entry per line
    #[arg(long)]
    pub json: bool,
}

fn part(word: &str) -> Result<PromptPart, String> {
    PromptPart::parse(word).ok_or_else(|| format!("expected one of `{}`", PromptPart::WORDS.join("`, `")))
}

#[derive(Debug, Args)]
pub struct Audit {
    #[command(flatten)]
    pub data: Data,
    /// Number of entries to print, newest first
    #[arg(long, short = 'n', default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub lines: u32,
    /// Only entries of this kind
    #[arg(long, value_parser = audit_kind)]
    pub kind: Vec<AuditKind>,
    /// Print the whole log with its hashes as JSON, one entry per line, oldest first
    #[arg(long, conflicts_with_all = ["lines", "kind"])]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    pub data: Data,
    /// Recover a damaged database to a new file; the damaged one is kept. Stop the server first
    #[arg(long)]
    pub repair: bool,
    /// Ask the running server alone whether it is well, for checks that run often: print `ok`, or fail
    #[arg(long, conflicts_with = "repair")]
    pub health: bool,
    /// Check alone how other machines see the running server: name, certificate, log-in, events
    #[arg(long, conflicts_with_all = ["repair", "health"])]
    pub public: bool,
}

pub fn session(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("the name of the session is empty; `verbatim sessions` lists them".to_owned());
    }
    Ok(text.to_owned())
}

#[derive(Debug, Args)]
pub struct Run {
    /// First prompt; `-` or a pipe reads standard input [default: none, the agent waits]
    pub prompt: Option<String>,
    /// Name of the agent
    #[arg(long, value_name = "NAME", default_value = "claude")]
    pub agent: String,
    /// Working folder; its transcripts are read from then on [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Permission mode, by the agent's own name
    #[arg(long)]
    pub mode: Option<String>,
    /// Model, by the agent's own name
    #[arg(long)]
    pub model: Option<String>,
    #[command(flatten)]
    pub data: Data,
    /// Print the session as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SendMessage {
    /// Text in markdown; `-` or a pipe reads standard input
    pub text: Option<String>,
    #[command(flatten)]
    pub target: Target,
    /// Role of the message: `assistant`, `tool`, `model`, `user` or `system`
    #[arg(long, value_parser = role)]
    pub role: Option<Role>,
    /// An envelope `{"message_type": ..., "payload": {...}}`, or any object; `@-` reads it from standard input
    #[arg(long, value_name = "JSON|@FILE")]
    pub metadata: Option<String>,
    /// Type of the message, such as `CHART`; use with `--payload`
    #[arg(long = "type", value_name = "TYPE", requires = "payload", conflicts_with = "metadata")]
    pub message_type: Option<String>,
    /// Payload of the type; `@-` reads it from standard input
    #[arg(long, value_name = "JSON|@FILE", requires = "message_type")]
    pub payload: Option<String>,
    /// Id of the message; a repeated one is stored once
    #[arg(long)]
    pub id: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
    /// Print the stored message as JSON, with what people wrote since the last one
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Ask {
    /// The question; `-` or a pipe reads standard input
    pub text: Option<String>,
    #[command(flatten)]
    pub target: Target,
    /// A button; the answer is its label
    #[arg(long, value_name = "LABEL", conflicts_with = "permission")]
    pub choice: Vec<String>,
    /// Ask for a permission; the exit status is 3 if it is denied
    #[arg(long)]
    pub permission: bool,
    /// Seconds to wait; then the question is retracted, and the exit status is 1 [default: no limit]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Mcp {
    /// Session to use: our id, the agent's own id, or a unique prefix of either. If it doesn't exist, it is created
    /// with this as the agent's own id [default: a new session]
    #[arg(long, value_name = "SESSION", env = "VERBATIM_SESSION", value_parser = session)]
    pub session: Option<String>,
    /// Agent name of a new session [default: the name of the client]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Title of a new session
    #[arg(long)]
    pub title: Option<String>,
    /// Seconds to wait for an answer; then the question is retracted, and a permission is denied [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// File with the agent's key, instead of `--key`
    #[arg(long, value_name = "FILE", env = "VERBATIM_KEY_FILE", conflicts_with = "key")]
    pub key_file: Option<PathBuf>,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "it is an IP address and a port, like `127.0.0.1:7117` or `[::1]:7117`".to_owned())
}

fn role(word: &str) -> Result<Role, String> {
    Role::parse(word).ok_or_else(|| format!("it is one of {}", Role::WORDS.join(", ")))
}

fn audit_kind(word: &str) -> Result<AuditKind, String> {
    AuditKind::parse(word).ok_or_else(|| format!("it is one of {}", AuditKind::WORDS.join(", ")))
}
