//! A process and its session.

use crate::basics::hash::create_hash;
use crate::basics::new_id::new_uuid;
use crate::basics::{clock, problem};
use crate::context::{Hub, Scoped};
use crate::driving::hold::Hold;
use crate::driving::view::{self, View};
use crate::driving::{Driving, Running, consent, follow};
use crate::host::AtWork;
use crate::requests::Requests;
use crate::writing::posting;
use crate::writing::refusal::refusal;
use api::{Problem, ProblemCode};
use drivers::programs::{Program, Transcript};
use drivers::{Event as AgentEvent, Exit, Handle, Launch, Limits, Log, Opening, Reason, Resume};
use model::audit::Event;
use model::closed::CloseReason;
use model::{SessionFacts, SessionId};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{AgentPhase, Driven, DrivenState, LiveEdit, LiveWrite, NewSession, Origin};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Time for an agent to end itself whose start is given up.
const GRACE: Duration = Duration::from_secs(2);

/// How an agent begins.
pub struct Begin {
    pub program: &'static Program,
    /// Absolute path.
    pub folder: String,
    pub mode: Option<String>,
    pub model: Option<String>,
    /// The session to go on with: its agent's own id.
    pub resume: Option<Resume>,
    /// The session that goes on. None where a new one is made.
    pub session: Option<SessionId>,
}

/// The agent of a session that goes on, while it is started.
pub struct Starting {
    pub program: &'static Program,
    pub folder: String,
    /// The number of the change.
    pub changed: u64,
    cancel: CancellationToken,
}

impl Starting {
    /// Ends the start.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// Starts an agent, and returns it once its session is there. Ends the start when `cancel` is.
///
/// # Errors
///
/// Another agent has the session, the program isn't installed, the folder can't be used, or the agent didn't begin.
pub async fn start(scoped: &Scoped, begin: Begin, cancel: CancellationToken) -> Result<Arc<Running>, Problem> {
    let hub = &scoped.hub;
    let folder = consent::real(&begin.folder)?;
    if scoped.workplaces(vec![folder.clone()]).await?.is_empty() {
        return Err(Problem::field("/folder", "a folder of a project that you see"));
    }
    if let Transcript::Own(agent) = begin.program.transcript {
        consent::agree(scoped, agent, &folder).await?;
    }
    let Some(session) = begin.session.clone() else {
        return begun(scoped, begin, folder, None, &cancel).await;
    };
    let hold = Hold::take(hub, &session).await?;
    let (program, shown) = (begin.program, folder.clone());
    let starting = |changed| Starting { program, folder: shown, changed, cancel: cancel.clone() };
    hub.state::<Driving>().begin(&session, starting);
    let done = begun(scoped, begin, folder, Some(hold), &cancel).await;
    hub.state::<Driving>().enter(Some(&session), None);
    done
}

/// A process that was started and isn't followed yet, with the session that it has.
struct Process {
    handle: Handle,
    events: mpsc::Receiver<AgentEvent>,
    hold: Option<Hold>,
}

impl Process {
    /// Ends it, and gives the session free once it has ended.
    async fn abandon(mut self, hub: Hub) {
        if let Some(process) = self.handle.process() {
            drivers::end_left(process, GRACE).await;
        }
        drop(self.handle);
        while self.events.recv().await.is_some() {}
        release(&hub, self.hold).await;
    }
}

async fn release(hub: &Hub, hold: Option<Hold>) {
    if let Some(hold) = hold {
        hold.release(hub, None).await;
    }
}

async fn begun(
    scoped: &Scoped,
    begin: Begin,
    folder: String,
    hold: Option<Hold>,
    cancel: &CancellationToken,
) -> Result<Arc<Running>, Problem> {
    let hub = &scoped.hub;
    let program = begin.program;
    let mut view = View::new(begin.mode.clone(), begin.model.clone());
    let (handle, events) = match process(hub, begin, &folder).await {
        Ok(started) => started,
        Err(problem) => {
            release(hub, hold).await;
            return Err(problem);
        }
    };
    let mut process = Process { handle, events, hold };
    if let Some(hold) = &mut process.hold
        && let Err(error) = hold.keep(hub, AgentPhase::Starting, process.handle.process()).await
    {
        process.abandon(hub.clone()).await;
        return Err(problem(error));
    }
    let began = tokio::select! {
        key = began(program, &mut process.events, &mut view) => key,
        () = cancel.cancelled() => {
            tokio::spawn(process.abandon(hub.clone()));
            return Err(Problem::new(ProblemCode::StartCancelled, "The start was cancelled"));
        }
    };
    let entered = match began {
        Ok(key) => enter(scoped, program, (key, folder), view, process).await,
        Err(problem) => Err((problem, process)),
    };
    match entered {
        Ok(running) => Ok(running),
        Err((problem, process)) => {
            process.abandon(hub.clone()).await;
            Err(problem)
        }
    }
}

/// Starts the process.
async fn process(hub: &Hub, begin: Begin, folder: &str) -> Result<(Handle, mpsc::Receiver<AgentEvent>), Problem> {
    let Begin { program, mode, model, resume, .. } = begin;
    let new_id = posting::new_id().to_string();
    let opening = Opening { new_id, folder: folder.to_owned(), resume, mode, model, system_notices: Vec::new() };
    let launch = launch(hub, program, &opening)?;
    drivers::start(program.driver(opening), launch, Limits::default()).await.map_err(|error| {
        let title = format!("{} can't be started: {error}", program.title);
        Problem { field: Some("/agent".to_owned()), ..Problem::new(ProblemCode::AgentNotStarted, title) }
    })
}

/// An agent that has begun is followed from now on, in the session with the id that it gave. Where that can't be
/// stored, its process comes back, to be ended.
async fn enter(
    scoped: &Scoped,
    program: &'static Program,
    (key, folder): (String, String),
    view: View,
    mut process: Process,
) -> Result<Arc<Running>, (Problem, Process)> {
    let hub = &scoped.hub;
    let (session, create_hash) = match session(hub, program, key, &folder, &view).await {
        Ok(made) => made,
        Err(problem) => return Err((problem, process)),
    };
    // An agent may go on in another session than it was asked to.
    if process.hold.as_ref().is_none_or(|hold| *hold.session() != session) {
        match Hold::take(hub, &session).await {
            Ok(hold) => release(hub, process.hold.replace(hold)).await,
            Err(problem) => return Err((problem, process)),
        }
    }
    let stored = as_stored(hub, &session, program, &folder, &view);
    let Some(mut hold) = process.hold.take() else { return Err((Problem::internal(), process)) };
    let kept = async {
        hold.keep(hub, AgentPhase::Idle, process.handle.process()).await.map_err(problem)?;
        reopen(hub, &session, create_hash).await?;
        hub.workspace.put_driven(&stored).await.map_err(problem)
    };
    if let Err(problem) = kept.await {
        process.hold = Some(hold);
        return Err((problem, process));
    }
    let event =
        Event::AgentStarted { session: session.to_string(), agent: program.name.to_owned(), folder: folder.clone() };
    scoped.record(event).await;
    if let Err(problem) = Requests::of(hub).withdraw(&session, CloseReason::AgentEnded).await {
        tracing::warn!(%problem, "what an agent asked before can't be closed now");
    }
    let running = Arc::new(Running::new(session, program, folder, (process.handle, view)));
    hub.state::<Driving>().enter(None, Some(Arc::clone(&running)));
    hub.state::<AtWork>().enter(&running.session);
    tokio::spawn(follow::follow(hub.clone(), Arc::clone(&running), (Some(stored), hold), process.events));
    tokio::spawn(follow::deliver(hub.clone(), Arc::clone(&running)));
    Ok(running)
}

/// Returns the row of an agent that has begun.
fn as_stored(hub: &Hub, session: &SessionId, program: &Program, folder: &str, view: &View) -> Driven {
    Driven {
        session: session.clone(),
        program: program.name.to_owned(),
        command: None,
        folder: folder.to_owned(),
        mode: view.mode.clone(),
        model: view.model.clone(),
        state: DrivenState::Running,
        reason: None,
        started_at: clock::now(),
        ended_at: None,
        server: hub.settings.server.clone(),
    }
}

fn launch(hub: &Hub, program: &Program, opening: &Opening) -> Result<Launch, Problem> {
    let environment = &hub.settings.agents;
    let mut command = program.command(opening).into_iter();
    let name = command.next().unwrap_or_default();
    let found = environment.find(&name).ok_or_else(|| {
        let expected = format!("an agent that is installed: `{}` isn't in the server's `PATH`", name.to_string_lossy());
        Problem::field("/agent", &expected).hint("Install it, or start the server with a `PATH` that contains it")
    })?;
    let log = match (program.transcript, &hub.settings.transcripts) {
        (Transcript::Own(_), _) => None,
        (Transcript::Log, Some(folder)) => {
            let path = folder.join(format!("{}-{}.jsonl", program.name, opening.new_id));
            Some(Log { path, now: || clock::now().0 / 1000 })
        }
        (Transcript::Log, None) => {
            return Err(Problem::field(
                "/agent",
                "an agent that writes transcripts, because this server stores none itself",
            ));
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
pub(super) async fn began(
    program: &Program,
    events: &mut mpsc::Receiver<AgentEvent>,
    view: &mut View,
) -> Result<String, Problem> {
    loop {
        match events.recv().await {
            Some(AgentEvent::Ended(exit)) => return Err(not_begun(program, &exit, view)),
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

fn not_begun(program: &Program, exit: &Exit, view: &View) -> Problem {
    let why = match exit.reason {
        Reason::Silent => "it didn't respond".to_owned(),
        Reason::Slow => "timeout after five minutes".to_owned(),
        _ => view::said(exit).or_else(|| view.last_notice().map(str::to_owned)).unwrap_or_else(|| match exit.code {
            Some(code) => format!("it exited with the code {code}"),
            None => "it exited".to_owned(),
        }),
    };
    let title = format!("{} didn't begin: {why}", program.title);
    let problem = Problem::new(ProblemCode::AgentNotStarted, title)
        .hint("Start it once in a terminal: it may require a log-in, or an update");
    Problem { field: Some("/agent".to_owned()), ..problem }
}

/// The session: the one with this id of the agent's own, or a new one.
async fn session(
    hub: &Hub,
    program: &Program,
    key: String,
    folder: &str,
    view: &View,
) -> Result<(SessionId, Option<Vec<u8>>), Problem> {
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
        machine: None,
    };
    let id = hub.writer.create(new).await.map_err(refusal)?;
    Ok((id, create_hash))
}

/// Reopens an ended session.
async fn reopen(hub: &Hub, session: &SessionId, create_hash: Option<Vec<u8>>) -> Result<(), Problem> {
    let mut edit = LiveEdit::new(session.clone());
    (edit.reopens, edit.rests) = (true, true);
    // Its transcript may have been quicker.
    edit.registers = create_hash;
    hub.writer.write(LiveWrite::Edit(Box::new(edit))).await.map_err(refusal)?;
    Ok(())
}
