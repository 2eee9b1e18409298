use crate::{File, shape, verdict};
use model::model_context::ContextPart as Part;
use serde_json::{Value, json};

pub fn user(id: &str, parent: Option<&str>, content: Value) -> Value {
    json!({"type": "user", "uuid": id, "parentUuid": parent, "isSidechain": false, "message": {"role": "user", "content": content}})
}

pub fn assistant(id: &str, parent: &str, message: &str, block: Value) -> Value {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 97, "output_tokens": 5});
    let message =
        json!({"id": message, "role": "assistant", "model": "claude-opus-4-8", "content": [block], "usage": usage});
    json!({"type": "assistant", "uuid": id, "parentUuid": parent, "isSidechain": false, "version": "2.1.50", "message": message})
}

pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub fn call(id: &str, command: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}})
}

pub fn result(id: &str, text: &str) -> Value {
    json!([{"type": "tool_result", "tool_use_id": id, "content": text}])
}

/// A line with other fields.
pub fn with(mut line: Value, fields: Value) -> Value {
    if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), fields) {
        line.extend(fields);
    }
    line
}

fn claude(lines: impl IntoIterator<Item = Value>) -> File {
    File::of("claude_code", lines)
}

#[test]
fn a_reply_answers_what_stands_before_it_with_the_blocks_of_a_message_joined() {
    let file = claude([
        user("u1", None, json!("List the stones")),
        assistant("a1", "u1", "m1", json!({"type": "thinking", "thinking": "I look", "signature": "s"})),
        assistant("a2", "a1", "m1", text("I look.")),
        assistant("a3", "a2", "m1", call("c1", "ls")),
        user("r1", Some("a3"), result("c1", "basalt")),
        assistant("a4", "r1", "m2", text("Basalt.")),
    ]);
    let context = file.last();
    assert_eq!(
        shape(&context),
        [
            "user: text List the stones",
            "assistant: thinking I look | text I look. | tool_use c1 {\"command\":\"ls\"}",
            "user: tool_result c1 basalt",
        ]
    );
    assert_eq!(verdict(&context), ["recorded"]);
    assert_eq!(context.reply.id.as_deref(), Some("m2"));
    assert_eq!(context.tokens.reported, Some(1000));
    assert_eq!(context.tokens.unexplained, Some(1000 - context.tokens.explained));
    assert_eq!(context.messages[2].blocks[0].name.as_deref(), Some("Bash"));
    assert_eq!(shape(&file.at(2)), ["user: text List the stones"], "any block of a reply names its request");
    assert_eq!(shape(&file.at(0)), ["user: text List the stones"], "a prompt names the request that held it first");
    assert_eq!(file.at(4).reply.id.as_deref(), Some("m2"), "and so does a result");
}

#[test]
fn results_of_calls_that_ran_side_by_side_are_one_message() {
    let context = claude([
        user("u1", None, json!("Go")),
        assistant("a1", "u1", "m1", call("c1", "one")),
        user("r1", Some("a1"), result("c1", "1")),
        assistant("a2", "a1", "m1", call("c2", "two")),
        user("r2", Some("a2"), result("c2", "2")),
        assistant("a3", "r2", "m2", text("Both ran.")),
    ])
    .last();
    assert_eq!(
        shape(&context),
        [
            "user: text Go",
            "assistant: tool_use c1 {\"command\":\"one\"} | tool_use c2 {\"command\":\"two\"}",
            "user: tool_result c1 1 | tool_result c2 2",
        ]
    );
}

#[test]
fn a_turn_that_was_rewound_is_not_sent_and_a_call_without_result_gets_one_that_says_so() {
    let file = claude([
        user("u1", None, json!("First")),
        assistant("a1", "u1", "m1", text("Done.")),
        user("u2", Some("a1"), json!("Wrong way")),
        assistant("a2", "u2", "m2", call("c1", "sleep")),
        user("u3", Some("a1"), json!("Right way")),
        assistant("a3", "u3", "m3", call("c2", "sleep")),
        user("u4", Some("a3"), json!("Go on")),
        assistant("a4", "u4", "m4", text("Yes.")),
    ]);
    let context = file.last();
    assert_eq!(
        shape(&context),
        [
            "user: text First",
            "assistant: text Done.",
            "user: text Right way",
            "assistant: tool_use c2 {\"command\":\"sleep\"}",
            "user: tool_result? c2 (no result is recorded) | text Go on",
        ]
    );
    assert_eq!(verdict(&context), ["approximate", "The exact wording of some blocks isn't recorded; they are marked"]);
    let change = file.at(5).change.expect("a request before");
    assert_eq!((change.previous.id.as_deref(), change.kept, change.added, change.dropped.len()), (Some("m1"), 1, 2, 0));
}

#[test]
fn errors_of_the_api_and_what_only_people_see_are_not_sent_and_meta_messages_are() {
    let failed = json!({"isApiErrorMessage": true});
    let context = claude([
        user("u1", None, json!("Go")),
        with(user("u2", Some("u1"), json!("Base directory for this skill: /s")), json!({"isMeta": true})),
        with(user("u3", Some("u2"), json!("For people")), json!({"isVisibleInTranscriptOnly": true})),
        with(assistant("a1", "u3", "e1", text("API Error: 529")), failed),
        json!({"type": "system", "subtype": "api_error", "uuid": "s1", "parentUuid": "a1"}),
        assistant("a2", "s1", "m1", text("Here.")),
    ])
    .last();
    assert_eq!(shape(&context), ["user: text Go | text Base directory for this skill: /s"]);
    assert_eq!(context.messages[0].blocks[1].part, Part::Injected);
}

#[test]
fn a_sub_agent_has_a_context_of_its_own() {
    let side = |line: Value| with(line, json!({"isSidechain": true}));
    let inner = |line: Value| {
        json!({"type": "progress", "uuid": format!("p-{}", line["uuid"]), "parentUuid": "a1",
        "data": {"type": "agent_progress", "agentId": "x", "message": line}})
    };
    let loose = |mut line: Value| {
        line.as_object_mut().expect("a line").remove("parentUuid");
        line
    };
    let file = claude([
        user("u1", None, json!("Delegate")),
        assistant("a1", "u1", "m1", call("c1", "task")),
        side(user("s1", None, json!("Find it"))),
        side(assistant("s2", "s1", "m2", text("Found."))),
        inner(loose(user("e1", None, json!("Look here")))),
        inner(loose(assistant("e2", "", "m3", text("Seen.")))),
        user("r1", Some("a1"), result("c1", "Found.")),
        assistant("a2", "r1", "m4", text("It is found.")),
    ]);
    let note = "This is the context of a sub-agent: the session's own conversation isn't part of it";
    assert_eq!(shape(&file.at(3)), ["user: text Find it"]);
    assert_eq!(verdict(&file.at(3)), ["recorded", note]);
    assert_eq!(
        shape(&file.last()),
        ["user: text Delegate", "assistant: tool_use c1 {\"command\":\"task\"}", "user: tool_result c1 Found.",]
    );
    let replies = file.transcript().replies();
    let embedded = replies.iter().filter_map(|at| file.transcript().context(Some(at), None));
    assert_eq!(embedded.filter(|it| shape(it) == ["user: text Look here"]).count(), 1);
}

#[test]
fn what_cannot_be_known_is_said() {
    let begins = claude([user("u2", Some("gone"), json!("Go on")), assistant("a1", "u2", "m1", text("Yes."))]).last();
    assert_eq!(
        verdict(&begins),
        ["approximate", "The records begin in the middle of the conversation: what came before isn't known"]
    );
    let mut bare = assistant("a1", "gone", "m1", text("Yes."));
    bare["message"].as_object_mut().expect("a message").retain(|key, _| key != "usage" && key != "model");
    let file = claude([user("u1", None, json!("Go on")), bare]).with_line(1, "{\"type\":\"user\",\"mess");
    assert_eq!(shape(&file.last()), ["user: text Go on"]);
    assert_eq!(
        verdict(&file.last()),
        [
            "approximate",
            "A line names one before it that isn't in the records; the line read before it stands in its place",
            "Lines that can't be read stand among these: 1. What they held isn't known",
            "No tokens were reported for this request, so how many are unexplained isn't known",
            "The records don't name the model",
        ]
    );
    let circle = claude([
        user("u1", Some("u2"), json!("A")),
        user("u2", Some("u1"), json!("B")),
        assistant("a1", "u2", "m", text("C")),
    ]);
    assert_eq!(shape(&circle.last()), ["user: text A | text B"]);
    let orphan = claude([user("u1", None, result("c9", "late")), assistant("a1", "u1", "m1", text("Yes."))]).last();
    assert_eq!(shape(&orphan), [""; 0]);
    assert_eq!(
        verdict(&orphan),
        ["approximate", "The records hold results of calls that aren't in this context; they are left out"]
    );
}

#[test]
fn attachments_are_sent_in_their_own_words_where_these_are_recorded() {
    let attachment = |id: &str, parent: &str, fields: Value| json!({"type": "attachment", "uuid": id, "parentUuid": parent, "version": "2.1.330", "attachment": fields});
    let rendered = json!({"type": "date_change", "rendered": "It is Tuesday.", "renderedRole": "system"});
    let context = claude([
        user("u1", None, json!("Go")),
        attachment("t1", "u1", rendered),
        attachment("t2", "t1", json!({"type": "hook_system_message", "content": "for people"})),
        user("u2", Some("t2"), json!("And hurry")),
        assistant("a1", "u2", "m1", call("c1", "run")),
        user("r1", Some("a1"), result("c1", "ran")),
        attachment("t3", "r1", json!({"type": "queued_command", "prompt": "Stop after that", "commandMode": "prompt"})),
        assistant("a2", "t3", "m2", text("I stop.")),
    ])
    .last();
    assert_eq!(
        shape(&context),
        [
            "user: text Go | text And hurry",
            "system: text It is Tuesday.",
            "assistant: tool_use c1 {\"command\":\"run\"}",
            "user: tool_result c1 ran",
            "system: text? Stop after that",
        ]
    );
    assert_eq!(context.messages[4].blocks[0].part, Part::History);
}

#[test]
fn newer_versions_join_texts_with_a_line_end() {
    let new = |line: Value| with(line, json!({"version": "2.1.197"}));
    let context = claude([
        new(user("u1", None, json!("One"))),
        new(user("u2", Some("u1"), json!("Two"))),
        assistant("a1", "u2", "m1", text("Both.")),
    ])
    .last();
    let contents: Vec<&Value> = context.messages[0].blocks.iter().filter_map(|block| block.content.as_ref()).collect();
    assert_eq!(contents, [&text("One\n"), &text("Two")]);
}

#[test]
fn an_open_prompt_has_the_request_that_would_be_sent() {
    let file = claude([
        user("u1", None, json!("Go")),
        assistant("a1", "u1", "m1", text("Done.")),
        user("u2", Some("a1"), json!("More")),
    ]);
    let context = file.at(2);
    assert_eq!(shape(&context), ["user: text Go", "assistant: text Done.", "user: text More"]);
    assert_eq!(context.reply.id, None);
    assert_eq!(context.reasons[0], "The model hasn't answered this request, as far as the records show");
    assert!(File::of("claude_code", [user("u1", None, json!("Go"))]).transcript().context(None, None).is_none());
}

#[test]
fn what_the_program_answers_in_the_models_place_is_sent_and_an_error_is_not() {
    let synthetic = |id: &str, parent: &str, words: &str, fields: Value| {
        let message = json!({"id": id, "role": "assistant", "model": "<synthetic>", "content": [text(words)]});
        let line =
            json!({"type": "assistant", "uuid": id, "parentUuid": parent, "isSidechain": false, "message": message});
        with(line, fields)
    };
    let file = claude([
        user("u1", None, json!("List the stones")),
        synthetic("e1", "u1", "API Error: Overloaded", json!({"isApiErrorMessage": true})),
        with(user("u2", Some("e1"), json!("Continue from where you left off.")), json!({"isMeta": true})),
        synthetic("f1", "u2", "No response requested.", json!({})),
        user("u3", Some("f1"), json!("And now?")),
        assistant("a1", "u3", "m1", text("Basalt.")),
    ]);
    let context = file.last();
    assert_eq!(
        shape(&context),
        [
            "user: text List the stones | text Continue from where you left off.",
            "assistant: text No response requested.",
            "user: text And now?",
        ]
    );
    assert_eq!(verdict(&context), ["recorded"]);
    assert!(context.change.is_none(), "no model wrote it");
}

/// The notices that an agent was given for its system prompt are in its context, once.
#[test]
fn notices_that_were_given_are_in_the_system_prompt() {
    let file = claude([user("u1", None, json!("Go, it is dirty")), assistant("a1", "u1", "m1", text("Done."))]);
    let given = |notices: &str| file.transcript().context(None, Some(notices)).expect("a reply");
    let context = given("2 files aren't committed");
    let system: Vec<&str> = context.system.iter().map(|block| block.preview.as_str()).collect();
    assert_eq!(system, ["2 files aren't committed"]);
    let reason = "The notices of Verbatim are from its context log: the agent was given them for its system prompt";
    assert_eq!(verdict(&context), ["recorded", reason]);
    assert!(context.unrecorded.contains(&model::model_context::UnrecordedPart::SystemPrompt));
    assert_eq!(given("it is dirty").system, [], "the records have it");
}
