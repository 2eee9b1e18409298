//! What cards say of questions, answers and records, where they can be answered and where not.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
mod gallery;

use app::message_renderer::render_article;
use app::transcript::{Detail, TranscriptOptions};
use model::{MessageId, Role};
use serde_json::{Value, json};

fn options() -> TranscriptOptions {
    TranscriptOptions::new(gallery::session(), 99, gallery::NOW)
}

fn approval(name: &str, payload: Value) -> String {
    let metadata = json!({ "message_type": "APPROVAL", "version": 1, "payload": payload });
    let options = TranscriptOptions { answers: true, ..options() };
    render_article(&gallery::entry(name, Role::Assistant, "bot", "", metadata), &options)
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
    // What its lines have no room for, and what else there was to choose, is unfolded.
    let long = decided("q2", json!([question]), &"Any of them. ".repeat(20));
    let chosen =
        decided("q3", json!([{ "question": "Which wallet?", "options": [{ "id": "a", "label": "Any" }] }]), "Any");
    assert!(long.contains("<details") && chosen.contains("<details") && chosen.contains(told), "{long}{chosen}");
}

/// Of what a transcript's agent was told, the record knows; our `context` is about prompts that we build.
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

/// What a transcript's agent asks can't be answered here: the card says where it can.
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
    assert!(html.contains("Answer it in the agent") && !html.contains("data-decide"), "{html}");
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
