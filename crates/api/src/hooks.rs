//! Events that agents report by hooks, and the rules that allow their calls.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Path of a hook's report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookPath {
    /// The agent: `claude_code`.
    pub agent: String,
    /// Seconds that the agent waits for an answer, 1 to 86,400. After that it asks in its terminal.
    pub wait: String,
}

/// An event as Claude Code sends it to its hooks. Unknown fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HookEvent {
    /// The agent's own id of the session.
    pub session_id: String,
    /// Name of the event: `PreToolUse`, `PermissionRequest`, `Stop`.
    pub hook_event_name: String,
    /// The working folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Id of the sub-agent, if the event comes from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Kind of the sub-agent: `Explore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// At the end of a turn: the background tasks that still run, each with `id`, `type` and `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_tasks: Option<Vec<Value>>,
    /// Name of the called tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Input of the called tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<Map<String, Value>>,
    /// The agent's own id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Kind of a notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notification_type: Option<String>,
    /// Text of a notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How the session started: `startup`, `resume`, `clear`, `compact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Why the session ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why the turn failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}
impl Input for HookEvent {
    const EXAMPLE: &'static str = r#"{"session_id": "9f1c", "hook_event_name": "PreToolUse", "cwd": "/home/ada/pond", "tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": "toolu_1"}"#;
}

/// The answer to the agent. If the object is empty, the agent continues as without the hook, and asks in its terminal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookAnswer {
    /// A person's decision.
    #[serde(rename = "hookSpecificOutput", default, skip_serializing_if = "Option::is_none")]
    pub output: Option<HookOutput>,
}
impl Reply for HookAnswer {}

/// A decision, in the format of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HookOutput {
    /// Always `PermissionRequest`.
    pub hook_event_name: String,
    /// The decision.
    pub decision: HookDecision,
}

/// Decision on a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum HookDecision {
    /// The tool call runs.
    Allow {
        /// Replaces the input of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        updated_input: Option<Map<String, Value>>,
    },
    /// The tool call doesn't run.
    Deny {
        /// Message for the agent.
        message: String,
    },
}

/// A hook of an agent that waits for what people write in its session. The newest hook of a session is the only one
/// that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HookWaits {
    /// The agent's own id of the session.
    pub session_id: String,
    /// Name of the event that started the hook: `SessionStart` or `Stop`.
    pub hook_event_name: String,
    /// With `SessionStart`: how the session started: `startup`, `resume`, `clear`, `compact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Id of the hook, the same in all of its requests, 1 to 64 bytes.
    pub hook: String,
    /// True in the first request of the hook: it takes the place of the one before.
    pub is_new: bool,
}
impl Input for HookWaits {
    const EXAMPLE: &'static str =
        r#"{"session_id": "9f1c", "hook_event_name": "Stop", "hook": "7d2e", "is_new": true}"#;
}

/// Reply to a hook that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookWords {
    /// True if the hook should ask again. Otherwise it should end.
    pub waits: bool,
    /// The words for the agent. They decide nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}
impl Reply for HookWords {}

/// The rules that allow an agent's calls without asking a person, newest first.
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
    /// Id of the rule.
    pub id: String,
    /// The agent: `claude_code`.
    pub agent: String,
    /// The working folder in which it applies.
    pub folder: String,
    /// The tool and its input: `Bash(npm test)`.
    pub rule: String,
    /// Description of what it allows, in one sentence.
    pub explanation: String,
    /// When it was made.
    pub made_at: Micros,
    /// When it last allowed a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Micros>,
    /// Number of calls that it allowed.
    pub uses: i64,
}

/// Path of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulePath {
    /// Id of the rule.
    pub rule: String,
}
