//! What a running agent asked to be allowed, kept beside the APPROVAL that it became.

use crate::envelope::EditInfo;
use crate::message_type::approval::ASKED_BY_AGENT;
use crate::message_type::code_edit::Edit;
use crate::{Draft, MessageType, Provenance};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool call that waits for a person, as the agent's request carried it. The extra `asked_by_agent` of an APPROVAL that Verbatim
/// made. A transcript may tell of the call later, and with other words: a person decides on these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The agent's name of the tool.
    pub tool_name: String,
    /// What the tool would get.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// Changes of files that the request shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<AskedChange>,
    /// Files and folders that the request names: `/work/src/main.rs:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Texts that the request shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
}

/// The change of a file that a request shows, as a `CODE_EDIT` has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedChange {
    /// Parts of the file, in its order.
    pub edits: Vec<Edit>,
    /// One entry for each edit.
    pub edit_info: Vec<EditInfo>,
}

impl Asked {
    /// Returns what a running agent asked; None for any other message. Only Verbatim itself can say it.
    pub fn of(draft: &Draft) -> Option<Self> {
        if draft.provenance != Provenance::Ourselves || draft.message_type() != MessageType::Approval {
            return None;
        }
        serde_json::from_value(draft.metadata.as_ref()?.get(ASKED_BY_AGENT)?.clone()).ok()
    }

    /// Returns whether the request carries nothing but the tool's name.
    pub fn is_empty(&self) -> bool {
        !self.says_what() && self.paths.is_empty() && self.texts.is_empty()
    }

    /// Returns whether the request carries what the tool would get or change. If not, the call in the transcript says it.
    pub fn says_what(&self) -> bool {
        !(self.input.is_empty() && self.changes.is_empty())
    }
}

impl AskedChange {
    /// Reads the metadata of a `CODE_EDIT`.
    pub fn of(metadata: &Map<String, Value>) -> Option<Self> {
        let edits = serde_json::from_value(metadata.get("payload")?.get("edits")?.clone()).ok()?;
        let edit_info = serde_json::from_value(metadata.get("edit_info")?.clone()).ok()?;
        Some(Self { edits, edit_info })
    }

    /// Returns each edit with what is said beside it.
    pub fn parts(&self) -> impl Iterator<Item = (&Edit, EditInfo)> {
        let info = |index: usize| self.edit_info.get(index).cloned().unwrap_or_default();
        self.edits.iter().enumerate().map(move |(index, edit)| (edit, info(index)))
    }
}
