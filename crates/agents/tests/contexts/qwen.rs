use crate::{File, shape, verdict};
use serde_json::{Value, json};

fn line(id: &str, parent: Option<&str>, kind: &str, more: Value) -> Value {
    let mut line = json!({"uuid": id, "parentUuid": parent, "sessionId": "s", "type": kind, "version": "0.24.4"});
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

fn user(id: &str, parent: Option<&str>, text: &str) -> Value {
    line(id, parent, "user", json!({"message": {"role": "user", "parts": [{"text": text}]}}))
}

fn reply(id: &str, parent: &str, parts: Value) -> Value {
    let tokens = json!({"promptTokenCount": 500, "candidatesTokenCount": 5, "totalTokenCount": 505});
    let message = json!({"role": "model", "parts": parts});
    line(id, Some(parent), "assistant", json!({"model": "coder", "usageMetadata": tokens, "message": message}))
}

fn result(id: &str, parent: &str, call: &str, output: &str) -> Value {
    let response = json!({"functionResponse": {"id": call, "name": "ls", "response": {"output": output}}});
    line(id, Some(parent), "tool_result", json!({"message": {"role": "user", "parts": [response]}}))
}

fn call(id: &str) -> Value {
    json!({"functionCall": {"id": id, "name": "ls", "args": {"path": "."}}})
}

#[test]
fn a_request_is_the_branch_before_its_reply() {
    let file = File::of(
        "qwen",
        [
            user("1", None, "List the stones"),
            reply("2", "1", json!([{"text": "I look.", "thought": true}])),
            reply("2", "1", json!([{"text": "Both."}, call("c1"), call("c2")])),
            result("3", "2", "c1", "basalt"),
            result("4", "3", "c2", "granite"),
            line(
                "5",
                Some("4"),
                "user",
                json!({"subtype": "mid_turn_user_message",
                "message": {"role": "user", "parts": [{"text": "Be quick"}]}}),
            ),
            reply("6", "5", json!([{"text": "Two."}])),
            user("7", Some("6"), "Forget that"),
            reply("8", "7", json!([{"text": "Done."}])),
            // The person went back before the line 7.
            line("9", Some("6"), "system", json!({"subtype": "rewind", "systemPayload": {}})),
            user("10", Some("9"), "And plants?"),
            reply("11", "10", json!([{"text": "None."}])),
        ],
    );
    let expected = [
        "user: text List the stones",
        "assistant: thinking I look. | text Both. | tool_use c1 {\"path\":\".\"} | tool_use c2 {\"path\":\".\"}",
        "user: tool_result c1 basalt | tool_result c2 granite | text Be quick",
        "assistant: text Two.",
        "user: text And plants?",
    ];
    let context = file.last();
    assert_eq!((shape(&context), verdict(&context)), (expected.map(str::to_owned).into(), vec!["recorded".to_owned()]));
    assert_eq!((context.tokens.reported, context.reply.model.as_deref()), (Some(500), Some("coder")));
    assert_eq!(context.change.expect("a request before").previous.id.as_deref(), Some("6"));
    assert_eq!(shape(&file.at(2)), expected[..1]);
    assert_eq!(shape(&file.at(5)), expected[..3]);
    assert_eq!(file.transcript().replies().len(), 4);
}

#[test]
fn a_compression_leaves_what_its_line_holds() {
    let left = json!([{"role": "user", "parts": [{"text": "Summary: basalt"}]}, {"role": "model", "parts": [{"text": "Got it."}]}]);
    let context = File::of(
        "qwen",
        [
            user("1", None, "List the stones"),
            reply("2", "1", json!([{"text": "Basalt."}])),
            line(
                "3",
                Some("2"),
                "system",
                json!({"subtype": "chat_compression", "systemPayload": {"compressedHistory": left}}),
            ),
            user("4", Some("3"), "And plants?"),
            reply("5", "4", json!([{"text": "None."}])),
        ],
    )
    .last();
    let expected = ["user: text Summary: basalt", "assistant: text Got it.", "user: text And plants?"];
    assert_eq!(shape(&context), expected);
    assert_eq!(context.change.expect("a request before").dropped.iter().filter(|dropped| dropped.compacted).count(), 1);
}

#[test]
fn a_command_that_the_program_answers_is_not_sent_and_sub_agents_are_by_themselves() {
    let answered = json!({"phase": "result", "rawCommand": "/about", "outputHistoryItems": [{"type": "assistant", "text": "Qwen"}]});
    let child = |mut line: Value| {
        line["agentId"] = json!("explore");
        line
    };
    let file = File::of(
        "qwen",
        [
            user("1", None, "/about"),
            line("2", Some("1"), "system", json!({"subtype": "slash_command", "systemPayload": answered})),
            user("3", Some("2"), "Count the stones"),
            reply("4", "3", json!([call("c1")])),
            child(user("5", Some("4"), "Count")),
            child(reply("6", "5", json!([{"text": "Seven."}]))),
            result("7", "6", "c1", "Seven"),
            reply("8", "7", json!([{"text": "Seven."}])),
        ],
    );
    let expected =
        ["user: text Count the stones", "assistant: tool_use c1 {\"path\":\".\"}", "user: tool_result c1 Seven"];
    assert_eq!(shape(&file.last()), expected);
    assert_eq!(shape(&file.at(5)), ["user: text Count"]);
}

#[test]
fn a_parent_that_is_not_there_is_said() {
    let context =
        File::of("qwen", [user("1", None, "List the stones"), reply("3", "2", json!([{"text": "Basalt."}]))]).last();
    assert_eq!(shape(&context), ["user: text List the stones"]);
    let reason = "The parent of a record isn't there: what was read before it stands for it";
    assert_eq!(verdict(&context), ["approximate", reason]);
}
