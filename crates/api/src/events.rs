//! Events of the stream. They have positions, never content.

use serde::{Deserialize, Serialize};

/// A change in the workspace. A page reloads what it shows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedEvent {
    /// Position in the workspace's feed: strictly increasing, with gaps.
    pub pos: i64,
    /// Kind of the change.
    pub kind: FeedKind,
    /// Our id of the changed session. `.` if a setting of all sessions changed, such as the assistant's name.
    pub session: String,
    /// First changed `seq`; 0 if `kind` is `session`.
    pub from_seq: i64,
    /// Last changed `seq`; equal to `from_seq` for one message, 0 if `kind` is `session`.
    pub to_seq: i64,
    /// Revision of a changed message after the change; otherwise 0.
    pub revision: i32,
    /// The session's counts when the event was sent, which may be later than the change. Absent if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<FeedCounts>,
}

/// Counts of a session for lists and badges, so that they need no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedCounts {
    /// Highest `seq`.
    pub last_seq: i64,
    /// Number of messages that people see by default.
    pub messages: i64,
    /// Open items of the latest todo list.
    pub todos_open: i64,
    /// Completed items of the latest todo list.
    pub todos_done: i64,
    /// Cancelled items of the latest todo list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub todos_cancelled: i64,
    /// Number of open approvals.
    pub approvals_open: i64,
}

#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")
)]
fn is_zero(count: &i64) -> bool {
    *count == 0
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FeedKind {
    /// One message was changed.
    Message,
    /// The messages from `from_seq` to `to_seq` are new, or too many of them changed to send an event for each.
    Range,
    /// The session was changed (its title, state or counts), or deleted.
    Session,
}

/// First event of every stream. A page of another build reloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildEvent {
    /// Id of the server's build.
    pub build: String,
    /// Position of the feed when the stream begins, from which a client knows how far behind it is.
    #[serde(default)]
    pub pos: i64,
}
