//! `edit_info`: the outcome of each edit of a `CODE_EDIT`, parallel to its `edits`.

use super::one_of;
use crate::strict::{Mismatch, token};
use crate::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const KEY: &str = "edit_info";

words! {
    /// Outcome of an edit.
    EditState {
        /// Shown to a person, and not applied yet.
        Proposed = "proposed",
        /// The file contains it.
        Applied = "applied",
        /// The file contains a part of it.
        PartlyApplied = "partly_applied",
        /// Not applied because it, or another call with it, was denied. `note` has the reason.
        Rejected = "rejected",
        /// Tried, but not applied. `note` has the reason.
        Failed = "failed",
        /// Applied, and reverted later.
        Reverted = "reverted",
    }
    /// Meaning of the two texts of an edit.
    EditScope {
        /// The changed part.
        Fragment = "fragment",
        /// The whole file.
        File = "file",
    }
}

/// Further information about an edit. When it is read, absent and invalid fields are None.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditInfo {
    /// Outcome of the edit; `applied` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<EditState>,
    /// Scope of `old_content` and `new_content`. Required when it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<EditScope>,
    /// Line number of the fragment's first line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Path of the file before this edit renamed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// A unified diff, if the texts are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why it wasn't applied, in one line: `String to replace not found in file.`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Note of an edit that wasn't applied because the agent was interrupted.
pub const INTERRUPTED: &str = "the agent was interrupted";
/// Note of an edit that the agent dropped because a person denied another call of the same turn.
pub const WITH_A_DENIED_ONE: &str = "another call was denied";
/// Note of an edit that the agent dropped because another call of the same turn failed.
pub const WITH_A_FAILED_ONE: &str = "another call failed";

impl EditInfo {
    /// Returns true if a person or a rule denied this edit itself, rather than another call with it.
    pub fn is_denied(&self) -> bool {
        let note = self.note.as_deref().unwrap_or_default();
        // Any reason counts: older rows say `another call was refused`.
        self.state == Some(EditState::Rejected) && note != INTERRUPTED && !note.starts_with("another call ")
    }
}

/// Returns the info of the edit at `index`. Absent and invalid fields are None.
pub fn edit_info(metadata: Option<&Map<String, Value>>, index: usize) -> EditInfo {
    let Some(info) = metadata.and_then(|metadata| metadata.get(KEY)?.get(index)) else { return EditInfo::default() };
    let string = |key: &str| info.get(key).and_then(Value::as_str);
    EditInfo {
        state: string("state").and_then(EditState::parse),
        scope: string("scope").and_then(EditScope::parse),
        start_line: info.get("start_line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()),
        moved_from: string("moved_from").map(str::to_owned),
        patch: string("patch").map(str::to_owned),
        note: string("note").filter(|note| !note.trim().is_empty()).map(str::to_owned),
    }
}

impl EditInfo {
    /// Returns the infos as an extra for [`crate::Body::envelope`]: key and value.
    pub fn extra(infos: &[Self]) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(infos).unwrap_or_default())
    }
}

/// Validates the extra: one object per edit, with `state` and `scope`. Other keys are kept.
pub(crate) fn check(extras: &Map<String, Value>, edits: usize) -> Result<(), Mismatch> {
    let Some(infos) = extras.get(KEY) else { return Ok(()) };
    let root = format!("/{KEY}");
    let Some(infos) = infos.as_array().filter(|infos| infos.len() == edits) else {
        return Err(Mismatch::new(root, format!("an array as long as `edits`, {edits}")));
    };
    for (index, info) in infos.iter().enumerate() {
        let at = format!("{root}/{index}");
        let Some(info) = info.as_object() else { return Err(Mismatch::new(at, "an object")) };
        for (key, words) in [("state", EditState::WORDS), ("scope", EditScope::WORDS)] {
            one_of(info.get(key).unwrap_or(&Value::Null), words, &format!("{at}{}", token(key)))?;
        }
        for key in ["moved_from", "patch", "note"] {
            if info.get(key).is_some_and(|value| !value.is_string() && !value.is_null()) {
                return Err(Mismatch::new(format!("{at}/{key}"), "a string"));
            }
        }
        let line_fits =
            |value: &Value| value.is_null() || value.as_u64().is_some_and(|line| (1..=1 << 31).contains(&line));
        if !info.get("start_line").is_none_or(line_fits) {
            return Err(Mismatch::new(format!("{at}/start_line"), "an integer of at least 1"));
        }
    }
    Ok(())
}
