//! What a person deleted is kept for a while, so that it can come back, and is then gone for good.

use crate::{Hub, clock};
use model::Micros;
use std::time::Duration;

/// Days for which a deleted session can be restored.
pub const DAYS: i64 = 30;
const PAUSE: Duration = Duration::from_hours(1);

/// Looks each hour, for as long as the hub lives.
pub async fn purge(hub: Hub) {
    let mut hours = tokio::time::interval(PAUSE);
    while hub.shutdown.run_until_cancelled(hours.tick()).await.is_some() {
        let before = Micros(clock::now().0 - DAYS * 24 * 3600 * Micros::SECOND);
        match hub.workspace.forget_deleted(before).await {
            Ok(forgotten) if forgotten.is_empty() => {}
            Ok(forgotten) => {
                tracing::info!(sessions = forgotten.len(), "deleted for good");
                if let Ok(pos) = hub.workspace.feed_pos().await {
                    hub.feed.ring(pos);
                }
            }
            Err(error) => tracing::error!(%error, "deleted sessions can't be removed"),
        }
    }
}
