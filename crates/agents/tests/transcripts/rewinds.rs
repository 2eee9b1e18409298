//! Turns that a person rewound, told by the tree of `parentUuid`; and forks of it that are no rewinds.

use crate::lines::{assistant, call, read_lines, result, user};
use crate::support::Last;
use serde_json::{Value, json};

/// A line behind another one, by their numbers; behind none where that is None.
fn behind(parent: Option<usize>, mut line: Value) -> Value {
    line["parentUuid"] = parent.map_or(Value::Null, |n| json!(format!("line-{n}")));
    line
}

/// Returns the contents of the messages that were left behind.
fn left(last: &Last) -> Vec<&str> {
    last.messages.iter().filter(|(_, draft, _)| draft.left_behind).map(|(_, draft, _)| draft.content.as_str()).collect()
}

fn todos(id: &str, items: &[&str]) -> Value {
    let items: Vec<Value> = items.iter().map(|item| json!({ "content": item, "status": "pending" })).collect();
    call(id, "TodoWrite", &json!({ "todos": items }))
}

#[test]
fn turns_that_another_prompt_took_the_place_of_are_left_behind() {
    let mut lines = vec![
        behind(None, user("Build")),
        behind(Some(0), assistant("Built")),
        behind(Some(1), user("Red")),
        behind(Some(2), assistant("It is red")),
        behind(Some(3), user("Stripes")),
        behind(Some(4), assistant("Striped")),
        behind(Some(1), user("Blue")),
        behind(Some(6), assistant("It is blue")),
    ];
    assert_eq!(left(&read_lines(&lines)), ["Red", "It is red", "Stripes", "Striped"]);
    // Again, and the branch is part of what is left behind.
    lines.extend([behind(Some(1), user("Green")), behind(Some(8), assistant("It is green"))]);
    let gone = ["Red", "It is red", "Stripes", "Striped", "Blue", "It is blue"];
    assert_eq!(left(&read_lines(&lines)), gone);
    // The person goes on where the first branch ended.
    lines.push(behind(Some(5), user("Wider stripes")));
    assert_eq!(left(&read_lines(&lines)), ["Blue", "It is blue", "Green", "It is green"]);
}

#[test]
fn a_prompt_that_was_edited_before_its_answer_is_left_behind() {
    let lines = [
        behind(None, user("Build")),
        behind(Some(0), assistant("Built")),
        behind(Some(1), user("A roof, thatched")),
        behind(Some(1), user("A roof, tiled")),
    ];
    assert_eq!(left(&read_lines(&lines)), ["A roof, thatched"]);
}

#[test]
fn what_only_stands_beside_a_prompt_is_no_part_of_the_conversation() {
    // The end of the turn, an attachment and a note stand between the answer and the prompts.
    let duration = json!({ "type": "system", "subtype": "turn_duration", "durationMs": 10 });
    let attachment = json!({ "type": "attachment", "attachment": { "type": "hint", "text": "Mow" } });
    let lines = [
        behind(None, user("Build")),
        behind(Some(0), assistant("Built")),
        behind(Some(1), duration.clone()),
        behind(Some(2), user("Red")),
        behind(Some(3), assistant("It is red")),
        behind(Some(1), attachment.clone()),
        behind(Some(5), user("Blue")),
    ];
    assert_eq!(left(&read_lines(&lines)), ["Red", "It is red", "Mow"]);
    // Without a second prompt they are no branch.
    let lines = [
        behind(None, user("Build")),
        behind(Some(0), assistant("Built")),
        behind(Some(1), duration),
        behind(Some(1), attachment),
        behind(Some(1), user("Blue")),
    ];
    assert!(left(&read_lines(&lines)).is_empty());
}

#[test]
fn forks_by_calls_and_commands_are_no_rewinds() {
    let bash = |id: &str| call(id, "Bash", &json!({ "command": "sow" }));
    let command = user("<command-name>/status</command-name>\n<command-args></command-args>");
    let lines = [
        behind(None, user("Build")),
        behind(Some(0), bash("c1")),
        behind(Some(1), bash("c2")),
        behind(Some(1), result("c1", "a", &Value::Null)),
        behind(Some(2), result("c2", "b", &Value::Null)),
        behind(Some(1), command.clone()),
        behind(Some(1), command),
        behind(Some(4), assistant("Built")),
        behind(Some(7), user("More")),
        behind(Some(8), assistant("Done")),
    ];
    assert!(left(&read_lines(&lines)).is_empty());
    // The tree was cut off, and lines that name none before them are no tree at all.
    let lines = [user("One"), assistant("1"), user("Two")].map(|line| behind(None, line));
    assert!(left(&read_lines(&lines)).is_empty());
    let lines = [behind(Some(90), user("One")), behind(Some(91), user("Two")), behind(Some(90), user("Three"))];
    assert!(left(&read_lines(&lines)).is_empty());
    // A conversation that was cleared goes on behind a hook of its own.
    let hook = || json!({ "type": "progress", "data": { "type": "hook_progress" }, "toolUseID": "hook" });
    let lines = [
        behind(None, hook()),
        behind(Some(0), user("One")),
        behind(Some(1), assistant("1")),
        behind(None, hook()),
        behind(Some(3), user("Two")),
    ];
    assert!(left(&read_lines(&lines)).is_empty());
    // A compaction begins the tree anew, and goes on with the conversation.
    let mut boundary = json!({ "type": "system", "subtype": "compact_boundary", "content": "Compacted" });
    boundary["logicalParentUuid"] = json!("line-1");
    let mut summary = user("What was said");
    summary["isCompactSummary"] = json!(true);
    let lines = [
        behind(None, user("One")),
        behind(Some(0), assistant("1")),
        behind(None, boundary),
        behind(Some(2), summary),
        behind(Some(3), user("Two")),
    ];
    assert!(left(&read_lines(&lines)).is_empty());
}

#[test]
fn what_was_left_behind_is_no_present_state() {
    let lines = [
        behind(None, user("Paint the kennel")),
        behind(Some(0), todos("t1", &["Red"])),
        behind(Some(1), result("t1", "ok", &Value::Null)),
        behind(Some(2), assistant("Planned")),
        behind(Some(3), user("And the door")),
        behind(Some(4), todos("t2", &["Red", "Door", "Hinge"])),
        behind(Some(5), result("t2", "ok", &Value::Null)),
        behind(
            Some(6),
            call("q1", "AskUserQuestion", &json!({ "questions": [{ "question": "Which?", "options": [] }] })),
        ),
        behind(Some(3), user("And the roof")),
    ];
    let last = read_lines(&lines);
    assert_eq!(last.sessions["made"].todos.map(|todos| todos.open), Some(1));
    assert!(last.messages.iter().all(|(_, draft, _)| !draft.requires_user_input));
    assert_eq!(last.sessions["made"].first_prompt.as_deref(), Some("Paint the kennel"));
    // All of it is taken back.
    let lines: Vec<Value> = lines.into_iter().chain([behind(None, user("Paint the barn"))]).collect();
    let last = read_lines(&lines);
    let facts = &last.sessions["made"];
    assert_eq!((facts.first_prompt.as_deref(), facts.restarted), (Some("Paint the barn"), Some(true)));
    assert_eq!(facts.todos.map(|todos| todos.open), Some(0));
    assert_eq!(left(&last).len(), last.messages.len() - 1);
}

#[test]
fn a_call_that_changes_later_stays_left_behind() {
    let launched = json!({ "isAsync": true, "status": "async_launched", "agentId": "a1" });
    let ended = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>";
    let lines = [
        behind(None, user("Build")),
        behind(Some(0), assistant("Built")),
        behind(Some(1), user("Red")),
        behind(Some(2), call("c1", "Task", &json!({ "description": "Paint", "prompt": "Paint" }))),
        behind(Some(3), result("c1", "Launched", &launched)),
        behind(Some(1), user("Blue")),
        behind(Some(5), user(ended)),
    ];
    let last = read_lines(&lines);
    let (_, call, _) = last.messages.iter().find(|(_, draft, _)| draft.id.as_str() == "c1").expect("the call");
    assert!(call.left_behind);
    assert_eq!(call.metadata.as_ref().expect("metadata")["payload"]["task_status"], "completed");
}
