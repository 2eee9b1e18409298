//! `edit_info`: what became of each edit of a `CODE_EDIT`, parallel to its `edits`.

use super::one_of;
use crate::strict::{Mismatch, token};
use crate::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const KEY: &str = "edit_info";

words! {
    /// What became of an edit.
    EditState {
        /// Shown to a person, and not carried out yet.
        Proposed = "proposed",
        /// It is in the file.
        Applied = "applied",
        /// Only a part of it is in the file.
        PartlyApplied = "partly_applied",
        /// Not carried out: it was refused, or went down with another call. `note` says which.
        Rejected = "rejected",
        /// Tried, and not carried out. `note` says why.
        Failed = "failed",
        /// Applied, and taken back later.
        Reverted = "reverted",
    }
    /// What the two texts of an edit are.
    EditScope {
        /// The part that changes.
        Fragment = "fragment",
        /// The whole file.
        File = "file",
    }
}

/// What the strict keys of an edit can't say. On reading, what is absent or not understood is None.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditInfo {
    /// What became of it. A reader takes an absent state for `applied`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<EditState>,
    /// What `old_content` and `new_content` are. Required on writing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<EditScope>,
    /// Line of the fragment's first line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// The file's path before it was renamed by this edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// A unified diff, of an edit whose texts aren't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why it isn't applied, in a line: `String to replace not found in file.`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Notes of edits that nobody denied: they went down with something else.
pub const INTERRUPTED: &str = "the agent was interrupted";
/// The agent dropped this edit, since a person denied another call of the same turn.
pub const WITH_A_DENIED_ONE: &str = "another call was denied";
/// The agent dropped this edit, since another call of the same turn failed.
pub const WITH_A_FAILED_ONE: &str = "another call failed";

impl EditInfo {
    /// Returns whether a person or a rule said no to this edit itself, and not to another call that it went down with.
    pub fn is_denied(&self) -> bool {
        let note = self.note.as_deref().unwrap_or_default();
        // Any reason counts: older rows say `another call was refused`.
        self.state == Some(EditState::Rejected) && note != INTERRUPTED && !note.starts_with("another call ")
    }
}

/// Returns the info of the edit at `index`, read leniently: what is absent or not understood is None.
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
    /// Returns the infos as the envelope's extra, key and value, for [`crate::Body::envelope`].
    pub fn extra(infos: &[Self]) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(infos).unwrap_or_default())
    }
}

/// Strictly, before a write: one object per edit, with `state` and `scope`. Other keys are kept.
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
