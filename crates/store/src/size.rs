//! The size of the database.

use crate::store::on;
use crate::{Store, StoreError};

impl Store {
    /// Returns the size of the database in bytes. Of `SQLite` this is its file, without the write-ahead log.
    pub async fn size(&self) -> Result<i64, StoreError> {
        let size = match self {
            Self::Sqlite(_) => "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            Self::Postgres(_) => "SELECT pg_database_size(current_database())",
        };
        Ok(on!(self, pool => sqlx::query_scalar(size).fetch_one(pool).await)?)
    }
}
