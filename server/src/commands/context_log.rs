//! `verbatim context-log`: the exact texts that an agent was given, and whether they are what was written.

use super::text::one_line;
use super::{minute, print, print_json};
use crate::cli::ContextLog;
use crate::door::Door;
use anyhow::{Result, bail};
use api::runs::{ContextLogEntry, ContextLogQuery};
use api::sessions::SessionPath;
use api::{Client, Nothing};
use model::run_prompt::PromptPart;

pub async fn run(args: ContextLog) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let path = SessionPath { session: args.session.clone() };
    let found = if args.check { check(&door.client, path).await } else { show(&door.client, path, &args).await };
    door.close().await;
    found
}

async fn check(client: &Client, path: SessionPath) -> Result<()> {
    let check = client.check_context_log(path, Nothing {}).await?;
    match check.fault {
        Some(fault) => bail!("entry {} doesn't fit: {}", fault.number, fault.meaning),
        None => print(&format!("{} entries, each as it was written\n", check.entries)),
    }
}

async fn show(client: &Client, path: SessionPath, args: &ContextLog) -> Result<()> {
    let mut after = None;
    loop {
        let query = ContextLogQuery { run: args.run.clone(), after, limit: Some(500) };
        let page = client.list_context_log(path.clone(), query).await?;
        for entry in &page.entries {
            match args.part {
                // Byte for byte: nothing is added.
                Some(part) if entry.part == part => print(&entry.text)?,
                Some(_) => {}
                None if args.json => print_json(entry)?,
                None => print(&line(entry))?,
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

fn line(entry: &ContextLogEntry) -> String {
    let seq = entry.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    let part = if entry.part == PromptPart::System { "system prompt, " } else { "" };
    let (at, run, text) = (minute(entry.given_at), &entry.run, one_line(&entry.text));
    format!("{at}  {:>6}  {run}  {part}{}{seq}: {text}\n", entry.position, entry.kind)
}
