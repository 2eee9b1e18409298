//! Is a file another agent's? Said by its beginning alone.

use super::obj::Obj;

/// Lines that are looked at.
const LINES: usize = 50;

/// Fields that only lines of Claude Code have at their top.
const FIELDS: [&str; 4] = ["sessionId", "leafUuid", "parentUuid", "messageId"];

/// Types of lines of which old files consist, which have no such field.
const TYPES: [&str; 9] = [
    "assistant",
    "attachment",
    "file-history-snapshot",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "tool_result",
    "user",
];

/// Is there a line of JSON, and none that Claude Code would have written? What can't be read at all belongs to nobody.
pub fn is_foreign(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let mut lines = text.lines().take(LINES).filter_map(Obj::parse).peekable();
    let ours = |line: Obj| {
        FIELDS.iter().any(|field| line.has(field)) || line.str("type").is_some_and(|kind| TYPES.contains(&&*kind))
    };
    lines.peek().is_some() && !lines.any(ours)
}
