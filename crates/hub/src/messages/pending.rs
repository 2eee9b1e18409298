//! Messages of people to an agent.

use crate::account::keys::holds_until;
use crate::basics::query::limit;
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::may::{gone, own_session};
use crate::routing::RoutingTable;
use crate::writing::entries::for_agent;
use crate::writing::refusal::refusal;
use api::Problem;
use api::posting::{PendingMessages, TakePending};
use api::sessions::SessionPath;
use model::routing::Place;
use model::{Session, SessionId};
use std::time::Duration;
use store::{LiveDone, LiveTake, LiveWrite, Store, StoredMessage};
use tokio::time::Instant;

/// Messages that one answer gives at most.
const MANY: u32 = 500;
/// Longest wait in seconds.
const MOST: u32 = 60;
/// The ring of another server on the same database may be lost: where there may be one, we look.
pub(crate) const LOOK: Duration = Duration::from_secs(1);

pub async fn take_pending(scoped: &Scoped, path: &SessionPath, input: TakePending) -> Result<PendingMessages, Problem> {
    let session = own_session(scoped, path).await?;
    let limit = limit(input.limit, 100, MANY).map_err(|_| {
        let expected = format!("a number from 1 to {MANY}");
        Problem::field("/limit", &expected)
    })?;
    let wait = input.wait.unwrap_or(0);
    if wait > MOST {
        return Err(Problem::field("/wait", &format!("0 to {MOST} seconds")));
    }
    if input.after.is_some_and(|after| after < 0) {
        return Err(Problem::field("/after", "a `seq`, or 0"));
    }
    // A cursor beyond the end of the session would wait for ever.
    let input = TakePending { after: input.after.map(|after| after.min(session.last_seq)), ..input };
    let until = Instant::now() + Duration::from_secs(u64::from(wait));
    let taken = wait_for(scoped, &session.id, &input, limit, until).await?;
    let now: Option<Session> = scoped.hub.workspace.session(&session.id, clock::now()).await.map_err(problem)?;
    let after = taken.last().map(|m| m.message.seq).or(input.after).unwrap_or(session.delivered_seq);
    let state = now.map_or(session.state, |session| session.state);
    Ok(PendingMessages { messages: taken.into_iter().map(for_agent).collect(), after, state })
}

async fn wait_for(
    scoped: &Scoped,
    session: &SessionId,
    input: &TakePending,
    limit: u32,
    until: Instant,
) -> Result<Vec<StoredMessage>, Problem> {
    let hub = &scoped.hub;
    let bell = hub.writer.waiters().of(session);
    let others_write = matches!(hub.store, Store::Postgres(_));
    let is_impatient = input.wait.unwrap_or_default() == 0;
    let (after, expects) = (input.after, input.expects);
    let senders = hub.state::<RoutingTable>().rules(session, Place::Room).senders.clone();
    let take = |limit: u32| LiveTake { session: session.clone(), after, expects, limit, senders: senders.clone() };
    let mut first = true;
    let mut was_over = false;
    let mut revoked = hub.revoked.subscribe();
    let mut ends = clock::NEVER;
    loop {
        // Listens before it looks: what comes between the two wakes it.
        let rung = bell.notified();
        tokio::pin!(rung);
        rung.as_mut().enable();
        let Some(queue) = hub.workspace.queue(session).await.map_err(problem)? else {
            return Err(gone(scoped, session.as_str()).await?);
        };
        // The first look says that the agent lives, unless that is known. What doesn't wake an agent is given to one
        // that doesn't wait, or together with what does.
        let is_given = queue.waits(after) || (is_impatient && queue.holds(after));
        let news = is_given || (first && !queue.is_quiet(after, expects, clock::now()));
        if news {
            let (done, _) =
                hub.writer.write(LiveWrite::Take(take(if is_given { limit } else { 0 }))).await.map_err(refusal)?;
            match done {
                LiveDone::Taken(taken) if taken.is_empty() => {}
                LiveDone::Taken(taken) => return Ok(taken),
                _ => return Err(Problem::internal()),
            }
        }
        // Whoever waited while the session ended hears of it; it may go on, so that a later wait is one.
        if Instant::now() >= until || (queue.ended && !first && !was_over) {
            return Ok(Vec::new());
        }
        was_over = queue.ended;
        if first {
            // Revoked before we listened for it, that is told by nobody any more.
            ends = holds_until(scoped).await?;
            first = false;
        }
        tokio::select! {
            () = rung => {}
            Ok(()) = revoked.changed() => ends = holds_until(scoped).await?,
            () = clock::until(ends) => ends = holds_until(scoped).await?,
            () = tokio::time::sleep(LOOK), if others_write => {}
            () = tokio::time::sleep_until(until) => {}
            () = hub.shutdown.cancelled() => return Ok(Vec::new()),
        }
    }
}
