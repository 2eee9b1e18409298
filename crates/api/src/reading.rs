//! How far a person has read each session.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// Sessions with unread messages, latest first, at most 500. Sessions that were never opened aren't included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadSessions {
    /// Sessions with at least one unread message.
    pub sessions: Vec<UnreadSession>,
}
impl Reply for UnreadSessions {}

/// A session with messages that the person hasn't read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadSession {
    /// Our id.
    pub session: String,
    /// The last `seq` that was read.
    pub seq: i64,
    /// Number of later messages, without the person's own. 100 means 100 or more.
    pub unread: i64,
}

impl UnreadSession {
    /// Limit of the count.
    pub const MANY: i64 = 100;
}

/// `PUT /v1/sessions/{session}/read`: marks all messages up to `seq` as read. A lower `seq` than before is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadUpTo {
    /// The last `seq` that was read.
    pub seq: i64,
}
impl Input for ReadUpTo {
    const EXAMPLE: &'static str = r#"{"seq": 42}"#;
}
