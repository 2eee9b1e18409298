//! Handles agents that were running when their server stopped.

use crate::basics::clock;
use crate::context::Hub;
use crate::driving::hold::still_runs;
use crate::driving::{end_session, hold, kept, runs_elsewhere};
use crate::host::{HostEvent, HostMessage};
use crate::requests::Requests;
use futures::future::try_join_all;
use model::closed::CloseReason;
use std::collections::HashMap;
use store::{AgentPhase, AgentRun, Driven, DrivenState, Ended, StoreError};

/// Why an agent isn't running that worked when the server broke off, for people.
const INTERRUPTED: &str = "The server ended while the agent ran";
/// The same for a server that was ended in order.
const STOPPED: &str = "The server was stopped while the agent worked";
/// The same for an agent that did nothing then.
const IDLE: &str = "The server ended while the agent waited for a prompt";
const STARTING: &str = "The server ended while the agent started";

/// Ends what an earlier process of this server left running, keeps what its agents were writing, marks them, and closes
/// what they asked. To be called when a server starts. Agents of other servers on the same database are left alone.
pub async fn mark_interrupted(hub: &Hub) -> Result<(), StoreError> {
    let (elsewhere, runs): (Vec<_>, Vec<_>) =
        hub.workspace.agent_runs().await?.into_iter().partition(|run| hold::runs_elsewhere(hub, run));
    let ends = runs.into_iter().map(|mut run| async {
        let name = uuid::Uuid::now_v7().to_string();
        if !hub.workspace.adopt_agent_run(&run, &name).await? {
            return Ok(None);
        }
        run.run = name;
        let process = still_runs(&run).await;
        Ok::<_, StoreError>(Some((run.session.clone(), (run, process))))
    });
    let mut ran: HashMap<_, _> = try_join_all(ends).await?.into_iter().flatten().collect();
    let mut texts = hub.workspace.growing_texts(None).await?;
    texts.retain(|text| elsewhere.iter().all(|run| run.session != text.session));
    kept::keep_left(hub, texts).await;
    for driven in hub.workspace.driven_running().await? {
        if runs_elsewhere(hub, &driven) {
            continue;
        }
        let run = ran.remove(&driven.session);
        mark(hub, driven, run.as_ref()).await?;
    }
    // Those that had no row beside: they were being started, or were joined.
    for (run, process) in ran.into_values() {
        let before = hub.workspace.driven(&run.session).await?;
        if process.is_some() {
            hold::leave(hub, &run).await?;
        } else {
            hub.workspace.end_agent_run(&run.session, &run.run, None).await?;
        }
        let was_starting = run.phase == AgentPhase::Starting;
        if !was_starting {
            // A joined one goes on in its terminal, and asks there.
            let withdrawn = Requests::of(hub).withdraw(&run.session, CloseReason::Terminal).await;
            withdrawn
                .unwrap_or_else(|problem| tracing::warn!(%problem, "what a joined agent asked can't be closed now"));
        }
        if let Some(before) = before.filter(|before| was_starting && before.state != DrivenState::Running) {
            let reason = Some(with_process(STARTING, process));
            hub.workspace.put_driven(&Driven { reason, ..before }).await?;
        }
    }
    // Also of agents that ended with their server: it could write no more.
    Requests::of(hub).withdraw_left().await
}

/// Marks an agent. Nobody knows more of those that an earlier version started.
async fn mark(hub: &Hub, driven: Driven, run: Option<&(AgentRun, Option<i32>)>) -> Result<(), StoreError> {
    let process = run.and_then(|(_, process)| *process);
    let (state, reason, session) = match run.map(|(run, _)| run.phase) {
        Some(AgentPhase::Idle) => (DrivenState::Ended, IDLE, Ended::Done),
        Some(AgentPhase::Starting) => (DrivenState::Ended, STARTING, Ended::Done),
        Some(AgentPhase::Stopped) => (DrivenState::Interrupted, STOPPED, Ended::Done),
        Some(AgentPhase::Working | AgentPhase::Left) | None => (DrivenState::Interrupted, INTERRUPTED, Ended::Failed),
    };
    let reason = with_process(reason, process);
    let ended = Driven { state, reason: Some(reason.clone()), ended_at: Some(clock::now()), ..driven };
    match run {
        // One that can't be ended keeps the session.
        Some((run, Some(_))) => {
            hold::leave(hub, run).await?;
            hub.workspace.put_driven(&ended).await?;
        }
        Some((run, None)) => drop(hub.workspace.end_agent_run(&run.session, &run.run, Some(&ended)).await?),
        None => hub.workspace.put_driven(&ended).await?,
    }
    if state == DrivenState::Interrupted && session == Ended::Done {
        let text = format!("{reason}. Resume it to go on");
        hub.tell_session(&ended.session, &HostMessage::new(&HostEvent::Notice { text })).await;
    }
    end_session(hub, &ended, session).await;
    Ok(())
}

fn with_process(reason: &str, process: Option<i32>) -> String {
    match process {
        Some(id) => format!("{reason}. Its process {id} still runs and can't be ended from here"),
        None => reason.to_owned(),
    }
}
