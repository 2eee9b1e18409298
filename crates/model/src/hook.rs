//! Tool calls that an agent asks about by a hook, stored with their APPROVAL.

use crate::message_type::approval::is_asked_by_driver;
use crate::{Draft, MessageType, Micros, Provenance, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// Why an approval was left to the agent's terminal.
    Fallback {
        /// Nobody answered in time.
        TimedOut = "timed_out",
        /// It was answered in the terminal, or the conversation continued.
        Terminal = "terminal",
        /// The agent closed the request, because it was interrupted or its terminal was closed.
        Closed = "closed",
        /// The server stopped while the agent waited.
        Stopped = "stopped",
    }
}

impl Fallback {
    /// Returns the reason as a sentence, without a period.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::TimedOut => "Nobody answered in time, so the agent asks in its terminal",
            Self::Terminal => "Answered in the agent's terminal",
            Self::Closed => "The agent closed the request: it ended, or its terminal was closed",
            Self::Stopped => "The server stopped while the agent waited, so the agent asks in its terminal",
        }
    }
}

/// A tool call that waits for a person, as the hook reported it. The extra `hook` of an APPROVAL that Verbatim created.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HookAsk {
    /// Name of the tool, as the agent uses it.
    pub tool_name: String,
    /// Input of the call.
    pub input: Map<String, Value>,
    /// Working folder of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The rule that "always" creates: `Bash(npm test)`. None if no rule would be safe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// When the agent stops waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Micros>,
    /// Why it wasn't answered here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
}

/// Returns true if an agent that runs elsewhere, or was started here, waits for the decision of an APPROVAL.
pub fn is_awaited(draft: &Draft) -> bool {
    HookAsk::of(draft).is_some() || is_asked_by_driver(draft)
}

impl HookAsk {
    /// Name of the extra.
    pub const KEY: &'static str = "hook";

    /// Returns the call of an APPROVAL; None for any other message. Only Verbatim itself can set it.
    pub fn of(draft: &Draft) -> Option<Self> {
        if draft.provenance != Provenance::Ourselves || draft.message_type() != MessageType::Approval {
            return None;
        }
        serde_json::from_value(draft.metadata.as_ref()?.get(Self::KEY)?.clone()).ok()
    }

    /// Returns the fields of the input that a person can edit: strings at its top level.
    pub fn editable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.input.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// Returns the input with some of its fields changed.
    pub fn edited(&self, changes: &Map<String, Value>) -> Map<String, Value> {
        let mut input = self.input.clone();
        input.extend(changes.iter().map(|(name, value)| (name.clone(), value.clone())));
        input
    }
}
