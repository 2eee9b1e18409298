use crate::{File, shape, verdict};
use model::model_context::ContextDialect;
use serde_json::{Value, json};

fn message(id: &str, role: &str, created: i64, parts: Value) -> Value {
    json!({"info": {"id": id, "role": role, "modelID": "gpt-5", "time": {"created": created}}, "parts": parts})
}

fn tool(id: &str, output: &str, compacted: Option<i64>) -> Value {
    let time = json!({"start": 1, "end": 2, "compacted": compacted});
    json!({"type": "tool", "callID": id, "tool": "bash", "state":
        {"status": "completed", "input": {"command": "ls"}, "output": output, "time": time}})
}

fn finish() -> Value {
    json!({"type": "step-finish", "tokens": {"input": 400, "output": 5, "reasoning": 0, "cache": {"read": 100, "write": 0}}})
}

fn session(messages: Value) -> File {
    File::of("opencode", [json!({"info": {"id": "ses_1", "version": "1.18.33"}, "messages": messages})])
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn a_step_is_a_reply_and_a_cleared_result_is_sent_as_a_placeholder() {
    let begin = || json!({"type": "step-start"});
    let file = session(json!([
        message(
            "msg_1",
            "user",
            1,
            json!([text("List the stones"), {"type": "text", "text": "unseen", "ignored": true}])
        ),
        message(
            "msg_2",
            "assistant",
            2,
            json!([begin(), tool("c1", "basalt", Some(9)), finish(), begin(), text("Basalt."), finish()])
        ),
        message("msg_3", "user", 10, json!([text("And plants?")])),
        message("msg_4", "assistant", 11, json!([begin(), text("None."), finish()])),
    ]));
    let replies = file.transcript().replies();
    assert_eq!(replies.len(), 3);
    let context = file.last();
    assert_eq!(
        shape(&context),
        [
            "user: text List the stones",
            "assistant: tool_use c1 {\"command\":\"ls\"}",
            "user: tool_result c1 [Old tool result content cleared]",
            "assistant: text Basalt.",
            "user: text And plants?",
        ]
    );
    assert_eq!((verdict(&context), context.dialect), (vec!["recorded".to_owned()], ContextDialect::Neutral));
    assert_eq!(context.tokens.reported, Some(500));
    let change = context.change.expect("a request before");
    assert_eq!(
        change.dropped.iter().map(|it| (it.compacted, it.block.preview.as_str())).collect::<Vec<_>>(),
        [(true, "basalt")]
    );
}

#[test]
fn a_summary_ends_what_is_sent_of_the_time_before() {
    let mut summary = message("msg_3", "assistant", 3, json!([text("Summary: basalt")]));
    summary["info"]["summary"] = json!(true);
    let context = session(json!([
        message("msg_1", "user", 1, json!([text("List the stones")])),
        message("msg_2", "assistant", 2, json!([tool("c1", "basalt", None)])),
        summary,
        message("msg_4", "user", 4, json!([text("And plants?")])),
        message("msg_5", "assistant", 5, json!([text("None.")])),
    ]))
    .last();
    assert_eq!(shape(&context), ["assistant: text Summary: basalt", "user: text And plants?"]);
    assert_eq!(
        verdict(&context)[..2],
        ["approximate", "What stands around the summary of a compaction isn't recorded"]
    );
}

#[test]
fn each_block_names_the_bytes_of_its_part() {
    let begin = || json!({"type": "step-start"});
    let file = session(json!([
        message("msg_1", "user", 1, json!([text("List the stones")])),
        message(
            "msg_2",
            "assistant",
            2,
            json!([begin(), tool("c1", "basalt", None), finish(), begin(), text("Basalt."), finish()])
        ),
        message("msg_3", "user", 10, json!([text("And plants?")])),
        message("msg_4", "assistant", 11, json!([begin(), text("None."), finish()])),
    ]));
    let context = file.last();
    let bytes = file.text();
    let of = |index: usize, block: usize| {
        let record = &context.messages[index].blocks[block].records[0];
        &bytes[record.offset as usize..(record.offset + record.len) as usize]
    };
    assert_eq!(of(0, 0), text("List the stones").to_string());
    assert_eq!(of(1, 0), tool("c1", "basalt", None).to_string());
    assert_eq!(of(2, 0), tool("c1", "basalt", None).to_string());
    assert_eq!(of(3, 0), text("Basalt.").to_string());
    assert_eq!(of(4, 0), text("And plants?").to_string());
    let previous = &context.change.as_ref().expect("a request before").previous.records[0];
    assert!(
        bytes[previous.offset as usize..].starts_with("{\"type\":\"step-start\"}"),
        "a step of a message is its own reply"
    );
}
