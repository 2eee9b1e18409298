//! Agents that run now: at most one for each session, whichever server runs it.

use crate::columns::columns;
use crate::settings::change;
use crate::store::{on, on_tx};
use crate::{Driven, StoreError, Workspace};
use model::{Micros, SessionId};

/// An agent that runs, from before its process starts until it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRun {
    pub session: SessionId,
    /// Names this start.
    pub run: String,
    /// The id of the server that runs it, where several use one database.
    pub server: Option<String>,
    pub phase: AgentPhase,
    /// None before it is started, and where the system doesn't tell.
    pub process: Option<AgentProcess>,
    /// When another server may take the session over.
    pub leased_until: Micros,
}

/// By which a process is recognised: all three together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProcess {
    /// The value of a variable in its environment.
    pub mark: String,
    pub id: i32,
    /// When it started, as the system says it.
    pub started: String,
}

/// How far an agent that runs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentPhase {
    Starting,
    /// It works on a prompt, or waits for an answer.
    Working,
    /// It waits for a prompt.
    Idle,
    /// The server ended it while it worked, since the server itself was ended.
    Stopped,
    /// The server ended, and the next one could not end the process.
    Left,
}

impl AgentPhase {
    const ALL: [Self; 5] = [Self::Starting, Self::Working, Self::Idle, Self::Stopped, Self::Left];

    fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Stopped => "stopped",
            Self::Left => "left",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == word)
    }
}

columns! {
    struct AgentRunRow {
        session_id: String,
        run: String,
        server: Option<String>,
        phase: String,
        mark: Option<String>,
        process: Option<i64>,
        process_started: Option<String>,
        leased_until: i64,
    }
}

const COLUMNS: &str = "session_id, run, server, phase, mark, process, process_started, leased_until";

impl Workspace {
    /// Takes a session for an agent that is about to be started. Returns false if the session has one: here, or at
    /// another server whose lease hasn't run out.
    pub async fn take_agent_run(&self, run: &AgentRun, now: Micros) -> Result<bool, StoreError> {
        let taken = change!(
            self,
            "INSERT INTO agent_run (workspace_id, session_id, run, server, phase, leased_until) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, session_id) DO UPDATE SET \
             run = excluded.run, server = excluded.server, phase = excluded.phase, leased_until = excluded.leased_until, \
             mark = NULL, process = NULL, process_started = NULL \
             WHERE agent_run.server <> excluded.server AND agent_run.leased_until < $7",
            run.session.as_str(),
            &run.run,
            &run.server,
            run.phase.as_str(),
            run.leased_until.0,
            now.0
        );
        Ok(taken > 0)
    }

    /// Stores how far an agent is. Returns false if another one has the session by now.
    pub async fn put_agent_run(&self, run: &AgentRun) -> Result<bool, StoreError> {
        let process = run.process.as_ref();
        let stored = change!(
            self,
            "UPDATE agent_run SET phase = $4, mark = $5, process = $6, process_started = $7, leased_until = $8 \
             WHERE workspace_id = $1 AND session_id = $2 AND run = $3",
            run.session.as_str(),
            &run.run,
            run.phase.as_str(),
            process.map(|process| process.mark.clone()),
            process.map(|process| i64::from(process.id)),
            process.map(|process| process.started.clone()),
            run.leased_until.0
        );
        Ok(stored > 0)
    }

    /// Names the start anew, for a server that takes over what an earlier one left: that one stores nothing more of it.
    pub async fn adopt_agent_run(&self, run: &AgentRun, name: &str) -> Result<bool, StoreError> {
        let adopted = change!(
            self,
            "UPDATE agent_run SET run = $4 WHERE workspace_id = $1 AND session_id = $2 AND run = $3",
            run.session.as_str(),
            &run.run,
            name
        );
        Ok(adopted > 0)
    }

    /// Gives a session free whose agent has ended, and stores what became of it. Returns false, and stores nothing, if
    /// another one has the session by now.
    pub async fn end_agent_run(
        &self,
        session: &SessionId,
        run: &str,
        ended: Option<&Driven>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let gone = on_tx!(&mut tx, c => {
            sqlx::query("DELETE FROM agent_run WHERE workspace_id = $1 AND session_id = $2 AND run = $3")
                .bind(self.id()).bind(session.as_str()).bind(run).execute(c).await.map(|done| done.rows_affected())
        })?;
        if gone == 0 {
            return Ok(false);
        }
        if let Some(ended) = ended {
            self.write_driven(&mut tx, ended).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Returns the agent that has a session.
    pub async fn agent_run(&self, session: &SessionId) -> Result<Option<AgentRun>, StoreError> {
        let row: Option<AgentRunRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM agent_run WHERE workspace_id = $1 AND session_id = $2"
            )))
            .bind(self.id()).bind(session.as_str()).fetch_optional(pool).await
        })?;
        row.map(agent_run).transpose()
    }

    /// Returns all agents that run, as far as is stored, at whichever server.
    pub async fn agent_runs(&self) -> Result<Vec<AgentRun>, StoreError> {
        let rows: Vec<AgentRunRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM agent_run WHERE workspace_id = $1")))
                .bind(self.id()).fetch_all(pool).await
        })?;
        rows.into_iter().map(agent_run).collect()
    }
}

fn agent_run(row: AgentRunRow) -> Result<AgentRun, StoreError> {
    let corrupt = || StoreError::Corrupt("an agent that runs".to_owned());
    let process = match (row.mark, row.process, row.process_started) {
        (Some(mark), Some(id), Some(started)) => {
            Some(AgentProcess { mark, id: i32::try_from(id).map_err(|_| corrupt())?, started })
        }
        _ => None,
    };
    Ok(AgentRun {
        session: SessionId::parse(row.session_id).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        run: row.run,
        server: row.server,
        phase: AgentPhase::parse(&row.phase).ok_or_else(corrupt)?,
        process,
        leased_until: Micros(row.leased_until),
    })
}
