//! The contents of a model's context when it wrote a reply, as far as the agent's records show them.
//!
//! [`ModelContext`] is one request to a model: its messages in the order of the API, each block with its records and
//! its message, and a list of what isn't recorded. `agents` reconstructs it; [`format`](mod@format) writes it.

pub mod format;

use crate::{Micros, RecordRef, Usage, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// Reliability of a context.
    ContextVerdict {
        /// The records contain the request with a matching digest, or the exact bytes that were given.
        Verified = "verified",
        /// Exact, except for the parts that are listed as unrecorded.
        Recorded = "recorded",
        /// Not everything is known exactly; `reasons` has the details.
        Approximate = "approximate",
    }
    /// The API in whose format the blocks are.
    ContextDialect {
        /// Anthropic's Messages API.
        Anthropic = "anthropic",
        /// `OpenAI`'s Responses API.
        Responses = "responses",
        /// Google's Gemini API.
        Gemini = "gemini",
        /// No model's API: records of another form, converted to the format of `anthropic`.
        Neutral = "neutral",
    }
    /// Author of a message in the request.
    ContextRole {
        /// The system, or the developer of the agent.
        System = "system",
        /// A person, the agent on a person's behalf, or results of tools.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
    /// Kind of a block.
    ContextBlockKind {
        /// A text.
        Text = "text",
        /// Reasoning of the model.
        Thinking = "thinking",
        /// A tool call.
        ToolUse = "tool_use",
        /// The result of a call.
        ToolResult = "tool_result",
        /// An image.
        Image = "image",
        /// A document, such as a PDF.
        Document = "document",
        /// Any other block of the API.
        Other = "other",
    }
    /// Category of a block in the token counts.
    ContextPart {
        /// The system prompt.
        System = "system",
        /// Tool definitions.
        Tools = "tools",
        /// Files that the agent added: memory, mentioned and changed files, results of read calls.
        Files = "files",
        /// Messages of people and the model.
        History = "history",
        /// Tool calls and their results.
        Results = "results",
        /// Reasoning of the model.
        Thinking = "thinking",
        /// Texts that the agent's program added: reminders, results of hooks, lists.
        Injected = "injected",
        /// The summary of compacted messages.
        Summary = "summary",
        /// Tokens that the records don't explain.
        Unrecorded = "unrecorded",
    }
    /// A part of a request that isn't recorded.
    UnrecordedPart {
        /// The system prompt.
        SystemPrompt = "system_prompt",
        /// The tool definitions.
        ToolDefinitions = "tool_definitions",
        /// Instructions such as CLAUDE.md, and the description of the environment.
        Memory = "memory",
        /// Texts that the agent's program added to this request only.
        Reminders = "reminders",
        /// Settings of the request, such as its metadata.
        Settings = "settings",
    }
    /// Why a request didn't read all that the previous one left in the provider's prompt cache.
    CacheMissCause {
        /// Another model answered.
        Model = "model",
        /// The tool definitions changed.
        Tools = "tools",
        /// The system prompt changed.
        System = "system",
        /// A setting changed that the cached messages depend on.
        Settings = "settings",
        /// Messages that were sent before changed, or are gone.
        Messages = "messages",
        /// The entry was no longer there.
        Expired = "expired",
        /// The records don't show why.
        Unknown = "unknown",
    }
}

/// One request to a model, reconstructed from records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelContext {
    /// Reliability.
    pub verdict: ContextVerdict,
    /// Why it is approximate, and what can't be known, in sentences, most important first.
    pub reasons: Vec<String>,
    /// The API in whose format the blocks are.
    pub dialect: ContextDialect,
    /// The reply that the model wrote.
    pub reply: ContextReply,
    /// The system prompt; empty if it isn't recorded.
    pub system: Vec<ContextBlock>,
    /// The tool definitions; empty if they aren't recorded.
    pub tools: Vec<ContextBlock>,
    /// Settings of the request by their names in the API, such as `max_tokens` and `thinking`; empty if they aren't
    /// recorded.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Messages, in the order of the request.
    pub messages: Vec<ContextMessage>,
    /// Parts of the request that aren't recorded.
    pub unrecorded: Vec<UnrecordedPart>,
    /// Its tokens, estimated and reported.
    pub tokens: ContextTokens,
    /// Difference to the previous request; None for the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ContextChange>,
}

/// The reply to a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextReply {
    /// Id from the API. Absent if it has none, or the model hasn't replied yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `seq` of its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Time of the reply's first record. Absent if the records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Micros>,
    /// Name of the model, as in the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of the agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// Tokens that the API reported for this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The verbatim bytes that it was read from.
    pub records: Vec<RecordRef>,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextMessage {
    /// Author of the message.
    pub role: ContextRole,
    /// Its content, in order.
    pub blocks: Vec<ContextBlock>,
    /// Further fields of the API, such as `output_config`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
}

impl ContextMessage {
    /// Makes a message without further fields.
    pub fn new(role: ContextRole, blocks: Vec<ContextBlock>) -> Self {
        Self { role, blocks, fields: Map::new() }
    }
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextBlock {
    /// Kind of the block.
    pub kind: ContextBlockKind,
    /// Category of the block.
    pub part: ContextPart,
    /// Its beginning in one line, at most 160 characters.
    pub preview: String,
    /// Name of the tool, for a call, a result or a definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id that links a call and its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Estimated number of tokens.
    pub tokens: i64,
    /// Size of the block as JSON, in bytes.
    pub bytes: u64,
    /// The block in the format of the API. Absent if contents weren't requested, or the reply would be too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// `seq` of the message that shows it. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The verbatim bytes that it was read from; empty if it was added by rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RecordRef>,
    /// True if its exact wording isn't recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inexact: bool,
    /// Marks the end of a part of the request that the provider is asked to cache, as in the API: `{"type":
    /// "ephemeral", "ttl": "1h"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Value>,
    /// True if the previous request didn't contain it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
}

/// Tokens of a request. Estimates are based on bytes and should be lower than the API's numbers; they exceed them by at
/// most 15 %.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextTokens {
    /// Estimated tokens of all blocks.
    pub explained: i64,
    /// Input tokens that the API reported: uncached, read from the cache and written to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<i64>,
    /// Reported minus explained tokens, at least 0. None if nothing was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<i64>,
    /// Tokens by category, in the order of a request, without zeros. `unrecorded` is the unexplained part.
    pub parts: Vec<PartTokens>,
}

impl ContextTokens {
    /// How far an estimate can exceed the reported number, in percent.
    pub const TOLERANCE_PERCENT: i64 = 15;
}

/// Tokens of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartTokens {
    /// The category.
    pub part: ContextPart,
    /// Estimated number; for `unrecorded`, the rest of the reported number.
    pub tokens: i64,
}

/// Difference of a request to the previous one. Added blocks are marked by `added`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextChange {
    /// The reply to the previous request.
    pub previous: ContextReply,
    /// Number of blocks that both have.
    pub kept: u64,
    /// Number of blocks that only this request has.
    pub added: u64,
    /// Estimated tokens of added blocks.
    pub added_tokens: i64,
    /// Estimated tokens of removed blocks.
    pub dropped_tokens: i64,
    /// Blocks that only the previous request has, in its order.
    pub dropped: Vec<DroppedBlock>,
    /// Use of the provider's prompt cache. None if the previous request left nothing there, or the records don't tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheUse>,
}

/// How much a request read of what the previous one left in the provider's prompt cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheUse {
    /// Tokens that the previous request left in the cache: those that it read and wrote.
    pub available: i64,
    /// Tokens of this request that were read from the cache.
    pub read: i64,
    /// Tokens that weren't read although they were available.
    pub missed: i64,
    /// Why they weren't; None if nothing was missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<CacheMissCause>,
    /// What exactly changed, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What the request cost more than if they had been read, in US dollars. Absent if nothing was missed, or the model
    /// has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// A block that a request no longer has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DroppedBlock {
    /// Author of its message.
    pub role: ContextRole,
    /// True if a summary or a placeholder replaced it. Otherwise the conversation was rewound, or it was for one
    /// request only.
    pub compacted: bool,
    /// The block, without its content.
    #[serde(flatten)]
    pub block: ContextBlock,
}
