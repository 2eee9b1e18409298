//! The inbox: each request with what it is about, the way to answer it, and what is said where there is none.

use crate::made_up;
use api::messages::{Ask, AskedCall, Asks, Entry};
use app::pages::inbox::{self, InboxPage};
use model::{Draft, Message, MessageId, Micros, Role, Session};
use serde_json::{Value, json};

const HASH: &str = "5ee0000000000000000000000000000000000000000000000000000000000000";

fn sessions() -> Vec<Session> {
    made_up::sessions().list.sessions
}

fn ask(session: &Session, id: &str, metadata: Option<Value>, calls: Vec<AskedCall>) -> Ask {
    let created_at = session.last_activity_at;
    let id = MessageId::parse(format!("{}-{id}", session.id)).expect("an id");
    let mut draft = Draft::text(id, Role::Assistant, "bot", "Which *fence*?", created_at);
    draft.requires_user_input = metadata.is_none();
    draft.metadata = metadata.and_then(|metadata| metadata.as_object().cloned());
    let shown_sha256 = draft.metadata.is_some().then(|| HASH.to_owned());
    let session_id = session.id.clone();
    let message = Message { session_id, seq: 9, revision: 1, draft, records: Vec::new(), received_at: created_at };
    let entry = Entry { shown_sha256, calls, ..Entry::made_up(message) };
    Ask { entry, others: 0, session: Some(session.clone()) }
}

fn permission(title: &str) -> Value {
    let payload = json!({ "kind": "permission", "title": title, "state": "open" });
    json!({ "message_type": "APPROVAL", "version": 1, "payload": payload })
}

fn call(tool: &str, input: Value) -> AskedCall {
    let input = input.as_object().cloned().unwrap_or_default();
    AskedCall::new(MessageId::parse("call").expect("an id"), 7, tool.to_owned(), input)
}

fn page(asks: Vec<Ask>) -> InboxPage {
    let total = Some(asks.len() as i64);
    InboxPage { asks: Asks { asks, total, next: None }, ..made_up::inbox() }
}

/// Returns the HTML of a request's row.
fn row<'h>(html: &'h str, key: &str) -> &'h str {
    let at = html.find(&format!("data-ask=\"{key}\"")).expect("the row");
    let end = html[at..].find("<article data-row=").map_or(html.len(), |end| at + end);
    &html[at..end]
}

#[test]
fn a_request_is_shown_with_its_command_or_its_change_and_answered_in_place() {
    let mut sessions = sessions();
    for session in &mut sessions {
        session.registered = true;
    }
    let run =
        ask(&sessions[0], "run", Some(permission("Run it")), vec![call("Bash", json!({ "command": "rm -rf build" }))]);
    let input =
        json!({ "file_path": "/home/mara/atlas-ui/a.rs", "old_string": "let a = 1;\n", "new_string": "let a = 2;\n" });
    let edit = ask(&sessions[1], "edit", Some(permission("Edit a file")), vec![call("Edit", input)]);
    let words = ask(&sessions[2], "words", None, Vec::new());
    let html = inbox::page(&page(vec![run, edit, words]));
    assert!(html.contains("3 requests of 3 sessions"), "{html}");
    let run = row(&html, "0199-1/9");
    assert!(run.contains("rm -rf build") && run.contains("Allow once") && !run.contains("proposed"), "{run}");
    assert!(run.contains("href=\"/s/0199-1?at=9#m9\">Fix the login race on token refresh</a>"), "{run}");
    // The card's link leads to its session, which this page isn't.
    assert!(run.contains("href=\"/s/0199-1?at=7#m7\""), "{run}");
    // The change is a difference, and its input stands below as the decision covers it.
    let edit = row(&html, "0199-2/9");
    let (diff, card) = edit.split_once("</figure>").expect("the difference");
    assert!(diff.contains("class=\"diff") && diff.contains("<b>a.rs</b>") && diff.contains("+1"), "{edit}");
    assert!(card.contains("old_string") && card.contains("let a = 2;") && card.contains(HASH), "{edit}");
    let words = row(&html, "0199-3/9");
    assert!(words.contains("<em>fence</em>") && words.contains("data-reply=\"0199-3-words\""), "{words}");
    assert!(words.contains("<span class=\"sr\">Your answer</span>") && !words.contains("data-shown"), "{words}");
    assert!(words.contains("<form class=\"dismiss\" data-decide=\"0199-3-words\">"), "{words}");
}

/// Two approvals of one call are two requests, each with its own form.
#[test]
fn two_approvals_of_one_call_are_decided_each_by_itself() {
    let mut session = sessions().remove(0);
    session.registered = true;
    let asked = || vec![call("Bash", json!({ "command": "ls" }))];
    let (first, mut second) = (
        ask(&session, "one", Some(permission("Run")), asked()),
        ask(&session, "two", Some(permission("Run again")), asked()),
    );
    second.entry.message.seq = 10;
    let html = inbox::page(&page(vec![first, second]));
    assert!(row(&html, "0199-1/9").contains("data-decide=\"0199-1-one\""));
    assert!(row(&html, "0199-1/10").contains("data-decide=\"0199-1-two\""));
    assert!(html.contains("<span>2 requests</span>"));
}

/// Nobody gets an answer from a session that is only read.
#[test]
fn what_is_answered_in_a_terminal_says_so() {
    let session = sessions().remove(0);
    let html = inbox::page(&page(vec![ask(&session, "words", None, Vec::new())]));
    assert!(html.contains("Answer it in the agent's terminal") && !html.contains("<textarea"), "{html}");
}

/// Rows that the browser has come without content. A row's sign changes with anything that it shows.
#[test]
fn rows_that_are_known_are_empty() {
    let session = sessions().remove(0);
    let asked = ask(&session, "run", Some(permission("Run it")), Vec::new());
    let sign = |html: &str| {
        let (_, from) = html.split_once("data-sign=\"").expect("a sign");
        from.split_once('"').expect("its end").0.to_owned()
    };
    let html = inbox::list(&page(vec![asked.clone()]));
    let known = [sign(&html)].into();
    let again = inbox::list(&InboxPage { known, ..page(vec![asked.clone()]) });
    assert!(
        again.contains(&format!("<article data-ask=\"0199-1/9\" data-sign=\"{}\"></article>", sign(&html))),
        "{again}"
    );
    let mut changed = asked;
    changed.entry.shown_sha256 = Some("0".repeat(64));
    assert_ne!(sign(&inbox::list(&page(vec![changed]))), sign(&html));
}

#[test]
fn more_requests_and_old_ones_have_their_place() {
    let sessions = sessions();
    let mut old = sessions[1].clone();
    old.last_activity_at = Micros(old.last_activity_at.0 - 48 * 3_600 * Micros::SECOND);
    let asks = vec![
        ask(&sessions[0], "new", Some(permission("Run")), Vec::new()),
        ask(&old, "old", Some(permission("Run")), Vec::new()),
    ];
    let mut data = page(asks);
    (data.asks.total, data.asks.next) = (Some(214), Some("0.9".to_owned()));
    let html = inbox::page(&data);
    let (new, rest) = html.split_once("Quiet for more than a day").expect("the heading");
    assert!(new.contains("data-ask=\"0199-1/9\"") && rest.contains("data-ask=\"0199-2/9\""));
    assert!(html.contains("2 of 214 shown") && html.contains("href=\"/inbox?limit=40\""), "{html}");
    data.limit = inbox::MOST;
    assert!(!inbox::page(&data).contains("Show more"));
}

#[test]
fn nothing_needs_the_reader() {
    insta::assert_snapshot!(crate::about(&inbox::page(&made_up::inbox())));
}
