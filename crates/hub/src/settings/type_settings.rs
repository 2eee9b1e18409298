//! How the workspace treats message types: one small value, which the hub holds as well, since each post asks for it.

use crate::basics::{clock, problem};
use crate::context::{Scoped, TopicState};
use api::Problem;
use api::type_settings::{EditTypeSettings, TypeSettings};
use model::audit::{Change, Event};
use std::future::{Ready, ready};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use store::{StoreError, Workspace};

/// The name of the value.
const KEY: &str = "type_settings";
const MOST: usize = 200;
const TAG_CHARS: usize = 200;
/// Another server on the same database may change it.
const LOOK: Duration = Duration::from_secs(1);

/// The current settings.
#[derive(Clone, Default)]
pub struct CurrentTypeSettings(Arc<RwLock<Arc<TypeSettings>>>);

impl TopicState for CurrentTypeSettings {}

impl CurrentTypeSettings {
    /// Reads what is stored.
    pub async fn load(&self, workspace: &Workspace) -> Result<(), StoreError> {
        self.set(read(workspace.meta(KEY).await?));
        Ok(())
    }

    /// Returns what holds now.
    pub fn get(&self) -> Arc<TypeSettings> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, settings: TypeSettings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    /// Follows what other servers on the same database change. A look that fails is made up for by the next one.
    pub async fn follow(self, workspace: Workspace) {
        loop {
            tokio::time::sleep(LOOK).await;
            let _ = self.load(&workspace).await;
        }
    }
}

/// Parses stored settings. An unreadable value of another version counts as the default.
fn read(stored: Option<String>) -> TypeSettings {
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

pub fn get_type_settings(scoped: &Scoped) -> Ready<Result<TypeSettings, Problem>> {
    ready(Ok(TypeSettings::clone(&scoped.hub.state::<CurrentTypeSettings>().get())))
}

pub async fn edit_type_settings(scoped: &Scoped, input: EditTypeSettings) -> Result<TypeSettings, Problem> {
    let plain = input.plain.map(|tags| checked("/plain", tags)).transpose()?;
    let unvalidated = input.unvalidated.map(|tags| checked("/unvalidated", tags)).transpose()?;
    let change = |stored| {
        let old = read(stored);
        let new = TypeSettings {
            plain: plain.unwrap_or_else(|| old.plain.clone()),
            unvalidated: unvalidated.unwrap_or_else(|| old.unvalidated.clone()),
        };
        let change = |field: &str, old: &[String], new: &[String]| {
            (old != new).then(|| Change { field: field.to_owned(), old: old.into(), new: new.into() })
        };
        let changes: Vec<Change> =
            [change("plain", &old.plain, &new.plain), change("unvalidated", &old.unvalidated, &new.unvalidated)]
                .into_iter()
                .flatten()
                .collect();
        let event = (!changes.is_empty()).then_some(Event::PreferencesChanged { changes });
        (serde_json::to_string(&new).ok(), event)
    };
    let by = scoped.signed().await;
    let stored = by.change_meta(KEY, clock::now(), change).await.map_err(problem)?;
    let settings = read(Some(stored.ok_or_else(Problem::internal)?));
    scoped.hub.state::<CurrentTypeSettings>().set(settings.clone());
    Ok(settings)
}

/// Sorted, each once.
fn checked(field: &str, mut tags: Vec<String>) -> Result<Vec<String>, Problem> {
    if tags.len() > MOST {
        return Err(Problem::field(field, &format!("at most {MOST} types")));
    }
    if let Some(wrong) = tags.iter().position(|tag| tag.is_empty() || tag.chars().count() > TAG_CHARS) {
        return Err(Problem::field(
            &format!("{field}/{wrong}"),
            &format!("a message type of 1 to {TAG_CHARS} characters"),
        ));
    }
    tags.sort();
    tags.dedup();
    Ok(tags)
}
