//! Prompts that a person typed while the agent worked.

use crate::claude::{assistant, call, result, text, user, with};
use crate::{File, shape, verdict};
use serde_json::{Value, json};

fn queue(operation: &str, fields: Value) -> Value {
    with(json!({"type": "queue-operation", "operation": operation, "sessionId": "mill"}), fields)
}

fn begins() -> Vec<Value> {
    vec![
        user("u1", None, json!("Grind")),
        assistant("a1", "u1", "m1", call("c1", "make")),
        queue("enqueue", json!({"content": "Coarsely, please"})),
        user("r1", Some("a1"), result("c1", "done")),
    ]
}

fn file(more: Vec<Value>) -> File {
    File::of("claude_code", begins().into_iter().chain(more))
}

const GIVEN: [&str; 3] = [
    "user: text Grind",
    "assistant: tool_use c1 {\"command\":\"make\"}",
    "user: tool_result c1 done | text? Coarsely, please",
];

#[test]
fn a_removal_gives_the_prompt_to_the_next_request_where_no_line_repeats_it() {
    let file = file(vec![
        queue("remove", json!({})),
        assistant("a2", "r1", "m2", call("c2", "make coarse")),
        user("r2", Some("a2"), result("c2", "coarse")),
        assistant("a3", "r2", "m3", text("Ground.")),
    ]);
    let context = file.at(5);
    assert_eq!(shape(&context), GIVEN);
    assert_eq!(verdict(&context), ["approximate", "The exact wording of some blocks isn't recorded; they are marked"]);
    let block = &context.messages[2].blocks[1];
    assert_eq!((block.added, block.records.len()), (true, 2), "the removal, and the line with the words");
    assert_eq!(shape(&file.last())[..3], GIVEN, "it stays in the conversation");
    for line in [2, 4] {
        assert_eq!(file.at(line).reply.id.as_deref(), Some("m2"), "either line names the request that held it first");
    }
}

#[test]
fn a_prompt_that_begins_a_turn_stands_there_once() {
    let file = file(vec![
        assistant("a2", "r1", "m2", text("Ground.")),
        queue("dequeue", json!({})),
        user("u2", Some("a2"), json!("Coarsely, please")),
        assistant("a3", "u2", "m3", text("Again then.")),
    ]);
    assert_eq!(
        shape(&file.last()),
        [
            "user: text Grind",
            "assistant: tool_use c1 {\"command\":\"make\"}",
            "user: tool_result c1 done",
            "assistant: text Ground.",
            "user: text Coarsely, please",
        ]
    );
    assert_eq!(verdict(&file.last()), ["recorded"]);
}

#[test]
fn an_attachment_that_repeats_it_stands_for_it() {
    let given = |parent: &str| {
        json!({"type": "attachment", "uuid": "q1", "parentUuid": parent, "isSidechain": false, "version": "2.1.150",
            "attachment": {"type": "queued_command", "prompt": "Coarsely, please", "source_uuid": "k1"}})
    };
    for lines in [
        vec![queue("remove", json!({})), given("r1")],
        vec![given("r1"), queue("remove", json!({"commandUuid": "k1", "reason": "absorbed_mid_turn"}))],
    ] {
        let more = lines.into_iter().chain([assistant("a2", "q1", "m2", text("Ground."))]).collect();
        assert_eq!(shape(&file(more).last()), GIVEN);
    }
}

#[test]
fn what_was_taken_back_is_not_sent() {
    for operation in [queue("popAll", json!({})), queue("remove", json!({"reason": "cancelled"}))] {
        let context = file(vec![operation, assistant("a2", "r1", "m2", text("Ground."))]).last();
        assert_eq!(shape(&context)[2], "user: tool_result c1 done");
        assert_eq!(verdict(&context), ["recorded"]);
    }
}

#[test]
fn it_goes_with_a_turn_that_was_rewound_and_into_the_summary_of_a_compaction() {
    let rewound = file(vec![
        queue("remove", json!({})),
        assistant("a2", "r1", "m2", text("Ground.")),
        user("u2", None, json!("Grind by hand")),
        assistant("a3", "u2", "m3", text("By hand.")),
    ]);
    assert_eq!(shape(&rewound.last()), ["user: text Grind by hand"]);
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": null,
        "logicalParentUuid": "a2", "isSidechain": false});
    let summary = with(user("s1", Some("b1"), json!("It was ground coarsely")), json!({"isCompactSummary": true}));
    let compacted = file(vec![
        queue("remove", json!({})),
        assistant("a2", "r1", "m2", text("Ground.")),
        boundary,
        summary,
        assistant("a3", "s1", "m3", text("Go on.")),
    ]);
    assert_eq!(shape(&compacted.last()), ["user: text It was ground coarsely"]);
}
