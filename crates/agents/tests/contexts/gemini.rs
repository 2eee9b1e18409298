use crate::{File, shape, verdict};
use model::model_context::UnrecordedPart;
use serde_json::{Value, json};

fn user(id: &str, content: Value) -> Value {
    json!({"id": id, "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": content})
}

fn reply(id: &str, text: &str, calls: Value) -> Value {
    json!({"id": id, "timestamp": "2026-01-01T00:00:00Z", "type": "gemini", "content": text, "model": "gemini-3",
        "thoughts": [{"subject": "Look", "description": "I look"}], "toolCalls": calls,
        "tokens": {"input": 700, "cached": 600, "output": 5, "thoughts": 0, "tool": 0, "total": 705}})
}

fn calls() -> Value {
    let response = json!([{"functionResponse": {"id": "ls__ls_1", "name": "ls", "response": {"output": "basalt"}}}]);
    json!([{"id": "ls__ls_1", "name": "ls", "args": {"path": "."}, "result": response, "status": "success"}])
}

const EXPECTED: [&str; 3] = [
    "user: text List the stones",
    "assistant: text I look. | tool_use ls_1 {\"path\":\".\"}",
    "user: tool_result ls_1 basalt",
];

#[test]
fn a_record_with_a_known_id_replaces_its_message_and_results_are_sent_once() {
    let context = File::of(
        "gemini",
        [
            json!({"sessionId": "s", "projectHash": "p", "kind": "main"}),
            user("1", json!([{"text": "List the stones"}])),
            reply("2", "I look.", json!([])),
            json!({"$set": {"lastUpdated": "2026-01-01T00:00:00Z"}}),
            reply("2", "I look.", calls()),
            user("3", calls()[0]["result"].clone()),
            reply("4", "Basalt.", json!([])),
        ],
    )
    .last();
    assert_eq!(shape(&context), EXPECTED);
    assert_eq!(verdict(&context), ["recorded"]);
    assert_eq!(context.tokens.reported, Some(700));
    assert!(context.unrecorded.contains(&UnrecordedPart::SystemPrompt));
}

#[test]
fn what_was_rewound_is_sent_before_and_not_after() {
    let file = File::of(
        "gemini",
        [
            user("1", json!("List the stones")),
            reply("2", "Later.", json!([])),
            json!({"$rewindTo": "2"}),
            reply("5", "I look.", json!([])),
        ],
    );
    assert_eq!(shape(&file.last()), ["user: text List the stones"]);
    assert_eq!(file.at(1).reply.id.as_deref(), Some("2"));
}

#[test]
fn results_of_calls_that_a_person_interrupted_are_not_sent() {
    let response = json!({"output": "Command was cancelled by user before it could complete."});
    let result = json!([{"functionResponse": {"id": "ls__ls_1", "name": "ls", "response": response}}]);
    let calls = json!([{"id": "ls__ls_1", "name": "ls", "args": {"path": "."}, "result": result, "status": "success"}]);
    let context = File::of(
        "gemini",
        [
            json!({"$set": {"messages": [user("0", json!([{"text": "<session_context>\nIt is Friday"}]))]}}),
            user("1", json!([{"text": "List the stones"}])),
            reply("2", "I look.", json!([])),
            reply("3", "", calls),
            user("4", json!([{"text": "And plants?"}])),
            reply("5", "None.", json!([])),
        ],
    )
    .last();
    assert_eq!(
        shape(&context),
        [
            "user: text <session_context> It is Friday | text List the stones",
            "assistant: text I look. | tool_use ls_1 {\"path\":\".\"}",
            "user: text And plants?",
        ]
    );
}

#[test]
fn calls_that_are_recorded_by_themselves_belong_to_the_reply_before() {
    let file = File::of(
        "gemini",
        [
            user("1", json!([{"text": "List the stones"}])),
            reply("2", "I look.", json!([])),
            reply("3", "", calls()),
            reply("3", "", calls()),
            user("4", calls()[0]["result"].clone()),
            reply("5", "Basalt.", json!([])),
        ],
    );
    let context = file.last();
    assert_eq!(shape(&context), EXPECTED);
    assert_eq!(context.change.expect("a request before").previous.id.as_deref(), Some("2"));
    assert_eq!(file.transcript().replies().len(), 2);
    // A call is part of the reply whose request had the prompt alone.
    for line in [1, 2, 3] {
        assert_eq!(
            (shape(&file.at(line)), file.at(line).reply.id.as_deref()),
            (EXPECTED[..1].iter().map(|it| (*it).to_owned()).collect(), Some("2"))
        );
    }
}

#[test]
fn a_document_is_read_like_lines() {
    let messages =
        json!([user("1", json!("List the stones")), reply("2", "I look.", calls()), reply("3", "Basalt.", json!([]))]);
    let file = File::of("gemini", [json!({"sessionId": "s", "projectHash": "p", "messages": messages})]);
    assert_eq!(shape(&file.last()), EXPECTED);
    assert_eq!(file.transcript().replies().len(), 2);
}

#[test]
fn a_picture_that_a_call_gave_back_is_sent_once() {
    let picture = json!({"inlineData": {"data": "iVBORw0KGgo=", "mimeType": "image/png"}});
    let response =
        json!({"functionResponse": {"id": "look__look_1", "name": "look", "response": {"output": "A picture"}}});
    let result = json!([response, picture]);
    let calls = json!([{"id": "look__look_1", "name": "look", "args": {}, "result": result, "status": "success"}]);
    let lines = [
        json!({"sessionId": "s", "projectHash": "p", "kind": "main"}),
        user("1", json!([{"text": "Look"}])),
        reply("2", "I look.", calls),
        user("3", result),
        reply("4", "Basalt.", json!([])),
        // A person may well show the same picture.
        user("5", json!([{"text": "And this?"}, picture])),
        reply("6", "The same.", json!([])),
    ];
    let shown = shape(&File::of("gemini", lines).last());
    assert_eq!(shown[2], "user: tool_result look_1 A picture | image image");
    assert_eq!(shown[4], "user: text And this? | image image");
}
