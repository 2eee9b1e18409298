use crate::claude::{assistant, text, user, with};
use crate::{File, shape, verdict};
use model::model_context::ContextMessage;
use model::model_context::format::{self, ContextFormat};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

const FIRST: &str = r#"{"content":[{"text":"Memory","type":"text"},{"text":"Go","type":"text"}],"role":"user"}"#;
const REPLY: &str = r#"{"content":[{"text":"Done.","type":"text"}],"role":"assistant"}"#;
const SECOND: &str = r#"{"content":[{"text":"More","type":"text"}],"role":"user"}"#;
/// With a mark for the cache on its last message.
const BODY: &str = concat!(
    r#"{"betas":["b"],"max_tokens":9,"messages":[{"content":[{"text":"Memory","type":"text"},{"text":"Go","type":"text"}],"role":"user"},"#,
    r#"{"content":[{"text":"Done.","type":"text"}],"role":"assistant"},"#,
    r#"{"content":[{"cache_control":{"type":"ephemeral"},"text":"More","type":"text"}],"role":"user"}],"#,
    r#""model":"m","system":[{"text":"Be kind","type":"text"}],"tools":[{"name":"Bash"}]}"#,
);

fn lines(digest: &str) -> Vec<Value> {
    let blob = json!({"role": "user", "content": [{"type": "text", "text": "Memory"}, {"type": "text", "text": "Go"}]});
    let params = json!({"model": "m", "max_tokens": 9, "betas": ["b"]});
    let mark = json!([{"path": ["messages", 2, "content", 0], "value": {"type": "ephemeral"}}]);
    vec![
        json!({"type": "api-request-shape", "shapeHash": "h", "shape":
            {"system": [{"type": "text", "text": "Be kind"}], "tools": [{"name": "Bash"}]}}),
        user("u1", None, json!("Go")),
        json!({"type": "api-request-blob", "hash": sha256(FIRST), "message": blob}),
        json!({"type": "api-request", "id": "q1", "params": params, "shapeHash": "h", "keep": 0, "tail": [sha256(FIRST)]}),
        with(assistant("a1", "u1", "m1", text("Done.")), json!({"requestRef": "q1"})),
        user("u2", Some("a1"), json!("More")),
        json!({"type": "api-request", "id": "q2", "params": params, "shapeHash": "h", "base": "q1", "keep": 1,
            "tail": [sha256(REPLY), sha256(SECOND)], "cacheControl": mark, "requestDigest": digest}),
        with(assistant("a2", "u2", "m2", text("Yes.")), json!({"requestRef": "q2"})),
    ]
}

#[test]
fn a_request_whose_digest_agrees_is_verified() {
    let file = File::of("claude_code", lines(&sha256(BODY)));
    let context = file.last();
    assert_eq!(verdict(&context), ["verified"]);
    assert_eq!(shape(&context), ["user: text Memory | text Go", "assistant: text Done.", "user: text More"]);
    assert_eq!(context.unrecorded, []);
    assert_eq!(json!(context.settings), json!({"model": "m", "max_tokens": 9, "betas": ["b"]}));
    // With its marks, it is the body that was sent.
    let body = format::body(&context, ContextFormat::Anthropic).unwrap();
    assert_eq!(body, serde_json::from_str::<Value>(BODY).unwrap());
    assert_eq!((context.system[0].preview.as_str(), context.tools[0].name.as_deref()), ("Be kind", Some("Bash")));
    let prompt = file.at(0).messages[0].blocks[1].clone();
    assert_eq!(prompt.records.len(), 2, "the line of the prompt, and the one that holds the whole message");
    assert!(prompt.records[0].offset < prompt.records[1].offset);
    let change = context.change.expect("a request before");
    assert_eq!((change.kept, change.added, change.dropped.len()), (2, 2, 0));
}

#[test]
fn a_digest_that_disagrees_and_a_message_that_is_gone_are_said() {
    let context = File::of("claude_code", lines("other")).last();
    let reason = "The file holds the request, but its digest doesn't agree with what was rebuilt";
    assert_eq!(verdict(&context), ["approximate", reason]);
    let mut lines = lines(&sha256(BODY));
    lines.remove(2);
    let context = File::of("claude_code", lines).last();
    assert_eq!(shape(&context), ["user: text Go", "assistant: text Done.", "user: text More"]);
    assert_eq!(verdict(&context), ["approximate", "The file holds the request, but not all of its messages"]);
}

/// Fields of messages beside role and content were sent, too.
#[test]
fn other_fields_of_a_message_are_told() {
    let effort = json!({"effort": "medium"});
    let system = json!({"role": "system", "content": [{"type": "text", "text": "Think"}], "output_config": effort});
    let digest =
        sha256(r#"{"content":[{"text":"Think","type":"text"}],"output_config":{"effort":"medium"},"role":"system"}"#);
    let mut lines = lines("other");
    lines[3]["tail"] = json!([sha256(FIRST), digest]);
    lines.insert(3, json!({"type": "api-request-blob", "hash": digest, "message": system}));
    let file = File::of("claude_code", lines);
    let context = file.at(5);
    let fields: Vec<Value> = context.messages.iter().map(|message| json!(message.fields)).collect();
    assert_eq!(fields, [json!({}), json!({"output_config": effort})]);
    let body = format::body(&context, ContextFormat::Anthropic).unwrap();
    assert_eq!(body["messages"][1], system);
    let plain: ContextMessage = serde_json::from_value(json!({"role": "user", "blocks": []})).unwrap();
    assert_eq!(serde_json::to_value(plain).unwrap(), json!({"role": "user", "blocks": []}));
}
