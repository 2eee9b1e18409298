//! Agents that the server starts itself, and those that it joins in their own terminal.
//!
//! - `start`: a process and its session. `hold`: one agent per session. `follow`: what its events change, until it
//!   ends. `interrupted`: what becomes of those that ran when the server ended. `kept`: what one was writing when it
//!   broke off.
//! - `view`: what a page shows of a running agent. [`prompts`]: what people wrote, as the agent gets it.
//! - `asks`: its requests as APPROVALs, and the decisions on the way back. `asked`: what a request carries.
//! - `joined`: agents that run in their own terminal, and offer a socket. They are followed and written to as those that
//!   are started here, and go on without us. `lookout` looks for them, and `joins` is what is known of them.
//! - `terminals`: agents that weren't started here, and take what people write by a hook in their own terminal.
//! - `shown`: who holds an agent, and what can be done with it from here.
//! - `consent`: the folder of its transcript is read.
//!
//! An agent's messages come from its transcript alone, as of any other session: what was driven is the same as what is
//! imported. Events give what no transcript has. Agents belong to the server, not to a browser: they go on when it
//! leaves. When the server ends, they end, and their sessions are marked.

mod asked;
mod asks;
mod consent;
pub mod endpoints;
mod follow;
mod hold;
mod interrupted;
mod joined;
mod joins;
mod kept;
mod lookout;
pub mod prompts;
mod shown;
mod start;
mod terminals;
mod view;

pub(crate) use endpoints::*;
pub(crate) use joined::list_running_agents;
pub(crate) use lookout::look_for_agents;

pub use consent::real as real_folder;
pub use interrupted::mark_interrupted;
pub use start::{Begin, Starting, start};
pub use terminals::{Arrival, GAP, Terminals};

use crate::basics::{clock, problem};
use crate::context::{Hub, TopicState};
use crate::host::AtWork;
use api::driving::AgentState;
use api::{Problem, ProblemCode};
use drivers::programs::Program;
use drivers::{Command, Handle, Refusal};
use model::SessionId;
use model::session::{Live, LiveState};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Driven, DrivenState, Ended, LiveEdit, LiveWrite};
use tokio::sync::{Notify, watch};
use view::View;

/// The agents that run in this process.
#[derive(Default)]
pub struct Driving {
    agents: Mutex<Agents>,
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Agents {
    running: HashMap<SessionId, Arc<Running>>,
    /// Sessions that go on: their agent is being started.
    starting: HashMap<SessionId, Arc<Starting>>,
    /// Those that ended last, each with the number of that change.
    ended: VecDeque<(u64, SessionId)>,
}

/// Ends that are remembered.
const ENDS: usize = 64;

/// An agent that runs in this process, or that was joined.
pub struct Running {
    pub session: SessionId,
    pub program: &'static Program,
    pub folder: String,
    /// It runs in its own terminal, and goes on without us.
    pub is_joined: bool,
    handle: Handle,
    view: Mutex<View>,
    /// Notified to pass on people's messages now.
    steers: Notify,
    /// The agent waits for a prompt.
    rests: Notify,
    /// A text that it is writing grew, or is over.
    grows: Notify,
    /// Its process has ended.
    is_over: AtomicBool,
    /// Another one takes its place.
    is_replaced: AtomicBool,
}

impl TopicState for Driving {}

impl Driving {
    /// Returns the agent of a session, if it runs.
    pub fn of(&self, session: &SessionId) -> Option<Arc<Running>> {
        self.lock().running.get(session).cloned()
    }

    /// Returns the start of a session's agent, if it is being started.
    pub fn starting(&self, session: &SessionId) -> Option<Arc<Starting>> {
        self.lock().starting.get(session).cloned()
    }

    /// Returns how many agents are in a turn, or are being started.
    pub fn at_work(&self) -> usize {
        let agents = self.lock();
        // A joined one doesn't end with the server.
        let in_turn = |running: &&Arc<Running>| !running.is_joined && running.view().state != AgentState::Idle;
        agents.running.values().filter(in_turn).count() + agents.starting.len()
    }

    /// Rings when something of an agent changed that a page shows. Its value is the number of the change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The sessions of which something changed after a change with this number; and the number of the last one.
    pub fn changed_since(&self, number: u64) -> (Vec<SessionId>, u64) {
        let now = *self.changed.borrow();
        let agents = self.lock();
        let running = agents.running.values().filter(|running| running.view().changed > number);
        let starting =
            agents.starting.iter().filter(|(_, start)| start.changed > number).map(|(session, _)| session.clone());
        let ended = agents.ended.iter().filter(|(at, _)| *at > number).map(|(_, session)| session.clone());
        (running.map(|running| running.session.clone()).chain(starting).chain(ended).collect(), now)
    }

    fn begin(&self, session: &SessionId, start: impl FnOnce(u64) -> Starting) {
        self.changed.send_modify(|number| {
            *number += 1;
            self.lock().starting.insert(session.clone(), Arc::new(start(*number)));
        });
    }

    /// The agent of a session runs, or wasn't started. `session` is where it was to go on.
    fn enter(&self, session: Option<&SessionId>, running: Option<Arc<Running>>) {
        self.changed.send_modify(|number| {
            *number += 1;
            let mut agents = self.lock();
            if let Some(session) = session {
                agents.starting.remove(session);
                agents.note(*number, session);
            }
            if let Some(running) = running {
                agents.running.insert(running.session.clone(), running);
            }
        });
    }

    /// Tells pages that the agent of a session changed, which wasn't started here.
    pub fn ring(&self, session: &SessionId) {
        self.changed.send_modify(|number| {
            *number += 1;
            self.lock().note(*number, session);
        });
    }

    /// Takes an agent off, and never another one that has its session by now. Returns whether its session has none
    /// then.
    fn take_off(&self, running: &Arc<Running>) -> bool {
        let mut was_there = false;
        self.changed.send_modify(|number| {
            *number += 1;
            let mut agents = self.lock();
            was_there = agents.running.get(&running.session).is_some_and(|current| Arc::ptr_eq(current, running));
            if was_there {
                agents.running.remove(&running.session);
            }
            agents.note(*number, &running.session);
        });
        was_there
    }

    fn lock(&self) -> MutexGuard<'_, Agents> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn new(session: SessionId, program: &'static Program, folder: String, (handle, view): (Handle, View)) -> Self {
        Self {
            session,
            program,
            folder,
            is_joined: false,
            handle,
            view: Mutex::new(view),
            steers: Notify::new(),
            rests: Notify::new(),
            grows: Notify::new(),
            is_over: AtomicBool::new(false),
            is_replaced: AtomicBool::new(false),
        }
    }

    /// Its process is over, or it isn't one of ours any more.
    fn leave(self: &Arc<Self>, hub: &Hub) {
        if hub.state::<Driving>().take_off(self) {
            hub.state::<AtWork>().leave(&self.session);
        }
    }
}

impl Agents {
    /// Remembers a change of a session whose agent doesn't run.
    fn note(&mut self, number: u64, session: &SessionId) {
        if self.ended.len() >= ENDS {
            self.ended.pop_front();
        }
        self.ended.push_back((number, session.clone()));
    }
}

impl Running {
    /// Returns true for the first one who asks: another agent takes its place.
    pub fn replace(&self) -> bool {
        !self.is_replaced.swap(true, Ordering::Relaxed)
    }

    /// The other agent wasn't started.
    pub fn stay(&self) {
        self.is_replaced.store(false, Ordering::Relaxed);
    }

    /// Does what a person wants of the agent.
    pub async fn command(&self, command: Command) -> Result<(), Problem> {
        self.handle.send(command).await.map_err(|refusal| refused(&refusal))
    }

    /// Gives the agent at once what people wrote.
    pub fn steer(&self) {
        self.steers.notify_one();
    }

    /// A person has read its notices up to one, by its number.
    pub fn dismiss(&self, hub: &Hub, last: i64) {
        self.show(hub, |view| view.dismiss(last));
    }

    /// Returns the view of the agent for pages.
    pub fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what a page shows of it.
    fn show(&self, hub: &Hub, change: impl FnOnce(&mut View)) {
        hub.state::<Driving>().changed.send_modify(|number| {
            *number += 1;
            let mut view = self.view();
            change(&mut view);
            view.changed = *number;
        });
    }
}

/// Why an agent doesn't do something, as a problem.
pub fn refused(refusal: &Refusal) -> Problem {
    let code = match refusal {
        Refusal::Ended => ProblemCode::AgentEnded,
        Refusal::NoRequest => ProblemCode::NobodyWaits,
        Refusal::Unsupported(_) => ProblemCode::AgentCannot,
        Refusal::NotNow(_) => ProblemCode::NotNow,
        Refusal::Stuck => ProblemCode::AgentStuck,
    };
    let mut words = refusal.to_string();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Problem::new(code, words)
}

/// Whether another server on the same database runs an agent, as far as is stored.
pub fn runs_elsewhere(hub: &Hub, driven: &Driven) -> bool {
    let is_ours = hub.settings.server.is_none() || driven.server.is_none() || driven.server == hub.settings.server;
    driven.state == DrivenState::Running && !is_ours
}

/// Ends a session whose agent ended.
async fn end_session(hub: &Hub, driven: &Driven, ended: Ended) {
    let mut edit = LiveEdit::new(driven.session.clone());
    let state = match (ended, driven.state) {
        (Ended::Failed, _) => LiveState::Failed,
        (Ended::Done, DrivenState::Interrupted) => LiveState::Idle,
        (Ended::Done, _) => LiveState::Done,
    };
    (edit.ended, edit.driven) = (Some(ended), Some(false));
    let reason = driven.reason.clone().unwrap_or_else(|| "Ended".to_owned());
    edit.live = Some(Live { state, reason, at: clock::now() });
    if let Err(failure) = hub.writer.write(LiveWrite::Edit(Box::new(edit))).await {
        tracing::debug!(?failure, "a session can't be ended");
    }
}

/// Returns the stored state of a session's agent.
pub async fn stored(hub: &Hub, session: &SessionId) -> Result<Driven, Problem> {
    hub.workspace.driven(session).await.map_err(problem)?.ok_or_else(|| {
        Problem::new(ProblemCode::NotDriven, "The agent of this session wasn't started by this server")
            .hint("Start an agent: `verbatim run`, or `New session` on the sessions page")
    })
}
