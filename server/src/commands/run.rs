//! `verbatim run`: an agent in a folder.

use super::text::text;
use super::{note, print, print_json};
use crate::cli::Run;
use crate::door;
use anyhow::{Context as _, Result};
use api::Nothing;
use api::driving::StartAgent;
use app::shared::session_href;

pub async fn run(args: Run) -> Result<()> {
    let folder = match args.folder {
        Some(folder) => std::path::absolute(&folder).with_context(|| format!("{} isn't a path", folder.display()))?,
        None => std::env::current_dir().context("this folder can't be entered\nName one with `--folder`")?,
    };
    let folder =
        folder.to_str().context("the folder's path isn't Unicode\nName another one with `--folder`")?.to_owned();
    let prompt = match args.prompt.as_deref() {
        None => None,
        typed => text(typed)?,
    };
    let verbatim = door::answering(&args.data).await?;
    let input = StartAgent { agent: args.agent, folder, prompt, mode: args.mode, model: args.model };
    let started = verbatim.client().start_agent(Nothing {}, input).await?;
    if args.json {
        return print_json(&started);
    }
    let session = &started.agent.session;
    note(&format!("{} works at {}{}", started.agent.title, verbatim.url().unwrap_or_default(), session_href(session)));
    print(&format!("{session}\n"))
}
