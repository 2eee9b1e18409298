//! Memory: what people said, found by words and by meaning, whatever session it was said in.

use crate::endpoint::{Input, Reply};
use model::{Micros, Provenance, Role, words};
use serde::{Deserialize, Serialize};

/// What to recall.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MemoryQuery {
    /// Words or a question. A memory needn't hold all of the words. Absent or empty: the newest memories. At most 500 characters.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only what was said in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only what was said in sessions of this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Cursor: `next` of the page before. Without `q` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// 1 to 100; 20 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for MemoryQuery {
    // 404 and 409: `session` names no session, or several.
    const REFUSALS: &'static [u16] = &[404, 409];
}

words! {
    /// By what a memory was found.
    FoundBy {
        /// It holds words of the query.
        Words = "words",
        /// Its vector is near that of the query.
        Meaning = "meaning",
    }
    /// How far meanings can be compared.
    VectorState {
        /// No endpoint is set up: memories are found by words.
        Off = "off",
        /// Each memory has a vector.
        Ready = "ready",
        /// Vectors are being made: some memories have none yet.
        Pending = "pending",
        /// The endpoint doesn't answer: memories are found by words until it does.
        Failing = "failing",
    }
}

/// Memories, best first; without a query the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryPage {
    /// At most `limit`.
    pub memories: Vec<Recalled>,
    /// Cursor of the next page, without a query. Null at the end.
    pub next: Option<String>,
    /// How many memories there are in all, of those that the caller may read, in this session and project.
    pub total: i64,
    /// How many of them have a vector.
    pub embedded: i64,
    /// How far meanings can be compared.
    pub vectors: VectorState,
    /// The model that makes vectors; absent without an endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the endpoint gives no vectors, where it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
impl Reply for MemoryPage {}

/// One memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recalled {
    /// Our id of the session that it was said in.
    pub session_id: String,
    /// Title of that session.
    pub session_title: String,
    /// Key of its project.
    pub project: String,
    /// Id of the message.
    pub message_id: String,
    /// Its place in the session.
    pub seq: i64,
    /// Whose voice it is.
    pub role: Role,
    /// Who wrote the message into the store.
    pub provenance: Provenance,
    /// Who said it, where a name is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// When it was said.
    pub created_at: Micros,
    /// What was said, at most the first 4,000 characters.
    pub text: String,
    /// How well it matches, for comparing within one answer: 0 to 1. 0 without a query.
    pub score: f64,
    /// By what it was found. Empty without a query.
    pub found_by: Vec<FoundBy>,
}

/// What to forget. The messages themselves stay in their sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ForgetMemory {
    /// The session of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Id of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// True to forget everything. Without `session` and `message`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}
impl Input for ForgetMemory {
    const REFUSALS: &'static [u16] = &[404, 409];
    const EXAMPLE: &'static str = r#"{"session": "s1", "message": "m1"}"#;
}

/// How many memories were changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoriesChanged {
    /// So many.
    pub memories: i64,
}
impl Reply for MemoriesChanged {}
