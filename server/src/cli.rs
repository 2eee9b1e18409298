//! What a person may type.

mod channel_args;
mod context_args;
mod export_args;
mod hook_args;
mod message_args;
mod schedule_args;
mod terminal_args;
mod types_args;

pub use channel_args::{ChannelNamed, Channels, ChannelsList};
pub use context_args::Context;
pub use export_args::{Export, ExportFormat};
pub use hook_args::{Hook, HookInstall, HookSend, HookStatus, HookUninstall, HookWhere};
pub use message_args::MessageArgs;
pub use schedule_args::{Schedule, ScheduleAdd, ScheduleList, ScheduleNamed, SchedulePause, ScheduleRemove};
pub use terminal_args::{Tail, Tui};
pub use types_args::{Types, TypesList, TypesPut, TypesRemove};

use api::keys::Scope;
use app::shared::message_filter::MessageFilter;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use model::Role;
use model::audit::AuditKind;
use model::run_prompt::PromptPart;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The self-hosted home of everything that coding agents see, say and do.
#[derive(Debug, Parser)]
#[command(name = "verbatim", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Returns the format of the command's log. Only a server's is read by programs.
    pub fn log_format(&self) -> LogFormat {
        match &self.command {
            Command::Serve(serve) => serve.log_format,
            _ => LogFormat::Text,
        }
    }
}

/// Reads the command line. Ends the program if it can't be read.
pub fn parse() -> Cli {
    let matches = Cli::command().get_matches();
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Command::Serve(serve) = &mut cli.command {
        let source = matches.subcommand_matches("serve").and_then(|serve| serve.value_source("data_dir"));
        serve.data_dir_typed = source == Some(ValueSource::CommandLine);
    }
    cli
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
    /// Start an agent in a folder; what it does is in the browser
    Run(Run),
    /// Post a message to a session, or to a new one
    Send(SendMessage),
    /// Post a message of the host: people see it, no model ever does
    Notify(Notify),
    /// Ask a question and print the answer
    Ask(Ask),
    /// Print messages as they come
    Tail(Tail),
    /// Read, write and decide in the terminal
    Tui(Tui),
    /// Send prompts at a time, or again and again
    #[command(subcommand)]
    Schedule(Schedule),
    /// List channels, test them, and send again or give up what they refused
    #[command(subcommand)]
    Channels(Channels),
    /// Offer an agent tools to log, ask and search, by the Model Context Protocol on standard input and output
    Mcp(Mcp),
    /// Make, list and revoke agents' keys
    #[command(subcommand)]
    Key(Key),
    /// Let Claude Code report what it does, and ask for permissions here
    #[command(subcommand)]
    Hook(Hook),
    /// List, declare and remove message types
    #[command(subcommand)]
    Types(Types),
    /// Write a session, or all of them, in one of several formats
    Export(Export),
    /// Print what a model's context held when it wrote a reply
    Context(Context),
    /// Print the exact texts that an agent was given, or check them
    ContextLog(ContextLog),
    /// Print the audit log: who logged in, made keys, decided, deleted, changed settings
    Audit(Audit),
    /// Check data directory, database, audit log, transcripts and server
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

/// Which server, and as whom.
#[derive(Debug, Clone, Args)]
pub struct Remote {
    /// Server to ask [default: this machine's]
    #[arg(long, value_name = "URL", env = "VERBATIM_URL")]
    pub server: Option<String>,
    /// Agent key to show; others see it here, but not in the environment [default: this machine's credential]
    #[arg(long, value_name = "KEY", env = "VERBATIM_KEY", hide_env_values = true)]
    pub key: Option<String>,
}

/// Which messages of a session.
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

/// Which session to post to.
#[derive(Debug, Clone, Args)]
pub struct Target {
    /// Our id, the agent's own id, or a unique prefix of either [default: a new session]
    #[arg(long, value_name = "SESSION", value_parser = session, conflicts_with_all = ["agent", "title"])]
    pub session: Option<String>,
    /// Name of the agent, of a new session
    #[arg(long, value_name = "NAME", default_value = "shell")]
    pub agent: String,
    /// Title of a new session
    #[arg(long)]
    pub title: Option<String>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Serve {
    #[command(flatten)]
    pub data: Data,
    /// Address to listen at; only loopback ones for now
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7117", value_parser = address)]
    pub listen: SocketAddr,
    /// Claude Code folder to read; naming it is consent, but not to where links in it lead
    #[arg(long, value_name = "DIR")]
    pub claude_dir: Vec<PathBuf>,
    /// Variable of the environment that agents started here get, beside those that they need
    #[arg(long, value_name = "NAME")]
    pub agent_env: Vec<String>,
    /// Host that channels may reach though it is private, and without TLS
    #[arg(long, value_name = "NAME")]
    pub channel_host: Vec<String>,
    #[command(flatten)]
    pub messages: MessageArgs,
    /// Don't look for agents' folders
    #[arg(long)]
    pub no_discover: bool,
    /// Read all folders that are found, without asking, wherever links lead
    #[arg(long)]
    pub yes: bool,
    /// Open the link in the browser
    #[arg(long)]
    pub open: bool,
    /// Show a built-in example session, and nothing of this machine; its data is temporary unless `--data-dir` is given
    #[arg(long)]
    pub demo: bool,
    /// Is the data directory named on the command line, and not in the environment?
    #[arg(skip)]
    pub data_dir_typed: bool,
    /// Writes per second that one agent's key may make, four seconds' worth of them at once; 0 is no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 500)]
    pub posts_per_second: u32,
    /// Connections that may be open at a time: a new one closes the oldest that shows no key and no log-in, or an idle one. A key
    /// may have an eighth of them
    #[arg(long, value_name = "NUMBER", default_value_t = 8192)]
    pub connections: usize,
    /// Format of the log on standard error: `text` has warnings, `json` an object a line, and each request as well. `RUST_LOG`
    /// sets the level: `error`, `warn`, `info`, `debug` or `off`
    #[arg(long, value_enum, value_name = "FORMAT", env = "VERBATIM_LOG_FORMAT", default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// What a commit promises: `full` outlasts a loss of power; `relaxed` is quicker on slow disks, and a loss of power may
    /// take the last messages back; `off` is for tests. `SQLite` only
    #[arg(long, value_enum, default_value_t = Durability::Full, hide = true)]
    pub durability: Durability,
    /// Pages of the log that wait to be moved into the database, for tests. `SQLite` only
    #[arg(long, value_name = "PAGES", default_value_t = store::Tuning::default().checkpoint_pages, hide = true)]
    pub checkpoint_pages: u32,
    /// Seconds between two checks of what is stored. `SQLite` only
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, hide = true)]
    pub check_every: u64,
    /// Name of this build, for development: pages that another one drew reload
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
        store::Tuning { durability, checkpoint_pages: self.checkpoint_pages, ..store::Tuning::default() }
    }
}

#[derive(Debug, Args)]
pub struct Import {
    /// Files and folders; links in them aren't followed
    #[arg(required_unless_present = "list", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// List the folders of agents on this machine, and import nothing
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
    /// Print one message a line as JSON, with everything that is hidden
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Open {
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct Notify {
    #[command(flatten)]
    pub data: Data,
    /// The message, as markdown; `-` or nothing reads standard input
    pub text: Option<String>,
    /// Session that it is about [default: `operations`, and each session with an open run]
    #[arg(long, value_name = "SESSION", value_parser = session)]
    pub session: Option<String>,
    /// Tell the agents, too: a marker of the deployment stays in their conversations
    #[arg(long)]
    pub deploy: bool,
    /// Id of the message: the same one again is stored once
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
    /// Only what was given in this run
    #[arg(long)]
    pub run: Option<String>,
    /// Print only this part, byte for byte
    #[arg(long, value_parser = part, requires = "run", conflicts_with = "json")]
    pub part: Option<PromptPart>,
    /// Check that each entry is what was written, and that none is missing
    #[arg(long, conflicts_with_all = ["run", "json"])]
    pub check: bool,
    /// Print JSON, an entry a line
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
    /// Entries to print, newest first
    #[arg(long, short = 'n', default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub lines: u32,
    /// Only entries of this kind
    #[arg(long, value_parser = audit_kind)]
    pub kind: Vec<AuditKind>,
    /// Print the whole log with its hashes, one entry a line as JSON, oldest first
    #[arg(long, conflicts_with_all = ["lines", "kind"])]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    pub data: Data,
    /// Recover a damaged database into a new file; the damaged one is kept beside it. No server may run on it
    #[arg(long)]
    pub repair: bool,
}

pub fn session(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("the name of the session is empty; `verbatim sessions` lists them".to_owned());
    }
    Ok(text.to_owned())
}

#[derive(Debug, Args)]
pub struct Run {
    /// What the agent is told first; `-` reads it, as a pipe does [default: it waits]
    pub prompt: Option<String>,
    /// Which agent
    #[arg(long, value_name = "NAME", default_value = "claude")]
    pub agent: String,
    /// Folder that it works in; its transcripts are read from then on [default: this one]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Permission mode to begin in, in the agent's own words
    #[arg(long)]
    pub mode: Option<String>,
    /// Model, in the agent's own words
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
    /// What to say, in markdown; `-` reads it, as a pipe does
    pub text: Option<String>,
    #[command(flatten)]
    pub target: Target,
    /// Whose voice: `assistant`, `tool`, `model`, `user` or `system`
    #[arg(long, value_parser = role)]
    pub role: Option<Role>,
    /// An envelope `{"message_type": ..., "payload": {...}}`, or any object; `@-` reads it from standard input
    #[arg(long, value_name = "JSON|@FILE")]
    pub metadata: Option<String>,
    /// Type of the message, such as `CHART`; `--payload` has its fields
    #[arg(long = "type", value_name = "TYPE", requires = "payload", conflicts_with = "metadata")]
    pub message_type: Option<String>,
    /// Fields of the type; `@-` reads them from standard input
    #[arg(long, value_name = "JSON|@FILE", requires = "message_type")]
    pub payload: Option<String>,
    /// Id of the message: sent again, it is stored once
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
    /// The question; `-` reads it, as a pipe does
    pub text: Option<String>,
    #[command(flatten)]
    pub target: Target,
    /// A button; the answer is its label
    #[arg(long, value_name = "LABEL", conflicts_with = "permission")]
    pub choice: Vec<String>,
    /// Ask for a permission; if it isn't given, the exit status is 3
    #[arg(long)]
    pub permission: bool,
    /// Seconds to wait; then the question is taken back, and the exit status is 1 [default: for ever]
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
    /// Session to join: our id, the agent's own id, or a unique prefix of either. If there is none, it is made, and this is the
    /// agent's own id of it [default: a new session]
    #[arg(long, value_name = "SESSION", env = "VERBATIM_SESSION", value_parser = session)]
    pub session: Option<String>,
    /// Name of the agent, of a new session [default: what the client calls itself]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Title of a new session
    #[arg(long)]
    pub title: Option<String>,
    /// Seconds to wait for an answer; then the question is taken back, and a permission is denied [default: for ever]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// File that holds the agent's key, instead of `--key`
    #[arg(long, value_name = "FILE", env = "VERBATIM_KEY_FILE", conflicts_with = "key")]
    pub key_file: Option<PathBuf>,
    #[command(flatten)]
    pub remote: Remote,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Make a key, and print it: it is shown this once. The sessions that it makes stay with it: no other key goes on
    /// with them
    Create(KeyCreate),
    /// List keys, newest first
    List(KeyList),
    /// Change the most that a key may post, and print what it posted
    Quota(KeyQuota),
    /// Revoke a key; whoever holds it is refused from then on
    Revoke(KeyRevoke),
}

#[derive(Debug, Args)]
pub struct KeyCreate {
    /// What uses it, for people
    #[arg(long)]
    pub name: String,
    /// What it may do: `post`, `read` (its own), `read_all`, `mirror`, `bridge` [default: post,read,mirror]
    #[arg(long, value_parser = scope, value_delimiter = ',')]
    pub scope: Vec<Scope>,
    /// Day or moment after which it holds no more: `2027-01-31` [default: none]
    #[arg(long, value_name = "WHEN")]
    pub expires: Option<String>,
    /// Most messages that it may post, ever [default: 5000000]
    #[arg(long, value_name = "MESSAGES")]
    pub most_messages: Option<i64>,
    /// Most bytes that it may post, ever [default: 10000000000]
    #[arg(long, value_name = "BYTES")]
    pub most_bytes: Option<i64>,
    #[command(flatten)]
    pub data: Data,
    /// Print `{"id", "key"}`
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeyList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeyQuota {
    /// Id of the key
    pub id: String,
    /// Most messages that it may post, ever
    #[arg(long, value_name = "MESSAGES")]
    pub most_messages: Option<i64>,
    /// Most bytes that it may post, ever
    #[arg(long, value_name = "BYTES")]
    pub most_bytes: Option<i64>,
    #[command(flatten)]
    pub data: Data,
    /// Print all keys as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeyRevoke {
    /// Id of the key
    pub id: String,
    #[command(flatten)]
    pub data: Data,
    /// Print the keys that are left as JSON
    #[arg(long)]
    pub json: bool,
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

fn scope(word: &str) -> Result<Scope, String> {
    Scope::parse(word).ok_or_else(|| format!("it is one of {}", Scope::WORDS.join(", ")))
}
