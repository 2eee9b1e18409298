//! Agent keys. Only a hash of their secret is stored.

use crate::columns::columns;
use crate::people::CHANGES;
use crate::settings::change;
use crate::store::{on, on_tx};
use crate::{StoreError, Workspace};
use model::Micros;
use model::audit::{Amount, Event};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentKey {
    pub id: String,
    /// For people.
    pub name: String,
    /// Hash of the secret, in hex.
    pub hash: String,
    pub scopes: Vec<String>,
    pub created_at: Micros,
    pub expires_at: Option<Micros>,
    pub last_used_at: Option<Micros>,
    pub revoked_at: Option<Micros>,
    pub posted: Usage,
    /// The most that it may post.
    pub quota: Usage,
}

/// Messages, and bytes of them and of files, that a key posted or may post.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub messages: i64,
    pub bytes: i64,
}

columns! {
    struct KeyRow {
        id: String,
        name: String,
        hash: String,
        scopes: String,
        created_at: i64,
        expires_at: Option<i64>,
        last_used_at: Option<i64>,
        revoked_at: Option<i64>,
        posted_messages: i64,
        posted_bytes: i64,
        most_messages: i64,
        most_bytes: i64,
    }
}

const COLUMNS: &str = "id, name, hash, scopes, created_at, expires_at, last_used_at, revoked_at, posted_messages, posted_bytes, \
    most_messages, most_bytes";

/// Numbers that [`Workspace::credentials`] compares.
pub type Credentials = (i64, i64, i64, i64, i64);

impl Workspace {
    pub async fn put_agent_key(&self, key: &AgentKey) -> Result<(), StoreError> {
        change!(
            self,
            tells Event::KeyMade {
                key: key.id.clone(),
                name: key.name.clone(),
                scopes: key.scopes.clone(),
                expires_at: key.expires_at,
                quota: amount(key.quota),
            },
            "INSERT INTO agent_key (workspace_id, id, name, hash, scopes, created_at, expires_at, most_messages, most_bytes) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &key.id,
            key.name.replace('\0', ""),
            &key.hash,
            key.scopes.join(" "),
            key.created_at.0,
            key.expires_at.map(|at| at.0),
            key.quota.messages,
            key.quota.bytes
        );
        Ok(())
    }

    /// Newest first; revoked and expired ones too.
    pub async fn agent_keys(&self) -> Result<Vec<AgentKey>, StoreError> {
        let rows: Vec<KeyRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM agent_key WHERE workspace_id = $1 ORDER BY created_at DESC, id"
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(key).collect())
    }

    /// Revoked and expired ones are returned too: the caller knows the time.
    pub async fn agent_key(&self, id: &str) -> Result<Option<AgentKey>, StoreError> {
        let row: Option<KeyRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM agent_key WHERE workspace_id = $1 AND id = $2"
            )))
            .bind(self.id()).bind(id).fetch_optional(pool).await
        })?;
        Ok(row.map(key))
    }

    /// False if there is none that still holds.
    pub async fn revoke_agent_key(&self, id: &str, at: Micros) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let name: Option<String> = on_tx!(&mut tx, c => {
            sqlx::query_scalar(
                "UPDATE agent_key SET revoked_at = $3 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL \
                 RETURNING name",
            )
            .bind(self.id()).bind(id).bind(at.0).fetch_optional(c).await
        })?;
        let is_revoked = name.is_some();
        self.commit_telling(tx, name.map(|name| Event::KeyRevoked { key: id.to_owned(), name })).await?;
        Ok(is_revoked)
    }

    /// False if there is none that still holds.
    pub async fn set_quota(&self, id: &str, quota: Usage) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let before: Option<(String, i64, i64)> = on_tx!(&mut tx, c => {
            sqlx::query_as(
                "SELECT name, most_messages, most_bytes FROM agent_key \
                 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL",
            )
            .bind(self.id()).bind(id).fetch_optional(c).await
        })?;
        let Some((name, messages, bytes)) = before else { return Ok(false) };
        let rows = on_tx!(&mut tx, c => {
            sqlx::query(
                "UPDATE agent_key SET most_messages = $3, most_bytes = $4 \
                 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL",
            )
            .bind(self.id()).bind(id).bind(quota.messages).bind(quota.bytes)
            .execute(c).await.map(|done| done.rows_affected())
        })?;
        let (old, new) = (amount(Usage { messages, bytes }), amount(quota));
        let changed = (rows > 0 && old != new).then(|| Event::QuotaChanged { key: id.to_owned(), name, old, new });
        self.commit_telling(tx, changed).await?;
        Ok(rows > 0)
    }

    /// Adds to what a key has posted. Returns the sum; None if there is no such key.
    pub async fn count_usage(&self, id: &str, more: Usage) -> Result<Option<Usage>, StoreError> {
        let mut tx = self.store.begin().await?;
        let sum: Option<(i64, i64)> = on_tx!(&mut tx, c => {
            sqlx::query_as(
                "UPDATE agent_key SET posted_messages = posted_messages + $3, posted_bytes = posted_bytes + $4 \
                 WHERE workspace_id = $1 AND id = $2 RETURNING posted_messages, posted_bytes",
            )
            .bind(self.id()).bind(id).bind(more.messages).bind(more.bytes).fetch_optional(c).await
        })?;
        tx.commit().await?;
        Ok(sum.map(|(messages, bytes)| Usage { messages, bytes }))
    }

    /// Changes whenever a key is revoked, a log-in ends, or what a person may see and do changes: the last revocation and
    /// how many there are, the last log-in and how many there are, and how often people were changed. Of the former both:
    /// clocks differ, and while one ends another one may begin.
    pub async fn credentials(&self) -> Result<Credentials, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT k.last, k.many, l.last, l.many, COALESCE((SELECT CAST(m.value AS BIGINT) FROM meta m \
                  WHERE m.workspace_id = $1 AND m.key = $2), 0) FROM \
                 (SELECT CAST(COALESCE(MAX(revoked_at), 0) AS BIGINT) AS last, COUNT(revoked_at) AS many \
                  FROM agent_key WHERE workspace_id = $1) AS k, \
                 (SELECT CAST(COALESCE(MAX(created_at), 0) AS BIGINT) AS last, COUNT(*) AS many \
                  FROM login WHERE workspace_id = $1) AS l",
            )
            .bind(self.id()).bind(CHANGES).fetch_one(pool).await
        })?)
    }

    /// Sets the time of last use.
    pub async fn touch_agent_key(&self, id: &str, at: Micros) -> Result<(), StoreError> {
        change!(self, "UPDATE agent_key SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2", id, at.0);
        Ok(())
    }
}

fn amount(Usage { messages, bytes }: Usage) -> Amount {
    Amount { messages, bytes }
}

fn key(row: KeyRow) -> AgentKey {
    AgentKey {
        id: row.id,
        name: row.name,
        hash: row.hash,
        scopes: row.scopes.split_whitespace().map(str::to_owned).collect(),
        created_at: Micros(row.created_at),
        expires_at: row.expires_at.map(Micros),
        last_used_at: row.last_used_at.map(Micros),
        revoked_at: row.revoked_at.map(Micros),
        posted: Usage { messages: row.posted_messages, bytes: row.posted_bytes },
        quota: Usage { messages: row.most_messages, bytes: row.most_bytes },
    }
}
