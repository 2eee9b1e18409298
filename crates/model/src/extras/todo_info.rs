//! `todo_info`: what three states can't say of an item, by the item's id.

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
        /// `completed` in the list, shown as cancelled.
        Cancelled = "cancelled",
        /// `pending` in the list: it waits for other items.
        Blocked = "blocked",
        /// No longer in the list.
        Deleted = "deleted",
    }
}

/// On reading, what is absent or not understood is None.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoInfo {
    /// What `status` can't say; absent where it says all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TodoInfoState>,
    /// In the agent's own words: `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// The item while it is worked on: `Fixing the parser`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// What the agent calls it by: `2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Who works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Ids of items that must be done before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
    /// When it was first in progress, as the agent says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Micros>,
    /// When it was completed, as the agent says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
}

/// Returns the infos by item id, read leniently: what is absent or not understood is None.
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
    /// Returns the infos as the envelope's extra, key and value, for [`crate::Body::envelope`].
    pub fn extra(infos: &BTreeMap<String, Self>) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(infos).unwrap_or_default())
    }
}

/// Strictly, before a write: an object per id. Other keys are kept.
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
