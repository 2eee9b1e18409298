//! What people wrote to an agent.

use super::messages::entry;
use super::{limit, refusal, session};
use crate::{Scoped, clock, problem};
use api::Problem;
use api::posting::{PendingMessages, TakePending};
use api::sessions::SessionPath;
use model::{Session, SessionId};
use std::time::Duration;
use store::{LiveDone, LiveTake, LiveWrite, Store, StoredMessage};
use tokio::time::Instant;

/// Longest wait in seconds.
const MOST: u32 = 60;
/// Another server on the same database can't wake us: where there may be one, we look.
const LOOK: Duration = Duration::from_secs(1);

pub async fn take(scoped: &Scoped, path: &SessionPath, input: TakePending) -> Result<PendingMessages, Problem> {
    let session = session(scoped, path).await?;
    let limit = limit(input.limit, 100, 500)?;
    let wait = input.wait.unwrap_or(0);
    if wait > MOST {
        return Err(Problem::field("/wait", &format!("seconds from 0 to {MOST}")));
    }
    if input.after.is_some_and(|after| after < 0) {
        return Err(Problem::field("/after", "a `seq`, or 0"));
    }
    let until = Instant::now() + Duration::from_secs(u64::from(wait));
    let taken = wait_for(scoped, &session.id, &input, limit, until).await?;
    let now: Option<Session> = scoped.hub.workspace.session(&session.id, clock::now()).await.map_err(problem)?;
    let after = taken.last().map(|m| m.message.seq).or(input.after).unwrap_or(session.delivered_seq);
    let state = now.map_or(session.state, |session| session.state);
    Ok(PendingMessages { messages: taken.into_iter().map(entry).collect(), after, state })
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
    let (after, expects) = (input.after, input.expects);
    let take = || LiveTake { session: session.clone(), after, expects, limit };
    let mut first = true;
    let mut revoked = hub.revoked.subscribe();
    loop {
        // Listens before it looks: what comes between the two wakes it.
        let rung = bell.notified();
        tokio::pin!(rung);
        rung.as_mut().enable();
        let Some(queue) = hub.workspace.queue(session).await.map_err(problem)? else {
            return Err(Problem::not_found("session"));
        };
        // The first look says that the agent lives, unless that is known.
        let news = if first { !queue.is_quiet(after, expects, clock::now()) } else { queue.waits(after) };
        if news {
            let (done, _) = hub.writer.write(LiveWrite::Take(take())).await.map_err(refusal)?;
            match done {
                LiveDone::Taken(taken) if taken.is_empty() => {}
                LiveDone::Taken(taken) => return Ok(taken),
                _ => return Err(Problem::internal()),
            }
        }
        if Instant::now() >= until {
            return Ok(Vec::new());
        }
        if first {
            // Revoked before we listened for it, that is told by nobody any more.
            still_valid(scoped).await?;
            first = false;
        }
        tokio::select! {
            () = rung => {}
            Ok(()) = revoked.changed() => still_valid(scoped).await?,
            () = tokio::time::sleep(LOOK), if others_write => {}
            () = tokio::time::sleep_until(until) => {}
            () = hub.shutdown.cancelled() => return Ok(Vec::new()),
        }
    }
}

/// Something was revoked. Was it the key that waits here?
async fn still_valid(scoped: &Scoped) -> Result<(), Problem> {
    match scoped.caller.key_id() {
        Some(id) if !scoped.hub.key_holds(id).await? => {
            Err(Problem::new(401, "revoked", "This key was revoked").hint("Make a new one: `verbatim key create`"))
        }
        _ => Ok(()),
    }
}
