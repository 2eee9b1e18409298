//! What the event stream carries: positions, never content.

use serde::{Deserialize, Serialize};

/// One change of the workspace. A page re-reads what it shows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedEvent {
    /// Position in the workspace's feed: strictly increasing, with holes.
    pub pos: i64,
    /// What to read anew.
    pub kind: FeedKind,
    /// Our id of the session that changed. `.` where a setting of all sessions did, as the name of the assistant.
    pub session: String,
    /// First and last `seq` concerned; equal for one message, 0 for a session.
    pub from_seq: i64,
    /// Equal to `from_seq` for one message, 0 for a session.
    pub to_seq: i64,
    /// Of a changed message its revision after the change; else 0.
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
    /// Items of the latest to-do list that aren't completed.
    pub todos_open: i64,
    /// Items of the latest to-do list that are completed.
    pub todos_done: i64,
    /// Items of the latest to-do list that were given up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub todos_cancelled: i64,
    /// Approvals that wait for a person.
    pub approvals_open: i64,
}

#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")
)]
fn is_zero(count: &i64) -> bool {
    *count == 0
}

/// What a change of the feed is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FeedKind {
    /// One message has changed.
    Message,
    /// The messages from `from_seq` to `to_seq` are new, or so many of them have changed that they aren't named one by
    /// one.
    Range,
    /// The session itself: its title, state or sums; or it is gone.
    Session,
}

/// First event of every stream: a page that was drawn by another build reloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildEvent {
    /// Id of the server's build.
    pub build: String,
    /// Where the feed is when the stream begins: how far behind its reader is.
    #[serde(default)]
    pub pos: i64,
}
