//! What people ask of agents.

use crate::basics::problem;
use crate::basics::query::given;
use crate::context::{Hub, Scoped};
use crate::driving::joined;
use crate::driving::joins::Joins;
use crate::driving::shown::{
    folder_of, in_terminal, is_installed, observed, of_agent, past, shown, starting, with_waiting,
};
use crate::driving::{Begin, Driving, Running, start, stored};
use crate::host::{HostEvent, HostMessage};
use crate::may::session;
use crate::writing::posting;
use api::driving::{
    AgentAction, AgentHolder, AgentProgram, AgentStarted, Agents, DrivenAgent, EditAgent, ResumeAgent, StartAgent,
    TellAgent,
};
use api::posting::PostMessage;
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use drivers::programs::{PROGRAMS, Program, program};
use drivers::{Command, Resume};
use model::session::SessionState;
use model::{Role, Session};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Folders that are offered.
const FOLDERS: u32 = 20;
/// Longest mode or model, in bytes.
const WORD: usize = 200;

pub async fn list_agents(scoped: &Scoped) -> Result<Agents, Problem> {
    let hub = &scoped.hub;
    let mut agents: Vec<AgentProgram> = PROGRAMS
        .iter()
        .map(|program| AgentProgram {
            name: program.name.to_owned(),
            title: program.title.to_owned(),
            installed: is_installed(hub, program),
            modes: program.modes.iter().map(|mode| (*mode).to_owned()).collect(),
        })
        .collect();
    agents.sort_by_key(|agent| !agent.installed);
    let folders = hub.workspace.recent_folders(FOLDERS).await.map_err(problem)?;
    let folders = scoped.workplaces(folders).await?;
    Ok(Agents { agents, folders })
}

pub async fn start_agent(scoped: &Scoped, input: StartAgent) -> Result<AgentStarted, Problem> {
    let program = named(&input.agent)?;
    let mode = word("/mode", input.mode)?;
    if let Some(mode) = &mode
        && !program.modes.is_empty()
        && !program.modes.contains(&mode.as_str())
    {
        let modes: Vec<String> = program.modes.iter().map(|mode| format!("`{mode}`")).collect();
        return Err(Problem::field("/mode", &format!("one of {}; got `{mode}`", modes.join(", "))));
    }
    let model = word("/model", input.model)?;
    let begin = Begin { program, folder: input.folder, mode, model, resume: None, session: None };
    launch(scoped, begin, input.prompt).await
}

/// Starts an agent and gives it its first prompt. A session that goes on does so when whoever asked for it hangs up
/// meanwhile; a new one isn't made then.
async fn launch(scoped: &Scoped, begin: Begin, prompt: Option<String>) -> Result<AgentStarted, Problem> {
    let cancel = CancellationToken::new();
    let hangs_up = begin.session.is_none().then(|| cancel.clone().drop_guard());
    let scoped = scoped.clone();
    let started = tokio::spawn(async move {
        let running = start(&scoped, begin, cancel).await?;
        begun(&scoped, &running, prompt).await
    });
    let started = started.await.map_err(|_| Problem::internal())?;
    drop(hangs_up);
    started
}

pub async fn resume_agent(scoped: &Scoped, path: &SessionPath, input: ResumeAgent) -> Result<AgentStarted, Problem> {
    let session = session(scoped, path).await?;
    if let Some(machine) = &session.machine {
        let title = format!("This session is of the machine {}: its agent can't be started here", machine.name);
        return Err(Problem::new(ProblemCode::NotDriven, title).hint("Resume it on that machine"));
    }
    let hub = &scoped.hub;
    if !input.fork && hub.state::<Joins>().is_open(&session.id) {
        let title = "The agent of this session runs in its own terminal";
        return Err(
            Problem::new(ProblemCode::AgentRuns, title).hint("Join it, end it there first, or fork the session")
        );
    }
    let key = session.agent_session_id.ok_or_else(Problem::internal)?;
    // A session that was only read goes on here as well, if its agent can be started.
    let before = hub.workspace.driven(&session.id).await.map_err(problem)?;
    let (program, folder) = match &before {
        Some(driven) => (named(&driven.program)?, folder_of(driven, session.cwd.as_deref())),
        None if !input.fork && matches!(session.state, SessionState::Working | SessionState::NeedsYou) => {
            return Err(Problem::new(ProblemCode::AgentRuns, "The agent of this session is running elsewhere")
                .hint("End it there first, or fork the session"));
        }
        None => (of_agent(&session.agent)?, session.cwd.unwrap_or_default()),
    };
    let (mode, model) = before.map_or((None, None), |driven| (driven.mode, driven.model));
    let begin = Begin {
        program,
        folder,
        mode: word("/mode", input.mode)?.or(mode),
        model: word("/model", input.model)?.or(model),
        resume: Some(Resume { session: key, fork: input.fork }),
        session: (!input.fork).then_some(session.id),
    };
    launch(scoped, begin, input.prompt).await
}

/// Starts the agent of a session again with an empty context, as a new session, and ends the one that runs.
pub async fn restart(scoped: &Scoped, path: &SessionPath) -> Result<(), Problem> {
    let running = running(scoped, path).await?;
    if !running.replace() {
        return Err(Problem::new(ProblemCode::AgentStarts, "The agent of this session is restarting")
            .hint("Wait until this reply names the new session"));
    }
    let (mode, model) = {
        let view = running.view();
        (view.mode.clone(), view.model.clone())
    };
    let begin =
        Begin { program: running.program, folder: running.folder.clone(), mode, model, resume: None, session: None };
    let fresh = launch(scoped, begin, None).await.inspect_err(|_| running.stay())?.agent;
    running.command(Command::End).await?;
    let text = format!("Reset: the agent continues with an empty context in the session {}", fresh.session);
    scoped.hub.tell_session(&running.session, &HostMessage::new(&HostEvent::Notice { text })).await;
    Ok(())
}

/// Gives the agent its first prompt, and returns it as it is then.
async fn begun(scoped: &Scoped, running: &Arc<Running>, prompt: Option<String>) -> Result<AgentStarted, Problem> {
    if let Some(content) = given(prompt) {
        let path = SessionPath { session: running.session.to_string() };
        let message = PostMessage {
            id: Some(posting::new_id().to_string()),
            role: Some(Role::User),
            content: Some(content),
            ..PostMessage::default()
        };
        crate::writing::posts::first(scoped, &path, message).await?;
    }
    Ok(AgentStarted { agent: shown(running) })
}

pub async fn get_agent(scoped: &Scoped, path: &SessionPath) -> Result<DrivenAgent, Problem> {
    let session = session(scoped, path).await?;
    let hub = &scoped.hub;
    let driving = hub.state::<Driving>();
    if driving.starting(&session.id).is_none()
        && driving.of(&session.id).is_none()
        && let Some(agent) = in_terminal(hub, &session)
    {
        return with_waiting(hub, &session.id, agent).await;
    }
    let agent = match current(hub, &session).await {
        Err(problem) if problem.is(ProblemCode::NotDriven) => observed(hub, &session).ok_or(problem)?,
        found => found?,
    };
    if agent.held_by == Some(AgentHolder::Page) { Ok(agent) } else { with_waiting(hub, &session.id, agent).await }
}

pub async fn edit_agent(scoped: &Scoped, path: &SessionPath, input: EditAgent) -> Result<DrivenAgent, Problem> {
    let running = running(scoped, path).await?;
    let (mode, model) = (word("/mode", input.mode)?, word("/model", input.model)?);
    if mode.is_none() && model.is_none() {
        return Err(Problem::field("/mode", "a mode; or give `model`"));
    }
    if let Some(mode) = mode {
        running.command(Command::SetMode(mode)).await?;
    }
    if let Some(model) = model {
        running.command(Command::SetModel(model)).await?;
    }
    Ok(shown(&running))
}

pub async fn tell_agent(scoped: &Scoped, path: &SessionPath, input: TellAgent) -> Result<DrivenAgent, Problem> {
    if input.notice.is_some() && input.action != AgentAction::Dismiss {
        return Err(Problem::field("/notice", "absent, unless `action` is `dismiss`"));
    }
    if input.action == AgentAction::End {
        let id = session(scoped, path).await?.id;
        if let Some(start) = scoped.hub.state::<Driving>().starting(&id) {
            start.cancel();
            return Ok(starting(&id, &start));
        }
    }
    if input.action == AgentAction::Join {
        let session = session(scoped, path).await?;
        return joined::join_again(&scoped.hub, &session).await.map(|running| shown(&running));
    }
    let running = running(scoped, path).await?;
    match input.action {
        AgentAction::Join => {}
        AgentAction::Leave if running.is_joined => joined::leave(&scoped.hub, &running).await?,
        AgentAction::Leave => {
            let title = "This agent has no terminal to be left to";
            return Err(Problem::new(ProblemCode::AgentCannot, title).hint("End it, or resume it in a terminal then"));
        }
        AgentAction::End if running.is_joined => {
            let title = "This agent runs in its own terminal, and can't be ended from here";
            return Err(Problem::new(ProblemCode::AgentCannot, title).hint("End it there, or leave it: `leave`"));
        }
        AgentAction::Interrupt => running.command(Command::Interrupt).await?,
        AgentAction::End => running.command(Command::End).await?,
        AgentAction::Steer => running.steer(),
        AgentAction::Dismiss => running.dismiss(&scoped.hub, input.notice.unwrap_or(i64::MAX)),
    }
    Ok(shown(&running))
}

fn named(agent: &str) -> Result<&'static Program, Problem> {
    program(agent).ok_or_else(|| {
        let names: Vec<String> = PROGRAMS.iter().map(|program| format!("`{}`", program.name)).collect();
        Problem::field("/agent", &format!("one of {}; got `{agent}`", names.join(", ")))
    })
}

async fn running(scoped: &Scoped, path: &SessionPath) -> Result<Arc<Running>, Problem> {
    let id = session(scoped, path).await?.id;
    if let Some(running) = scoped.hub.state::<Driving>().of(&id) {
        return Ok(running);
    }
    stored(&scoped.hub, &id).await?;
    Err(Problem::new(ProblemCode::AgentEnded, "The agent of this session isn't running").hint("Resume it first"))
}

async fn current(hub: &Hub, session: &Session) -> Result<DrivenAgent, Problem> {
    if let Some(start) = hub.state::<Driving>().starting(&session.id) {
        return Ok(starting(&session.id, &start));
    }
    match hub.state::<Driving>().of(&session.id) {
        Some(running) => Ok(shown(&running)),
        None => stored(hub, &session.id).await.map(|driven| past(hub, driven, session.cwd.as_deref())),
    }
}

fn word(field: &str, given: Option<String>) -> Result<Option<String>, Problem> {
    match crate::basics::query::given(given) {
        Some(word) if word.len() > WORD || word.chars().any(char::is_control) => {
            Err(Problem::field(field, &format!("at most {WORD} bytes, without control characters")))
        }
        given => Ok(given),
    }
}
