//! `PostgreSQL`'s NOTIFY as a doorbell between servers. It says that something was written, not what.

use crate::{Store, StoreError, Workspace};
use sqlx::postgres::PgListener;

const CHANNEL: &str = "verbatim";

/// A connection that listens.
pub struct Bell(PgListener);

impl Bell {
    /// Waits for a ring. An error: the connection broke, and rings may have been lost.
    pub async fn rung(&mut self) -> Result<(), StoreError> {
        match self.0.try_recv().await? {
            Some(_) => Ok(()),
            None => Err(StoreError::Io(std::io::Error::from(std::io::ErrorKind::ConnectionReset))),
        }
    }
}

impl Workspace {
    /// Listens to other servers. `SQLite` has none: it never rings.
    pub async fn bell(&self) -> Result<Bell, StoreError> {
        let Store::Postgres(pools) = &self.store else {
            return Err(StoreError::Io(std::io::Error::from(std::io::ErrorKind::Unsupported)));
        };
        let mut listener = PgListener::connect_with(&pools.readers).await?;
        listener.listen(CHANNEL).await?;
        Ok(Bell(listener))
    }

    /// Rings at other servers.
    pub async fn ring(&self) -> Result<(), StoreError> {
        if let Store::Postgres(pools) = &self.store {
            sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(&pools.readers).await?;
        }
        Ok(())
    }
}
