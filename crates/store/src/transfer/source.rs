//! Reads a database for a transfer, beside the server that writes it.

use super::rows::Parts;
use super::{Part, Table, catalog};
use crate::{Database, StoreError};
use futures::TryStreamExt as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, SqliteConnection};
use std::str::FromStr as _;

/// A snapshot of a database: what others write while it is read isn't seen.
#[derive(Debug)]
pub struct Source {
    connection: Connection,
    /// Number of its last migration.
    pub schema: i64,
    pub tables: Vec<Table>,
    /// Size of the database in bytes, with the indexes that aren't read.
    pub size: u64,
}

#[derive(Debug)]
enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Source {
    pub async fn open(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::Sqlite(file) => {
                let options = SqliteConnectOptions::new().filename(file).read_only(true).disable_statement_logging();
                let mut c = options.connect().await?;
                // The first statement that reads takes the snapshot.
                sqlx::raw_sql("BEGIN").execute(&mut c).await?;
                let (schema, tables) = catalog::sqlite(&mut c).await?;
                let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
                let size: i64 = sqlx::query_scalar(size).fetch_one(&mut c).await?;
                Ok(Self { connection: Connection::Sqlite(c), schema, tables, size: size.unsigned_abs() })
            }
            Database::Postgres(url) => {
                let mut c = PgConnectOptions::from_str(url)?.application_name("verbatim").connect().await?;
                sqlx::raw_sql("SET statement_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .execute(&mut c)
                    .await?;
                let (schema, tables) = catalog::postgres(&mut c).await?;
                let size = "SELECT pg_database_size(current_database())";
                let size: i64 = sqlx::query_scalar(size).fetch_one(&mut c).await?;
                Ok(Self { connection: Connection::Postgres(c), schema, tables, size: size.unsigned_abs() })
            }
        }
    }

    /// Passes all rows of a table on, in parts. Ends with the first error of `take`.
    pub async fn read<E: From<StoreError>>(
        &mut self,
        table: &Table,
        mut take: impl AsyncFnMut(Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!("SELECT {} FROM {} ORDER BY {}", table.columns.join(", "), table.name, table.key.join(", "));
        let mut gathered = Parts::default();
        /// Both engines have rows of a type of their own.
        macro_rules! read {
            ($c:expr) => {{
                let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch($c);
                while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
                    if let Some(part) = gathered.add(table, &row).map_err(StoreError::from)? {
                        take(part).await?;
                    }
                }
            }};
        }
        match &mut self.connection {
            Connection::Sqlite(c) => read!(c),
            Connection::Postgres(c) => read!(c),
        }
        match gathered.end() {
            Some(part) => take(part).await,
            None => Ok(()),
        }
    }

    pub async fn close(self) -> Result<(), StoreError> {
        match self.connection {
            Connection::Sqlite(c) => c.close().await?,
            Connection::Postgres(c) => c.close().await?,
        }
        Ok(())
    }
}
