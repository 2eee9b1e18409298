//! States in cards: questions and their answers, files, lists, calls, and the contents of the record.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
mod gallery;

use api::messages::Entry;
use api::net::NetFile;
use api::type_settings::TypeSettings;
use app::message::code_review::reviewed::{Reviewed, ReviewedLines};
use app::message_renderer::render_article;
use app::transcript::{Detail, TranscriptOptions};
use model::message_type::code_review::CodeReview;
use model::{MessageId, Role};
use serde_json::{Value, json};
use std::sync::Arc;

fn options() -> TranscriptOptions {
    let mut options = TranscriptOptions::new(gallery::session(), 99, gallery::NOW);
    options.children = gallery::children();
    options.newest_todo =
        gallery::entries().iter().rev().find(|e| e.message.draft.id.as_str() == "todo").map(|e| e.message.seq);
    options
}

fn approval(name: &str, payload: Value) -> String {
    let metadata = json!({ "message_type": "APPROVAL", "version": 1, "payload": payload });
    let options = TranscriptOptions { answers: true, ..options() };
    render_article(&gallery::entry(name, Role::Assistant, "bot", "", metadata), &options)
}

/// The way back: cards become the text of their content, and what waits for a person keeps its buttons.
#[test]
fn a_type_is_drawn_as_text_while_that_is_switched_off() {
    let plain = |types: &[&str]| TypeSettings {
        plain: types.iter().map(|tag| (*tag).to_owned()).collect(),
        ..TypeSettings::default()
    };
    let draw = |entry: &Entry, types: &[&str]| {
        let options =
            TranscriptOptions { plain: Arc::new(plain(types)), newest_todo: None, answers: true, ..options() };
        render_article(entry, &options)
    };
    let todos = json!({ "todos": [{ "id": "1", "content": "Mill", "status": "pending" }] });
    let metadata = json!({ "message_type": "TODO", "version": 1, "payload": todos });
    let todo = gallery::entry("plain-todo", Role::Assistant, "bot", "Todos:\n\n- [ ] **Mill**", metadata);
    let (card, text) = (draw(&todo, &["CODE_EDIT"]), draw(&todo, &["*"]));
    assert!(card.contains("class=\"card plan"), "{card}");
    assert!(!text.contains("card plan") && text.contains("<strong>Mill</strong>"), "{text}");
    assert!(text.contains("data-type=\"TODO\""), "it is what it was");
    let open = json!({ "kind": "permission", "title": "Run it?", "state": "open" });
    let metadata = json!({ "message_type": "APPROVAL", "version": 1, "payload": open });
    let approval = gallery::entry("plain-approval", Role::Assistant, "bot", "Run it?", metadata);
    assert!(draw(&approval, &["*"]).contains("class=\"card approval"), "{}", draw(&approval, &["*"]));
}

#[test]
fn an_answered_question_is_told_in_its_line() {
    let question = json!({ "question": "Which wallet?", "options": [] });
    let decided = |name: &str, questions: Value, text: &str| {
        let decision = json!({ "state": "answered", "text": text });
        approval(
            name,
            json!({ "kind": "question", "title": "Which wallet?", "questions": questions, "state": "answered", "decision": decision }),
        )
    };
    let told =
        "<span class=\"told\"><span class=\"asked\">Which wallet?</span><span class=\"said\">→ Any</span></span>";
    let line = decided("q1", json!([question]), "Any");
    assert!(line.contains(told) && !line.contains("<details"), "{line}");
    // Text that its lines have no room for, and the other options, are unfolded.
    let long = decided("q2", json!([question]), &"Any of them. ".repeat(20));
    let chosen =
        decided("q3", json!([{ "question": "Which wallet?", "options": [{ "id": "a", "label": "Any" }] }]), "Any");
    assert!(long.contains("<details") && chosen.contains("<details") && chosen.contains(told), "{long}{chosen}");
}

/// The record has all that a transcript's agent was told; our `context` is about prompts that we build.
#[test]
fn of_a_transcript_the_record_is_told_and_not_our_context() {
    let drawn = |observed: bool, record: Option<&str>| {
        let mut entry = gallery::entry("meta-line", Role::System, "meta", "Reply in French", Value::Null);
        entry.message.draft.context = model::Context::None;
        entry.message.draft.origin.record = record.map(str::to_owned);
        entry.message.draft.id = MessageId::parse(format!("meta-{observed}-{}", record.is_some())).expect("an id");
        if observed {
            let source = model::SourceId::parse("source-1").expect("an id");
            entry.message.records = vec![model::RecordRef { source, offset: 0, len: 10 }];
        }
        render_article(&entry, &TranscriptOptions { dev: true, ..options() })
    };
    let observed = drawn(true, Some("user"));
    assert!(observed.contains("recorded as user"), "{observed}");
    assert!(!observed.contains("not told") && !observed.contains("context none"), "{observed}");
    let unknown = drawn(true, None);
    assert!(!unknown.contains("not told") && !unknown.contains("context none"), "{unknown}");
    let posted = drawn(false, None);
    assert!(posted.contains("not told to the agent") && posted.contains("context none"), "{posted}");
}

/// A question of a transcript's agent can't be answered here: the card says where it can.
#[test]
fn an_open_question_of_a_transcript_says_where_it_is_answered() {
    let mut entry = gallery::entry(
        "observed-question",
        Role::Assistant,
        "bot",
        "",
        json!({
            "message_type": "APPROVAL", "version": 1,
            "payload": { "kind": "question", "title": "Which fence?", "questions": [], "state": "open" },
        }),
    );
    let source = model::SourceId::parse("source-1").expect("an id");
    entry.message.records = vec![model::RecordRef { source, offset: 0, len: 10 }];
    let html = render_article(&entry, &options());
    // Nothing is answered here; it can be dismissed.
    assert!(html.contains("Answer it in the agent") && !html.contains("data-shown"), "{html}");
    assert_eq!((html.matches("<button type=\"submit\"").count(), html.matches("value=\"cancelled\"").count()), (1, 1));
}

/// Each answer stands under its question, and what answers none of them below.
#[test]
fn answers_stand_under_their_questions() {
    let questions = json!([
        { "question": "What name?", "header": "Name", "options": [{ "id": "1-1", "label": "Lark" }] },
        { "question": "Which colours?", "header": "Colours", "multi_select": true,
          "options": [{ "id": "2-1", "label": "Red" }, { "id": "2-2", "label": "Green" }] },
    ]);
    let decision = json!({ "state": "answered", "selected": ["2-1"], "text": "Kite\nviolet, please", "answers": [
        { "question": "What name?", "text": "Kite" },
        { "question": "Which colours?", "selected": ["2-1"], "text": "violet, please", "note": "Not the mast" },
        { "question": "And the string?", "text": "Long" },
    ] });
    let entry = gallery::entry(
        "several-answers",
        Role::Assistant,
        "bot",
        "",
        json!({
            "message_type": "APPROVAL", "version": 1,
            "payload": { "kind": "question", "title": "What name?", "questions": questions, "state": "answered", "decision": decision },
        }),
    );
    let line = render_article(&entry, &options());
    assert!(line.contains("(and 1 more)"), "{line}");
    assert!(line.contains("Name: Kite; Colours: Red, violet, please (Not the mast)"), "{line}");
    let html = render_article(&entry, &TranscriptOptions { detail: Detail::Unfolded, ..options() });
    let body = html.split("</summary>").nth(1).expect("a body");
    let at = |words: &str| body.find(words).unwrap_or_else(|| panic!("{words}: {body}"));
    let order =
        ["Lark", "Kite", "Which colours?", "Green", "violet, please", "Not the mast", "And the string?", "Long"];
    let places: Vec<usize> = order.iter().map(|words| at(words)).collect();
    assert!(places.is_sorted(), "{places:?} {body}");
}

/// A result without a word may hold a picture.
#[test]
fn a_result_that_is_a_picture_is_no_empty_one() {
    let drawn = |name: &str, files: i64| {
        let entry = gallery::entry(
            name,
            Role::Assistant,
            "bot",
            "",
            json!({
                "message_type": "TOOL_CALL", "version": 1,
                "payload": { "tool_name": "Read", "input": { "file_path": "/a/logo.png" }, "state": "done", "output": "", "files": files },
            }),
        );
        render_article(&entry, &TranscriptOptions { detail: Detail::Unfolded, ..options() })
    };
    assert!(drawn("no-picture", 0).contains("No output"));
    let html = drawn("a-picture", 1);
    assert!(!html.contains("No output") && html.contains("1 file, shown below"), "{html}");
}

/// Buttons of files can be pressed while an agent listens; then the card says which one was.
#[test]
fn files_have_buttons_until_one_is_pressed() {
    let file = |name: &str| {
        let actions = json!([{"id": "keep", "label": "Keep"}, {"id": "drop", "label": ""}]);
        json!({"name": name, "mime": "text/plain", "size": 5, "state": "ready", "actions": actions})
    };
    let payload = json!({"files": [file("a.txt"), file("b.txt")]});
    let draw = |name: &str, chosen: Value, answers: bool| {
        let metadata = json!({"message_type": "FILE", "version": 1, "payload": payload, "chosen": chosen});
        let mut entry = gallery::entry(name, Role::Assistant, "bot", "", metadata);
        entry.shown_sha256 = Some("seen".to_owned());
        render_article(&entry, &TranscriptOptions { answers, ..options() })
    };
    let buttons = |html: &str| {
        let values = html.split("<button type=\"submit\"").skip(1).filter_map(|tag| tag.split_once("value=\""));
        values.filter_map(|(_, rest)| rest.split('"').next()).map(str::to_owned).collect::<Vec<_>>()
    };
    let open = draw("b1", Value::Null, true);
    assert_eq!(buttons(&open), ["0:keep", "0:drop", "1:keep", "1:drop"]);
    assert!(open.contains("data-decide=\"b1\"") && open.contains("data-shown=\"seen\""), "{open}");
    assert!(open.contains("aria-label=\"Actions for a.txt\"") && !open.contains(" disabled"), "{open}");
    let pressed =
        draw("b2", json!([{"file": 1, "action": "keep", "at": 1}, {"file": 0, "action": "burn", "at": 1}, 7]), true);
    assert_eq!(buttons(&pressed), ["0:keep", "0:drop"]);
    assert!(pressed.contains("Selected: <b>Keep</b>"), "{pressed}");
    assert_eq!(draw("b3", Value::Null, false).matches(" disabled").count(), 4);
}

/// Comments of a review stand by their weight, with the buttons that answer them while an agent listens.
#[test]
fn a_review_shows_its_comments_the_heaviest_first() {
    let comment = |severity: &str, line: u32| json!({"side": "new", "start_line": line, "severity": severity, "body": format!("About {line}")});
    let mut heavy = comment("blocker", 7);
    heavy["suggestion"] = json!("    let b = 2;");
    let comments = json!([comment("nit", 3), heavy, comment("major", 9)]);
    let metadata = json!({"message_type": "CODE_REVIEW", "version": 1,
        "payload": {"file_path": "/home/mara/lantern/src/a.rs", "comments": comments},
        "review_info": {"0": {"state": "resolved", "at": 1}, "7": {"state": "accepted", "at": 1}}});
    let draw = |answers: bool, lines: Option<ReviewedLines>| {
        let mut entry = gallery::entry("review", Role::Assistant, "bot", "", metadata.clone());
        entry.shown_sha256 = Some("seen".to_owned());
        let reviewed = lines.map(|about| Reviewed {
            path: Some("/home/mara/lantern/src/a.rs".to_owned()),
            lines: vec![ReviewedLines::default(), about, ReviewedLines::default()],
        });
        let reviews = Arc::new(reviewed.map(|reviewed| (entry.message.seq, reviewed)).into_iter().collect());
        render_article(&entry, &TranscriptOptions { answers, reviews, ..options() })
    };
    let buttons = |html: &str| {
        let values = html.split("<button type=\"submit\"").skip(1).filter_map(|tag| tag.split_once("value=\""));
        values.filter_map(|(_, rest)| rest.split('"').next()).map(str::to_owned).collect::<Vec<_>>()
    };
    let open = draw(true, None);
    assert_eq!(buttons(&open), ["1:accept", "1:resolve", "2:resolve", "0:reopen"]);
    let (_, card) = open.split_once("<details").expect("a card");
    let at = |words: &str| card.find(words).unwrap_or_else(|| panic!("{words}: {open}"));
    let order = ["1 blocker", "1 major", "1 nit", "2 open", "About 7", "About 9", "Resolved", "About 3"];
    assert!(order.map(at).is_sorted(), "{open}");
    assert!(open.contains("<figure class=\"codeblock") && open.contains(":R7\""), "{open}");
    assert!(buttons(&draw(false, None)).is_empty());
    let quote = Some("    let a = 2;".to_owned());
    let compared = draw(true, Some(ReviewedLines { quote: quote.clone(), outdated: false }));
    assert!(compared.contains("<del class=\"l\"") && compared.contains(":R7~"), "{compared}");
    let outdated = draw(true, Some(ReviewedLines { quote, outdated: true }));
    assert!(outdated.contains("Outdated") && !buttons(&outdated).contains(&"1:accept".to_owned()), "{outdated}");
}

/// A review of ten thousand comments is cut, and all of it can be read as text.
#[test]
fn a_long_review_is_cut() {
    let comments: Vec<Value> =
        (1..=10_000).map(|line| json!({"side": "new", "start_line": line, "severity": "nit", "body": "x"})).collect();
    let metadata =
        json!({"message_type": "CODE_REVIEW", "version": 1, "payload": {"file_path": "a.rs", "comments": comments}});
    let entry = gallery::entry("long-review", Role::Assistant, "bot", "", metadata);
    let draw = |detail| render_article(&entry, &TranscriptOptions { detail, ..options() });
    let found = |html: &str| html.matches("class=\"finding\"").count();
    let first = draw(Detail::Glance);
    assert_eq!((found(&first), first.contains("Show 9,970 more comments")), (30, true));
    let whole = draw(Detail::Whole);
    assert_eq!((found(&whole), whole.contains("8,000 more comments: open the full text")), (2_000, true));
}

/// The facts about commented lines: their text at the time of the comment, and whether it is still the same.
#[test]
fn lines_of_a_review_are_outdated_when_an_edit_changed_them() {
    let file = |parts: Value| -> NetFile {
        serde_json::from_value(json!({"path": "/p/a.rs", "change": "Modified", "added": 1, "removed": 1, "changes": 1,
            "hash": "h", "broken": false, "edits": [], "texts": {"parts": parts, "patches": []}}))
        .expect("a file")
    };
    let part =
        |new: &str, first: u32| json!([{"old": "before\n", "new": new, "first_line": [first, first], "whole": false}]);
    let review = |line: u32| -> CodeReview {
        serde_json::from_value(
            json!({"file_path": "a.rs", "comments": [{"start_line": line, "severity": "nit", "body": "b"}]}),
        )
        .expect("a review")
    };
    let then = file(part("one\ntwo\nthree\n", 10));
    let known = |line: u32, now: Option<NetFile>| {
        let found = Reviewed::of(&review(line), Some(&then), now.as_ref());
        assert_eq!(found.path.as_deref(), Some("/p/a.rs"));
        let [lines] = <[_; 1]>::try_from(found.lines).expect("one");
        (lines.quote, lines.outdated)
    };
    let two = || Some("two".to_owned());
    assert_eq!(known(11, None), (two(), false));
    assert_eq!(known(11, Some(file(part("zero\none\ntwo\nthree\n", 10)))), (two(), false), "it moved");
    assert_eq!(known(11, Some(file(part("one\n2\nthree\n", 10)))), (two(), true));
    assert_eq!(known(11, Some(file(part("two\n", 900)))), (two(), true), "another one, far away");
    assert_eq!(known(11, Some(file(json!([])))), (two(), true), "what the edits made is gone with them");
    // A line that no edit touched isn't known to have changed, until one touches it.
    assert_eq!(known(50, Some(file(part("one\n", 10)))), (None, false));
    assert_eq!(known(50, Some(file(part("fifty\n", 50)))), (None, true));
    assert_eq!(known(u32::MAX, Some(file(part("one\n", u32::MAX)))), (None, true));
    let unplaced = file(json!([{"old": "a", "new": "two\n", "whole": false}]));
    assert_eq!(known(50, Some(unplaced)), (None, false));
}

/// An item shows its state also where it has a box to tick.
#[test]
fn items_of_a_list_show_their_state_with_and_without_a_box() {
    let entry = gallery::entries().into_iter().find(|e| e.message.draft.id.as_str() == "todo").expect("in the gallery");
    let items = |answers: bool| {
        let html = render_article(&entry, &TranscriptOptions { answers, ..options() });
        let list = html.split_once("class=\"todos\"").and_then(|(_, rest)| rest.split_once("</ul>"));
        let rows = list.map_or("", |(list, _)| list).split("<li").skip(1);
        rows.map(|row| {
            let attribute =
                |name: &str| row.split_once(name).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("");
            let checked = if row.contains(" checked") { "checked" } else { "" };
            [attribute(" class=\"is-"), attribute("class=\"tick "), checked, attribute("aria-label=\"")].join("|")
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(items(false), ["done|||Done", "now|||In progress", "|||Open", "cut|||Cancelled", "blocked|||Blocked"]);
    assert_eq!(
        items(true),
        [
            "done|done|checked|Reproduce the race with two tabs",
            "now|done half||Keep the previous token valid for a grace period, in progress",
            "|done||Share one refresh per browser",
            "cut|||Cancelled",
            "blocked|done||Deploy to staging",
        ]
    );
}

/// A message of a tool has the tool's mark, and success or failure where that is known.
#[test]
fn a_tool_says_how_it_ended_where_that_is_known() {
    let marks = |name: &str, sender: &str, content: &str, metadata: Value| {
        let html = render_article(&gallery::entry(name, Role::Tool, sender, content, metadata), &options());
        let line = html.split_once("<p class=\"line\">").and_then(|(_, rest)| rest.split_once("</p>"));
        let words = line.map_or("", |(line, _)| line).split('<').filter_map(|tag| tag.split_once('>'));
        let words: Vec<&str> = words.map(|(_, text)| text).filter(|text| !text.is_empty()).collect();
        (words.join(" | "), html.contains("class=\"by-tool\"") && html.contains("class=\"out failed\""))
    };
    let output = |stdout: &str, stderr: &str| json!({"command_output": {"stdout": stdout, "stderr": stderr}});
    let coded = |code: i64, mut metadata: Value| {
        metadata["exit_code"] = json!(code);
        metadata
    };
    let said = |words: &str, failed: bool| (words.to_owned(), failed);
    for (name, sender, content, metadata, expected) in [
        ("t1", "tool_result", "ok", Value::Null, said("Tool output", false)),
        ("t2", "tool_result", "ok", json!({"exit_code": 0}), said("Tool output | Done", false)),
        ("t3", "tool_result", "no", json!({"exit_code": 3}), said("Tool output | Exit 3", true)),
        ("t4", "tool_result", "no", json!({"is_error": true}), said("Tool output | Failed", true)),
        ("t5", "tool_result", "ok", json!({"is_error": false}), said("Tool output", false)),
        ("t6", "tool_result", "", json!({"exit_code": 1}), said("Tool output | Exit 1 | No output", false)),
        ("t7", "command_output", "", output("a", ""), said("Command output", false)),
        ("t8", "command_output", "", output("", "b"), said("Command errors", false)),
        ("t9", "command_output", "", coded(0, output("a", "b")), said("Command output | Done", false)),
        ("t10", "command_output", "", coded(2, output("", "b")), said("Command errors | Exit 2", true)),
        ("t11", "command_output", "", coded(2, output("", "")), said("Command output | Exit 2 | No output", false)),
        ("t12", "command_output", "(no content)", json!({"command_output": {}}), said("", false)),
    ] {
        assert_eq!(marks(name, sender, content, metadata), expected, "{name}");
    }
    let call = |name: &str, mut payload: Value| {
        payload["tool_name"] = json!("Bash");
        let metadata = json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload});
        let html = render_article(&gallery::entry(name, Role::Tool, "tools", "", metadata), &options());
        let word = |word: &str| html.contains(word).then(|| word.to_owned());
        word("aria-label=\"Done\"").or_else(|| word("Exit 3")).or_else(|| word("Failed"))
    };
    assert_eq!(call("c1", json!({"output": "x"})), None);
    assert_eq!(call("c2", json!({"output": "x", "exit_code": 0})).as_deref(), Some("aria-label=\"Done\""));
    assert_eq!(call("c3", json!({"output": "x", "exit_code": 3})).as_deref(), Some("Exit 3"));
    assert_eq!(call("c4", json!({"error": "x"})).as_deref(), Some("Failed"));
}
