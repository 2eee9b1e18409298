//! Whose a record is, by its fields.

use crate::parts::obj::Obj;

/// Returns true if Claude Code may have written this line.
pub(crate) fn claude(object: &Obj) -> bool {
    const IDS: [&str; 5] = ["sessionId", "leafUuid", "parentUuid", "messageId", "uuid"];
    let streamed = || object.has("session_id") && is(object, "type", &["system", "user", "assistant", "result"]);
    let named = IDS.iter().any(|id| object.has(id)) || streamed();
    // Gemini CLI's list of prompts counts them.
    let is_counted = object.int("messageId").is_some();
    object.str("type").is_some()
        && !is_counted
        && (named || is(object, "type", &["user", "assistant"]) && object.has("message"))
}

/// A rollout of today is made of envelopes; one of before autumn 2025 of bare items behind a head without a type.
pub(crate) fn codex(object: &Obj) -> bool {
    const ENVELOPES: [&str; 7] = [
        "compacted",
        "event_msg",
        "inter_agent_communication_metadata",
        "response_item",
        "session_meta",
        "turn_context",
        "world_state",
    ];
    const ITEMS: [&str; 4] = ["function_call", "function_call_output", "local_shell_call", "custom_tool_call"];
    let head = || !object.has("type") && has_all(object, &["id", "timestamp", "instructions"]);
    let raw = |key: &str| object.raw(key).unwrap_or_default();
    let said = || {
        let content = raw("content");
        is(object, "type", &["message"]) && (content.contains("input_text") || content.contains("output_text"))
    };
    let thought = || is(object, "type", &["reasoning"]) && has_all(object, &["summary", "encrypted_content"]);
    (is(object, "type", &ENVELOPES) && object.has("payload"))
        || (is(object, "type", &ITEMS) && ["call_id", "function"].iter().any(|key| object.has(key)))
        || (is(object, "type", &["function_result"]) && object.has("result"))
        || is(object, "record_type", &["state"])
        || head()
        || said()
        || thought()
}

/// A document, or since 0.40 lines: a head, messages, and changes of them.
pub(crate) fn gemini(object: &Obj) -> bool {
    let message =
        || is(object, "type", &["gemini", "user", "info"]) && has_all(object, &["id", "timestamp", "content"]);
    (has_all(object, &["sessionId", "messages"]) && !object.has("type"))
        || has_all(object, &["sessionId", "projectHash"])
        || object.has("$set")
        || object.has("$rewindTo")
        || (has_all(object, &["role", "parts"]) && !object.has("type"))
        || (message() && !object.has("uuid"))
        || (object.raw("history").is_some_and(|history| history.contains("\"parts\"")))
}

/// Lines much like those of Claude Code, whose messages have `parts`.
pub(crate) fn qwen(object: &Obj) -> bool {
    object.has("systemPayload")
        || object.has("uuid") && object.obj("message").is_some_and(|message| message.has("parts"))
}

/// An export, or one of the files that a session is stored in.
pub(crate) fn opencode(object: &Obj) -> bool {
    let stored = ["ses_", "msg_", "prt_"].iter().any(|start| text(object, "id").starts_with(start));
    (has_all(object, &["info", "messages"]) && !object.has("trajectory_format"))
        || has_all(object, &["info", "parts"])
        || object.has("sessionID")
        || has_all(object, &["projectID", "directory"])
        || (stored && object.has("time"))
}

pub(crate) fn openhands(object: &Obj) -> bool {
    let source = is(object, "source", &["agent", "user", "environment"]);
    source && (text(object, "kind").ends_with("Event") || object.has("action") || object.has("observation"))
}

pub(crate) fn swe_agent(object: &Obj) -> bool {
    let history = || object.raw("history").is_some_and(|history| history.contains("\"message_type\""));
    let small = || text(object, "content").contains("that can interact with a computer");
    object.has("trajectory") || object.has("trajectory_format") || history() || object.has("role") && small()
}

pub(crate) fn acp(object: &Obj) -> bool {
    // Logs put each message into a frame of their own.
    let inner = ["message", "example", "data", "msg"].iter().find_map(|key| object.obj(key));
    [Some(object), inner.as_ref()].into_iter().flatten().any(|object| object.has("jsonrpc"))
}

/// Stored sessions and streams.
pub(crate) fn droid(object: &Obj) -> bool {
    is(object, "type", &["session_start"])
        || (is(object, "type", &["message"]) && has_all(object, &["role", "text"]))
        || (is(object, "type", &["tool_call", "tool_result"])
            && ["toolCallId", "toolId"].iter().any(|id| object.has(id)))
}

pub(crate) fn grok(object: &Obj) -> bool {
    let answer = || is(object, "type", &["assistant"]) && !object.has("message");
    object.has("content") && (object.has("synthetic_reason") || answer() && object.has("tool_calls"))
}

pub(crate) fn codex_events(object: &Obj) -> bool {
    is(object, "type", &["thread.started", "turn.started", "item.started"])
}

pub(crate) fn copilot(object: &Obj) -> bool {
    object.has("data") && text(object, "type").contains('.')
}

/// The head of a session. Until January 2026 it had no version.
pub(crate) fn pi(object: &Obj) -> bool {
    openclaw(object) && !text(object, "cwd").split(['/', '\\']).any(|part| part == ".openclaw")
}

/// Returns true for the head of a session of `OpenClaw` or Pi. Both heads are the same, but sessions of `OpenClaw`
/// mostly work in a folder of its program.
pub(crate) fn openclaw(object: &Obj) -> bool {
    is(object, "type", &["session"])
        && has_all(object, &["id", "cwd"])
        && ["version", "timestamp"].iter().any(|key| object.has(key))
}

pub(crate) fn chat_host(object: &Obj) -> bool {
    object.has("chat_jid") && (object.has("row") || object.has("chat"))
}

pub(crate) fn kimi(object: &Obj) -> bool {
    has_all(object, &["type", "protocol_version"])
}

pub(crate) fn antigravity(object: &Obj) -> bool {
    has_all(object, &["step_index", "source", "type"])
}

pub(crate) fn cursor(object: &Obj) -> bool {
    has_all(object, &["role", "message"]) && !object.has("type")
}

/// A chat of a database, as a document.
pub(crate) fn cursor_chat(object: &Obj) -> bool {
    has_all(object, &[crate::cursor::chat::HEAD, "messages"])
}

/// A session of a database, as a document.
pub(crate) fn crush(object: &Obj) -> bool {
    has_all(object, &[crate::crush::HEAD, "messages"])
}

/// A session of a database, an export, or a line of older versions.
pub(crate) fn goose(object: &Obj) -> bool {
    let line =
        || has_all(object, &["role", "created", "content"]) || has_all(object, &["working_dir", "message_count"]);
    has_all(object, &[crate::goose::HEAD, "messages"]) || has_all(object, &["working_dir", "conversation"]) || line()
}

pub(crate) fn hermes(object: &Obj) -> bool {
    has_all(object, &["session_id", "platform", "messages"])
}

/// A saved conversation, or a line of one.
pub(crate) fn kiro(object: &Obj) -> bool {
    let line = || is(object, "kind", &["AssistantMessage", "Prompt", "ToolResults"]) && object.has("data");
    has_all(object, &["conversation_id", "history"]) || line()
}

pub(crate) fn claude_history(object: &Obj) -> bool {
    has_all(object, &["display", "pastedContents", "timestamp"])
}

pub(crate) fn chat(object: &Obj) -> bool {
    has_all(object, &["role", "content"]) && !object.has("type")
}

/// The part of a task that people see.
pub(crate) fn task_as_seen(object: &Obj) -> bool {
    object.has("ts") && is(object, "type", &["ask", "say"])
}

/// Returns true if the message is one of Cline's: it describes the task and the editor to the model in tags.
pub(crate) fn cline(object: &Obj) -> bool {
    let content = if chat(object) { object.raw("content").unwrap_or_default() } else { "" };
    ["<task>", "<environment_details>"].iter().any(|tag| content.contains(tag))
}

/// Such a message of Roo Code, which names its mode.
pub(crate) fn roo(object: &Obj) -> bool {
    cline(object) && object.raw("content").is_some_and(|content| content.contains("<slug>"))
}

pub(crate) fn aider(line: &str) -> bool {
    line.starts_with("# aider chat started at")
}

/// Who speaks first, and a tag of the editor or who speaks next.
pub(crate) fn cursor_text(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.next();
    matches!(first, Some("user:" | "assistant:"))
        && lines.any(|line| {
            matches!(line, "user:" | "assistant:")
                || ["<user_query>", "[Thinking]", "[Tool call] "].iter().any(|start| line.starts_with(start))
        })
}

fn text<'a>(object: &Obj<'a>, key: &str) -> std::borrow::Cow<'a, str> {
    object.str(key).unwrap_or_default()
}

fn is(object: &Obj, key: &str, values: &[&str]) -> bool {
    object.str(key).is_some_and(|value| values.contains(&&*value))
}

fn has_all(object: &Obj, keys: &[&str]) -> bool {
    keys.iter().all(|key| object.has(key))
}
