//! Data of a session's inspector: the times of each request, events, and verbatim records.

use crate::endpoint::{Input, Reply};
use crate::messages::RecordText;
use model::{MessageId, Micros};
use serde::{Deserialize, Serialize};

/// Page of requests, from the last one backwards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WaterfallQuery {
    /// Only requests with a lower `number`. If absent, the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Page size, 1 to 200; 60 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for WaterfallQuery {}

/// How the time of a session's requests is divided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waterfall {
    /// Ordered by number.
    pub requests: Vec<RequestTimes>,
    /// `before` of the page with earlier requests. Absent on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
}
impl Reply for Waterfall {}

/// How the time from a request to the next one is divided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestTimes {
    /// Number of the request in the session by time, from 1.
    pub number: i64,
    /// `seq` of the first message of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// When the request began, if the transcript records it; otherwise when its first span began.
    pub began_at: Micros,
    /// Ordered by their start. Spans of parallel calls overlap.
    pub spans: Vec<TimeSpan>,
}

/// A span of time with its cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeSpan {
    /// The cause.
    pub kind: TimeSpanKind,
    /// Name of the tool, or title of the approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `seq` of the call or the approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Start of the span.
    pub began_at: Micros,
    /// End of the span. Absent for an open approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
    /// True if the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

impl TimeSpan {
    /// Returns the duration in microseconds; 0 while it is open.
    pub fn took(&self) -> i64 {
        self.ended_at.map_or(0, |end| end.since(self.began_at)).max(0)
    }
}

/// The cause of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimeSpanKind {
    /// The model, until its first token.
    FirstToken,
    /// The model, after its first token.
    Streaming,
    /// The model, if the time of the first token isn't recorded.
    Model,
    /// A tool call. If it waited for an approval, only the time after that.
    Tool,
    /// Waiting for a person's decision.
    Approval,
    /// None of these, until the next request. Mostly waiting for a person's prompt.
    Idle,
}

impl TimeSpanKind {
    /// Returns the name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FirstToken => "first_token",
            Self::Streaming => "streaming",
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Approval => "approval",
            Self::Idle => "idle",
        }
    }
}

/// Page of events, from the last one backwards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionEventsQuery {
    /// Only events with a lower `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Page size, 1 to 200; 100 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for SessionEventsQuery {}

/// Events of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEvents {
    /// Ordered by `seq`.
    pub events: Vec<SessionEvent>,
    /// `before` of the page with earlier events. Absent on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Number of events on all pages, without those that were copied from another session.
    pub total: i64,
}
impl Reply for SessionEvents {}

/// An event of a session: a message that is neither text nor a tool call of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEvent {
    /// Kind of the event.
    pub kind: SessionEventKind,
    /// Id of the message.
    pub id: MessageId,
    /// `seq` of the message.
    pub seq: i64,
    /// Time, as the provider states it.
    pub at: Micros,
    /// Sender of the message: `compact_boundary`.
    pub sender: String,
    /// Summary in one line.
    pub summary: String,
    /// State of an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionEventKind {
    /// A person wrote: a turn begins, or gets further input.
    Prompt,
    /// A person interrupted the agent.
    Interruption,
    /// An approval was requested.
    Approval,
    /// A person pressed a button, filled in a form or ticked an item.
    Answer,
    /// A request failed and was retried.
    Retry,
    /// An error.
    Error,
    /// The context was compacted.
    Compaction,
    /// A hook of the agent ran.
    Hook,
    /// A turn ended.
    TurnEnd,
    /// A message of the program around the agent, or of the server.
    Host,
    /// A message of the system to the agent.
    Notice,
}

/// Page of records. Begins at the first file if neither `source` nor `at` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RecordsQuery {
    /// Id of a file of the session. Requires `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Offset in bytes from the start of the file, at the start of a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Begins at the first record of this message, given by its id or `seq`. Can't be combined with `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Limit of lines, 1 to 100; 20 if absent. A page has fewer if they are longer than about 1 MiB, but at least one.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for RecordsQuery {}

/// Lines of a session's files, verbatim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Records {
    /// In the order of the files and lines. A line of more than 1 MiB is split.
    pub records: Vec<RecordText>,
    /// Start of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<RecordPlace>,
}
impl Reply for Records {}

/// A position in a file of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordPlace {
    /// Id of the file.
    pub source: String,
    /// Offset in bytes from the start of the file.
    pub offset: u64,
}
