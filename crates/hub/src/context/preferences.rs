//! Storage of a person's preferences: one small value of the workspace.

use api::preferences::Preferences;
use store::{StoreError, Workspace};

/// The name of the value.
pub const KEY: &str = "preferences";

/// Returns what is stored.
pub async fn stored(workspace: &Workspace) -> Result<Preferences, StoreError> {
    workspace.meta(KEY).await.map(read)
}

/// Parses stored preferences. An unreadable value of another version counts as the default.
pub fn read(stored: Option<String>) -> Preferences {
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
