//! Requests of agents' hooks, and rules that always allow calls.

use crate::columns::columns;
use crate::settings::change;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::audit::Event;
use model::session::LiveState;
use model::{MessageId, Micros, SessionId};

/// A rule that always allows a call, in one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowRule {
    pub id: String,
    /// The agent's name in the store.
    pub agent: String,
    /// The working folder in which it holds, and no other.
    pub folder: String,
    /// In the agent's syntax.
    pub rule: String,
    pub made_at: Micros,
    pub used_at: Option<Micros>,
    /// How often it allowed something.
    pub uses: i64,
}

/// A session as its agent names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    pub id: SessionId,
    pub is_deleted: bool,
    /// The key that made it; None for people and transcripts.
    pub key_id: Option<String>,
    /// The key whose hooks report it. It may hold no more.
    pub hook_key_id: Option<String>,
    /// The agent's state, as a hook or a driver last reported it.
    pub live: Option<LiveState>,
    /// The machine on which the agent runs. None of the server's own.
    pub machine: Option<String>,
}

columns! {
    struct HookRow {
        id: String,
        agent: String,
        folder: String,
        rule: String,
        made_at: i64,
        used_at: Option<i64>,
        uses: i64,
    }
}

columns! {
    struct AgentSessionRow {
        id: String,
        deleted_at: Option<i64>,
        key_id: Option<String>,
        hook_key_id: Option<String>,
        live_state: Option<String>,
        machine_id: Option<String>,
    }
}

impl Workspace {
    /// Returns the session that an agent calls by this id of its own, deleted or not.
    pub async fn session_of_agent(&self, agent: &str, key: &str) -> Result<Option<AgentSession>, StoreError> {
        let row: Option<AgentSessionRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT s.id, s.deleted_at, s.key_id, h.key_id AS hook_key_id, s.live_state, s.machine_id FROM session s \
                 LEFT JOIN hook_owner h ON h.workspace_id = s.workspace_id AND h.session_id = s.id \
                 WHERE s.workspace_id = $1 AND s.agent = $2 AND s.key = $3",
            )
            .bind(self.id()).bind(agent).bind(key).fetch_optional(pool).await
        })?;
        row.map(|AgentSessionRow { id, deleted_at, key_id, hook_key_id, live_state, machine_id }| {
            let id = SessionId::parse(id).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            let live = live_state.as_deref().and_then(LiveState::parse);
            Ok(AgentSession { id, is_deleted: deleted_at.is_some(), key_id, hook_key_id, live, machine: machine_id })
        })
        .transpose()
    }

    /// Makes a key the one whose hooks report a session. Returns false if another key is, and holds.
    pub async fn own_hooks(&self, session: &SessionId, key_id: &str, now: Micros) -> Result<bool, StoreError> {
        let owned = change!(
            self,
            "INSERT INTO hook_owner (workspace_id, session_id, key_id) VALUES ($1, $2, $3) \
             ON CONFLICT (workspace_id, session_id) DO UPDATE SET key_id = excluded.key_id \
             WHERE hook_owner.key_id = excluded.key_id OR NOT EXISTS (SELECT 1 FROM agent_key k \
             WHERE k.workspace_id = hook_owner.workspace_id AND k.id = hook_owner.key_id AND k.revoked_at IS NULL \
             AND (k.expires_at IS NULL OR k.expires_at > $4))",
            session.as_str(),
            key_id,
            now.0
        );
        Ok(owned > 0)
    }

    /// Notes that an agent waits for this approval.
    pub async fn begin_hook_request(
        &self,
        session: &SessionId,
        message: &MessageId,
        until: Micros,
    ) -> Result<(), StoreError> {
        change!(
            self,
            "INSERT INTO hook_request (workspace_id, session_id, message_id, until) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, session_id, message_id) DO UPDATE SET until = excluded.until, ended_at = NULL",
            session.as_str(),
            message.as_str(),
            until.0
        );
        Ok(())
    }

    /// Notes that no agent waits for it any more. The row stays: a transcript doesn't reopen what was decided here.
    pub async fn end_hook_request(
        &self,
        session: &SessionId,
        message: &MessageId,
        now: Micros,
    ) -> Result<(), StoreError> {
        change!(
            self,
            "UPDATE hook_request SET ended_at = $4 WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3",
            session.as_str(),
            message.as_str(),
            now.0
        );
        Ok(())
    }

    /// Returns the approvals for which an agent waits, as far as is known: each session and message, and until when.
    pub async fn hook_requests(&self) -> Result<Vec<(SessionId, MessageId, Micros)>, StoreError> {
        let rows: Vec<(String, String, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT session_id, message_id, until FROM hook_request WHERE workspace_id = $1 AND ended_at IS NULL \
                 ORDER BY until",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        let corrupt = |error: String| StoreError::Corrupt(error);
        rows.into_iter()
            .map(|(session, message, until)| {
                let session = SessionId::parse(session).map_err(|error| corrupt(error.to_string()))?;
                let message = MessageId::parse(message).map_err(|error| corrupt(error.to_string()))?;
                Ok((session, message, Micros(until)))
            })
            .collect()
    }

    /// Returns all rules, newest first.
    pub async fn allow_rules(&self) -> Result<Vec<AllowRule>, StoreError> {
        let rows: Vec<HookRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT id, agent, folder, rule, made_at, used_at, uses FROM allow_rule WHERE workspace_id = $1 \
                 ORDER BY made_at DESC, id",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(rule).collect())
    }

    pub async fn put_allow_rule(&self, rule: &AllowRule) -> Result<(), StoreError> {
        change!(
            self,
            tells Event::RuleMade {
                rule: rule.rule.clone(),
                folder: rule.folder.clone(),
            },
            "INSERT INTO allow_rule (workspace_id, id, agent, folder, rule, made_at, uses) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            &rule.id,
            &rule.agent,
            rule.folder.replace('\0', ""),
            rule.rule.replace('\0', ""),
            rule.made_at.0,
            rule.uses
        );
        Ok(())
    }

    /// Counts a use.
    pub async fn use_allow_rule(&self, id: &str, now: Micros) -> Result<bool, StoreError> {
        let used = change!(
            self,
            "UPDATE allow_rule SET uses = uses + 1, used_at = $3 WHERE workspace_id = $1 AND id = $2",
            id,
            now.0
        );
        Ok(used > 0)
    }

    /// Returns false if there is none.
    pub async fn delete_allow_rule(&self, rule: &AllowRule) -> Result<bool, StoreError> {
        let deleted = change!(
            self,
            tells Event::RuleRevoked { rule: rule.rule.clone(), folder: rule.folder.clone() },
            "DELETE FROM allow_rule WHERE workspace_id = $1 AND id = $2",
            &rule.id
        );
        Ok(deleted > 0)
    }
}

fn rule(row: HookRow) -> AllowRule {
    AllowRule {
        id: row.id,
        agent: row.agent,
        folder: row.folder,
        rule: row.rule,
        made_at: Micros(row.made_at),
        used_at: row.used_at.map(Micros),
        uses: row.uses,
    }
}
