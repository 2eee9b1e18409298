//! Why a request isn't open any more though nobody decided it.

use crate::{Draft, Micros, words};
use serde::{Deserialize, Serialize};

words! {
    /// Why a request was closed.
    CloseReason {
        /// Its agent ended.
        AgentEnded = "agent_ended",
        /// The key of its agent was revoked, or expired.
        KeyGone = "key_gone",
        /// A person dismissed it.
        Dismissed = "dismissed",
    }
}

impl CloseReason {
    /// Returns the reason as a sentence, without a period.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AgentEnded => "The agent ended before it was decided",
            Self::KeyGone => "The key of the agent was revoked or expired before it was decided",
            Self::Dismissed => "Dismissed without a decision",
        }
    }
}

/// How a request was closed without a decision. The extra `request_closed` of its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// Why.
    pub reason: CloseReason,
    /// When.
    pub at: Micros,
    /// Who closed it; absent where the server did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where: `web`, `terminal`, a kind of channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

impl Closed {
    /// The extra's name. Only Verbatim itself can set it.
    pub const KEY: &'static str = "request_closed";

    /// Returns how a message's request was closed; None if it wasn't.
    pub fn of(draft: &Draft) -> Option<Self> {
        serde_json::from_value(draft.metadata.as_ref()?.get(Self::KEY)?.clone()).ok()
    }
}
