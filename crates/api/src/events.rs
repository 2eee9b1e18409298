//! What the event stream carries: positions, never content.

use serde::{Deserialize, Serialize};

/// One change of the workspace. A page re-reads what it shows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedEvent {
    /// Position in the workspace's feed: strictly increasing, with holes.
    pub pos: i64,
    pub kind: FeedKind,
    pub session: String,
    /// First and last `seq` concerned; equal for one message, 0 for a session.
    pub from_seq: i64,
    pub to_seq: i64,
    pub revision: i32,
    /// The session's figures when the event was sent, which may be later than the change; absent once it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<FeedCounts>,
}

/// What lists and badges show of a session, so that nothing has to be asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedCounts {
    /// Highest `seq`.
    pub last_seq: i64,
    /// As people count them.
    pub messages: i64,
    pub todos_open: i64,
    pub todos_done: i64,
    /// Approvals that wait for a person.
    pub approvals_open: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FeedKind {
    Message,
    Range,
    Session,
}

/// First event of every stream: a page that was drawn by another build reloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildEvent {
    pub build: String,
    /// Where the feed is when the stream begins: how far behind its reader is.
    #[serde(default)]
    pub pos: i64,
}
