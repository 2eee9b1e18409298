//! Sessions whose agent the server starts itself.

use crate::columns::columns;
use crate::dialect::limited;
use crate::store::{Tx, on, on_tx};
use crate::{StoreError, Workspace};
use model::{Micros, SessionId};

/// So many of the latest agents and sessions are looked at for folders.
const LATEST: i64 = 100;

/// How an agent was started, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driven {
    pub session: SessionId,
    /// The agent's name, as the program knows it.
    pub program: String,
    /// Program and arguments, where a person gave them: a JSON list.
    pub command: Option<String>,
    /// Absolute path of the folder that it works in. Empty where an archive tells of the agent: nobody chose one here.
    pub folder: String,
    /// In the agent's own words.
    pub mode: Option<String>,
    /// In the agent's own words.
    pub model: Option<String>,
    pub state: DrivenState,
    /// Why it isn't running, for people.
    pub reason: Option<String>,
    pub started_at: Micros,
    pub ended_at: Option<Micros>,
    /// The id of the server that ran it, where several use one database.
    pub server: Option<String>,
}

/// State of a driven agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrivenState {
    Running,
    Ended,
    Failed,
    /// The server ended while it ran.
    Interrupted,
}

impl DrivenState {
    const ALL: [Self; 4] = [Self::Running, Self::Ended, Self::Failed, Self::Interrupted];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended => "ended",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

columns! {
    struct DrivenRow {
        session_id: String,
        program: String,
        command: Option<String>,
        folder: String,
        mode: Option<String>,
        model: Option<String>,
        state: String,
        reason: Option<String>,
        started_at: i64,
        ended_at: Option<i64>,
        server: Option<String>,
    }
}

const COLUMNS: &str = "session_id, program, command, folder, mode, model, state, reason, started_at, ended_at, server";

impl Workspace {
    /// Stores what is known of an agent, over what was known before.
    pub async fn put_driven(&self, driven: &Driven) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        self.write_driven(&mut tx, driven).await?;
        tx.commit().await
    }

    pub(crate) async fn write_driven(&self, tx: &mut Tx, driven: &Driven) -> Result<(), StoreError> {
        on_tx!(tx, c => {
            sqlx::query(
                "INSERT INTO driven (workspace_id, session_id, program, command, folder, mode, model, state, reason, started_at, ended_at, server) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (workspace_id, session_id) DO UPDATE SET \
                 program = excluded.program, command = excluded.command, folder = excluded.folder, mode = excluded.mode, \
                 model = excluded.model, state = excluded.state, reason = excluded.reason, started_at = excluded.started_at, \
                 ended_at = excluded.ended_at, server = excluded.server",
            )
            .bind(self.id()).bind(driven.session.as_str()).bind(&driven.program).bind(&driven.command).bind(&driven.folder)
            .bind(&driven.mode).bind(&driven.model).bind(driven.state.as_str())
            .bind(driven.reason.as_ref().map(|reason| reason.replace('\0', "")))
            .bind(driven.started_at.0).bind(driven.ended_at.map(|at| at.0)).bind(&driven.server)
            .execute(c).await.map(drop)
        })?;
        Ok(())
    }

    /// Returns how a session's agent was started; None if nobody did.
    pub async fn driven(&self, session: &SessionId) -> Result<Option<Driven>, StoreError> {
        let row: Option<DrivenRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM driven WHERE workspace_id = $1 AND session_id = $2"
            )))
            .bind(self.id()).bind(session.as_str()).fetch_optional(pool).await
        })?;
        row.map(driven).transpose()
    }

    /// Returns the agents that run, as far as is stored, at whichever server.
    pub async fn driven_running(&self) -> Result<Vec<Driven>, StoreError> {
        let rows: Vec<DrivenRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM driven WHERE workspace_id = $1 AND state = 'running'"
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        rows.into_iter().map(driven).collect()
    }

    /// Returns folders in which agents were started, then those of other sessions; each once, the latest first. Of
    /// either, the last 100 are looked at: those that agents were started in, and those of the list.
    pub async fn recent_folders(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        let latest = limited(LATEST);
        let folders: Vec<String> = on!(&self.store, pool => {
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
                "SELECT folder FROM (SELECT folder, MAX(at) AS at, MIN(place) AS place FROM ( \
                 SELECT folder, at, 0 AS place FROM (SELECT folder, started_at AS at FROM driven \
                 WHERE workspace_id = $1 AND folder <> '' ORDER BY started_at DESC{latest}) AS started \
                 UNION ALL SELECT cwd, last_at, 1 FROM (SELECT cwd, last_at, parent_key FROM session \
                 WHERE workspace_id = $1 AND listed = 1 ORDER BY last_minute DESC{latest}) AS listed \
                 WHERE cwd IS NOT NULL AND parent_key IS NULL) AS every_one \
                 GROUP BY folder) AS each_one ORDER BY place, at DESC{}", limited(i64::from(limit))
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        Ok(folders)
    }
}

fn driven(row: DrivenRow) -> Result<Driven, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(what.to_owned());
    Ok(Driven {
        session: SessionId::parse(row.session_id).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        program: row.program,
        command: row.command,
        folder: row.folder,
        mode: row.mode,
        model: row.model,
        state: DrivenState::parse(&row.state).ok_or_else(|| corrupt("an unknown state of an agent"))?,
        reason: row.reason,
        started_at: Micros(row.started_at),
        ended_at: row.ended_at.map(Micros),
        server: row.server,
    })
}
