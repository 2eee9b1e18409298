//! Storage of preferences: a small value of the workspace, and one for each other person.

use api::preferences::Preferences;
use store::people::OWNER;
use store::{StoreError, Workspace};

/// The name of the value of the owner of the machine. What it says of names and budgets holds for everybody.
pub const KEY: &str = "preferences";

/// Returns what is stored.
pub async fn stored(workspace: &Workspace) -> Result<Preferences, StoreError> {
    workspace.meta(KEY).await.map(read)
}

/// Returns the name of the value with a person's own preferences.
pub fn own_key(person: &str) -> String {
    if person == OWNER { KEY.to_owned() } else { format!("{KEY}/{person}") }
}

/// Returns what is stored for a person: their own, with what holds for everybody.
pub async fn stored_for(workspace: &Workspace, person: &str) -> Result<Preferences, StoreError> {
    let all = stored(workspace).await?;
    if person == OWNER {
        return Ok(all);
    }
    let own = read(workspace.meta(&own_key(person)).await?);
    let Preferences { assistant_name, daily_budget, monthly_budget, .. } = all;
    Ok(Preferences { assistant_name, daily_budget, monthly_budget, ..own })
}

/// Parses stored preferences. An unreadable value of another version counts as the default.
pub fn read(stored: Option<String>) -> Preferences {
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
