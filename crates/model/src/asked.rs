//! Tool calls that a running agent asks permission for, stored with their APPROVAL.

use crate::envelope::EditInfo;
use crate::message_type::approval::ASKED_BY_AGENT;
use crate::message_type::code_edit::Edit;
use crate::{Draft, MessageType, Provenance};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool call from an agent's permission request: the extra `asked_by_agent` of an APPROVAL that Verbatim created. A
/// person decides on this data, even if a transcript later has the call with different data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Name of the tool, as the agent uses it.
    pub tool_name: String,
    /// Input of the call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// File changes in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<AskedChange>,
    /// Files and folders in the request: `/work/src/main.rs:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Texts in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
}

/// A file change in a request, in the form of a `CODE_EDIT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedChange {
    /// Changed parts of the file, in order.
    pub edits: Vec<Edit>,
    /// One entry for each edit.
    pub edit_info: Vec<EditInfo>,
}

impl Asked {
    /// Returns the call of an APPROVAL; None for any other message. Only Verbatim itself can set it.
    pub fn of(draft: &Draft) -> Option<Self> {
        if draft.provenance != Provenance::Ourselves || draft.message_type() != MessageType::Approval {
            return None;
        }
        serde_json::from_value(draft.metadata.as_ref()?.get(ASKED_BY_AGENT)?.clone()).ok()
    }

    /// Returns true if the request has only the tool's name.
    pub fn is_empty(&self) -> bool {
        !self.says_what() && self.paths.is_empty() && self.texts.is_empty()
    }

    /// Returns true if the request has the input or the change. Otherwise the transcript's call has it.
    pub fn says_what(&self) -> bool {
        !(self.input.is_empty() && self.changes.is_empty())
    }
}

impl AskedChange {
    /// Parses the metadata of a `CODE_EDIT`.
    pub fn of(metadata: &Map<String, Value>) -> Option<Self> {
        let edits = serde_json::from_value(metadata.get("payload")?.get("edits")?.clone()).ok()?;
        let edit_info = serde_json::from_value(metadata.get("edit_info")?.clone()).ok()?;
        Some(Self { edits, edit_info })
    }

    /// Returns each edit with its info.
    pub fn parts(&self) -> impl Iterator<Item = (&Edit, EditInfo)> {
        let info = |index: usize| self.edit_info.get(index).cloned().unwrap_or_default();
        self.edits.iter().enumerate().map(move |(index, edit)| (edit, info(index)))
    }
}
