//! After an update that finds more of a message, what is stored is found the same way: its words are written anew, in
//! small parts beside the other writes.

use crate::basics::clock;
use crate::context::Hub;
use crate::derived::edit_lines::files;
use crate::derived::search_text::search_text;
use model::policy::should_embed;
use std::time::Duration;
use store::{Derive, Store, StoreError};

/// Functions that derive data from each message.
pub const DERIVE: Derive = Derive { search_text, files };
/// Between two parts, so that others come to write.
const PAUSE: Duration = Duration::from_millis(10);
const RETRY: Duration = Duration::from_mins(1);

/// Ends when all are renewed, which is at once where nothing has changed.
pub async fn renew(hub: Hub) {
    loop {
        let pause = match renew_part(&hub).await {
            Ok(true) => PAUSE,
            Ok(false) | Err(StoreError::Protected(_)) => return,
            Err(error) => {
                tracing::warn!(%error, "the words of stored messages can't be renewed");
                RETRY
            }
        };
        if hub.shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
    }
}

/// Writes the words of all messages of a store anew that no hub runs on.
pub async fn renew_store(store: &Store) -> Result<(), StoreError> {
    let workspace = store.workspace("default");
    while workspace.renew_words(clock::now(), DERIVE, should_embed).await? {}
    Ok(())
}

/// True while some are left.
pub async fn renew_part(hub: &Hub) -> Result<bool, StoreError> {
    hub.workspace.renew_words(clock::now(), DERIVE, should_embed).await
}
