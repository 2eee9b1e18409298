//! What a file is, by the beginning of its content alone. Names and folders say nothing.
//!
//! Each record of a file is asked whose it is. The table below names the agents that no reader reads yet: a new reader
//! takes the place of its line.

use crate::claude::decode::Encoding;
use crate::claude::obj::Obj;
use crate::claude::pieces::{What, is_record, pieces};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    /// A transcript of Claude Code.
    ClaudeCode,
    /// A session of an agent that no reader reads.
    Agent(&'static str),
    /// Anything else.
    Other(&'static str),
    /// No bytes, or white space alone.
    Empty,
}

impl Recognised {
    /// Returns why such a file isn't imported, to be read after its name. None if it can be.
    pub fn refusal(self) -> Option<String> {
        match self {
            Self::ClaudeCode => None,
            Self::Agent(what) => Some(format!("looks like {what}; not readable yet")),
            Self::Other(what) => Some(format!("looks like {what}, not like a transcript")),
            Self::Empty => Some("is empty".to_owned()),
        }
    }
}

/// Records that are asked.
const RECORDS: usize = 50;

/// Does an object belong to an agent?
type Fits = fn(&Obj) -> bool;

/// Whose a record, or a file that is one JSON document, may be. The first line that fits wins.
const TABLE: [(&str, Fits); 19] = [
    ("a Codex rollout", is_codex),
    ("a stream of Codex events", |object| is(object, "type", &["thread.started", "turn.started", "item.started"])),
    ("a Gemini CLI session", is_gemini),
    ("a Qwen Code session", is_qwen),
    ("an OpenCode session", is_opencode),
    ("a Copilot CLI session", |object| object.has("data") && text(object, "type").contains('.')),
    ("an OpenHands event log", is_openhands),
    ("a SWE-agent trajectory", is_swe_agent),
    ("an ACP log", is_acp),
    ("a Factory Droid session", is_droid),
    ("a Pi session", |object| is(object, "type", &["session"]) && has_all(object, &["id", "version", "cwd"])),
    ("a Kimi session", |object| has_all(object, &["type", "protocol_version"])),
    ("an Antigravity session", |object| has_all(object, &["step_index", "source", "type"])),
    ("a Cursor session", |object| has_all(object, &["role", "message"]) && !object.has("type")),
    ("a Hermes session", |object| has_all(object, &["session_id", "platform", "messages"])),
    ("a Kiro session", |object| has_all(object, &["conversation_id", "history"])),
    ("a Grok session", is_grok),
    ("Claude Code's history of prompts", |object| has_all(object, &["display", "pastedContents", "timestamp"])),
    ("a list of chat messages", |object| has_all(object, &["role", "content"]) && !object.has("type")),
];

/// Returns what a file is by its content. `beginning` is its first bytes, best up to the end of a line.
///
/// ```
/// use agents::{Recognised, recognise};
///
/// assert_eq!(recognise(b" \n"), Recognised::Empty);
/// assert!(recognise(b"# Notes").refusal().is_some());
/// ```
pub fn recognise(beginning: &[u8]) -> Recognised {
    let encoding = Encoding::of(beginning.iter().copied()).unwrap_or(Encoding::Utf8);
    let text = encoding.decode(beginning);
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.is_empty() {
        return Recognised::Empty;
    }
    if let Some(what) = of_bytes(beginning) {
        return Recognised::Other(what);
    }
    let mut votes = [0; TABLE.len()];
    let mut ours = 0;
    let mut vote = |object: &Obj| match TABLE.iter().position(|(_, fits)| fits(object)) {
        Some(row) => votes[row] += 1,
        None if is_claude(object) => ours += 1,
        None => {}
    };
    let mut asked = 0;
    for line in text.split('\n').filter(|line| line.contains('{')) {
        if asked == RECORDS {
            break;
        }
        let pieces = pieces(line);
        let lone = pieces.len() == 1;
        for piece in pieces {
            if let What::Record(record) = piece.what
                && let Some(object) = Obj::parse(&record).filter(|object| lone || is_record(object))
            {
                asked += 1;
                vote(&object);
            }
        }
    }
    let in_lines = asked > 0;
    let first_line = start.lines().next().unwrap_or_default().trim_end();
    if start.starts_with(['{', '[']) && Obj::parse(first_line).is_none() {
        // One JSON document over many lines, or a first line that was cut off.
        let document = start.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
        let document = Obj::beginning(document);
        match TABLE.iter().find(|(_, fits)| fits(&document)) {
            Some((what, _)) if ours == 0 => return Recognised::Agent(what),
            None if is_claude(&document) => return Recognised::ClaudeCode,
            _ if !in_lines => return Recognised::Other("JSON of an unknown shape"),
            _ => {}
        }
    }
    let most = votes.iter().max().copied().unwrap_or_default();
    match votes.iter().position(|count| *count == most && most > ours) {
        Some(row) => Recognised::Agent(TABLE[row].0),
        None if ours > 0 => Recognised::ClaudeCode,
        None if asked == 1 => Recognised::Other("JSON of an unknown shape"),
        None if in_lines => Recognised::Other("JSON lines of an unknown shape"),
        None if text.lines().any(|line| line.starts_with("# aider chat started at")) => {
            Recognised::Agent("a chat history of Aider")
        }
        None if encoding == Encoding::Utf8 && is_binary(beginning) => Recognised::Other("a binary file"),
        None => Recognised::Other("plain text"),
    }
}

/// Files that are known by their first bytes.
fn of_bytes(beginning: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 8] = [
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\x1f\x8b", "a compressed file"),
        (b"PK\x03\x04", "a zip file"),
        (b"\x28\xb5\x2f\xfd", "a compressed file"),
        (b"\x89PNG", "an image"),
        (b"\xff\xd8\xff", "an image"),
        (b"GIF8", "an image"),
        (b"%PDF", "a PDF document"),
    ];
    KINDS.iter().find(|(start, _)| beginning.starts_with(start)).map(|(_, what)| *what)
}

/// Is it no text? A last character may have been cut in half.
fn is_binary(bytes: &[u8]) -> bool {
    let invalid = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    bytes.contains(&0) || invalid > 1 + bytes.len() / 100
}

/// Would Claude Code have written this line?
fn is_claude(object: &Obj) -> bool {
    const IDS: [&str; 5] = ["sessionId", "leafUuid", "parentUuid", "messageId", "uuid"];
    let streamed = || object.has("session_id") && is(object, "type", &["system", "user", "assistant", "result"]);
    let named = IDS.iter().any(|id| object.has(id)) || streamed();
    object.str("type").is_some() && (named || is(object, "type", &["user", "assistant"]) && object.has("message"))
}

/// A rollout of today is made of envelopes; one of before autumn 2025 of bare items behind a head without a type.
fn is_codex(object: &Obj) -> bool {
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
        || (is(object, "type", &ITEMS) && object.has("call_id"))
        || is(object, "record_type", &["state"])
        || head()
        || said()
        || thought()
}

/// A document, or since 0.40 lines: a head, messages, and changes of them.
fn is_gemini(object: &Obj) -> bool {
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
fn is_qwen(object: &Obj) -> bool {
    object.has("systemPayload")
        || object.has("uuid") && object.obj("message").is_some_and(|message| message.has("parts"))
}

/// An export, or one of the files that a session is stored in.
fn is_opencode(object: &Obj) -> bool {
    let stored = ["ses_", "msg_", "prt_"].iter().any(|start| text(object, "id").starts_with(start));
    (has_all(object, &["info", "messages"]) && !object.has("trajectory_format"))
        || object.has("sessionID")
        || has_all(object, &["projectID", "directory"])
        || (stored && object.has("time"))
}

fn is_openhands(object: &Obj) -> bool {
    let source = is(object, "source", &["agent", "user", "environment"]);
    source && (text(object, "kind").ends_with("Event") || object.has("action") || object.has("observation"))
}

fn is_swe_agent(object: &Obj) -> bool {
    let history = || object.raw("history").is_some_and(|history| history.contains("\"message_type\""));
    let small = || text(object, "content").contains("that can interact with a computer");
    object.has("trajectory") || object.has("trajectory_format") || history() || object.has("role") && small()
}

fn is_acp(object: &Obj) -> bool {
    // Logs put each message into a frame of their own.
    let inner = ["message", "example", "data", "msg"].iter().find_map(|key| object.obj(key));
    [Some(object), inner.as_ref()].into_iter().flatten().any(|object| object.has("jsonrpc"))
}

/// Stored sessions and streams.
fn is_droid(object: &Obj) -> bool {
    is(object, "type", &["session_start"])
        || (is(object, "type", &["message"]) && has_all(object, &["role", "text"]))
        || (is(object, "type", &["tool_call", "tool_result"])
            && ["toolCallId", "toolId"].iter().any(|id| object.has(id)))
}

fn is_grok(object: &Obj) -> bool {
    let answer = || is(object, "type", &["assistant"]) && !object.has("message");
    object.has("content") && (object.has("synthetic_reason") || answer() && object.has("tool_calls"))
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
