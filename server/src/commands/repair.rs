//! `verbatim doctor --repair`, and what doctor says of a damaged or unchecked database.

use super::print;
use crate::cli::Doctor;
use crate::data_dir;
use anyhow::{Context as _, Result, bail};
use model::audit::{Actor, Event};
use std::fmt::Write as _;
use store::{DataDirLock, Database, LockError, Recovery, Repair, Store};

/// Recovers the database of a data directory into a new file, which takes its place if it is whole.
pub async fn run(args: &Doctor) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    let _lock = DataDirLock::acquire(&dir).map_err(|error| match error {
        LockError::Held { holder, .. } => anyhow::anyhow!(
            "{} is in use by process {holder}, and nothing can be repaired while it is\nEnd the server, then run it again",
            dir.display()
        ),
        LockError::Io { error, .. } => {
            anyhow::anyhow!("{} can't be used: {error}\nName another folder with `--data-dir`", dir.display())
        }
    })?;
    let Database::Sqlite(file) = data_dir::existing_database(&args.data, &dir)? else { bail!("{POSTGRES}") };
    let failed = |error: store::StoreError| {
        anyhow::anyhow!(
            "{} can't be recovered: {error}\nThe file is as it was. Put a backup in its place, or import the transcripts into a new data directory: agents keep their own",
            file.display()
        )
    };
    let repair = Repair::run(&file, hub::clock::now()).await.map_err(failed)?;
    let store = repair.open().await.map_err(failed)?;
    let checked = async {
        hub::derived::reindex::renew_store(&store).await?;
        let faults = faults(&store).await?;
        let by = store.workspace("default").signed(Actor::Command, hub::clock::now());
        by.record_event(repaired(&repair.recovery)).await?;
        Ok(faults)
    }
    .await;
    store.close().await;
    let faults = checked.map_err(failed)?;
    if let Some(fault) = faults.first() {
        bail!("what was recovered isn't whole: {fault}\nThe damaged file is as it was; keep it");
    }
    let day = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S").to_string();
    let kept = repair.put_in_place(&format!(".damaged-{day}")).context("the new file can't be put in place")?;
    print(&format!("{}The damaged file is kept as {}\n", report(&repair.recovery), kept.display()))
}

const POSTGRES: &str = "PostgreSQL repairs its own databases\n`pg_amcheck` finds what is damaged; restore a backup, or see \
    https://www.postgresql.org/docs/current/app-pgamcheck.html";

/// Returns the audit log's entry of a repair.
fn repaired(recovery: &Recovery) -> Event {
    let lost = recovery.sessions.iter().flat_map(|session| &session.lost).map(|(from, to)| to - from + 1);
    let log = recovery.tables.iter().find(|table| table.name == "audit");
    Event::DatabaseRepaired {
        messages_lost: lost.sum::<i64>().unsigned_abs(),
        entries_lost: log.map_or(0, |table| table.unreadable + table.stretches),
    }
}

/// Returns the lines of a report about recovered and lost data.
fn report(recovery: &Recovery) -> String {
    let mut text = String::new();
    if recovery.header {
        text += "The header of the file was damaged; what it says of the rest was supposed\n";
    }
    for table in &recovery.tables {
        let _ = write!(text, "{:<16} {:>8} rows recovered", table.name, table.rows);
        if table.unreadable > 0 {
            let _ = write!(text, ", {} unreadable", table.unreadable);
        }
        if table.stretches > 0 {
            let _ = write!(text, ", {} stretches lost", table.stretches);
        }
        text.push('\n');
    }
    for session in &recovery.sessions {
        let title = session.title.as_deref().unwrap_or("without a title");
        let _ = write!(text, "session {} ({title})", session.id);
        if session.is_rebuilt {
            text += ": its own row is lost, its messages are there";
        }
        if !session.lost.is_empty() {
            let count: i64 = session.lost.iter().map(|(from, to)| to - from + 1).sum();
            let ranges: Vec<String> = session.lost.iter().map(|(from, to)| range(*from, *to)).collect();
            let noun = if count == 1 { "message" } else { "messages" };
            let _ = write!(text, ": {count} {noun} lost, `seq` {}", ranges.join(", "));
        }
        text.push('\n');
    }
    for (path, bytes) in &recovery.sources {
        let _ = writeln!(text, "file {path}: {bytes} bytes lost");
    }
    for sha256 in &recovery.blobs {
        let _ = writeln!(text, "uploaded file sha256:{sha256}: lost");
    }
    if recovery.sessions.is_empty() && recovery.sources.is_empty() && recovery.blobs.is_empty() {
        text += "No message and no byte of a file is lost\n";
    }
    text
}

fn range(from: i64, to: i64) -> String {
    if from == to { from.to_string() } else { format!("{from} to {to}") }
}

/// Returns the problems of a store's structure and content; empty if there are none.
pub async fn faults(store: &Store) -> Result<Vec<String>, store::StoreError> {
    let found = async {
        let mut faults = store.faults().await?;
        faults.extend(store.workspace("default").damaged_content().await?);
        Ok(faults)
    };
    match found.await {
        // More can't be read.
        Err(error @ store::StoreError::Damaged(_)) => Ok(vec![error.to_string()]),
        found => found,
    }
}

/// Returns doctor's line about `PostgreSQL`'s own protection against damage.
pub async fn server_checksums(store: &Store) -> Option<String> {
    let on = store.data_checksums().await?;
    Some(if on {
        "ok    data checksums   on; `pg_amcheck` checks tables and indexes".to_owned()
    } else {
        "-     data checksums   off; `pg_checksums --enable` turns them on while PostgreSQL is stopped, `pg_amcheck` checks tables and indexes"
            .to_owned()
    })
}
