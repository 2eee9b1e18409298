//! The commands, one file each.

mod ask;
mod attach;
mod audit;
mod backup;
mod channels;
mod completions;
mod config;
pub mod context;
mod context_log;
mod doctor;
mod erase;
mod export;
mod folders;
mod forward;
mod hidden;
mod hook;
mod import;
mod key;
mod machine;
mod mcp;
mod metrics;
mod notify;
mod open;
mod pair;
mod public_check;
mod repair;
mod restore;
mod run;
mod schedule;
mod send;
mod serve;
mod service;
mod sessions;
mod share;
mod show;
mod tail;
mod text;
mod tls;
mod tui;
mod types;
mod user;

use crate::cli::{Cli, Command};
use crate::printing::{note, print, print_bytes, print_encoded, print_json};
use anyhow::{Context as _, Error, Result, anyhow};
use api::Problem;
use std::path::Path;
use std::process::ExitCode;

pub async fn run(cli: Cli) -> Result<ExitCode> {
    dispatch(cli).await.map_err(advise)
}

async fn dispatch(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Serve(args) => serve::run(*args).await,
        Command::Import(args) => import::run(args).await,
        Command::Sessions(args) => sessions::run(args).await,
        Command::Show(args) => show::run(args).await,
        Command::Open(args) => open::run(args).await,
        Command::Pair(args) => pair::run(args).await,
        Command::Run(args) => run::run(args).await,
        Command::Attach(args) => attach::run(args).await,
        Command::Send(args) => send::run(args).await,
        Command::Notify(args) => notify::run(args).await,
        Command::Ask(args) => return ask::run(args).await,
        Command::Tail(args) => tail::run(args).await,
        Command::Tui(args) => tui::run(args).await,
        Command::Schedule(args) => schedule::run(args).await,
        Command::Channels(args) => channels::run(args).await,
        Command::Mcp(args) => mcp::run(args).await,
        Command::Key(args) => key::run(args).await,
        Command::User(args) => user::run(args).await,
        Command::Machine(args) => machine::run(args).await,
        Command::Forward(args) => forward::run(args).await,
        Command::Share(args) => share::run(args).await,
        Command::Hook(args) => return hook::run(args).await,
        Command::Types(args) => types::run(args).await,
        Command::Export(args) => export::run(args).await,
        Command::Erase(args) => erase::run(args).await,
        Command::Context(args) => context::run(args).await,
        Command::ContextLog(args) => context_log::run(args).await,
        Command::Audit(args) => audit::run(args).await,
        Command::Doctor(args) => doctor::run(args).await,
        Command::Backup(args) => backup::run(args).await,
        Command::Restore(args) => restore::run(args).await,
        Command::MigrateStore(args) => restore::migrate(args).await,
        Command::Config(command) => config::run(&command),
        Command::Service(args) => service::run(&args),
        Command::Tls(command) => tls::run(&command),
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => completions::man(&args),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Fields of requests, and the options that fill them.
const OPTIONS: [(&str, &str); 17] = [
    ("`/agent`", "`--agent`"),
    ("`/at`", "`--at`"),
    ("`/cron`", "`--cron`"),
    ("`/days`", "`--days`"),
    ("`/expires_at`", "`--expires`"),
    ("`/folder`", "`--folder`"),
    ("`/from`", "`--from`"),
    ("`/id`", "`--id`"),
    ("`/label`", "`--label`"),
    ("`/mode`", "`--mode`"),
    ("`/model`", "`--model`"),
    ("`/name`", "`--name`"),
    ("`/role`", "`--role`"),
    ("`/title`", "`--title`"),
    ("`/to`", "`--to`"),
    ("`/zone`", "`--zone`"),
    ("`since`", "`--since`"),
];

/// Names options instead of fields, and adds what to do next where the server doesn't say it.
fn advise(error: Error) -> Error {
    let Some(problem) =
        error.downcast_ref::<Problem>().or_else(|| error.downcast_ref::<sdk::Error>().and_then(sdk::Error::problem))
    else {
        return error;
    };
    let text = OPTIONS.iter().fold(problem.to_string(), |text, (field, option)| text.replace(field, option));
    let next = match problem.code.as_str() {
        _ if problem.hint.is_some() => None,
        "not_found" if problem.title.contains("session") => Some("`verbatim sessions` lists them"),
        "not_found" if problem.title.contains("schedule") => Some("`verbatim schedule list` lists them"),
        "not_found" if problem.title.contains("key") => Some("`verbatim key list` lists them"),
        "not_found" if problem.title.contains("machine") => Some("`verbatim machine list` lists them"),
        "not_found" if problem.title.contains("link") => Some("`verbatim share list` lists them"),
        "transport" => {
            Some("Check that the server is running. `verbatim serve` starts one; `--server` sets another address")
        }
        _ => None,
    };
    match next {
        Some(next) => anyhow!("{text}\n{next}"),
        None => anyhow!(text),
    }
}

/// Reads the key that a file holds. `hint` follows what is said if it can't be read.
fn read_key(file: &Path, hint: &str) -> Result<String> {
    let key = std::fs::read_to_string(file).with_context(|| format!("{} can't be read{hint}", file.display()))?;
    Ok(key.trim().to_owned())
}

/// Connects with a server. The certificate in the file `authority` is trusted besides those of the system.
fn connect(url: &str, key: &str, authority: Option<&Path>) -> Result<sdk::Verbatim> {
    let Some(file) = authority else { return Ok(sdk::Verbatim::connect(url, key)?) };
    let pem = std::fs::read(file).with_context(|| format!("{} can't be read", file.display()))?;
    Ok(sdk::Verbatim::connect_trusting(url, key, &pem)?)
}

/// `2026-11-21 14:02`, in local time.
fn minute(at: model::Micros) -> String {
    jiff::Timestamp::from_microsecond(at.0)
        .map(|t| t.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}
