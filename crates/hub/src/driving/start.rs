//! A process and its session.

use super::view::View;
use super::{Running, asks, consent, follow};
use crate::hash::create_hash;
use crate::new_id::new_uuid;
use crate::refusal::refusal;
use crate::{Hub, Scoped, clock, posting, problem};
use api::Problem;
use drivers::programs::{Program, Transcript};
use drivers::{Event as AgentEvent, Exit, Launch, Limits, Log, Opening, Reason, Resume};
use model::audit::Event;
use model::{SessionFacts, SessionId};
use std::path::Path;
use std::sync::{Arc, Mutex};
use store::{Driven, DrivenState, LiveEdit, LiveWrite, NewSession, Origin};
use tokio::sync::{Notify, mpsc};

/// How an agent begins.
pub struct Begin {
    pub program: &'static Program,
    /// Absolute path.
    pub folder: String,
    pub mode: Option<String>,
    pub model: Option<String>,
    /// The session to go on with: its agent's own id.
    pub resume: Option<Resume>,
}

/// Starts an agent, and returns it once its session is there.
///
/// # Errors
///
/// Its program isn't installed, the folder can't be used, or the agent didn't begin.
pub async fn start(scoped: &Scoped, begin: Begin) -> Result<Arc<Running>, Problem> {
    let hub = &scoped.hub;
    let Begin { program, mode, model, resume, .. } = begin;
    let folder = consent::real(&begin.folder)?;
    if let Transcript::Own(agent) = program.transcript {
        consent::agree(scoped, agent, &folder).await?;
    }
    let opening = Opening {
        new_id: posting::new_id().to_string(),
        folder: folder.clone(),
        resume,
        mode: mode.clone(),
        model: model.clone(),
        system_notices: Vec::new(),
    };
    let launch = launch(hub, program, &opening)?;
    let driver = program.driver(opening);
    let (handle, mut events) = drivers::start(driver, launch, Limits::default()).await.map_err(|error| {
        let title = format!("{} can't be started: {error}", program.title);
        Problem { field: Some("/agent".to_owned()), ..Problem::new(502, "agent_not_started", title) }
    })?;
    let mut view = View::new(mode, model);
    let key = began(program, &mut events, &mut view).await?;
    let session = session(hub, program, key, &folder, &view).await?;
    let running = Arc::new(Running {
        session,
        program,
        folder,
        handle,
        view: Mutex::new(view),
        steers: Notify::new(),
        rests: Notify::new(),
    });
    let stored = {
        let view = running.view();
        Driven {
            session: running.session.clone(),
            program: program.name.to_owned(),
            command: None,
            folder: running.folder.clone(),
            mode: view.mode.clone(),
            model: view.model.clone(),
            state: DrivenState::Running,
            reason: None,
            started_at: clock::now(),
            ended_at: None,
            server: hub.settings.server.clone(),
        }
    };
    hub.workspace.put_driven(&stored).await.map_err(problem)?;
    let (session, agent, folder) = (running.session.to_string(), program.name.to_owned(), running.folder.clone());
    scoped.record(Event::AgentStarted { session, agent, folder }).await;
    asks::close_all(hub, &running.session).await;
    hub.driving.enter(Arc::clone(&running));
    tokio::spawn(follow::follow(hub.clone(), Arc::clone(&running), stored, events));
    tokio::spawn(follow::deliver(hub.clone(), Arc::clone(&running)));
    Ok(running)
}

fn launch(hub: &Hub, program: &Program, opening: &Opening) -> Result<Launch, Problem> {
    let environment = &hub.settings.agents;
    let mut command = program.command(opening).into_iter();
    let name = command.next().unwrap_or_default();
    let found = environment.find(&name).ok_or_else(|| {
        let expected = format!("an agent that is installed: `{}` isn't in the server's `PATH`", name.to_string_lossy());
        Problem::field("/agent", &expected).hint("Install it, or start the server with a `PATH` that leads to it")
    })?;
    let log = match (program.transcript, &hub.settings.transcripts) {
        (Transcript::Own(_), _) => None,
        (Transcript::Log, Some(folder)) => {
            let path = folder.join(format!("{}-{}.jsonl", program.name, opening.new_id));
            Some(Log { path, now: || clock::now().0 / 1000 })
        }
        (Transcript::Log, None) => {
            return Err(Problem::field("/agent", "an agent that writes transcripts: this server keeps none itself"));
        }
    };
    Ok(Launch {
        program: found.into_os_string(),
        arguments: command.collect(),
        folder: Path::new(&opening.folder).to_owned(),
        environment: environment.variables().to_vec(),
        log,
    })
}

/// Waits until the session has an id.
async fn began(program: &Program, events: &mut mpsc::Receiver<AgentEvent>, view: &mut View) -> Result<String, Problem> {
    loop {
        match events.recv().await {
            Some(AgentEvent::Ended(exit)) => return Err(not_begun(program, &exit, &view.notices)),
            Some(event) => {
                let begun = if let AgentEvent::Session { id, .. } = &event { Some(id.clone()) } else { None };
                view.take(event);
                if let Some(id) = begun {
                    return Ok(id);
                }
            }
            None => return Err(Problem::internal()),
        }
    }
}

fn not_begun(program: &Program, exit: &Exit, notices: &[String]) -> Problem {
    let why = match exit.reason {
        Reason::Silent => "it didn't answer".to_owned(),
        _ => said(exit).or_else(|| notices.last().cloned()).unwrap_or_else(|| match exit.code {
            Some(code) => format!("it ended with the exit code {code}"),
            None => "it ended".to_owned(),
        }),
    };
    let title = format!("{} didn't begin: {why}", program.title);
    let problem = Problem::new(502, "agent_not_started", title)
        .hint("Start it once in a terminal: it may ask you to log in, or be too old");
    Problem { field: Some("/agent".to_owned()), ..problem }
}

/// What it wrote to its standard error: the last line that speaks of an error, else the last one with words.
pub(super) fn said(exit: &Exit) -> Option<String> {
    let has_words = |line: &&str| line.chars().any(char::is_alphabetic);
    let lines = || exit.stderr.lines().rev().map(str::trim).filter(has_words);
    let line = lines().find(|line| line.to_ascii_lowercase().contains("error")).or_else(|| lines().next())?;
    Some(model::text::one_line(line, 200))
}

/// The session: the one with this id of the agent's own, or a new one.
async fn session(hub: &Hub, program: &Program, key: String, folder: &str, view: &View) -> Result<SessionId, Problem> {
    let agent = match program.transcript {
        Transcript::Own(agent) => agent,
        Transcript::Log => "acp",
    };
    let id = SessionId::from_uuid(new_uuid());
    let facts = SessionFacts {
        cwd: Some(folder.to_owned()),
        project: Some(folder.to_owned()),
        model: view.model.clone(),
        version: view.version.clone(),
        ..SessionFacts::default()
    };
    let create_hash = Some(create_hash(&(agent, &key))?);
    let new = NewSession {
        id,
        agent: agent.to_owned(),
        key,
        parent_key: None,
        facts,
        key_id: None,
        create_hash: create_hash.clone(),
        origin: Origin::Transcript,
    };
    let id = hub.writer.create(new).await.map_err(refusal)?;
    let mut edit = LiveEdit::new(id.clone());
    (edit.reopens, edit.rests) = (true, true);
    // Its transcript may have been quicker.
    edit.registers = create_hash;
    hub.writer.write(LiveWrite::Edit(Box::new(edit))).await.map_err(refusal)?;
    Ok(id)
}
