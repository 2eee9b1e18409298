use crate::{File, shape, verdict};
use model::model_context::{ContextPart as Part, UnrecordedPart};
use serde_json::{Value, json};

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload})
}

fn item(payload: Value) -> Value {
    line("response_item", payload)
}

fn message(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

fn call(id: &str, arguments: &str) -> Value {
    item(json!({"type": "function_call", "name": "exec_command", "call_id": id, "arguments": arguments}))
}

fn output(id: &str, text: &str) -> Value {
    item(json!({"type": "function_call_output", "call_id": id, "output": text}))
}

fn tokens(total: i64, last: i64) -> Value {
    let usage = |count: i64| json!({"input_tokens": count, "cached_input_tokens": 10, "output_tokens": 1});
    let info = json!({"total_token_usage": usage(total), "last_token_usage": usage(last)});
    line("event_msg", json!({"type": "token_count", "info": info}))
}

fn beginning() -> Vec<Value> {
    vec![
        line("session_meta", json!({"id": "s", "cli_version": "0.169.0", "base_instructions": {"text": "Be brief"}})),
        line("turn_context", json!({"model": "gpt-5.5"})),
        message("user", "<environment_context>\n</environment_context>"),
        message("user", "List the stones"),
        item(
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look"}], "encrypted_content": "x"}),
        ),
        line("event_msg", json!({"type": "agent_message", "message": "I look."})),
        message("assistant", "I look."),
        call("c1", "{\"cmd\":\"ls\"}"),
        call("c2", "{\"cmd\":\"ls -a\"}"),
        output("c1", "basalt"),
        output("c2", "gneiss"),
        tokens(500, 500),
    ]
}

#[test]
fn items_stand_in_their_order_and_a_report_of_tokens_ends_a_reply() {
    let file =
        File::of("codex", beginning().into_iter().chain([message("assistant", "Two stones."), tokens(1400, 900)]));
    let context = file.last();
    assert_eq!(
        shape(&context),
        [
            "user: text <environment_context> </environment_context> | text List the stones",
            "assistant: thinking I look | text I look. | tool_use c1 {\"cmd\":\"ls\"} | tool_use c2 {\"cmd\":\"ls -a\"}",
            "user: tool_result c1 basalt | tool_result c2 gneiss",
        ]
    );
    assert_eq!(verdict(&context), ["recorded"]);
    assert_eq!(context.unrecorded, [UnrecordedPart::ToolDefinitions, UnrecordedPart::Settings]);
    assert_eq!((context.tokens.reported, context.system[0].preview.as_str()), (Some(900), "Be brief"));
    assert_eq!(context.reply.model.as_deref(), Some("gpt-5.5"));
    assert_eq!(context.messages[0].blocks[0].part, Part::Injected);
    for line in [4, 5, 8] {
        assert_eq!(file.at(line).tokens.reported, Some(500), "line {line} belongs to the first reply");
    }
    assert_eq!(file.at(9).tokens.reported, Some(900), "an output names the request that held it first");
}

#[test]
fn a_compaction_replaces_what_was_before_and_a_rollback_takes_turns_back() {
    let history = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List the stones"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Summary: two stones"}]},
    ]);
    let file = File::of(
        "codex",
        beginning().into_iter().chain([
            line("compacted", json!({"message": "Summary: two stones", "replacement_history": history})),
            message("user", "And plants?"),
            message("assistant", "None."),
            tokens(1000, 300),
            line("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1})),
            message("user", "And rivers?"),
            message("assistant", "One."),
        ]),
    );
    assert_eq!(shape(&file.at(14)), ["user: text List the stones | text Summary: two stones | text And plants?"]);
    let context = file.last();
    assert_eq!(shape(&context), ["user: text List the stones | text Summary: two stones | text And rivers?"]);
    assert_eq!(context.messages[0].blocks[1].part, Part::Summary);
    let dropped = context.change.expect("a request before").dropped;
    assert_eq!(
        dropped.iter().map(|it| (it.compacted, it.block.preview.as_str())).collect::<Vec<_>>(),
        [(false, "And plants?")]
    );
    let vague = File::of(
        "codex",
        beginning()
            .into_iter()
            .chain([line("compacted", json!({"message": "Summary: two stones"})), message("assistant", "Hm.")]),
    )
    .last();
    assert_eq!(
        verdict(&vague)[..2],
        ["approximate", "A compaction doesn't say what it kept: what people said and its summary stand here",]
    );
}

fn numbered(lines: Vec<Value>, from: usize) -> Vec<Value> {
    let number = |(index, mut line): (usize, Value)| {
        line["ordinal"] = json!(from + index);
        line
    };
    lines.into_iter().enumerate().map(number).collect()
}

#[test]
fn a_fork_that_names_its_origin_holds_the_lines_that_it_shares_with_it() {
    let head = |id: &str, origin: Value| {
        let mut meta = json!({"id": id, "cli_version": "0.169.0"});
        meta.as_object_mut().expect("an object").extend(origin.as_object().expect("an object").clone());
        line("session_meta", meta)
    };
    let origin = vec![
        head("s1", json!({})),
        message("user", "List the stones"),
        message("assistant", "Basalt."),
        message("user", "Only on this side"),
        message("assistant", "Granite."),
    ];
    let fork = vec![
        head("s2", json!({"forked_from_id": "s1", "forked_from_ordinal_exclusive": 3})),
        message("user", "And plants?"),
        message("assistant", "None."),
    ];
    let fork = File::of("codex", numbered(fork, 3));
    let alone = fork.last();
    assert_eq!(shape(&alone), ["user: text And plants?"]);
    let reason = "The session goes on from another one, whose lines aren't in the records";
    assert_eq!(verdict(&alone)[..2], ["approximate", reason]);
    assert_eq!(fork.transcript().origin(), Some("s1"));
    let both = File::of("codex", numbered(origin, 0)).and(&fork);
    assert_eq!(
        shape(&both.context(None, None).expect("a reply")),
        ["user: text List the stones", "assistant: text Basalt.", "user: text And plants?"]
    );
    assert_eq!(both.origin(), None);
}

#[test]
fn a_session_that_went_back_goes_on_in_a_second_file() {
    let head = |fields: Value| {
        let mut meta = json!({"id": "s1", "cli_version": "0.171.0", "history_mode": "paginated"});
        meta.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        line("session_meta", meta)
    };
    let first = vec![
        head(json!({})),
        message("user", "List the stones"),
        message("assistant", "Basalt."),
        message("user", "And plants?"),
        message("assistant", "None."),
    ];
    let second = vec![
        head(json!({"history_base": {"thread_id": "s1", "end_ordinal_exclusive": 3, "end_byte_offset": 400}})),
        message("user", "And animals?"),
        message("assistant", "A lizard."),
    ];
    let first = File::of("codex", numbered(first, 0));
    let second = File::of("codex", numbered(second, 3));
    let stones = ["user: text List the stones", "assistant: text Basalt."];
    let went_back = first.and(&second);
    assert_eq!(
        shape(&went_back.context(None, None).expect("a reply")),
        [stones.as_slice(), &["user: text And animals?"]].concat()
    );
    assert_eq!(went_back.origin(), None);
    // The file with the reply is read last.
    let before = second.and(&first);
    assert_eq!(before.origin(), None);
    assert_eq!(
        shape(&before.context(None, None).expect("a reply")),
        [stones.as_slice(), &["user: text And plants?"]].concat()
    );
}
