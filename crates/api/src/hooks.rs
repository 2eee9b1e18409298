//! What agents report by hooks while they work, and what is always allowed.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whose hook it is, and how long it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookPath {
    /// The agent: `claude_code`.
    pub agent: String,
    /// Seconds that the agent waits for an answer, from 1 to 86,400. After that it asks in its terminal.
    pub wait: String,
}

/// An event as Claude Code sends it to its hooks. Unknown fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HookEvent {
    /// The agent's own id of the session.
    pub session_id: String,
    /// What happened: `PreToolUse`, `PermissionRequest`, `Stop`.
    pub hook_event_name: String,
    /// The working folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Of a sub-agent: its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Of a sub-agent: what kind it is, as `Explore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// At the end of a turn: what goes on in the background, each with `id`, `type` and `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_tasks: Option<Vec<Value>>,
    /// The tool of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// What the tool gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<Map<String, Value>>,
    /// The agent's own id of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Of a notification: its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notification_type: Option<String>,
    /// Of a notification: its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Of a start: `startup`, `resume`, `clear`, `compact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Why a session ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why a turn failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}
impl Input for HookEvent {
    const EXAMPLE: &'static str = r#"{"session_id": "9f1c", "hook_event_name": "PreToolUse", "cwd": "/home/ada/pond", "tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": "toolu_1"}"#;
}

/// What the agent does next. An empty object: it goes on as it would without the hook, and asks in its terminal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookAnswer {
    /// A person's decision.
    #[serde(rename = "hookSpecificOutput", default, skip_serializing_if = "Option::is_none")]
    pub output: Option<HookOutput>,
}
impl Reply for HookAnswer {}

/// A decision in the agent's words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HookOutput {
    /// `PermissionRequest`.
    pub hook_event_name: String,
    /// What was decided.
    pub decision: HookDecision,
}

/// Leave or denial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum HookDecision {
    /// The tool runs.
    Allow {
        /// What it gets instead of what was asked about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        updated_input: Option<Map<String, Value>>,
    },
    /// The tool doesn't run.
    Deny {
        /// What the agent reads.
        message: String,
    },
}

/// The rules by which an agent's calls are allowed without asking a person, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowRules {
    /// The rules.
    pub rules: Vec<AllowRule>,
}
impl Reply for AllowRules {}

/// A rule that a person made with "always".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowRule {
    /// Names it.
    pub id: String,
    /// The agent: `claude_code`.
    pub agent: String,
    /// The working folder in which it holds, and no other.
    pub folder: String,
    /// The tool and what it is given: `Bash(npm test)`.
    pub rule: String,
    /// What it allows, in a sentence.
    pub explanation: String,
    /// When it was made.
    pub made_at: Micros,
    /// When it allowed something last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Micros>,
    /// How often it allowed something.
    pub uses: i64,
}

/// Names a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulePath {
    /// Its id.
    pub rule: String,
}
