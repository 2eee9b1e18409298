//! Requests that were closed without a decision.

use crate::{Draft, Micros, words};
use serde::{Deserialize, Serialize};

words! {
    /// Why a request was closed.
    CloseReason {
        /// The agent ended.
        AgentEnded = "agent_ended",
        /// The agent's key was revoked or has expired.
        KeyGone = "key_gone",
        /// A person dismissed it.
        Dismissed = "dismissed",
        /// It was left to the agent's own terminal.
        Terminal = "terminal",
    }
}

impl CloseReason {
    /// Returns the reason as a sentence, without a period.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AgentEnded => "The agent ended before it was decided",
            Self::KeyGone => "The key of the agent was revoked or expired before it was decided",
            Self::Dismissed => "Dismissed without a decision",
            Self::Terminal => "Left to the agent's terminal",
        }
    }
}

/// Information about a request that was closed without a decision. The extra `request_closed` of its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// The reason.
    pub reason: CloseReason,
    /// When it was closed.
    pub at: Micros,
    /// Who closed it. Absent if the server did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where it was closed: `web`, `terminal`, or a kind of channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

impl Closed {
    /// Name of the extra. Only Verbatim itself can set it.
    pub const KEY: &'static str = "request_closed";

    /// Returns how a message's request was closed; None if it wasn't.
    pub fn of(draft: &Draft) -> Option<Self> {
        serde_json::from_value(draft.metadata.as_ref()?.get(Self::KEY)?.clone()).ok()
    }
}
