use crate::{StoreError, Workspace};
use sqlx::{PgPool, SqlitePool};
use std::path::PathBuf;

/// Where the data lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// The file.
    Sqlite(PathBuf),
    /// A URL: `postgres://user@host/database`.
    Postgres(String),
}

/// An open database. Clones share it.
#[derive(Debug, Clone)]
pub enum Store {
    Sqlite(Sqlite),
    Postgres(PgPool),
}

/// One connection that writes, several that read.
#[derive(Debug, Clone)]
pub struct Sqlite {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

impl Store {
    /// Opens the database, creates what is missing and brings its schema up to date.
    pub async fn open(database: &Database) -> Result<Self, StoreError> { unimplemented!() }
    /// Moves what the log holds into the database file and closes every connection.
    pub async fn close(&self) { unimplemented!() }
    /// The handle on a workspace; `default` where nobody chose one.
    pub fn workspace(&self, id: &str) -> Workspace { Workspace { store: self.clone(), id: id.into() } }
}
