//! Sessions whose turn ended while somebody looked.

use crate::context::Hub;
use crate::context::feed::FeedChange;
use model::{Micros, SessionId, SessionState};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use store::{PushKind, PushSubject, StoreError};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;

/// Sessions that are looked at together; the others wait for the next look.
const TOGETHER: usize = 100;
/// A turn that failed this lately is told, also if it was never seen at work.
const JUST_NOW: i64 = 10 * Micros::SECOND;

/// Follows the feed.
pub struct Turns {
    changes: Receiver<Arc<[Arc<FeedChange>]>>,
    /// Sessions that changed and weren't looked at.
    changed: BTreeSet<String>,
    /// Sessions that were at work when they were looked at last.
    at_work: HashSet<SessionId>,
}

impl Turns {
    pub fn new(hub: &Hub) -> Self {
        Self { changes: hub.feed.changes(), changed: BTreeSet::new(), at_work: HashSet::new() }
    }

    /// Returns true if there are sessions left to be looked at.
    pub fn has_more(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Returns the turns that ended since the last call.
    pub async fn ended(&mut self, hub: &Hub, now: Micros) -> Result<Vec<PushSubject>, StoreError> {
        loop {
            match self.changes.try_recv() {
                Ok(changes) => {
                    let changes = changes.iter().filter(|change| !change.grows());
                    self.changed.extend(changes.map(|change| change.session.clone()));
                }
                // Those sessions change again.
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        let mut ended = Vec::new();
        for _ in 0..TOGETHER {
            let Some(changed) = self.changed.pop_first() else { break };
            // A setting of all sessions has no session.
            let Ok(id) = SessionId::parse(changed) else { continue };
            let Some(session) = hub.workspace.session(&id, now).await? else { continue };
            let was_at_work = self.at_work.remove(&id);
            let kind = match session.state {
                SessionState::Working | SessionState::NeedsYou | SessionState::Lost | SessionState::Quiet => {
                    self.at_work.insert(id);
                    continue;
                }
                SessionState::Failed => PushKind::Failed,
                SessionState::Done | SessionState::Idle => PushKind::Finished,
            };
            let is_new = was_at_work || (kind == PushKind::Failed && now.since(session.last_activity_at) < JUST_NOW);
            // A sub-agent's turn is part of another one.
            let is_own = session.parent.is_none() && !session.parent_missing && session.deleted_at.is_none();
            if is_new && is_own && session.archived_at.is_none() {
                ended.push(PushSubject { kind, session: id.to_string(), seq: session.last_seq });
            }
        }
        Ok(ended)
    }
}
