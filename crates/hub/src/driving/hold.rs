//! One agent per session: whoever starts one holds the session from before its process starts until it has ended, also
//! across servers on one database.

use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::driving::kept;
use api::{Problem, ProblemCode};
use drivers::{Left, Process, end_left};
use model::{Micros, SessionId};
use std::time::Duration;
use store::{AgentPhase, AgentProcess, AgentRun, Driven, StoreError};

/// How long another server leaves a session alone whose server gives no sign of life.
const LEASE: i64 = 90 * Micros::SECOND;
/// The same for an agent that starts, which gives none: longer than any start takes.
const START: i64 = 400 * Micros::SECOND;
/// Time for a process that was left to end by itself, and again until it is given up.
const GRACE: Duration = Duration::from_secs(2);

/// A session that an agent of this server has.
pub struct Hold {
    run: AgentRun,
}

impl Hold {
    /// Takes a session for an agent that is about to be started.
    ///
    /// # Errors
    ///
    /// Another one has it, or a process that an earlier server left there can't be ended.
    pub async fn take(hub: &Hub, session: &SessionId) -> Result<Self, Problem> {
        let now = clock::now();
        let run = AgentRun {
            session: session.clone(),
            run: uuid::Uuid::now_v7().to_string(),
            server: hub.settings.server.clone(),
            phase: AgentPhase::Starting,
            process: None,
            leased_until: Micros(now.0.saturating_add(START)),
        };
        if let Some(mut other) = hub.workspace.agent_run(session).await.map_err(problem)? {
            let is_over = other.server != run.server && other.leased_until < now;
            let is_left = !runs_elsewhere(hub, &other) && other.phase == AgentPhase::Left;
            if !is_over && !is_left {
                return Err(taken(hub, &other));
            }
            // From here on nothing is stored by a server that took longer than its lease.
            if !hub.workspace.adopt_agent_run(&other, &run.run).await.map_err(problem)? {
                return Err(taken(hub, &other));
            }
            other.run.clone_from(&run.run);
            if let Some(process) = still_runs(&other).await {
                return Err(left(process));
            }
            let texts = hub.workspace.growing_texts(Some(session)).await.map_err(problem)?;
            kept::keep_left(hub, texts).await;
            if is_left {
                hub.workspace.end_agent_run(session, &other.run, None).await.map_err(problem)?;
            }
        }
        if hub.workspace.take_agent_run(&run, now).await.map_err(problem)? {
            return Ok(Self { run });
        }
        let other = hub.workspace.agent_run(session).await.map_err(problem)?;
        Err(other.map_or_else(Problem::internal, |other| taken(hub, &other)))
    }

    pub fn session(&self) -> &SessionId {
        &self.run.session
    }

    /// Stores how far the agent is, if that is news. Returns false if another server took the session over.
    pub async fn keep(&mut self, hub: &Hub, phase: AgentPhase, process: Option<Process>) -> Result<bool, StoreError> {
        let process = process.map(|Process { mark, id, started }| AgentProcess { mark, id, started });
        if self.run.phase == phase && self.run.process == process {
            return Ok(true);
        }
        (self.run.phase, self.run.process) = (phase, process);
        self.renew(hub).await
    }

    /// Whether no other one has the session by now. Where that can't be read, nobody took it.
    pub async fn is_held(&self, hub: &Hub) -> bool {
        let found = hub.workspace.agent_run(&self.run.session).await;
        found.ok().is_none_or(|found| found.is_some_and(|found| found.run == self.run.run))
    }

    /// Gives a sign of life to other servers. Returns false if one took the session over.
    pub async fn renew(&mut self, hub: &Hub) -> Result<bool, StoreError> {
        let lease = if self.run.phase == AgentPhase::Starting { START } else { LEASE };
        self.run.leased_until = Micros(clock::now().0.saturating_add(lease));
        hub.workspace.put_agent_run(&self.run).await
    }

    /// Gives the session free, once the process has ended, and stores what became of it. Returns false, and stores
    /// nothing, if another one has the session by now.
    pub async fn release(&self, hub: &Hub, ended: Option<&Driven>) -> bool {
        let released = hub.workspace.end_agent_run(&self.run.session, &self.run.run, ended).await;
        released.unwrap_or_else(|error| {
            tracing::error!(%error, "the end of an agent can't be stored");
            true
        })
    }
}

/// Whether another server on the same database runs an agent, as far as is stored.
pub fn runs_elsewhere(hub: &Hub, run: &AgentRun) -> bool {
    hub.settings.server.is_some() && run.server.is_some() && run.server != hub.settings.server
}

/// Stores that an agent of an earlier server can't be ended.
pub async fn leave(hub: &Hub, run: &AgentRun) -> Result<(), StoreError> {
    hub.workspace.put_agent_run(&AgentRun { phase: AgentPhase::Left, ..run.clone() }).await.map(drop)
}

/// Ends the process that a server left. Returns the id of one that runs on.
pub async fn still_runs(run: &AgentRun) -> Option<i32> {
    let AgentProcess { mark, id, started } = run.process.clone()?;
    match end_left(Process { mark, id, started }, GRACE).await {
        Left::Gone => None,
        Left::Runs(id) => Some(id),
    }
}

/// Why a session can't be taken that an agent has.
fn taken(hub: &Hub, other: &AgentRun) -> Problem {
    if runs_elsewhere(hub, other) {
        return Problem::new(ProblemCode::AgentRuns, "Another server is running the agent of this session")
            .hint("End it there. If that server has stopped, wait two minutes");
    }
    if other.phase == AgentPhase::Starting {
        return Problem::new(ProblemCode::AgentStarts, "The agent of this session is starting")
            .hint("Wait until it has started, or end it");
    }
    Problem::new(ProblemCode::AgentRuns, "The agent of this session is already running")
}

fn left(process: i32) -> Problem {
    let title =
        format!("The agent of this session is still running since before the server stopped: process {process}");
    Problem::new(ProblemCode::AgentLeft, title)
        .hint(format!("End it on the server's machine, for example with `kill {process}`, then resume"))
}
