//! Who else speaks in the user's role: other agents, other sessions, channels.

use crate::lines::{assistant, enqueue, queue, read_lines, user};
use crate::support::Last;
use model::policy::{Display, display};
use model::{Draft, Role};
use serde_json::{Value, json};

const BUILD: &str = "Build the boat";
const SCOUT: &str = "<teammate-message teammate_id=\"scout\" color=\"blue\" summary=\"Wood\">\nThe wood is **dry**.\n</teammate-message>";
const IDLE: &str = "<teammate-message teammate_id=\"tester\">\n{\"type\":\"idle_notification\",\"from\":\"tester\",\"idleReason\":\"available\"}\n</teammate-message>";
const NOTICE: &str = "This came from another Claude session, not from your user.";

/// Whose message it is, and its words. All of them are shown, and none is a person's.
fn others(last: &Last) -> Vec<(&str, &str)> {
    let named = |draft: &&Draft| draft.sender_name.is_some();
    let drafts: Vec<&Draft> = last.messages.iter().map(|(_, draft, _)| draft).filter(named).collect();
    assert!(drafts.iter().all(|draft| draft.role == Role::System));
    let shown = drafts.into_iter().filter(|draft| display(draft) == Display::Shown);
    shown.map(|draft| (draft.sender_name.as_deref().unwrap_or_default(), draft.content.as_str())).collect()
}

#[track_caller]
fn check(line: Value, expected: &[(&str, &str)]) {
    let last = read_lines(&[line, user(BUILD), assistant("Building.")]);
    assert_eq!(others(&last), expected);
    assert_eq!(last.sessions["made"].first_prompt.as_deref(), Some(BUILD));
    let people = last.messages.iter().filter(|(_, draft, _)| draft.role == Role::User).count();
    assert_eq!(people, 1, "the person said one thing");
}

#[test]
fn a_teammate_is_named() {
    let words = ("scout", "The wood is **dry**.");
    check(user(SCOUT), &[words]);
    check(user(&format!("Another Claude session sent a message:\n{SCOUT}\n\n{NOTICE}")), &[words]);
    check(user(&format!("{IDLE}\n\n{SCOUT}\n{SCOUT}")), &[words, words]);
    check(json!({ "type": "user", "message": { "content": [{ "type": "text", "text": SCOUT }] } }), &[words]);
    check(user("<teammate-message teammate_id=\"scout\">cut of"), &[("scout", "cut of")]);
}

#[test]
fn messages_between_programs_are_words_where_they_have_some() {
    check(user(IDLE), &[]);
    let message = |body: &str| user(&format!("<teammate-message teammate_id=\"lead\">\n{body}\n</teammate-message>"));
    check(
        message(r#"{"type":"task_assignment","taskId":"2","subject":"Caulk","description":"The seams."}"#),
        &[("lead", "Task assignment: Caulk\n\nThe seams.")],
    );
    check(message(r#"{"type":"shutdown_approved","requestId":"1"}"#), &[("lead", "Shutdown approved")]);
    check(message(r#"{"no":"type"}"#), &[("lead", r#"{"no":"type"}"#)]);
}

#[test]
fn other_sessions_and_channels_are_named() {
    let cross = "<cross-session-message from=\"uds:/tmp/1.sock\" from-name=\"harbour &amp; co\">\nHigh tide.\n</cross-session-message>";
    check(user(cross), &[("harbour & co", "High tide.")]);
    let channel = "<channel source=\"plugin:chat\" sender=\"ada\">Ship it</channel>";
    check(user(channel), &[("ada", "Ship it")]);
    let mut plain = user("High tide.");
    plain["origin"] = json!({ "kind": "peer", "from": "harbour-7" });
    check(plain, &[("harbour-7", "High tide.")]);
}

#[test]
fn what_comes_in_during_a_turn_is_named_as_well() {
    let words = ("scout", "The wood is **dry**.");
    let attachment = |inner: Value| json!({ "type": "attachment", "attachment": inner });
    let command =
        json!({ "type": "queued_command", "prompt": SCOUT, "commandMode": "prompt", "origin": { "kind": "peer" } });
    check(attachment(command.clone()), &[words]);
    let text = "The wood is **dry**.";
    check(attachment(json!({ "type": "teammate_mailbox", "messages": [{ "from": "scout", "text": text }] })), &[words]);
    let last = read_lines(&[user(BUILD), enqueue(SCOUT), queue("remove"), attachment(command), assistant("Good.")]);
    assert_eq!(others(&last), [words]);
    assert_eq!(last.messages.iter().filter(|(_, draft, _)| draft.role == Role::User).count(), 1);
}

#[test]
fn a_person_may_write_about_such_messages() {
    for text in
        ["What does <teammate-message teammate_id=\"x\"> mean?", "<commit-message>Fix</commit-message>", "<channel>"]
    {
        let last = read_lines(&[user(text)]);
        assert_eq!((last.messages[0].1.role, last.messages[0].1.content.as_str()), (Role::User, text));
    }
}
