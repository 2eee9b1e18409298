//! Reads what people do in a channel that is asked for it.

use crate::basics::clock;
use crate::channels::incoming::{Taken, invited, take};
use crate::channels::open_channels::{Open, OpenChannels};
use crate::channels::{Kept, LEASE, LOOK, load};
use crate::context::Hub;
use ::channels::{Failure, Incoming, Receives, What};
use api::ProblemCode;
use model::Micros;
use std::time::Duration;
use store::{ChannelRow, StoreError};
use tokio::sync::watch;

/// The pause after the first failure; each further one doubles it.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

/// Reads until the channel is removed.
pub async fn run(hub: &Hub, id: &str) {
    let mut changed = hub.state::<OpenChannels>().changed.subscribe();
    let mut kept = Kept::default();
    let mut failures = 0;
    loop {
        changed.borrow_and_update();
        let pause = match round(hub, id, &mut kept, &mut changed).await {
            Ok(Round::Over) => return,
            Ok(Round::Read) => {
                failures = 0;
                continue;
            }
            Ok(Round::Idle) => LOOK,
            Err(error) => {
                failures = (failures + 1).min(10);
                tracing::warn!(%error, channel = id, "a channel can't be read");
                FIRST.saturating_mul(1 << failures).min(LONGEST)
            }
        };
        tokio::select! {
            _ = changed.changed() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

enum Round {
    Read,
    /// There is nothing to read, or another server reads it.
    Idle,
    /// The channel is removed.
    Over,
}

#[derive(Debug, thiserror::Error)]
enum ListenError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Channel(#[from] Failure),
}

async fn round(hub: &Hub, id: &str, kept: &mut Kept, changed: &mut watch::Receiver<u64>) -> Result<Round, ListenError> {
    let Some(row) = load(hub, id).await? else { return Ok(Round::Over) };
    let polled = channels::kind(&row.kind).is_some_and(|kind| kind.abilities.receives == Receives::Polled);
    if !polled || row.paused_at.is_some() {
        return Ok(Round::Idle);
    }
    // Errors of settings are shown with the queued deliveries.
    let Ok(open) = kept.open(hub, &row) else { return Ok(Round::Idle) };
    let now = clock::now();
    let lease = (hub.state::<OpenChannels>().lease.as_str(), Micros(now.0 + LEASE));
    if !hub.workspace.settle_deliveries(&row.id, lease, now, &[]).await? {
        return Ok(Round::Idle);
    }
    let received = tokio::select! {
        received = open.channel.receive(row.position.as_deref()) => received?,
        // It may be paused, or have other settings.
        _ = changed.changed() => return Ok(Round::Read),
    };
    for event in &received.events {
        heard(hub, &row, open, event).await?;
    }
    if row.position.as_deref() != Some(&received.position) {
        hub.workspace.put_position(&row.id, &received.position).await?;
    }
    Ok(Round::Read)
}

/// Takes an event, and tells its sender where that was refused. Strangers are told nothing.
async fn heard(hub: &Hub, row: &ChannelRow, open: &Open, event: &Incoming) -> Result<(), ListenError> {
    if let What::Invited { .. } = event.what {
        let taken = invited(hub, row, open.channel.as_ref(), event).await;
        return taken.map_err(|problem| Failure::later(problem.to_string()).into());
    }
    let problem = match take(hub, row, event).await {
        Ok(Taken::Ignored | Taken::Posted { .. } | Taken::Decided { .. } | Taken::Changed { .. }) => return Ok(()),
        // The position stays where it is: the event comes again.
        Err(problem) if problem.status >= 500 => return Err(Failure::later(problem.to_string()).into()),
        Err(problem) => problem,
    };
    tracing::info!(channel = row.id, code = problem.code, "an event of a channel was refused");
    if problem.is(ProblemCode::Stranger) {
        return Ok(());
    }
    let key = format!("vb-{}-re-{}", row.id, event.id);
    if let Err(failure) = open.channel.tell(&event.place, &key, &problem.to_string()).await {
        tracing::warn!(%failure, channel = row.id, "a person can't be told that an answer was refused");
    }
    Ok(())
}
