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

/// A compaction of the version 1.18: a prompt, and its summary as the reply.
fn compaction(kept: Option<&str>) -> File {
    let mut summary = message("msg_6", "assistant", 6, json!([text("Summary: basalt"), finish()]));
    summary["info"]["summary"] = json!(true);
    summary["info"]["parentID"] = json!("msg_5");
    summary["info"]["finish"] = json!("stop");
    session(json!([
        message("msg_1", "user", 1, json!([text("List the stones")])),
        message("msg_2", "assistant", 2, json!([text("Basalt.")])),
        message("msg_3", "user", 3, json!([text("And plants?")])),
        message("msg_4", "assistant", 4, json!([text("None.")])),
        message("msg_5", "user", 5, json!([{"type": "compaction", "auto": false, "tail_start_id": kept}])),
        summary,
        message("msg_7", "user", 7, json!([text("Go on")])),
        message("msg_8", "assistant", 8, json!([text("Done.")])),
    ]))
}

#[test]
fn a_compaction_stands_before_what_it_kept() {
    let context = compaction(None).last();
    let expected = ["user: text What did we do so far?", "assistant: text Summary: basalt", "user: text Go on"];
    assert_eq!(
        (shape(&context), context.verdict.to_string()),
        (expected.map(str::to_owned).into(), "recorded".to_owned())
    );
    let expected = [
        "user: text What did we do so far?",
        "assistant: text Summary: basalt",
        "user: text And plants?",
        "assistant: text None.",
        "user: text Go on",
    ];
    assert_eq!(shape(&compaction(Some("msg_3")).last()), expected);
}

#[test]
fn a_summary_is_made_of_what_a_compaction_does_not_keep() {
    let summary = |kept| {
        let transcript = compaction(kept).transcript();
        transcript.context(transcript.replies().get(2), None).expect("the summary")
    };
    let expected = [
        "user: text? List the stones",
        "assistant: text? Basalt.",
        "user: text? And plants?",
        "assistant: text? None.",
    ];
    assert_eq!(shape(&summary(None)), expected);
    assert_eq!(shape(&summary(Some("msg_3"))), expected[..2]);
    assert_eq!(shape(&summary(Some("msg_4"))), expected[..3]);
    let asked = "The words that ask for the summary of a compaction aren't recorded";
    let told = "The exact wording of some blocks isn't recorded; they are marked";
    assert_eq!(verdict(&summary(None)), ["approximate", asked, told]);
}

#[test]
fn files_calls_that_were_cut_short_and_failed_replies_are_sent_as_the_agent_does() {
    let url = "data:image/png;base64,iVBORw0KGgo=";
    let picture = |mime: &str| json!({"type": "file", "mime": mime, "filename": "dot", "url": url});
    let state = |status: &str, more: Value| {
        let mut state = json!({"status": status, "input": {"command": "ls"}});
        if let (Value::Object(state), Value::Object(more)) = (&mut state, more) {
            state.extend(more);
        }
        state
    };
    let call = |id: &str, state: Value| json!({"type": "tool", "callID": id, "tool": "bash", "state": state});
    let calls = json!([
        call("c1", state("error", json!({"error": "no", "metadata": {"interrupted": true, "output": "half"}}))),
        call("c2", state("error", json!({"error": "failed"}))),
        call("c3", state("running", json!({}))),
        call("c4", state("completed", json!({"output": "read", "attachments": [picture("image/png")]}))),
    ]);
    let mut failed = message("msg_4", "assistant", 4, json!([text("Lost.")]));
    failed["info"]["error"] = json!({"name": "APIError", "data": {"message": "overloaded"}});
    let mut aborted = message("msg_6", "assistant", 6, json!([text("Kept.")]));
    aborted["info"]["error"] = json!({"name": "MessageAbortedError", "data": {"message": "aborted"}});
    let messages = json!([
        message("msg_1", "user", 1, json!([text("Look"), picture("image/png"), picture("text/plain")])),
        message("msg_2", "assistant", 2, calls),
        message("msg_3", "user", 3, json!([text("Again")])),
        failed,
        message("msg_5", "user", 5, json!([text("Once more")])),
        aborted,
        message("msg_7", "user", 7, json!([text("Go on")])),
        message("msg_8", "assistant", 8, json!([text("Done.")])),
    ]);
    let context = session(messages).last();
    let uses = ["c1", "c2", "c3", "c4"].map(|id| format!("tool_use {id} {{\"command\":\"ls\"}}")).join(" | ");
    let results = "tool_result c1 half | tool_result c2 failed | tool_result c3 [Tool execution was interrupted]";
    let said = "text Attached media from tool result: | image image/png | text Again | text Once more";
    let expected = [
        "user: text Look | image image/png".to_owned(),
        format!("assistant: {uses}"),
        format!("user: {results} | tool_result c4 read | {said}"),
        "assistant: text Kept.".to_owned(),
        "user: text Go on".to_owned(),
    ];
    assert_eq!((shape(&context), context.verdict.to_string()), (expected.into(), "recorded".to_owned()));
}

#[test]
fn a_document_with_a_message_in_each_line_is_read_as_far_as_it_goes() {
    let messages = [
        message("msg_1", "user", 1, json!([text("List the stones")])),
        message("msg_2", "assistant", 2, json!([text("Basalt."), finish()])),
        message("msg_3", "user", 3, json!([text("And plants?")])),
    ];
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    let whole = format!("{{\"info\":{{\"version\":\"1.18.33\"}},\n\"messages\":[\n{}\n]}}\n", lines.join(",\n"));
    let cut = &whole[..whole.len() - 30];
    for document in [whole.as_str(), cut] {
        let mut transcript = agents::context::Transcript::of("opencode").expect("an agent whose requests are rebuilt");
        document.as_bytes().chunks(7).for_each(|bytes| transcript.push(&crate::source(), 0, bytes));
        transcript.finish();
        let context = transcript.context(None, None).expect("a reply");
        assert_eq!(shape(&context), ["user: text List the stones"]);
        assert_eq!(verdict(&context), ["recorded"]);
        assert_eq!(context.reply.agent_version.as_deref(), Some("1.18.33"));
    }
}
