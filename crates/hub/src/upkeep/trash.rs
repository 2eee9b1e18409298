//! Keeps deleted data for some time, so that it can be restored, and then removes it permanently.

use crate::basics::clock;
use crate::context::Hub;
use model::Micros;
use std::ops::Range;
use std::time::Duration;
use store::StoreError;

/// Days for which a deleted session can be restored.
pub const DAYS: i64 = 30;
/// Days for which it is known what a channel was told of a message, and what became of what people did in it.
pub const DELIVERY_DAYS: i64 = 30;
/// Minutes for which it can be restored that was deleted on a full disk.
pub const UNDO_MINUTES: i64 = 5;
const PAUSE: Duration = Duration::from_hours(1);
const WHILE_FULL: Duration = Duration::from_mins(1);
/// In microseconds.
pub const DAY: i64 = 24 * 3600 * Micros::SECOND;

/// Looks each hour, for as long as the hub lives. On a full disk, what is deleted meanwhile goes as soon as nobody is
/// likely to undo that.
pub async fn purge(hub: Hub) {
    let mut condition = hub.store.condition();
    let mut hours = tokio::time::interval(PAUSE);
    let mut full_since = None;
    loop {
        let is_full = condition.borrow_and_update().disk_full;
        // A clock that is set back meanwhile gives to what is deleted a time before that.
        full_since = is_full.then(|| full_since.unwrap_or(clock::NEVER).min(clock::now()));
        let outcome = tokio::select! {
            () = hub.shutdown.cancelled() => return,
            changed = condition.changed() => if changed.is_ok() { continue } else { return },
            _ = hours.tick() => purge_once(&hub, clock::now()).await,
            () = tokio::time::sleep(WHILE_FULL), if is_full => {
                purge_while_full(&hub, full_since.unwrap_or_default(), clock::now()).await
            }
        };
        match outcome {
            Ok(()) | Err(StoreError::Protected(_)) => {}
            // The store is closed at the end, which is no fault.
            Err(_) if hub.shutdown.is_cancelled() => return,
            Err(error) => tracing::error!(%error, "what was deleted can't be removed"),
        }
    }
}

/// Deletes for good what was deleted since the disk is full, but for the last minutes.
pub async fn purge_while_full(hub: &Hub, since: Micros, now: Micros) -> Result<(), StoreError> {
    forget_deleted(hub, since..Micros(now.0 - UNDO_MINUTES * 60 * Micros::SECOND)).await?;
    hub.store.give_back().await
}

/// Removes data that is due at a time: sessions that were deleted long ago, unused uploads of the day before, old
/// deliveries, and the space of all that.
pub async fn purge_once(hub: &Hub, now: Micros) -> Result<(), StoreError> {
    forget_deleted(hub, Micros::default()..Micros(now.0 - DAYS * DAY)).await?;
    let files = hub.workspace.forget_uploads(Micros(now.0 - DAY)).await?;
    if files > 0 {
        tracing::info!(files, "uploads that nobody used were deleted");
    }
    let deliveries = hub.workspace.forget_deliveries(Micros(now.0 - DELIVERY_DAYS * DAY)).await?;
    if deliveries > 0 {
        tracing::info!(deliveries, "what channels were told long ago was deleted");
    }
    let events = hub.workspace.forget_channel_events(Micros(now.0 - DELIVERY_DAYS * DAY)).await?;
    if events > 0 {
        tracing::info!(events, "what became of old events of channels was deleted");
    }
    hub.store.give_back().await
}

async fn forget_deleted(hub: &Hub, deleted: Range<Micros>) -> Result<(), StoreError> {
    let forgotten = hub.signed().forget_deleted(deleted, clock::now()).await?;
    if !forgotten.is_empty() {
        tracing::info!(sessions = forgotten.len(), "deleted for good");
        hub.feed.ring(hub.workspace.feed_pos().await?);
    }
    Ok(())
}
