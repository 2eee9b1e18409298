//! Other machines, whose agents' files are sent here.

use crate::columns::columns;
use crate::settings::change;
use crate::store::{on, on_tx};
use crate::{StoreError, Workspace};
use model::Micros;
use model::audit::Event;

/// A machine that wasn't heard of for so long is offline.
pub const OFFLINE: i64 = 90 * Micros::SECOND;

columns! {
    /// A machine that wasn't removed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Machine {
        pub id: String,
        pub name: String,
        /// Id of its key.
        pub key_id: String,
        /// Id of the person who added it.
        pub person_id: String,
        /// As it says: `linux x86_64`.
        pub platform: Option<String>,
        /// Version of its program, as it says.
        pub version: Option<String>,
        /// Microseconds since 1970.
        pub added_at: i64,
        /// When it was last heard of, in microseconds since 1970.
        pub seen_at: Option<i64>,
    }
}

const COLUMNS: &str = "id, name, key_id, person_id, platform, version, added_at, seen_at";

impl Workspace {
    /// Returns the machines that weren't removed, in the order in which they were added.
    pub async fn machines(&self) -> Result<Vec<Machine>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM machine WHERE workspace_id = $1 AND removed_at IS NULL ORDER BY added_at, id"
            )))
            .bind(self.id()).fetch_all(pool).await
        })?)
    }

    /// Returns id and name of each machine, also of those that were removed.
    pub async fn machine_names(&self) -> Result<Vec<(String, String)>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as("SELECT id, name FROM machine WHERE workspace_id = $1 ORDER BY added_at, id")
                .bind(self.id()).fetch_all(pool).await
        })?)
    }

    /// Returns the id of the machine whose key this is, unless it was removed.
    pub async fn machine_of_key(&self, key_id: &str) -> Result<Option<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT id FROM machine WHERE workspace_id = $1 AND key_id = $2 AND removed_at IS NULL",
            )
            .bind(self.id()).bind(key_id).fetch_optional(pool).await
        })?)
    }

    /// Adds a machine, or renames it. False if another one has the name.
    pub async fn put_machine(&self, machine: &Machine, event: Event) -> Result<bool, StoreError> {
        let key = machine.name.to_lowercase();
        let mut tx = self.store.begin().await?;
        let others: i64 = on_tx!(&mut tx, c => {
            sqlx::query_scalar(
                "SELECT COUNT(*) FROM machine WHERE workspace_id = $1 AND name_key = $2 AND id <> $3 AND removed_at IS NULL",
            )
            .bind(self.id()).bind(&key).bind(&machine.id).fetch_one(c).await
        })?;
        if others > 0 {
            return Ok(false);
        }
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO machine (workspace_id, id, name, name_key, key_id, person_id, added_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7) \
                 ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key",
            )
            .bind(self.id()).bind(&machine.id).bind(&machine.name).bind(&key).bind(&machine.key_id)
            .bind(&machine.person_id).bind(machine.added_at).execute(c).await.map(drop)
        })?;
        self.commit_telling(tx, [event]).await?;
        Ok(true)
    }

    /// Removes a machine. Its sessions stay.
    pub async fn remove_machine(&self, id: &str, now: Micros, event: Event) -> Result<(), StoreError> {
        change!(
            self,
            tells event,
            "UPDATE machine SET removed_at = $3 WHERE workspace_id = $1 AND id = $2 AND removed_at IS NULL",
            id,
            now.0
        );
        Ok(())
    }

    /// Notes that a machine was heard of, and what it says about itself.
    pub async fn see_machine(&self, id: &str, platform: &str, version: &str, now: Micros) -> Result<(), StoreError> {
        change!(
            self,
            "UPDATE machine SET platform = $3, version = $4, seen_at = $5 WHERE workspace_id = $1 AND id = $2",
            id,
            platform.replace('\0', ""),
            version.replace('\0', ""),
            now.0
        );
        Ok(())
    }
}
