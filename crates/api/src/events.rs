//! What the event stream carries: positions, never content.

use serde::{Deserialize, Serialize};

/// One change of the workspace. A page re-reads what it shows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedEvent {
    /// Position in the workspace's feed: strictly increasing, with holes.
    pub pos: i64,
    pub kind: FeedKind,
    pub session: String,
    /// First and last `seq` concerned; equal for one message, 0 for a session.
    pub from_seq: i64,
    pub to_seq: i64,
    pub revision: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedKind {
    Message,
    Range,
    Session,
}

/// First event of every stream: a page that was drawn by another build reloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildEvent {
    pub build: String,
    /// Where the feed is when the stream begins: how far behind its reader is.
    #[serde(default)]
    pub pos: i64,
}
