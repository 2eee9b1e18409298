//! The agent of a session as a page shows it: what it does, who holds it, and what can be done with it from here.

use crate::basics::problem;
use crate::context::Hub;
use crate::driving::joins::Joins;
use crate::driving::{Running, Starting, Terminals, runs_elsewhere};
use api::Problem;
use api::ProblemCode;
use api::driving::{AgentAbility, AgentHolder, AgentState, DrivenAgent, WaitingMessage};
use drivers::programs::{PROGRAMS, Program, Transcript, program};
use model::text::one_line;
use model::{Session, SessionId};
use std::ffi::OsStr;
use store::{Driven, DrivenState, StoredMessage};

/// Waiting messages that are listed, and the characters of each.
const WAITING: u32 = 20;
const WORDS: usize = 200;
/// Why an agent isn't running here that another server is said to run, for people.
const ELSEWHERE: &str = "Another server started the agent; resume it here only if that server is gone for good";

/// What can be done with an agent that is started here, or was joined.
fn abilities(state: AgentState, holder: AgentHolder) -> Vec<AgentAbility> {
    use AgentAbility::{Approve, Configure, End, Fork, Interrupt, Leave, Steer, Write};
    let is_shared = holder == AgentHolder::Both;
    let mut can = match state {
        AgentState::Working | AgentState::Waiting => vec![Write, Steer, Interrupt, Approve],
        AgentState::Starting if !is_shared => vec![],
        AgentState::Terminal | AgentState::TerminalBusy => return vec![Write, Fork],
        _ => vec![Write],
    };
    if is_shared {
        can.push(Leave);
    } else {
        can.extend((state != AgentState::Starting).then_some(Configure));
        can.push(End);
    }
    can
}

/// What can be done with the agent of a session that nobody is known to write to from here.
fn abilities_at_rest(is_open: bool, is_installed: bool) -> Vec<AgentAbility> {
    let mut can = Vec::new();
    can.extend(is_open.then_some(AgentAbility::Join));
    can.extend((is_installed && !is_open).then_some(AgentAbility::Resume));
    can.extend(is_installed.then_some(AgentAbility::Fork));
    can
}

/// The agent in a terminal whose hook waits for what people write here.
pub fn in_terminal(hub: &Hub, session: &Session) -> Option<DrivenAgent> {
    let is_busy = hub.state::<Terminals>().is_busy(&session.id)?;
    let state = if is_busy { AgentState::TerminalBusy } else { AgentState::Terminal };
    let program = of_agent(&session.agent).ok()?;
    let folder = session.cwd.clone().unwrap_or_default();
    Some(without_process(&session.id, program, folder, (state, AgentHolder::Terminal)))
}

/// Adds the messages of people that an agent hasn't taken yet, oldest first.
pub async fn with_waiting(hub: &Hub, session: &SessionId, agent: DrivenAgent) -> Result<DrivenAgent, Problem> {
    let waiting = hub.workspace.waiting_messages(session, WAITING).await.map_err(problem)?;
    let shown = |stored: StoredMessage| WaitingMessage {
        id: stored.message.draft.id.to_string(),
        text: one_line(&stored.message.draft.content, WORDS),
    };
    Ok(DrivenAgent { waiting: waiting.into_iter().map(shown).collect(), ..agent })
}

/// The agent of a session that goes on, while it is started.
pub fn starting(session: &SessionId, start: &Starting) -> DrivenAgent {
    without_process(session, start.program, start.folder.clone(), (AgentState::Starting, AgentHolder::Page))
}

/// The agent of a session that was read, if it can go on here, or be joined in its terminal.
pub fn observed(hub: &Hub, session: &Session) -> Option<DrivenAgent> {
    let program = of_agent(&session.agent).ok().filter(|_| session.machine.is_none() && session.parent.is_none())?;
    session.agent_session_id.as_ref()?;
    let is_open = hub.state::<Joins>().is_open(&session.id);
    let can = abilities_at_rest(is_open, is_installed(hub, program));
    let reason = hub.state::<Joins>().reason_of(session);
    if can.is_empty() && reason.is_none() {
        return None;
    }
    let held_by = is_open.then_some(AgentHolder::Terminal);
    let state = (AgentState::Observed, AgentHolder::Terminal);
    let agent = without_process(&session.id, program, session.cwd.clone()?, state);
    Some(DrivenAgent { held_by, can, reason, ..agent })
}

/// An agent of which no process has told anything.
fn without_process(
    session: &SessionId,
    program: &Program,
    folder: String,
    state: (AgentState, AgentHolder),
) -> DrivenAgent {
    named(session, (program.name, program.title), folder, state)
}

/// Like [`without_process`], also for a program that isn't known any more.
fn named(
    session: &SessionId,
    (agent, title): (&str, &str),
    folder: String,
    (state, holder): (AgentState, AgentHolder),
) -> DrivenAgent {
    DrivenAgent {
        session: session.to_string(),
        agent: agent.to_owned(),
        title: title.to_owned(),
        folder,
        state,
        held_by: Some(holder),
        can: abilities(state, holder),
        reason: None,
        mode: None,
        model: None,
        modes: Vec::new(),
        models: Vec::new(),
        growing: Vec::new(),
        tokens: 0,
        notices: Vec::new(),
        waiting: Vec::new(),
    }
}

/// An agent that runs here, or was joined.
pub fn shown(running: &Running) -> DrivenAgent {
    let view = running.view();
    let holder = if running.is_joined { AgentHolder::Both } else { AgentHolder::Page };
    let state = (view.state, holder);
    DrivenAgent {
        mode: view.mode.clone(),
        model: view.model.clone(),
        modes: view.modes.clone(),
        models: view.models.clone(),
        growing: view.growing(),
        tokens: view.tokens,
        notices: view.notices(),
        ..without_process(&running.session, running.program, running.folder.clone(), state)
    }
}

/// An agent that ran here.
pub fn past(hub: &Hub, driven: Driven, cwd: Option<&str>) -> DrivenAgent {
    let folder = folder_of(&driven, cwd);
    let reason = runs_elsewhere(hub, &driven).then(|| ELSEWHERE.to_owned()).or_else(|| driven.reason.clone());
    let is_open = hub.state::<Joins>().is_open(&driven.session);
    let title = program(&driven.program).map_or(driven.program.as_str(), |program| program.title);
    let state = match driven.state {
        DrivenState::Ended => AgentState::Ended,
        DrivenState::Failed => AgentState::Failed,
        // It runs nowhere that is known, unless another server has it.
        DrivenState::Running | DrivenState::Interrupted => AgentState::Interrupted,
    };
    let agent = named(&driven.session, (&driven.program, title), folder, (state, AgentHolder::Terminal));
    DrivenAgent {
        held_by: is_open.then_some(AgentHolder::Terminal),
        // Whether it is installed is told when it is resumed.
        can: abilities_at_rest(is_open, true),
        reason: hub.state::<Joins>().reason(&driven.session).or(reason),
        mode: driven.mode,
        model: driven.model,
        ..agent
    }
}

/// The folder that the agent was started in here, or where it worked as far as is known.
pub fn folder_of(driven: &Driven, cwd: Option<&str>) -> String {
    let chosen = Some(driven.folder.as_str()).filter(|folder| !folder.is_empty());
    chosen.or(cwd).unwrap_or_default().to_owned()
}

pub fn is_installed(hub: &Hub, program: &Program) -> bool {
    program.command.first().is_some_and(|name| hub.settings.agents.find(OsStr::new(name)).is_some())
}

/// The program of an agent whose transcripts are read.
pub fn of_agent(agent: &str) -> Result<&'static Program, Problem> {
    let is_its = |program: &&Program| matches!(program.transcript, Transcript::Own(name) if name == agent);
    PROGRAMS
        .iter()
        .find(is_its)
        .ok_or_else(|| Problem::new(ProblemCode::NotDriven, "This server can't start the agent of this session"))
}
