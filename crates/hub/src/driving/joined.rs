//! Agents that run in their own terminal, and are joined there.
//!
//! The terminal and we are clients of one server of the agent's, so that a joined one is written to, steered, interrupted
//! and answered from both. The second to answer is told so. An agent that is left goes on in its terminal.

use crate::basics::problem;
use crate::context::{Hub, Scoped};
use crate::driving::follow::{deliver, follow};
use crate::driving::hold::Hold;
use crate::driving::joins::{Home, Joins, PROGRAM};
use crate::driving::start::began;
use crate::driving::view::View;
use crate::driving::{Driving, Running};
use api::driving::{AgentHome, AgentState, RunningAgent, RunningAgents};
use api::{Problem, ProblemCode};
use drivers::programs::{Program, program};
use drivers::{Command, ControlSocket, JoinError, Limits, State, Thread};
use model::{Session, SessionId};
use std::path::PathBuf;
use std::sync::Arc;
use store::AgentPhase;

/// Joins a session that is open in a terminal. Returns the agent once it is followed.
///
/// # Errors
///
/// Another agent has the session, or this one can't be joined.
pub async fn join(
    hub: &Hub,
    socket: &ControlSocket,
    thread: &Thread,
    session: &SessionId,
) -> Result<Arc<Running>, Problem> {
    let program = program(PROGRAM).ok_or_else(Problem::internal)?;
    let mut hold = Hold::take(hub, session).await?;
    let joined = async {
        let (handle, mut events) = drivers::join(socket.clone(), &thread.id, Limits::default())
            .await
            .map_err(|error| refused(program, &error))?;
        let mut view = View::new(None, None);
        began(program, &mut events, &mut view).await.map_err(|problem| {
            let title = view.last_notice().map_or(problem.title, str::to_owned);
            Problem::new(ProblemCode::NotNow, title)
        })?;
        hold.keep(hub, AgentPhase::Idle, None).await.map_err(problem)?;
        Ok::<_, Problem>((handle, events, view))
    };
    let (handle, events, view) = match joined.await {
        Ok(joined) => joined,
        Err(problem) => {
            hold.release(hub, None).await;
            return Err(problem);
        }
    };
    let running = Running::new(session.clone(), program, thread.folder.clone(), (handle, view));
    let running = Arc::new(Running { is_joined: true, ..running });
    hub.state::<Joins>().note_reason(session, None);
    hub.state::<Driving>().enter(None, Some(Arc::clone(&running)));
    tokio::spawn(follow(hub.clone(), Arc::clone(&running), (None, hold), events));
    tokio::spawn(deliver(hub.clone(), Arc::clone(&running)));
    Ok(running)
}

fn refused(program: &Program, error: &JoinError) -> Problem {
    Problem::new(ProblemCode::NotNow, format!("{} can't be joined: {error}", program.title))
}

/// Joins a session that a person wants to write to, also one that was left.
pub async fn join_again(hub: &Hub, session: &Session) -> Result<Arc<Running>, Problem> {
    if let Some(running) = hub.state::<Driving>().of(&session.id) {
        return Ok(running);
    }
    let Some((home, thread)) = hub.state::<Joins>().take_back(&session.id) else {
        let reason = hub.state::<Joins>().reason(&session.id);
        let title = reason.unwrap_or_else(|| "This session isn't open in a terminal that can be joined".to_owned());
        return Err(Problem::new(ProblemCode::NotNow, title)
            .hint("`verbatim attach` lists the sessions that can be joined, and says why others can't"));
    };
    join(hub, &ControlSocket::of(&home), &thread, &session.id).await
}

/// Leaves an agent to its terminal, until a person joins it again.
pub async fn leave(hub: &Hub, running: &Running) -> Result<(), Problem> {
    hub.state::<Joins>().leave(&running.session);
    running.command(Command::End).await
}

pub async fn list_running_agents(scoped: &Scoped) -> Result<RunningAgents, Problem> {
    let hub = &scoped.hub;
    let (homes, open) = hub.state::<Joins>().all();
    let mut sessions = Vec::new();
    for thread in homes.values().flat_map(|home| &home.threads) {
        if scoped.workplaces(vec![thread.folder.clone()]).await?.is_empty() {
            continue;
        }
        let session = open.get(&thread.id);
        let running = session.and_then(|session| hub.state::<Driving>().of(session));
        let reason = session.and_then(|session| hub.state::<Joins>().reason(session));
        sessions.push(RunningAgent {
            session: session.map(ToString::to_string),
            agent: PROGRAM.to_owned(),
            agent_session_id: thread.id.clone(),
            folder: thread.folder.clone(),
            title: thread.title.as_deref().map(|title| model::text::one_line(title, 200)),
            state: match thread.state {
                State::Working => AgentState::Working,
                State::Waiting => AgentState::Waiting,
                State::Idle | State::Starting => AgentState::Idle,
            },
            joined: running.is_some_and(|running| running.is_joined),
            reason: reason.or_else(|| session.is_none().then(|| "Its transcript isn't read yet".to_owned())),
        });
    }
    let home = |(folder, home): (PathBuf, Home)| AgentHome {
        agent: PROGRAM.to_owned(),
        folder: folder.display().to_string(),
        version: home.version,
        reason: home.reason,
    };
    Ok(RunningAgents { sessions, homes: homes.into_iter().map(home).collect() })
}
