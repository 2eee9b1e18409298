//! `todo_info`: further information about todo items, by item id.

use super::one_of;
use crate::strict::{Mismatch, token};
use crate::{Micros, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const KEY: &str = "todo_info";

words! {
    /// A state of an item that `status` doesn't have.
    TodoInfoState {
        /// Cancelled. `status` is `completed`.
        Cancelled = "cancelled",
        /// Waits for other items. `status` is `pending`.
        Blocked = "blocked",
        /// No longer in the list.
        Deleted = "deleted",
    }
}

/// Further information about an item. When it is read, absent and invalid fields are None.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoInfo {
    /// Further state, if `status` isn't enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TodoInfoState>,
    /// Priority, by the agent's own name: `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// Description while it is in progress: `Fixing the parser`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Number or name that the agent uses for it: `2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Name of the agent or person that works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Ids of items that must be completed first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
    /// When it was first in progress, as the agent states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Micros>,
    /// When it was completed, as the agent states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
}

/// Returns the infos by item id. Absent and invalid fields are None.
pub fn todo_info(metadata: Option<&Map<String, Value>>) -> BTreeMap<String, TodoInfo> {
    let infos = metadata.and_then(|metadata| metadata.get(KEY)?.as_object());
    infos.into_iter().flatten().map(|(id, info)| (id.clone(), read(info))).collect()
}

fn read(info: &Value) -> TodoInfo {
    let string = |key: &str| info.get(key).and_then(Value::as_str);
    let time = |key: &str| info.get(key).and_then(Value::as_i64).map(Micros);
    TodoInfo {
        state: string("state").and_then(TodoInfoState::parse),
        priority: string("priority").map(str::to_owned),
        active_form: string("active_form").map(str::to_owned),
        number: string("number").map(str::to_owned),
        owner: string("owner").filter(|owner| !owner.trim().is_empty()).map(str::to_owned),
        blocked_by: info
            .get("blocked_by")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect(),
        started_at: time("started_at"),
        ended_at: time("ended_at"),
    }
}

impl TodoInfo {
    /// Returns the infos as an extra for [`crate::Body::envelope`]: key and value.
    pub fn extra(infos: &BTreeMap<String, Self>) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(infos).unwrap_or_default())
    }
}

/// Validates the extra: an object per id. Other keys are kept.
pub(crate) fn check(extras: &Map<String, Value>) -> Result<(), Mismatch> {
    let Some(infos) = extras.get(KEY) else { return Ok(()) };
    let root = format!("/{KEY}");
    let Some(infos) = infos.as_object() else { return Err(Mismatch::new(root, "an object by item id")) };
    for (id, info) in infos {
        let at = root.clone() + &token(id);
        let Some(info) = info.as_object() else { return Err(Mismatch::new(at, "an object")) };
        for (key, value) in info.iter().filter(|(_, value)| !value.is_null()) {
            let at = at.clone() + &token(key);
            match key.as_str() {
                "state" => one_of(value, TodoInfoState::WORDS, &at)?,
                "priority" | "active_form" | "number" | "owner" if !value.is_string() => {
                    return Err(Mismatch::new(at, "a string"));
                }
                "blocked_by" if !value.as_array().is_some_and(|ids| ids.iter().all(Value::is_string)) => {
                    return Err(Mismatch::new(at, "an array of strings"));
                }
                "started_at" | "ended_at" if !value.is_i64() => {
                    return Err(Mismatch::new(at, "microseconds since 1970"));
                }
                _ => {}
            }
        }
    }
    Ok(())
}
