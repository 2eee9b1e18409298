//! Recovers a damaged `SQLite` file into a new one: table by table, around the pages that can't be read. The damaged
//! file is only read. What is lost is counted, and named where something of it is left.

mod content;
mod copy;
mod mend;
mod swap;

use crate::files::{remove_if_there, with_suffix};
use crate::{Database, Store, StoreError};
use copy::{Copier, Outcome};
use model::Micros;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::path::{Path, PathBuf};

/// Result of a recovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    pub tables: Vec<RecoveredTable>,
    /// Sessions of which something is lost.
    pub sessions: Vec<DamagedSession>,
    /// Files whose bytes are lost in part: their paths and how many bytes.
    pub sources: Vec<(String, i64)>,
    /// Digests of uploaded files that are lost.
    pub blobs: Vec<String>,
    /// The file's header was damaged: what it says was supposed.
    pub header: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredTable {
    pub name: String,
    pub rows: u64,
    /// Rows that were found and couldn't be read.
    pub unreadable: u64,
    /// Stretches without a readable row, of which nobody knows how many they held.
    pub stretches: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedSession {
    pub id: String,
    /// Its title, if one is left.
    pub title: Option<String>,
    /// Ranges of `seq` that are lost, both ends included. A note stands in place of each message.
    pub lost: Vec<(i64, i64)>,
    /// The session's own row was lost: its title, project and state are.
    pub is_rebuilt: bool,
}

/// A recovery that isn't in use yet.
#[derive(Debug)]
pub struct Repair {
    file: PathBuf,
    new: PathBuf,
    pub recovery: Recovery,
}

impl Repair {
    /// Recovers `file` into a new file beside it. No process may have it open.
    pub async fn run(file: &Path, now: Micros) -> Result<Self, StoreError> {
        let new = with_suffix(file, "-recovered");
        remove(&new)?;
        let patched = with_suffix(file, "-patched");
        let outcome = recover(file, &new, &patched, now).await;
        remove(&patched)?;
        match outcome {
            Ok(recovery) => Ok(Self { file: file.to_owned(), new, recovery }),
            Err(error) => {
                remove(&new)?;
                Err(error)
            }
        }
    }

    /// Opens what was recovered, to complete and check it.
    pub async fn open(&self) -> Result<Store, StoreError> {
        Store::open(&Database::Sqlite(self.new.clone())).await
    }

    /// Puts the new file in the place of the damaged one, which is kept under its name with `suffix` behind it. Returns
    /// where. Every handle on the new one is to be closed before.
    pub fn put_in_place(&self, suffix: &str) -> Result<PathBuf, StoreError> {
        Ok(swap::put_in_place(&self.file, &self.new, suffix)?)
    }
}

async fn recover(file: &Path, new: &Path, patched: &Path, now: Micros) -> Result<Recovery, StoreError> {
    Store::open(&Database::Sqlite(new.to_owned())).await?.close().await;
    let options = SqliteConnectOptions::new().filename(new).foreign_keys(false).disable_statement_logging();
    let mut connection = options.connect().await?;
    let mut header = false;
    if let Err(error) = attach(&mut connection, file).await {
        if !matches!(error, StoreError::Damaged(_)) {
            return Err(error);
        }
        swap::patch_header(file, patched)?;
        header = true;
        attach(&mut connection, patched).await?;
    }
    let mut copier = Copier::new(&mut connection);
    let mut tables = Vec::new();
    for table in copier.tables().await? {
        let Outcome { rows, unreadable, stretches } = copier.copy_table(&table).await?;
        tables.push(RecoveredTable { name: table, rows, unreadable, stretches });
    }
    let mend::Losses { sessions, sources, blobs } = mend::mend(&mut connection, now).await?;
    connection.close().await?;
    Ok(Recovery { tables, sessions, sources, blobs, header })
}

/// Attaches the file as `damaged`, read only, and reads its schema.
async fn attach(connection: &mut SqliteConnection, file: &Path) -> Result<(), StoreError> {
    let mut uri = "file:".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?mode=ro");
    sqlx::query("ATTACH $1 AS damaged").bind(&uri).execute(&mut *connection).await?;
    let read = sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM damaged.sqlite_schema").fetch_one(&mut *connection);
    if let Err(error) = read.await {
        sqlx::raw_sql("DETACH damaged").execute(&mut *connection).await?;
        return Err(error.into());
    }
    Ok(())
}

/// Removes a database file with what `SQLite` keeps beside it.
fn remove(file: &Path) -> std::io::Result<()> {
    for suffix in ["", "-wal", "-shm", "-damaged"] {
        remove_if_there(&with_suffix(file, suffix))?;
    }
    Ok(())
}
