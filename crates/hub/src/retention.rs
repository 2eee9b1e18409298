//! What a person deleted is kept for a while, so that it can come back, and is then gone for good.

use crate::{Hub, clock};
use model::Micros;
use std::time::Duration;
use store::StoreError;

/// Days for which a deleted session can be restored.
pub const DAYS: i64 = 30;
const PAUSE: Duration = Duration::from_hours(1);
const DAY: i64 = 24 * 3600 * Micros::SECOND;

/// Looks each hour, for as long as the hub lives.
pub async fn purge(hub: Hub) {
    let mut hours = tokio::time::interval(PAUSE);
    while hub.shutdown.run_until_cancelled(hours.tick()).await.is_some() {
        if let Err(error) = purge_once(&hub, clock::now()).await {
            tracing::error!(%error, "what was deleted can't be removed");
        }
    }
}

/// What is due at a time: sessions that were deleted long ago, files that were uploaded the day before and became no
/// message's, what forgetting had to leave, and the space of all that.
pub async fn purge_once(hub: &Hub, now: Micros) -> Result<(), StoreError> {
    let forgotten = hub.workspace.forget_deleted(Micros(now.0 - DAYS * DAY)).await?;
    if !forgotten.is_empty() {
        tracing::info!(sessions = forgotten.len(), "deleted for good");
        hub.feed.ring(hub.workspace.feed_pos().await?);
    }
    let files = hub.workspace.forget_uploads(Micros(now.0 - DAY)).await?;
    if files > 0 {
        tracing::info!(files, "uploads that nobody used were deleted");
    }
    hub.store.give_back().await
}
