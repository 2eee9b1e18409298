//! What a model's context held when it wrote a reply, as far as the records of its agent show it.
//!
//! [`ModelContext`] is one request to a model: its messages in the order of the API, each block with the records and the message
//! that it came from, and what the records don't hold. `agents` rebuilds it; this module is its shape, and [`format`](mod@format) writes it.

pub mod format;

use crate::{RecordRef, Usage, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// How far a context can be trusted.
    ContextVerdict {
        /// The records hold the request with a digest that agrees, or the exact bytes that were given.
        Verified = "verified",
        /// Exact, but for the parts that are listed as not recorded.
        Recorded = "recorded",
        /// Something in it isn't known exactly; `reasons` says what.
        Approximate = "approximate",
    }
    /// The API whose words the blocks are written in.
    ContextDialect {
        /// Anthropic's Messages API.
        Anthropic = "anthropic",
        /// `OpenAI`'s Responses API.
        Responses = "responses",
        /// Google's Gemini API.
        Gemini = "gemini",
        /// No model's API: the messages are told in the words of `anthropic`, from records of another shape.
        Neutral = "neutral",
    }
    /// Who a message of the request is from.
    ContextRole {
        /// The system, or the developer of the agent.
        System = "system",
        /// A person, the agent on a person's behalf, or results of tools.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
    /// What a block is.
    ContextBlockKind {
        /// A text.
        Text = "text",
        /// Reasoning of the model.
        Thinking = "thinking",
        /// A call of a tool.
        ToolUse = "tool_use",
        /// The result of a call.
        ToolResult = "tool_result",
        /// A picture.
        Image = "image",
        /// A document, such as a PDF.
        Document = "document",
        /// Anything else that the API knows.
        Other = "other",
    }
    /// What a block counts as where the parts of a context are summed up.
    ContextPart {
        /// The system prompt.
        System = "system",
        /// Definitions of tools.
        Tools = "tools",
        /// Files that the agent put in: memory, mentioned and changed files, results of reading calls.
        Files = "files",
        /// What people and the model said.
        History = "history",
        /// Calls and their results.
        Results = "results",
        /// Reasoning of the model.
        Thinking = "thinking",
        /// What the agent's program put in: reminders, results of hooks, lists.
        Injected = "injected",
        /// The summary of what was compacted.
        Summary = "summary",
        /// Tokens that nothing in the records explains.
        Unrecorded = "unrecorded",
    }
    /// A part of a request that the records don't hold.
    UnrecordedPart {
        /// The system prompt.
        SystemPrompt = "system_prompt",
        /// The definitions of the tools.
        ToolDefinitions = "tool_definitions",
        /// Instructions such as CLAUDE.md, and what is said of the environment.
        Memory = "memory",
        /// What the agent's program added for this request alone.
        Reminders = "reminders",
        /// Settings of the request, such as its metadata.
        Settings = "settings",
    }
}

/// One request to a model, rebuilt from records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelContext {
    /// How far it can be trusted.
    pub verdict: ContextVerdict,
    /// Sentences: why it is approximate, and what can't be known. The most important first.
    pub reasons: Vec<String>,
    /// The API whose words the blocks are written in.
    pub dialect: ContextDialect,
    /// The reply that the model wrote.
    pub reply: ContextReply,
    /// The system prompt; empty if it isn't recorded.
    pub system: Vec<ContextBlock>,
    /// The tools that were offered; empty if they aren't recorded.
    pub tools: Vec<ContextBlock>,
    /// In the order of the request.
    pub messages: Vec<ContextMessage>,
    /// What the request held and the records don't.
    pub unrecorded: Vec<UnrecordedPart>,
    /// Its tokens, estimated and reported.
    pub tokens: ContextTokens,
    /// How it differs from the request before; None of the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ContextChange>,
}

/// The reply to a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextReply {
    /// The id that the API gave it; absent where it has none, or where the model hasn't replied yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The `seq` of its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The model, as the records name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of the agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// Tokens, as the API reported them for this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The verbatim bytes that it came from.
    pub records: Vec<RecordRef>,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextMessage {
    /// Who it is from.
    pub role: ContextRole,
    /// Its content, in order.
    pub blocks: Vec<ContextBlock>,
    /// Its other fields, as the API has them, like `output_config`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
}

impl ContextMessage {
    /// A message without other fields.
    pub fn new(role: ContextRole, blocks: Vec<ContextBlock>) -> Self {
        Self { role, blocks, fields: Map::new() }
    }
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextBlock {
    /// What it is.
    pub kind: ContextBlockKind,
    /// What it counts as.
    pub part: ContextPart,
    /// Its beginning as one line, at most 160 characters.
    pub preview: String,
    /// Of a call, its tool; of a result, the tool of its call; of a definition, its tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of a call and of its result: the id that links them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Estimated, as all tokens of a context.
    pub tokens: i64,
    /// Bytes of the block as JSON.
    pub bytes: u64,
    /// The block as the API has it. Absent where contents weren't asked for, or where the answer has no room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// The `seq` of the message that it is shown as; absent where no message shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The verbatim bytes that it came from; empty if it was put in by rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RecordRef>,
    /// Its exact wording isn't recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inexact: bool,
    /// The request before didn't have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
}

/// Tokens of a request. Estimates count bytes and are meant to stay below what the API reports: they may be above it by
/// 15 % at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextTokens {
    /// Estimated tokens of all blocks.
    pub explained: i64,
    /// Tokens of the input as the API reported them: new, read from and written to the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<i64>,
    /// Reported minus explained, 0 at least. None if nothing was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<i64>,
    /// By part, in the order of a request; those without tokens are left out. `unrecorded` is what is unexplained.
    pub parts: Vec<PartTokens>,
}

impl ContextTokens {
    /// How far an estimate may be above what was reported, in percent.
    pub const TOLERANCE_PERCENT: i64 = 15;
}

/// Tokens of a part of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartTokens {
    /// Which part.
    pub part: ContextPart,
    /// Estimated; of `unrecorded`, the rest of what was reported.
    pub tokens: i64,
}

/// How a request differs from the one before. What it added has `added` in its own blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextChange {
    /// The reply to the request before.
    pub previous: ContextReply,
    /// Blocks that both have.
    pub kept: u64,
    /// Blocks that only this request has.
    pub added: u64,
    /// Estimated tokens of what was added.
    pub added_tokens: i64,
    /// Estimated tokens of what was dropped.
    pub dropped_tokens: i64,
    /// Blocks that only the request before had, in its order.
    pub dropped: Vec<DroppedBlock>,
}

/// A block that a request has no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DroppedBlock {
    /// Who its message was from.
    pub role: ContextRole,
    /// A summary, or a placeholder, stands for it now. Else the conversation went back, or it was put in for one request alone.
    pub compacted: bool,
    /// The block, without its content.
    #[serde(flatten)]
    pub block: ContextBlock,
}
