//! The 46 tool-formatting vectors of an older product, replayed against the `content` of our messages. Where ours differs,
//! the table says why.

use crate::support::read_cut;
use serde_json::{Value, json};

/// Differences, with their reasons.
const DIFFERENT: &[(&str, &str)] = &[
    ("text_empty", "an empty text is kept, as an empty message"),
    ("thinking_real_key", "reasoning is a message of its own, with its whole text"),
    ("thinking_text_key", "reasoning is a message of its own, with its whole text"),
    ("thinking_long", "reasoning is a message of its own, with its whole text"),
    ("unknown_block", "an unreadable image is a FILE that says so"),
    ("res_str", "a result belongs to its tool call; one without a call is shown whole"),
    ("res_text", "a result belongs to its tool call; one without a call is shown whole"),
    ("res_json_obj", "a result belongs to its tool call; one without a call is shown whole"),
    ("res_json_list", "a result belongs to its tool call; one without a call is shown whole"),
    ("res_multi", "a result belongs to its tool call; one without a call is shown whole"),
    ("res_empty", "a result belongs to its tool call; one without a call is shown whole"),
];

#[test]
fn previews_read_as_those_of_the_older_product() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors/tool_format.json");
    let vectors: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).expect("vectors")).expect("JSON");
    assert_eq!(vectors.len(), 46);
    let mut different = Vec::new();
    for vector in &vectors {
        let name = vector["name"].as_str().expect("a name");
        let result = vector["block"]["type"] == "tool_result";
        let (kind, role) = if result { ("user", "user") } else { ("assistant", "assistant") };
        let line = json!({
            "type": kind, "uuid": "u", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
            "message": { "id": "m", "role": role, "model": "m", "content": [vector["block"]] },
        });
        let last = read_cut("vector.jsonl", None, [format!("{line}\n").as_bytes()]);
        let (_, draft, _) = &last.messages[0];
        if vector["preview"].as_str() == Some(draft.content.as_str()) {
            continue;
        }
        let expected = DIFFERENT.iter().any(|(known, _)| *known == name);
        assert!(expected, "{name}:\n{}\n---\n{}", draft.content, vector["preview"]);
        different.push(name);
    }
    assert_eq!(different, DIFFERENT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
