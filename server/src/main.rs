//! The `verbatim` program: the server and the commands.
//!
//! A tour: [`cli`] is what a person may type; [`commands`] has one file per command; [`door`] is how commands reach the
//! data, with or without a running server; [`http`] is the server, [`listening`] its socket, [`reach`] how other
//! machines come to it, by the [`public_url`], [`tls`] its certificate, [`acme`] and [`authority`] where that comes
//! from, [`take_over`] how another one gets the socket; [`config`] is what the environment and a file say instead;
//! [`data_dir`] says where everything lies, and [`permissions`] who may read it; [`printing`] writes what commands
//! print; [`speaker`] names who speaks; [`logging`] says what is logged.
//!
//! How to add a command: a variant in `cli.rs`, a file in `commands/`.

mod acme;
mod authority;
mod bounded_http;
mod cli;
mod commands;
mod config;
mod data_dir;
mod door;
mod embeddings;
mod http;
mod listening;
mod logging;
mod notice_file;
mod permissions;
mod price_file;
mod printing;
mod public_url;
mod reach;
mod scheduled_backup;
mod sign_on_rules;
mod signals;
mod single_sign_on;
mod speaker;
#[cfg_attr(not(unix), path = "take_over/unsupported.rs")]
mod take_over;
mod tls;
mod type_files;

use std::process::ExitCode;
use std::time::Duration;

/// How long what is left is waited for when a command has ended: a thread may read a file that never comes.
const REST: Duration = Duration::from_millis(200);

/// Gives memory back when it is free: `docs/decisions/memory.md`.
#[cfg(all(unix, not(target_os = "macos")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => {
            printing::note(&format!("verbatim: {error:#}"));
            return ExitCode::FAILURE;
        }
    };
    logging::start(cli.log_format());
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            printing::note(&format!("verbatim: can't start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(commands::run(cli));
    runtime.shutdown_timeout(REST);
    match ended {
        Ok(status) => status,
        Err(error) => {
            printing::note(&format!("verbatim: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
