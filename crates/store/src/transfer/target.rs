//! Fills an empty database with the parts of another one. Each part is a transaction, which notes how far it came, so that
//! a transfer that was cut goes on where it stopped.

use super::catalog::PROGRESS;
use super::{Chain, Part, Source, Table, rows};
use crate::files::{sync_dir, with_suffix};
use crate::step::table::{Kind, NamedTable, Verb, write_whole};
use crate::store::{Durability, Tuning, Tx, on_tx};
use crate::{Database, Store, StoreError, meta};
use sqlx::AssertSqlSafe;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Why a database can't be filled.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("{0} isn't empty")]
    Used(String),
    /// The source isn't the one that the transfer began with.
    #[error("what was transferred of table {0} before isn't what comes now")]
    Changed(String),
    #[error("table {table} has no column {column}")]
    Column { table: String, column: String },
    #[error("there is no table {0}")]
    Table(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for TransferError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// How many parts of a table were written, and their chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub parts: u64,
    pub chain: Chain,
}

/// A database that is being filled. No server opens it before its end.
#[derive(Debug)]
pub struct Target {
    database: Database,
    /// The database itself, or the file that becomes it.
    filled: Database,
    store: Store,
    tables: BTreeMap<String, Table>,
    /// The progress that was stored when this transfer began.
    before: BTreeMap<String, Progress>,
    progress: BTreeMap<String, Progress>,
}

/// Behind the name of a file that isn't complete.
const FILLING: &str = "-filling";

impl Target {
    /// Makes the tables of `schema`, or opens what an earlier transfer left.
    ///
    /// # Errors
    ///
    /// [`TransferError::Used`] if the database holds anything.
    pub async fn begin(database: &Database, schema: i64) -> Result<Self, TransferError> {
        let filled = match database {
            Database::Sqlite(file) if file.exists() => return Err(TransferError::Used(file.display().to_string())),
            Database::Sqlite(file) => Database::Sqlite(with_suffix(file, FILLING)),
            Database::Postgres(_) => database.clone(),
        };
        // A file that a loss of power destroys is thrown away.
        let tuning = Tuning { durability: Durability::Off, ..Tuning::default() };
        let store = Store::open_at(&filled, tuning, Some(schema)).await?;
        match Self::open(database, &filled, &store, schema).await {
            Ok(target) => Ok(target),
            Err(error) => {
                store.close().await;
                Err(error)
            }
        }
    }

    async fn open(database: &Database, filled: &Database, store: &Store, schema: i64) -> Result<Self, TransferError> {
        let source = Source::open(filled).await?;
        let (found, tables) = (source.schema, source.tables.clone());
        source.close().await?;
        let mut tx = store.begin().await?;
        let blob = if matches!(store, Store::Sqlite(_)) { "BLOB" } else { "BYTEA" };
        let begun = has_begun(&mut tx).await?;
        if begun && found != schema {
            return Err(TransferError::Used("a transfer of another schema began there: the database".to_owned()));
        }
        if !begun {
            for table in &tables {
                // The first workspace may be there, and what a start notes.
                let is_note = matches!(&*table.name, "workspace" | "meta");
                let sql = AssertSqlSafe(format!("SELECT 1 FROM {} LIMIT 1", table.name));
                let used: Option<i32> = on_tx!(&mut tx, c => sqlx::query_scalar(sql).fetch_optional(c).await)?;
                if used.is_some() && !is_note {
                    return Err(TransferError::Used("the database".to_owned()));
                }
                if is_note {
                    let sql = AssertSqlSafe(format!("DELETE FROM {}", table.name));
                    on_tx!(&mut tx, c => sqlx::query(sql).execute(c).await.map(drop))?;
                }
            }
            let sql = format!(
                "CREATE TABLE {PROGRESS} (name TEXT PRIMARY KEY, parts BIGINT NOT NULL, chain {blob} NOT NULL)"
            );
            on_tx!(&mut tx, c => sqlx::query(AssertSqlSafe(sql)).execute(c).await.map(drop))?;
        }
        let sql = AssertSqlSafe(format!("SELECT name, parts, chain FROM {PROGRESS}"));
        let rows: Vec<(String, i64, Vec<u8>)> = on_tx!(&mut tx, c => sqlx::query_as(sql).fetch_all(c).await)?;
        tx.commit().await?;
        let before = rows.into_iter().map(|(name, parts, chain)| {
            let chain = chain.try_into().map(Chain).map_err(|_| StoreError::Corrupt(format!("the chain of {name}")))?;
            Ok((name, Progress { parts: parts.unsigned_abs(), chain }))
        });
        Ok(Self {
            database: database.clone(),
            filled: filled.clone(),
            store: store.clone(),
            tables: tables.into_iter().map(|table| (table.name.clone(), table)).collect(),
            before: before.collect::<Result<_, StoreError>>()?,
            progress: BTreeMap::new(),
        })
    }

    /// Returns true if an earlier transfer wrote some of it.
    pub fn goes_on(&self) -> bool {
        !self.before.is_empty()
    }

    /// Writes the next part of a table, with these columns. One that was written before is only compared.
    pub async fn write(&mut self, table: &str, columns: &[String], part: &Part) -> Result<(), TransferError> {
        let own = self.tables.get(table).ok_or_else(|| TransferError::Table(table.to_owned()))?;
        let kinds = columns.iter().map(|column| {
            let at = own.columns.iter().position(|own| own == column);
            at.and_then(|at| own.kinds.get(at).copied())
                .ok_or_else(|| TransferError::Column { table: table.to_owned(), column: column.clone() })
        });
        let kinds: Vec<Kind> = kinds.collect::<Result<_, _>>()?;
        let progress = self.progress.entry(table.to_owned()).or_default();
        progress.parts += 1;
        progress.chain.add(&part.sha256());
        if let Some(before) = self.before.get(table)
            && progress.parts <= before.parts
        {
            let differs = progress.parts == before.parts && progress.chain != before.chain;
            return if differs { Err(TransferError::Changed(table.to_owned())) } else { Ok(()) };
        }
        let rows = rows::decode(&part.bytes, &kinds)?;
        let named: Vec<(&str, Kind)> = columns.iter().map(String::as_str).zip(kinds).collect();
        let named = NamedTable {
            name: table,
            columns: Cow::Owned(named),
            has_workspace: false,
            verb: Verb::Insert(Cow::Borrowed("")),
        };
        let mut tx = self.store.begin().await?;
        write_whole(&mut tx, &named, &rows).await?;
        let sql = format!(
            "INSERT INTO {PROGRESS} (name, parts, chain) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET parts = EXCLUDED.parts, chain = EXCLUDED.chain"
        );
        let (parts, chain) = (progress.parts.cast_signed(), progress.chain.0);
        on_tx!(&mut tx, c => {
            sqlx::query(AssertSqlSafe(sql)).bind(table).bind(parts).bind(&chain[..]).execute(c).await.map(drop)
        })?;
        Ok(tx.commit().await?)
    }

    /// Opens what was filled, to compare it.
    pub async fn source(&self) -> Result<Source, TransferError> {
        Ok(Source::open(&self.filled).await?)
    }

    /// Brings its schema up to date, and puts it where it belongs. The index of words is still to be written.
    pub async fn finish(self) -> Result<(), TransferError> {
        let mut tx = self.store.begin().await?;
        let words = "DELETE FROM meta WHERE key = $1";
        on_tx!(&mut tx, c => sqlx::query(words).bind(meta::WORDS).execute(c).await.map(drop))?;
        let drop_table = AssertSqlSafe(format!("DROP TABLE {PROGRESS}"));
        on_tx!(&mut tx, c => sqlx::query(drop_table).execute(c).await.map(drop))?;
        tx.commit().await?;
        self.store.close().await;
        // The source is the copy.
        let tuning = Tuning { copies_before_update: false, ..Tuning::default() };
        Store::open_at(&self.filled, tuning, None).await?.close().await;
        if let (Database::Sqlite(filled), Database::Sqlite(file)) = (&self.filled, &self.database) {
            std::fs::File::open(filled).and_then(|file| file.sync_all()).map_err(StoreError::Io)?;
            if file.exists() {
                return Err(TransferError::Used(file.display().to_string()));
            }
            std::fs::rename(filled, file).map_err(StoreError::Io)?;
            file.parent().map_or(Ok(()), sync_dir).map_err(StoreError::Io)?;
        }
        Ok(())
    }

    /// Closes it as it is. A later transfer goes on.
    pub async fn close(self) {
        self.store.close().await;
    }
}

/// Returns true if a transfer into the database isn't complete.
pub(crate) async fn has_begun(tx: &mut Tx) -> Result<bool, StoreError> {
    let found: Option<i32> = match tx {
        Tx::Sqlite(c, ..) => {
            let sql = "SELECT 1 FROM sqlite_schema WHERE name = $1";
            sqlx::query_scalar(sql).bind(PROGRESS).fetch_optional(&mut **c).await?
        }
        Tx::Postgres(c, _) => {
            let sql = "SELECT 1 WHERE to_regclass($1) IS NOT NULL";
            sqlx::query_scalar(sql).bind(PROGRESS).fetch_optional(&mut **c).await?
        }
    };
    Ok(found.is_some())
}
