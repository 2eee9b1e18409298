//! Prompts typed while the agent works: shown once each.

use crate::lines::{assistant, call, enqueue, message, queue, read_lines, user};
use crate::support::Last;
use model::Role;
use model::policy::{Display, display};
use serde_json::{Value, json};

const EVENT: &str = r#"{"task_id":"b1","tool_use_id":"c1","description":"Grind"}"#;
const NOTIFICATION: &str = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n\
    <summary>Background command \"Grind\" completed (exit code 0)</summary>\n</task-notification>";

fn bash() -> Value {
    call("c1", "Bash", &json!({ "command": "make flour" }))
}

/// Returns the messages of people, in order.
fn said(last: &Last) -> Vec<&str> {
    let people = last.messages.iter().map(|(_, draft, _)| draft).filter(|draft| draft.role == Role::User);
    people.map(|draft| draft.content.as_str()).collect()
}

#[test]
fn a_prompt_that_the_running_turn_takes_is_shown_where_it_was_taken() {
    let last = read_lines(&[
        user("Mow the field"),
        bash(),
        enqueue("And the meadow?"),
        assistant("Mowing."),
        queue("remove"),
        assistant("The meadow as well."),
    ]);
    assert_eq!(said(&last), ["Mow the field", "And the meadow?"]);
    let order: Vec<&str> = last.messages.iter().map(|(_, draft, _)| draft.content.as_str()).collect();
    assert_eq!(order[2..], ["Queued: And the meadow?", "Mowing.", "And the meadow?", "The meadow as well."]);
    let (_, taken, spans) = &last.messages[4];
    assert_eq!(display(taken), Display::Shown);
    assert_eq!(taken.run_id.as_deref(), Some("line-0"), "it steers the run that is under way");
    assert_eq!(spans.len(), 2, "the words are in the line of the queueing");
    assert_eq!(taken.metadata.as_ref().expect("metadata")["queued"]["at"], 1_772_355_602_000_000_i64);
}

#[test]
fn a_prompt_that_begins_a_turn_is_shown_by_its_user_line() {
    let last = read_lines(&[
        user("Mow the field"),
        assistant("Done."),
        enqueue("And the meadow?"),
        queue("dequeue"),
        user("And the meadow?"),
        assistant("As well."),
    ]);
    assert_eq!(said(&last), ["Mow the field", "And the meadow?"]);
}

#[test]
fn removals_at_the_end_of_a_turn_clear_events_and_take_no_prompt() {
    let lines = [
        user("Mow the field"),
        enqueue(EVENT),
        bash(),
        enqueue("And the meadow?"),
        enqueue(EVENT),
        queue("remove"),
        queue("remove"),
        queue("dequeue"),
    ];
    let user_line = [user("And the meadow?"), assistant("As well.")];
    assert_eq!(said(&read_lines(&lines)), ["Mow the field"]);
    assert_eq!(said(&read_lines(&[&lines[..], &user_line].concat())), ["Mow the field", "And the meadow?"]);
}

#[test]
fn events_and_notifications_are_no_prompts() {
    let last = read_lines(&[
        user("Mow the field"),
        bash(),
        enqueue(EVENT),
        enqueue(NOTIFICATION),
        enqueue(
            "<agent-notification>\n<agent-id>a1</agent-id>\n<summary>Agent \"Mow\" completed.</summary>\n</agent-notification>",
        ),
        queue("remove"),
        queue("remove"),
        queue("remove"),
        assistant("Done."),
    ]);
    assert_eq!(said(&last), ["Mow the field"]);
}

#[test]
fn an_attachment_before_or_behind_the_removal_shows_the_prompt_alone() {
    let attachment = || {
        let inner = json!({ "type": "queued_command", "prompt": "And the meadow?", "commandMode": "prompt" });
        json!({ "type": "attachment", "attachment": inner })
    };
    for given in [[attachment(), queue("remove")], [queue("remove"), attachment()]] {
        let begin = [user("Mow the field"), bash(), enqueue("And the meadow?")];
        let last = read_lines(&[&begin[..], &given, &[assistant("As well.")]].concat());
        assert_eq!(said(&last), ["Mow the field", "And the meadow?"]);
    }
}

#[test]
fn the_same_words_later_are_another_prompt() {
    let last = read_lines(&[
        user("Mow the field"),
        bash(),
        enqueue("Go on"),
        queue("remove"),
        assistant("Going on."),
        user("Go on"),
    ]);
    assert_eq!(said(&last), ["Mow the field", "Go on", "Go on"]);
}

#[test]
fn a_queue_that_is_taken_back_was_never_sent() {
    let last = read_lines(&[user("Mow"), bash(), enqueue("And the meadow?"), queue("popAll"), queue("remove")]);
    assert_eq!(said(&last), ["Mow"]);
}

#[test]
fn a_notification_that_wakes_the_agent_is_shown_with_its_command() {
    let started = json!({ "stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1" });
    let last = read_lines(&[
        user("Grind"),
        call("c1", "Bash", &json!({ "command": "make flour", "description": "Grind", "run_in_background": true })),
        crate::lines::result("c1", "Command running in background with ID: b1", &started),
        assistant("It runs."),
        enqueue(NOTIFICATION),
        queue("dequeue"),
        user(NOTIFICATION),
        assistant("The flour is there."),
    ]);
    let woke = message(&last, "line-6");
    assert_eq!(display(woke), Display::Shown);
    assert_eq!(woke.content, "Background command \"Grind\" completed (exit code 0)");
    let fields = &woke.metadata.as_ref().expect("metadata")["task_notification"];
    assert_eq!((&fields["status"], &fields["command"]), (&json!("completed"), &json!("make flour")));
    assert_eq!(message(&last, "line-7").run_id.as_deref(), Some("line-6"));
}

#[test]
fn the_first_prompt_is_the_first_that_says_something() {
    let first = |lines: &[Value]| read_lines(lines).sessions["made"].first_prompt.clone();
    let clear = || user("<command-name>/clear</command-name>\n<command-args></command-args>");
    assert_eq!(first(&[clear()]).as_deref(), Some("/clear"));
    assert_eq!(first(&[clear(), user("9")]).as_deref(), Some("9"));
    assert_eq!(first(&[user("continue"), user("Mow the field")]).as_deref(), Some("Mow the field"));
    assert_eq!(first(&[user("181"), clear(), user("/compact")]).as_deref(), Some("181"));
    assert_eq!(
        first(&[user("9"), user("Mow the field"), user("And then the meadow")]).as_deref(),
        Some("Mow the field")
    );
    assert_eq!(first(&[user("/home/ada/mill is a mess"), user("Mow")]).as_deref(), Some("/home/ada/mill is a mess"));
}

/// A removal that says what it removed, as newer versions do.
fn absorbed(text: &str) -> Value {
    let reason = "absorbed_mid_turn";
    json!({ "type": "queue-operation", "operation": "remove", "content": text, "reason": reason })
}

fn given(text: &str, mode: &str) -> Value {
    let inner = json!({ "type": "queued_command", "prompt": text, "commandMode": mode, "source_uuid": "c-1" });
    json!({ "type": "attachment", "attachment": inner })
}

#[test]
fn a_removal_that_names_a_prompt_takes_that_one() {
    let begin = [user("Mow the field"), bash(), enqueue("/srv/fields.pdf"), enqueue("With the scythe")];
    let end = [assistant("With the scythe."), queue("dequeue"), user("/srv/fields.pdf"), assistant("Read.")];
    for taken in [
        vec![absorbed("With the scythe")],
        vec![absorbed("With the scythe"), given("With the scythe", "prompt")],
        vec![given("With the scythe", "prompt"), absorbed("With the scythe")],
    ] {
        let last = read_lines(&[&begin[..], &taken, &end].concat());
        assert_eq!(said(&last), ["Mow the field", "With the scythe", "/srv/fields.pdf"]);
    }
    // The line that queued it isn't in the file.
    let last = read_lines(&[user("Mow"), bash(), absorbed("With the scythe"), assistant("So be it.")]);
    assert_eq!(said(&last), ["Mow", "With the scythe"]);
}

#[test]
fn a_removal_that_names_a_command_takes_what_the_attachment_shows() {
    let removal = || json!({ "type": "queue-operation", "operation": "remove", "reason": "absorbed_mid_turn", "commandUuid": "c-1" });
    let begin = [user("Mow"), bash(), enqueue("Then rest"), enqueue("With the scythe"), enqueue(NOTIFICATION)];
    let end = [assistant("Mowing."), queue("dequeue"), user("Then rest")];
    for order in [[removal(), given("With the scythe", "prompt")], [given("With the scythe", "prompt"), removal()]] {
        let last = read_lines(&[&begin[..], &order, &end].concat());
        assert_eq!(said(&last), ["Mow", "With the scythe", "Then rest"]);
    }
    for order in
        [[removal(), given(NOTIFICATION, "task-notification")], [given(NOTIFICATION, "task-notification"), removal()]]
    {
        let last = read_lines(&[&begin[..], &order, &end].concat());
        assert_eq!(said(&last), ["Mow", "Then rest"]);
    }
}

#[test]
fn what_is_removed_undelivered_was_not_said() {
    let begin = [user("Mow"), bash(), enqueue("Then rest"), enqueue(NOTIFICATION)];
    let end = [assistant("Mowed."), queue("dequeue"), user("Then rest"), assistant("Resting.")];
    let removals = [
        json!({ "type": "queue-operation", "operation": "remove", "content": NOTIFICATION }),
        json!({ "type": "queue-operation", "operation": "remove", "content": NOTIFICATION, "reason": "undelivered" }),
        json!({ "type": "queue-operation", "operation": "remove", "reason": "undelivered" }),
        // Older versions don't say what they removed: the turn that begins with the prompt does.
        queue("remove"),
    ];
    for removal in removals {
        let last = read_lines(&[&begin[..], &[removal], &end].concat());
        assert_eq!(said(&last), ["Mow", "Then rest"]);
        assert_eq!(message(&last, "line-7").role, Role::User, "where its own line stands");
    }
    let taken_back =
        json!({ "type": "queue-operation", "operation": "remove", "content": "Then rest", "reason": "cancelled" });
    let last = read_lines(&[&begin[..], &[taken_back, assistant("Mowed.")]].concat());
    assert_eq!(said(&last), ["Mow"]);
}
