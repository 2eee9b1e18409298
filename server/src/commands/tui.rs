//! `verbatim tui`: sessions in the terminal.

use crate::cli::Tui;
use crate::door;
use anyhow::{Result, bail};
use jiff::tz::TimeZone;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use tui::{App, Person, Server, Theme};

pub async fn run(args: Tui) -> Result<()> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!("this isn't a terminal\nFor pipes there is `verbatim tail`");
    }
    let verbatim = door::running(&args.data, &args.remote).await?;
    let session = match &args.session {
        Some(name) => Some(verbatim.session(name).info().await?.id.to_string()),
        None => None,
    };
    // An agent's key makes no log-in: with it, sessions can only be read.
    let person = match Person::log_in(&verbatim).await {
        Ok(person) => Some(person),
        Err(problem) if problem.status == 403 => None,
        Err(problem) => return Err(problem.into()),
    };
    let theme = if args.no_color.is_some_and(|word| !word.is_empty()) { Theme::Plain } else { Theme::Colours };
    let app = App::new(theme, TimeZone::system());
    let ended = tui::run(app, Server { verbatim, person: person.clone(), folder: PathBuf::from(".") }, session).await;
    if let Some(person) = person {
        // Where the server is gone, the log-in ends by itself.
        let _ = person.leave().await;
    }
    Ok(ended?)
}
