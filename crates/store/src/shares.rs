//! Links by which somebody without a log-in reads a part of a session. Only a hash of their secret is stored.

use crate::columns::columns;
use crate::settings::change;
use crate::store::{on, on_tx};
use crate::{StoreError, Workspace};
use model::audit::Event;
use model::text::of_a_plan;
use model::{Micros, SessionId};
use std::collections::BTreeMap;

/// Revisions of messages by their `seq`, where they aren't 1.
pub type Revisions = BTreeMap<i64, i64>;

/// A link, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    pub id: String,
    pub session: SessionId,
    /// First `seq`.
    pub from: i64,
    /// Last `seq`.
    pub to: i64,
    /// The messages as they were when the link was made.
    pub revisions: Revisions,
    /// True if secrets are masked.
    pub redacted: bool,
    /// For whom it is; only its owner reads it.
    pub label: String,
    /// Name of the person who shared it.
    pub shared_by: String,
    pub created_at: Micros,
    pub expires_at: Micros,
    pub revoked_at: Option<Micros>,
    /// How often it was opened.
    pub opened: i64,
    pub last_opened_at: Option<Micros>,
}

columns! {
    struct ShareRow {
        id: String,
        session_id: String,
        from_seq: i64,
        to_seq: i64,
        revisions: String,
        redacted: i64,
        label: String,
        shared_by: String,
        created_at: i64,
        expires_at: i64,
        revoked_at: Option<i64>,
        opened_count: i64,
        last_opened_at: Option<i64>,
    }
}

columns! {
    struct TitledRow of share: ShareRow {
        title: Option<String>,
    }
}

const COLUMNS: &str = "l.id, l.session_id, l.from_seq, l.to_seq, l.revisions, l.redacted, l.label, l.shared_by, \
    l.created_at, l.expires_at, l.revoked_at, l.opened_count, l.last_opened_at";

impl Workspace {
    /// Stores a new link with the SHA-256 of its secret, in hex. Links that ended before `forget` are deleted.
    pub async fn put_share(&self, share: &Share, hash: &str, forget: Micros) -> Result<(), StoreError> {
        let revisions = serde_json::to_string(&share.revisions).map_err(corrupt)?;
        change!(
            self,
            "DELETE FROM share_link WHERE workspace_id = $1 AND (expires_at < $2 OR revoked_at < $2)",
            forget.0
        );
        change!(
            self,
            tells Event::ShareMade {
                share: share.id.clone(),
                session: share.session.to_string(),
                from: share.from,
                to: share.to,
                redacted: share.redacted,
                expires_at: share.expires_at,
            },
            "INSERT INTO share_link (workspace_id, id, hash, session_id, from_seq, to_seq, revisions, redacted, label, \
             shared_by, created_at, expires_at, opened_count) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0)",
            &share.id,
            hash,
            share.session.as_str(),
            share.from,
            share.to,
            revisions,
            i64::from(share.redacted),
            &share.label,
            &share.shared_by,
            share.created_at.0,
            share.expires_at.0
        );
        Ok(())
    }

    /// Returns all links, newest first, with the title of their session unless it was deleted.
    pub async fn shares(&self) -> Result<Vec<(Share, Option<String>)>, StoreError> {
        let rows: Vec<TitledRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS}, COALESCE(s.own_title, s.title, s.first_prompt, s.key) AS title FROM share_link l \
                 LEFT JOIN session s ON s.workspace_id = l.workspace_id AND s.id = l.session_id AND s.deleted_at IS NULL \
                 WHERE l.workspace_id = $1 ORDER BY l.created_at DESC, l.id"
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        rows.into_iter().map(|row| Ok((share(row.share)?, row.title.map(of_a_plan)))).collect()
    }

    /// Returns the link with this SHA-256 of its secret. Revoked and expired ones are returned too: the caller knows the time.
    pub async fn share_of_secret(&self, hash: &str) -> Result<Option<Share>, StoreError> {
        let row: Option<ShareRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM share_link l WHERE l.workspace_id = $1 AND l.hash = $2"
            )))
            .bind(self.id()).bind(hash).fetch_optional(pool).await
        })?;
        row.map(share).transpose()
    }

    /// Returns false if there is none that isn't revoked.
    pub async fn revoke_share(&self, id: &str, at: Micros) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let session: Option<String> = on_tx!(&mut tx, c => {
            sqlx::query_scalar(
                "UPDATE share_link SET revoked_at = $3 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL \
                 RETURNING session_id",
            )
            .bind(self.id()).bind(id).bind(at.0).fetch_optional(c).await
        })?;
        let is_revoked = session.is_some();
        let told = session.map(|session| Event::ShareRevoked { share: id.to_owned(), session });
        self.commit_telling(tx, told).await?;
        Ok(is_revoked)
    }

    /// Counts that a link was opened.
    pub async fn count_opened_share(&self, id: &str, at: Micros) -> Result<(), StoreError> {
        change!(
            self,
            "UPDATE share_link SET opened_count = opened_count + 1, last_opened_at = $3 WHERE workspace_id = $1 AND id = $2",
            id,
            at.0
        );
        Ok(())
    }

    /// Returns true if a message of the session refers to a file, by its SHA-256 in hex.
    pub async fn session_has_blob(&self, session: &SessionId, sha256: &str) -> Result<bool, StoreError> {
        let found: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT s.rid FROM session_blob l JOIN session s ON s.rid = l.session_rid WHERE l.workspace_id = $1 \
                 AND s.id = $2 AND l.sha256 = $3",
            )
            .bind(self.id()).bind(session.as_str()).bind(sha256).fetch_optional(pool).await
        })?;
        Ok(found.is_some())
    }

    /// Returns the revisions of the messages of a range that were changed.
    pub async fn changed_revisions(&self, session: &SessionId, from: i64, to: i64) -> Result<Revisions, StoreError> {
        let rows: Vec<(i64, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT m.seq, m.revision FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = $1 \
                 AND s.id = $2 AND m.seq >= $3 AND m.seq <= $4 AND m.revision > 1",
            )
            .bind(self.id()).bind(session.as_str()).bind(from).bind(to).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().collect())
    }
}

fn corrupt(what: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(what.to_string())
}

fn share(row: ShareRow) -> Result<Share, StoreError> {
    Ok(Share {
        id: row.id,
        session: SessionId::parse(row.session_id).map_err(corrupt)?,
        from: row.from_seq,
        to: row.to_seq,
        revisions: serde_json::from_str(&row.revisions).map_err(corrupt)?,
        redacted: row.redacted != 0,
        label: row.label,
        shared_by: row.shared_by,
        created_at: Micros(row.created_at),
        expires_at: Micros(row.expires_at),
        revoked_at: row.revoked_at.map(Micros),
        opened: row.opened_count,
        last_opened_at: row.last_opened_at.map(Micros),
    })
}
