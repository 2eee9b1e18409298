//! What the inspector of a session shows beside its messages: where the time of each request went, events, and verbatim records.

use crate::endpoint::{Input, Reply};
use crate::messages::RecordText;
use model::{MessageId, Micros};
use serde::{Deserialize, Serialize};

/// Which requests, by their number: the last ones first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WaterfallQuery {
    /// Only requests before the one with this number. Absent: up to the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// How many at most, 1 to 200; 60 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for WaterfallQuery {}

/// Where the time of a session's requests went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waterfall {
    /// By number.
    pub requests: Vec<RequestTimes>,
    /// `before` of the page with earlier requests; absent on the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
}
impl Reply for Waterfall {}

/// Where the time went from a request to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestTimes {
    /// Its number in the session, from 1, by time.
    pub number: i64,
    /// `seq` of the first message of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// When it began, if the transcript records it; otherwise when its first span began.
    pub began_at: Micros,
    /// By their beginning. Parallel calls overlap.
    pub spans: Vec<TimeSpan>,
}

/// A stretch of time that one thing took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeSpan {
    /// What took it.
    pub kind: TimeSpanKind,
    /// The tool, or the title of what was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `seq` of the call or the approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// When it began.
    pub began_at: Micros,
    /// When it ended; absent for an approval that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
    /// Of a call: it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

impl TimeSpan {
    /// Returns how long it took in microseconds, 0 while it goes on.
    pub fn took(&self) -> i64 {
        self.ended_at.map_or(0, |end| end.since(self.began_at)).max(0)
    }
}

/// What took the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimeSpanKind {
    /// The model, up to its first token.
    FirstToken,
    /// The model, from its first token on.
    Streaming,
    /// The model, where the time of the first token isn't recorded.
    Model,
    /// A call of a tool. Of one that waited for an approval only the time after it.
    Tool,
    /// A person who was asked.
    Approval,
    /// None of these, until the next request: mostly a person who had not written yet.
    Idle,
}

impl TimeSpanKind {
    /// Returns the word of the API.
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

/// Which events: the last ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionEventsQuery {
    /// Only events before the message with this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// How many at most, 1 to 200; 100 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for SessionEventsQuery {}

/// What happened in a session beside what its agent said and called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEvents {
    /// By `seq`.
    pub events: Vec<SessionEvent>,
    /// `before` of the page with earlier events; absent on the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// How many the session has, on all pages. Those that were copied from another session aren't counted.
    pub total: i64,
}
impl Reply for SessionEvents {}

/// An event of a session: a message that is none of the agent's words and calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEvent {
    /// What kind of event it is.
    pub kind: SessionEventKind,
    /// The message.
    pub id: MessageId,
    /// Its place in the session.
    pub seq: i64,
    /// The provider's time.
    pub at: Micros,
    /// The sender's word: `compact_boundary`.
    pub sender: String,
    /// One line.
    pub summary: String,
    /// Of an approval: how it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionEventKind {
    /// A person wrote: a turn begins, or is steered.
    Prompt,
    /// A person stopped the agent.
    Interruption,
    /// A person was asked.
    Approval,
    /// A person pressed a button, filled a form or ticked an item.
    Answer,
    /// A request failed, and was repeated.
    Retry,
    /// Something failed.
    Error,
    /// The context was compacted.
    Compaction,
    /// A hook of the agent ran.
    Hook,
    /// A turn ended.
    TurnEnd,
    /// The program around the agent or the server says something.
    Host,
    /// The system tells the agent something.
    Notice,
}

/// Which records of a session's files. Without `source` from the beginning of the first file on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RecordsQuery {
    /// Id of a file of the session. With `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// In bytes from the beginning of the file, where a line begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The records from the first one of this message on, named by its id or its `seq`. In place of `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// How many lines at most, 1 to 100; 20 if absent. A page has fewer where they are long: about 1 MiB of them, and at least one.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for RecordsQuery {}

/// Lines of a session's files, verbatim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Records {
    /// In the order of the file; one file after the other. A line that is longer than 1 MiB comes in pieces.
    pub records: Vec<RecordText>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<RecordPlace>,
}
impl Reply for Records {}

/// A place in a file of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordPlace {
    /// Id of the file.
    pub source: String,
    /// In bytes from its beginning.
    pub offset: u64,
}
