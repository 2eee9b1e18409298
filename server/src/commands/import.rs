//! `verbatim import`: files and folders become sessions.

use super::{folders, note, print, print_json};
use crate::cli::Import;
use crate::door::Door;
use anyhow::{Context as _, Result, bail};
use api::imports::{ImportJob, ImportPath, ImportRequest};
use api::{Client, Nothing};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

const POLL: Duration = Duration::from_millis(50);

pub async fn run(args: Import) -> Result<()> {
    if args.list {
        return folders::list(args.json);
    }
    let mut paths = Vec::new();
    for path in &args.paths {
        // One spelling per file: sources are known by their path.
        let path = path.canonicalize().with_context(|| format!("{} can't be read", path.display()))?;
        paths.push(path.to_str().with_context(|| format!("{} isn't a UTF-8 path", path.display()))?.to_owned());
    }
    let door = Door::open(&args.data).await?;
    let result = import(&door.client, paths).await;
    door.close().await;
    let job = result?;
    for failed in &job.failed {
        // An error of the whole import has no file.
        let place = if failed.path.is_empty() { String::new() } else { format!("{}: ", failed.path) };
        note(&format!("{place}{}", failed.reason));
    }
    let unread = job.failed.iter().filter(|f| !f.path.is_empty()).count() as u64;
    let report = serde_json::json!({
        "files": job.files_done.saturating_sub(unread),
        "sessions": job.sessions,
        "messages": job.messages,
        "notes": job.notes,
    });
    if args.json {
        print_json(&report)?;
    } else {
        let notes =
            if job.notes > 0 { format!(", {} unreadable lines kept as notes", job.notes) } else { String::new() };
        print(&format!(
            "{} files, {} sessions, {} new messages{notes}\n",
            report["files"], job.sessions, job.messages
        ))?;
    }
    if unread < job.failed.len() as u64 {
        bail!("the import stopped after {} of {} files", job.files_done, job.files);
    }
    if unread > 0 {
        bail!("{unread} of {} files could not be imported", job.files);
    }
    Ok(())
}

async fn import(client: &Client, paths: Vec<String>) -> Result<ImportJob> {
    let mut job = client.start_import(Nothing {}, ImportRequest { paths }).await?;
    let style = ProgressStyle::with_template("{bar:32} {bytes} of {total_bytes}, {msg}")?;
    // On something else than a terminal it draws nothing.
    let bar = ProgressBar::new(job.bytes).with_style(style);
    while !job.done {
        bar.set_position(job.bytes_done);
        bar.set_message(format!("{} messages", job.messages));
        tokio::time::sleep(POLL).await;
        job = client.get_import(ImportPath { import: job.id }, Nothing {}).await?;
    }
    bar.finish_and_clear();
    Ok(job)
}
