//! The commands, one file each.

mod ask;
mod doctor;
mod export;
mod hidden;
mod import;
mod key;
mod open;
mod send;
mod serve;
mod sessions;
mod show;
mod tail;
mod text;

use crate::cli::{Cli, Command};
use anyhow::Result;
use std::io::Write as _;
use std::process::ExitCode;

pub async fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Serve(args) => serve::run(args).await,
        Command::Import(args) => import::run(args).await,
        Command::Sessions(args) => sessions::run(args).await,
        Command::Show(args) => show::run(args).await,
        Command::Open(args) => open::run(args).await,
        Command::Send(args) => send::run(args).await,
        Command::Ask(args) => return ask::run(args).await,
        Command::Tail(args) => tail::run(args).await,
        Command::Key(args) => key::run(args).await,
        Command::Export(args) => export::run(args).await,
        Command::Doctor(args) => doctor::run(args).await,
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Writes to standard output. A reader that went away, as `head` does, ends the program quietly.
fn print(text: &str) -> Result<()> {
    match write!(std::io::stdout(), "{text}").and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => Ok(other?),
    }
}

fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string(value)?))
}

/// `2026-11-21 14:02`, in local time.
fn minute(at: model::Micros) -> String {
    jiff::Timestamp::from_microsecond(at.0)
        .map(|t| t.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}
