//! The reason why the server refuses writes, for callers and pages.

use crate::basics::clock;
use crate::basics::problem::{problem, report};
use crate::context::Hub;
use crate::upkeep::trash::UNDO_MINUTES;
use api::account::Condition;
use api::{Problem, ProblemCode};
use std::path::PathBuf;
use std::time::Duration;
use store::{Checkup, StoreError};

/// Until the first check of what is stored, so that a start isn't slowed down.
const FIRST_CHECK: Duration = Duration::from_mins(5);
/// How long one check reads.
const CHECK: Duration = Duration::from_mins(1);

impl Hub {
    /// Returns the problem of the database for people; None if there is none.
    pub fn condition(&self) -> Option<Condition> {
        let condition = self.store.condition().borrow().clone();
        if condition.damage.is_some() {
            return Some(Condition {
                code: ProblemCode::DatabaseDamaged.as_str().to_owned(),
                title: "The database is damaged: it can be read, but not written to".to_owned(),
                hint: "Stop the server and run `verbatim doctor --repair`: it recovers readable data and keeps the damaged file"
                    .to_owned(),
            });
        }
        condition.disk_full.then(|| {
            let Problem { title, code, .. } = problem(StoreError::Full);
            let hint = format!(
                "Free at least 32 MiB; then the server accepts writes again. Sessions that you delete now are removed after {UNDO_MINUTES} minutes; forgetting a folder frees space immediately"
            );
            Condition { code, title, hint }
        })
    }

    /// An error where no content may be added: on a full disk the rest is for what makes room.
    pub fn require_room(&self) -> Result<(), Problem> {
        let condition = self.store.condition().borrow().clone();
        match condition.damage {
            Some(finding) => Err(problem(StoreError::Protected(finding))),
            None if condition.disk_full => Err(problem(StoreError::Full)),
            None => Ok(()),
        }
    }

    /// Notes that a log-in was used. Nobody waits for it, and a database that can't be written to keeps nobody out.
    pub(crate) fn note_login_use(&self, hash: String) {
        let workspace = self.workspace.clone();
        tokio::spawn(async move { report(workspace.touch_login(&hash, clock::now()).await) });
    }

    /// Notes that a key was used, likewise.
    pub(crate) fn note_key_use(&self, id: String) {
        let workspace = self.workspace.clone();
        tokio::spawn(async move { report(workspace.touch_agent_key(&id, clock::now()).await) });
    }
}

/// Checks what is stored, for as long as the hub lives: a first time soon, then once in each `pause`.
pub async fn check(hub: Hub, pause: Duration) {
    let mut checkup = Checkup::default();
    let mut wait = if hub.store.is_unchecked() { Duration::ZERO } else { pause.min(FIRST_CHECK) };
    while hub.shutdown.run_until_cancelled(tokio::time::sleep(wait)).await.is_some() {
        wait = pause;
        if let Err(error) = hub.store.check(&mut checkup, CHECK).await {
            tracing::warn!(%error, "what is stored can't be checked");
        }
    }
}

/// Keeps a reserve of space in the data directory, for as long as the hub lives.
pub async fn keep_reserve(hub: Hub, dir: PathBuf) {
    let shutdown = hub.shutdown.clone();
    shutdown.run_until_cancelled(hub.store.keep_reserve(&dir)).await;
}
