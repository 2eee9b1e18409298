//! Documents that declare message types.

use crate::columns::columns;
use crate::settings::change;
use crate::store::{on, on_tx};
use crate::{StoreError, Workspace};
use model::Micros;
use model::audit::Event;

/// A document as it is stored: one for each version of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredType {
    /// Without NUL characters.
    pub message_type: String,
    pub version: i64,
    /// SHA-256 of the canonical document, in hex.
    pub sha256: String,
    /// JSON.
    pub document: String,
    /// The key that declared it; None of people.
    pub key_id: Option<String>,
    /// For people: who declared it.
    pub declared_by: String,
    pub declared_at: Micros,
}

columns! {
    struct DeclaredRow {
        message_type: String,
        version: i64,
        sha256: String,
        document: String,
        key_id: Option<String>,
        declared_by: String,
        declared_at: i64,
    }
}

impl Workspace {
    /// Returns all documents by type, the newest version first.
    pub async fn declared_types(&self) -> Result<Vec<DeclaredType>, StoreError> {
        let rows: Vec<DeclaredRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT message_type, version, sha256, document, key_id, declared_by, declared_at FROM declared_type \
                 WHERE workspace_id = $1 ORDER BY message_type, version DESC",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(declared).collect())
    }

    /// Writes a document over the one of the same type and version. Returns false, and writes nothing, if a key would
    /// replace a document that it didn't declare itself.
    pub async fn put_declared_type(&self, declared: &DeclaredType) -> Result<bool, StoreError> {
        let written = change!(
            self,
            tells Event::TypeDeclared {
                message_type: declared.message_type.clone(),
                version: declared.version,
                sha256: declared.sha256.clone(),
            },
            "INSERT INTO declared_type (workspace_id, message_type, version, sha256, document, key_id, declared_by, declared_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (workspace_id, message_type, version) DO UPDATE SET \
             sha256 = excluded.sha256, document = excluded.document, key_id = excluded.key_id, \
             declared_by = excluded.declared_by, declared_at = excluded.declared_at \
             WHERE excluded.key_id IS NULL OR declared_type.key_id = excluded.key_id",
            &declared.message_type,
            declared.version,
            &declared.sha256,
            &declared.document,
            &declared.key_id,
            declared.declared_by.replace('\0', ""),
            declared.declared_at.0
        );
        Ok(written > 0)
    }

    /// Claims the name of a type for a key, or for people, and returns whose it is then: of the key that claimed it
    /// first, and of people (None) if they claim what was a key's that doesn't hold any more.
    pub async fn claim_declared_name(
        &self,
        message_type: &str,
        key_id: Option<&str>,
    ) -> Result<Option<String>, StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO declared_name (workspace_id, message_type, key_id) VALUES ($1, $2, $3) \
                 ON CONFLICT (workspace_id, message_type) DO UPDATE SET key_id = excluded.key_id \
                 WHERE excluded.key_id IS NULL AND NOT EXISTS (SELECT 1 FROM agent_key k \
                 WHERE k.workspace_id = declared_name.workspace_id AND k.id = declared_name.key_id AND k.revoked_at IS NULL)",
            )
            .bind(self.id()).bind(message_type).bind(key_id).execute(c).await.map(drop)
        })?;
        let owner: Option<String> = on_tx!(&mut tx, c => {
            sqlx::query_scalar("SELECT key_id FROM declared_name WHERE workspace_id = $1 AND message_type = $2")
            .bind(self.id()).bind(message_type).fetch_one(c).await
        })?;
        tx.commit().await?;
        Ok(owner)
    }

    /// Returns whose the name of each type is: a key's id, or None of people.
    pub async fn declared_names(&self) -> Result<Vec<(String, Option<String>)>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as("SELECT message_type, key_id FROM declared_name WHERE workspace_id = $1")
            .bind(self.id()).fetch_all(pool).await
        })?)
    }

    /// Deletes all versions of a type, and sets its name free. Returns false if there is none.
    pub async fn delete_declared_type(&self, message_type: &str) -> Result<bool, StoreError> {
        change!(self, "DELETE FROM declared_name WHERE workspace_id = $1 AND message_type = $2", message_type);
        let deleted = change!(
            self,
            tells Event::TypeRemoved { message_type: message_type.to_owned() },
            "DELETE FROM declared_type WHERE workspace_id = $1 AND message_type = $2",
            message_type
        );
        Ok(deleted > 0)
    }
}

fn declared(row: DeclaredRow) -> DeclaredType {
    DeclaredType {
        message_type: row.message_type,
        version: row.version,
        sha256: row.sha256,
        document: row.document,
        key_id: row.key_id,
        declared_by: row.declared_by,
        declared_at: Micros(row.declared_at),
    }
}
