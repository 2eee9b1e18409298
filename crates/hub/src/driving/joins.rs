//! The agents that run in their own terminals, and how a joined one is left.

use crate::basics::clock;
use crate::context::{Hub, TopicState};
use crate::driving::Running;
use crate::driving::hold::Hold;
use crate::host::{HostEvent, HostMessage};
use drivers::{Exit, Reason, Thread};
use model::session::{Live, LiveState, SessionState};
use model::{Session, SessionId};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{LiveEdit, LiveWrite};
use tokio::sync::watch;

/// The agent whose terminals can be joined, as a program and in the store.
pub const PROGRAM: &str = "codex";
pub const AGENT: &str = "codex";
/// Reasons that are remembered.
const REASONS: usize = 1_000;

/// The agents that run in their own terminals.
#[derive(Default)]
pub struct Joins {
    known: Mutex<Known>,
    /// Rings when an agent isn't joined any more.
    bell: watch::Sender<()>,
}

#[derive(Default)]
struct Known {
    /// By the folder of the agent.
    homes: BTreeMap<PathBuf, Home>,
    /// The sessions that are open in a terminal, by the agent's own ids.
    sessions: HashMap<String, SessionId>,
    /// Those that a person left to their terminals.
    left: HashSet<SessionId>,
    /// Why others aren't joined.
    reasons: HashMap<SessionId, String>,
}

/// A folder of an agent, and what it has open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Home {
    /// The version that answers there.
    pub version: Option<String>,
    /// Why none can be joined there.
    pub reason: Option<String>,
    pub threads: Vec<Thread>,
}

impl TopicState for Joins {}

impl Joins {
    /// Notes what a folder has. Returns the sessions that aren't open any more.
    pub fn note(&self, home: &Path, found: Home) -> Vec<SessionId> {
        let mut known = self.lock();
        known.homes.insert(home.to_owned(), found);
        let open: HashSet<String> =
            known.homes.values().flat_map(|home| &home.threads).map(|thread| thread.id.clone()).collect();
        let closed: Vec<SessionId> =
            known.sessions.extract_if(|key, _| !open.contains(key)).map(|(_, id)| id).collect();
        for session in &closed {
            known.left.remove(session);
        }
        closed
    }

    /// Notes that a session is open in a terminal. Returns whether that is news.
    pub fn open(&self, thread: &Thread, session: &SessionId) -> bool {
        self.lock().sessions.insert(thread.id.clone(), session.clone()).as_ref() != Some(session)
    }

    /// Returns whether a session is open in a terminal, as far as is known.
    pub fn is_open(&self, session: &SessionId) -> bool {
        self.lock().sessions.values().any(|open| open == session)
    }

    /// Rings when an agent isn't joined any more.
    pub fn ends(&self) -> watch::Receiver<()> {
        self.bell.subscribe()
    }

    /// Returns whether a person left a session to its terminal.
    pub fn is_left(&self, session: &SessionId) -> bool {
        self.lock().left.contains(session)
    }

    /// Returns why a session isn't joined that was read, and works in its terminal.
    pub fn reason_of(&self, session: &Session) -> Option<String> {
        let works = matches!(session.state, SessionState::Working | SessionState::NeedsYou) && session.agent == AGENT;
        let home = || self.lock().homes.values().find_map(|home| home.reason.clone());
        self.reason(&session.id).or_else(|| if works { home() } else { None })
    }

    /// Returns why a session isn't joined.
    pub fn reason(&self, session: &SessionId) -> Option<String> {
        self.lock().reasons.get(session).cloned()
    }

    /// Notes why a session isn't joined; None if it is, or nothing is wrong.
    pub fn note_reason(&self, session: &SessionId, reason: Option<String>) {
        let mut known = self.lock();
        match reason {
            Some(reason) if known.reasons.len() < REASONS => drop(known.reasons.insert(session.clone(), reason)),
            _ => drop(known.reasons.remove(session)),
        }
    }

    /// A person leaves a session to its terminal.
    pub fn leave(&self, session: &SessionId) {
        self.lock().left.insert(session.clone());
    }

    /// Returns the thread of a session, and the folder of the agent that has it open.
    pub fn take_back(&self, session: &SessionId) -> Option<(PathBuf, Thread)> {
        let mut known = self.lock();
        known.left.remove(session);
        let key = known.sessions.iter().find(|(_, open)| *open == session)?.0;
        let found = |(path, home): (&PathBuf, &Home)| {
            Some((path.clone(), home.threads.iter().find(|thread| thread.id == *key)?.clone()))
        };
        known.homes.iter().find_map(found)
    }

    /// Returns the folders of agents with what they have open, and our sessions of these by the agents' own ids.
    pub fn all(&self) -> (BTreeMap<PathBuf, Home>, HashMap<String, SessionId>) {
        let known = self.lock();
        (known.homes.clone(), known.sessions.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A joined agent was left, or could be followed no more.
pub async fn left(hub: &Hub, running: &Arc<Running>, exit: Option<&Exit>, hold: &Hold) {
    let was_asked = exit.is_some_and(|exit| exit.reason == Reason::Asked);
    let reason = running.view().last_notice().filter(|_| !was_asked).map(str::to_owned);
    hub.state::<Joins>().note_reason(&running.session, reason);
    let mut edit = LiveEdit::new(running.session.clone());
    let reason = "Runs in its own terminal, or has ended there".to_owned();
    edit.live = Some(Live { state: LiveState::Idle, reason, at: clock::now() });
    if let Err(failure) = hub.writer.write(LiveWrite::Edit(Box::new(edit))).await {
        tracing::debug!(?failure, "that an agent was left can't be stored");
    }
    hold.release(hub, None).await;
    running.leave(hub);
    hub.state::<Joins>().bell.send_replace(());
}

/// Adds a notice to the session: a person's words didn't reach the agent.
pub fn tell_undelivered(hub: &Hub, running: &Running, text: String) {
    let (hub, session) = (hub.clone(), running.session.clone());
    let words = model::text::one_line(&text, 80);
    let text = format!("\u{201c}{words}\u{201d} didn't reach the agent. Write it again once the agent runs");
    tokio::spawn(async move {
        hub.tell_session(&session, &HostMessage::new(&HostEvent::Notice { text })).await;
    });
}
