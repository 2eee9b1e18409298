//! `verbatim restore` and `verbatim migrate-store`: fill an empty database.

use super::backup::{Meter, counted, explain};
use super::{note, print};
use crate::cli::{Data, MigrateStore, Restore};
use crate::data_dir;
use anyhow::{Result, anyhow, bail};
use backup::Filled;
use std::path::Path;
use store::{DataDirLock, Database, LockError, Store};

pub async fn run(args: Restore) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    let _lock = lock(&dir)?;
    let database = data_dir::database(&args.data, &dir)?;
    let meter = Meter::default();
    let restored =
        backup::restore(&args.place, args.at.as_deref(), &database, &dir, &|progress| meter.show(progress)).await;
    meter.end();
    let filled = restored.map_err(explain)?;
    let name = filled.backup.clone().unwrap_or_default();
    index(&database).await?;
    print(&format!(
        "Restored {name} into {}: {}\nStart the server{}\n",
        shown(&database),
        contents(&filled),
        start(&args.data, &dir, &database)
    ))
}

/// Copies a store to the other engine.
pub async fn migrate(args: MigrateStore) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    let from = data_dir::existing_database(&args.data, &dir)?;
    let _lock = lock(&dir)?;
    let is_url = args.to.contains("://");
    let target =
        Data { data_dir: (!is_url).then(|| args.to.clone().into()), database: is_url.then(|| args.to.clone()) };
    let to_dir = if is_url { dir.clone() } else { data_dir::path(&target)? };
    let to = data_dir::database(&target, &to_dir)
        .map_err(|error| anyhow!(error.to_string().replace("`--database`", "`--to`")))?;
    if to == from {
        bail!("`--to` names the database that is copied\nName another one");
    }
    let _target_lock = if is_url { None } else { Some(lock(&to_dir)?) };
    let meter = Meter::default();
    let moved = backup::move_to(&from, &to, &|progress| meter.show(progress)).await;
    meter.end();
    let filled = moved.map_err(explain)?;
    index(&to).await?;
    print(&format!(
        "Copied {} to {}: {}\nBoth hold the same rows, by their hashes; the first one is as it was\nStart the server{}\n",
        shown(&from),
        shown(&to),
        contents(&filled),
        start(&target, &to_dir, &to)
    ))
}

fn lock(dir: &Path) -> Result<DataDirLock> {
    DataDirLock::acquire(dir).map_err(|error| match error {
        LockError::Held { holder, .. } => {
            anyhow!("{} is in use by process {holder}\nEnd the server, then run it again", dir.display())
        }
        LockError::Io { error, .. } => {
            anyhow!("{} can't be used: {error}\nName another folder with `--data-dir`", dir.display())
        }
    })
}

/// Writes the index of words, and checks the store as a start would find it.
async fn index(database: &Database) -> Result<()> {
    note("Writing the index of words");
    let store = Store::open(database).await?;
    let done = async {
        hub::derived::reindex::renew_store(&store).await?;
        store.faults().await
    }
    .await;
    store.close().await;
    match done?.first() {
        Some(fault) => bail!(
            "what was copied isn't whole: {fault}\nIt was so before: run `verbatim doctor` on where it comes from"
        ),
        None => Ok(()),
    }
}

fn contents(filled: &Filled) -> String {
    let went_on = if filled.went_on { ". It went on where it was cut" } else { "" };
    format!("{}{went_on}", counted(|table| filled.rows.get(table).copied().unwrap_or_default()))
}

/// A database without its password.
fn shown(database: &Database) -> String {
    match database {
        Database::Sqlite(file) => file.display().to_string(),
        Database::Postgres(url) => match (url.split_once("://"), url.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://{rest}"),
            _ => url.clone(),
        },
    }
}

/// How the server is started on it.
fn start(data: &Data, dir: &Path, database: &Database) -> String {
    match database {
        Database::Postgres(_) => " with `VERBATIM_DATABASE` set to that address".to_owned(),
        Database::Sqlite(_) if data.data_dir.is_some() => format!(": `verbatim serve --data-dir {}`", dir.display()),
        Database::Sqlite(_) => ": `verbatim serve`".to_owned(),
    }
}
