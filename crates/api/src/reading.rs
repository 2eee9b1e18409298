//! How far the person who asks has read.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// Sessions that went on since the person read them, the latest first; at most 500. One that was never opened isn't here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadSessions {
    /// Only those of which something is unread.
    pub sessions: Vec<UnreadSession>,
}
impl Reply for UnreadSessions {}

/// A session with messages that the person hasn't read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadSession {
    /// Our id.
    pub session: String,
    /// Read up to this `seq`.
    pub seq: i64,
    /// Messages after it, as people count them, without their own. 100 stands for 100 or more.
    pub unread: i64,
}

impl UnreadSession {
    /// More aren't counted.
    pub const MANY: i64 = 100;
}

/// `PUT /v1/sessions/{session}/read`: everything up to `seq` was read. It never goes back.
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
