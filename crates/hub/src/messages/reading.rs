//! How far the person has read.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::may::session;
use api::Problem;
use api::messages::{Delivery, Entry};
use api::reading::{ReadUpTo, UnreadSession, UnreadSessions};
use api::sessions::SessionPath;
use model::{Role, Session};

pub async fn list_unread(scoped: &Scoped) -> Result<UnreadSessions, Problem> {
    let unread = scoped
        .hub
        .workspace
        .unread(scoped.caller.person_id(), &scoped.caller.sight(), UnreadSession::MANY)
        .await
        .map_err(problem)?;
    let session = |u: store::Unread| UnreadSession { session: u.session.to_string(), seq: u.seq, unread: u.unread };
    Ok(UnreadSessions { sessions: unread.into_iter().map(session).collect() })
}

pub async fn mark_read(scoped: &Scoped, path: &SessionPath, input: ReadUpTo) -> Result<UnreadSessions, Problem> {
    if input.seq < 0 {
        return Err(Problem::field("/seq", "a `seq`, or 0"));
    }
    let session = session(scoped, path).await?;
    let hub = &scoped.hub;
    if let Some(pos) = hub
        .workspace
        .mark_read(scoped.caller.person_id(), &session.id, input.seq, clock::now())
        .await
        .map_err(problem)?
    {
        hub.feed.ring(pos);
    }
    list_unread(scoped).await
}

/// Says of people's messages whether the agent has them.
pub(super) async fn deliveries(scoped: &Scoped, session: &Session, entries: &mut [Entry]) -> Result<(), Problem> {
    let mut said = entries.iter().filter(|entry| entry.message.draft.role == Role::User).map(|entry| entry.message.seq);
    let Some(first) = said.next().filter(|_| session.registered) else { return Ok(()) };
    let last = said.next_back().unwrap_or(first);
    let found = scoped.hub.workspace.deliveries(&session.id, first, last).await.map_err(problem)?;
    for (seq, at) in found {
        let delivery = match at {
            Some(at) => Some(Delivery::Given { at }),
            None => (seq > session.delivered_seq).then_some(Delivery::Waiting),
        };
        if let Some(entry) = entries.iter_mut().find(|entry| entry.message.seq == seq) {
            entry.delivery = delivery;
        }
    }
    Ok(())
}
