//! Looks for agents that run in their own terminal, and joins them.
//!
//! In each folder of Codex that is followed: whether its socket is there costs one look at the file system. One
//! connection then tells which sessions are open; those whose transcript is read are joined.

use crate::context::{Consent, Hub, Root};
use crate::driving::Driving;
use crate::driving::joined::join;
use crate::driving::joins::{AGENT, Home, Joins};
use crate::imports::discover::agreed::Agreed;
use api::ProblemCode;
use drivers::{ControlSocket, Identity, Thread, Threads};
use futures::future::join_all;
use model::SessionId;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use store::{Following, StoreError};
use tokio::time::{Instant, sleep};

/// Time between two looks for a socket.
const LOOK: Duration = Duration::from_secs(1);
/// Time until the next attempt after one that failed: the first and the longest.
const SOON: Duration = Duration::from_secs(1);
const LATE: Duration = Duration::from_mins(1);
/// Shortest time between two looks for sessions of which no transcript was read.
const PACE: Duration = Duration::from_millis(200);
/// The folder of transcripts in the folder of Codex.
const TRANSCRIPTS: &str = "sessions";

/// Attempts that are made less and less often.
struct Attempts {
    next: Instant,
    pause: Duration,
}

impl Attempts {
    fn new() -> Self {
        Self { next: Instant::now(), pause: SOON }
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    fn failed(&mut self) {
        self.next = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LATE);
    }
}

/// Joins the agents that run in their own terminals on this machine, as long as the server runs.
pub async fn look_for_agents(hub: Hub) {
    let is_home = |root: &&Root| {
        root.agent == AGENT
            && root.consent != Consent::Machines
            && root.path.file_name().is_some_and(|name| name == TRANSCRIPTS)
    };
    let roots = hub.settings.roots.iter().filter(is_home);
    join_all(roots.filter_map(|root| Some(look(&hub, root, root.path.parent()?)))).await;
}

/// Looks for the socket of one folder.
async fn look(hub: &Hub, root: &Root, home: &Path) {
    let socket = ControlSocket::of(home);
    let mut attempts = Attempts::new();
    let mut seen: Option<Identity> = None;
    loop {
        let found = socket.identity();
        if found != seen {
            (seen, attempts) = (found, Attempts::new());
            note(hub, home, Home::default());
        }
        if found.is_some() && attempts.is_due() {
            attempts.failed();
            match is_followed(hub, root).await {
                Ok(true) => match Threads::of(&socket).await {
                    Ok(threads) => {
                        attempts = Attempts::new();
                        stay(hub, &socket, threads).await;
                        note(hub, home, Home::default());
                    }
                    Err(error) => {
                        let reason = Some(format!("Codex can't be joined: {error}"));
                        note(hub, home, Home { reason, ..Home::default() });
                    }
                },
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "which folders are followed can't be read"),
            }
        }
        sleep(LOOK).await;
    }
}

async fn is_followed(hub: &Hub, root: &Root) -> Result<bool, StoreError> {
    let agreed = Agreed::load(hub).await?;
    Ok(agreed.on(&root.permission_of(&root.path)) == Following::Following)
}

/// Notes what a folder has open, and tells pages of what is closed.
fn note(hub: &Hub, home: &Path, found: Home) {
    for session in hub.state::<Joins>().note(home, found) {
        hub.state::<Driving>().ring(&session);
    }
}

/// Joins what is open, until the connection is lost.
async fn stay(hub: &Hub, socket: &ControlSocket, mut threads: Threads) {
    let (mut news, mut ends) = (hub.feed.news(), hub.state::<Joins>().ends());
    let mut failed: HashMap<String, Attempts> = HashMap::new();
    loop {
        let open: Vec<Thread> = threads.open().cloned().collect();
        failed.retain(|id, _| open.iter().any(|thread| thread.id == *id));
        let found = Home { version: Some(threads.version().to_owned()), reason: None, threads: open.clone() };
        note(hub, socket.home(), found);
        news.borrow_and_update();
        let mut lacks_transcript = false;
        for thread in &open {
            lacks_transcript |= !join_one(hub, socket, thread, &mut failed).await;
        }
        let again = failed.values().map(|attempts| attempts.next).min();
        tokio::select! {
            changed = threads.changed() => if changed.is_err() { return },
            _ = ends.changed() => {}
            () = async { sleep(PACE).await; let _ = news.changed().await; }, if lacks_transcript => {}
            () = tokio::time::sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {}
        }
    }
}

/// Joins a session, unless it has an agent here, was left, or failed a moment ago. Returns false if no transcript of it
/// was read.
async fn join_one(hub: &Hub, socket: &ControlSocket, thread: &Thread, failed: &mut HashMap<String, Attempts>) -> bool {
    let found = hub.workspace.session_of_agent(AGENT, &thread.id).await;
    let Some(session) = found.ok().flatten().filter(|found| found.machine.is_none() && found.key_id.is_none()) else {
        return false;
    };
    if session.is_deleted {
        return true;
    }
    let session = session.id;
    if hub.state::<Joins>().open(thread, &session) {
        hub.state::<Driving>().ring(&session);
    }
    if has_agent(hub, &session) || hub.state::<Joins>().is_left(&session) {
        failed.remove(&thread.id);
        return true;
    }
    let attempts = failed.entry(thread.id.clone()).or_insert_with(Attempts::new);
    if attempts.is_due() {
        match join(hub, socket, thread, &session).await {
            Ok(_) => drop(failed.remove(&thread.id)),
            Err(problem) => {
                attempts.failed();
                if !problem.is(ProblemCode::AgentStarts) {
                    hub.state::<Joins>().note_reason(&session, Some(problem.title));
                    hub.state::<Driving>().ring(&session);
                }
            }
        }
    }
    true
}

fn has_agent(hub: &Hub, session: &SessionId) -> bool {
    let driving = hub.state::<Driving>();
    driving.of(session).is_some() || driving.starting(session).is_some()
}
