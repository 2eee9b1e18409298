//! What people call the types of messages.

/// Tag and name, the most frequent ones first.
pub const TYPES: [(&str, &str); 8] = [
    ("TEXT", "Text"),
    ("CODE_EDIT", "Code edit"),
    ("TOOL_CALL", "Tool call"),
    ("TODO", "Todo"),
    ("APPROVAL", "Approval"),
    ("ACTION", "Answer to a question"),
    ("FILE", "File"),
    ("ERROR", "Error"),
];

/// The name; of a type that isn't built in the tag itself.
pub fn type_name(tag: &str) -> &str {
    TYPES.iter().find(|(known, _)| *known == tag).map_or(tag, |(_, name)| name)
}
