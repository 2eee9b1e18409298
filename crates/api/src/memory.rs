//! Memory: what people said in any session, found by words and by meaning.

use crate::endpoint::{Input, Reply};
use model::{Micros, Provenance, Role, words};
use serde::{Deserialize, Serialize};

/// Query and page of memories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MemoryQuery {
    /// Words or a question, at most 500 characters. A memory needn't contain all words. If absent or empty, the newest
    /// memories.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only memories of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only memories of sessions of this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Cursor: `next` of the previous page. Only without `q`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Page size, 1 to 100; 20 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for MemoryQuery {
    // 404 and 409: `session` names no session, or several.
    const REFUSALS: &'static [u16] = &[404, 409];
}

words! {
    /// How a memory was found.
    FoundBy {
        /// It contains words of the query.
        Words = "words",
        /// Its embedding is close to the query's.
        Meaning = "meaning",
    }
    /// State of the embeddings.
    VectorState {
        /// No endpoint is set up. Memories are found by words only.
        Off = "off",
        /// Every memory has an embedding.
        Ready = "ready",
        /// Embeddings are being computed. Some memories have none yet.
        Pending = "pending",
        /// The endpoint fails. Memories are found by words until it recovers.
        Failing = "failing",
    }
}

/// Memories, best match first; without a query, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryPage {
    /// At most `limit`.
    pub memories: Vec<Recalled>,
    /// Cursor of the next page. Only without a query. Null on the last page.
    pub next: Option<String>,
    /// Number of memories of this session and project that the caller may read.
    pub total: i64,
    /// Number of these with an embedding.
    pub embedded: i64,
    /// State of the embeddings.
    pub vectors: VectorState,
    /// Name of the embedding model. Absent without an endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the endpoint fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
impl Reply for MemoryPage {}

/// One memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recalled {
    /// Our id of its session.
    pub session_id: String,
    /// Title of its session.
    pub session_title: String,
    /// Key of its project.
    pub project: String,
    /// Id of the message.
    pub message_id: String,
    /// `seq` of the message.
    pub seq: i64,
    /// Role of the message.
    pub role: Role,
    /// Who wrote the message to the store.
    pub provenance: Provenance,
    /// Name of the person, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// Time of the message.
    pub created_at: Micros,
    /// Text of the message, at most the first 4,000 characters.
    pub text: String,
    /// Score of the match, 0 to 1, to compare within one reply. 0 without a query.
    pub score: f64,
    /// How it was found. Empty without a query.
    pub found_by: Vec<FoundBy>,
}

/// Memories to forget. The messages stay in their sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ForgetMemory {
    /// Session of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Id of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// True to forget all memories. Can't be combined with `session` and `message`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}
impl Input for ForgetMemory {
    const REFUSALS: &'static [u16] = &[404, 409];
    const EXAMPLE: &'static str = r#"{"session": "s1", "message": "m1"}"#;
}

/// Result of a change of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoriesChanged {
    /// Number of memories that were changed.
    pub memories: i64,
}
impl Reply for MemoriesChanged {}
