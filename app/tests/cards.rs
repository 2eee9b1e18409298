//! Every card in every state as HTML; and no message whatever draws badly.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
mod gallery;

use api::messages::{Display, Entry, HiddenRow, MessagePage, ParsedBody};
use app::message_renderer::render_article;
use app::transcript::{self, Cut, Detail, TranscriptOptions};
use model::message_type::tool_call::ToolState;
use model::{MessageId, Role, Status};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn options() -> TranscriptOptions {
    let mut options = TranscriptOptions::new(gallery::session(), 99, gallery::NOW);
    options.children = gallery::children();
    options.newest_todo =
        gallery::entries().iter().rev().find(|e| e.message.draft.id.as_str() == "todo").map(|e| e.message.seq);
    options
}

/// The entry of the gallery with this id.
fn named(id: &str) -> Entry {
    gallery::entries().into_iter().find(|e| e.message.draft.id.as_str() == id).expect("in the gallery")
}

/// One tag a line.
fn lines(html: &str) -> String {
    html.replace("><", ">\n<").replace("<!>", "")
}

#[test]
fn each_card_in_each_state() {
    for entry in gallery::entries() {
        insta::assert_snapshot!(entry.message.draft.id.to_string(), lines(&render_article(&entry, &options())));
    }
}

#[test]
fn a_card_drawn_whole_and_with_dev_on() {
    for (name, dev, detail) in
        [("modified", true, Detail::Glance), ("run-done", true, Detail::Whole), ("large", false, Detail::Whole)]
    {
        let entry = named(name);
        let html = render_article(&entry, &TranscriptOptions { dev, detail, ..options() });
        let head: String = lines(&html).lines().take(60).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(format!("{name}-whole"), head);
    }
}

/// A retracted message isn't drawn as one that holds, whatever its type. Developers can read it.
#[test]
fn what_was_retracted_says_so_and_nothing_else() {
    let mut count = 0;
    for mut entry in gallery::entries() {
        if entry.message_type == "APPROVAL" {
            continue;
        }
        entry.message.draft.status = Status::Retracted;
        let entry = Entry::of(entry.message, entry.display);
        let html = render_article(&entry, &options());
        let body = lines(&html);
        assert!(body.contains("<p class=\"line\">Retracted</p>"), "{}: {html}", entry.message.draft.id);
        for card in ["<details", "class=\"card", "data-ticks"] {
            assert!(!html.contains(card), "{} is drawn as a card: {html}", entry.message.draft.id);
        }
        count += 1;
    }
    assert!(count > 50, "{count}");
}

/// A plan that is handed over is read as one; what was pasted keeps its signs.
#[test]
fn what_a_person_typed_keeps_its_signs_and_lines() {
    let drawn = |content: &str| {
        let mut entry = named("long");
        entry.message.draft.content = content.to_owned();
        entry.message.revision += i32::try_from(content.len()).expect("short");
        render_article(&entry, &options())
    };
    let typed = |words: &str| {
        let html = drawn(words);
        let body = html.split_once("<div class=\"prose\">").unwrap_or_else(|| panic!("{html}")).1.to_owned();
        assert!(body.starts_with(&format!("<p class=\"lines\">{words}</p></div>")), "{body}");
    };
    typed("Do this:\n\n# Plan\n\nUse **tabs** in C:\\_new_.\n\n## Steps\n\n- one\n- two");
    typed("# install\nnpm ci\n\n# test\nnpm test");
}

#[test]
fn a_failed_call_says_why_before_what_it_was_given() {
    let plan = "A plan of many words. ".repeat(20);
    let payload =
        json!({"tool_name": "mcp__board__add", "input": {"title": "Mow", "plan": plan}, "error": "No such board"});
    let metadata = json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload});
    let html = render_article(&gallery::entry("any", Role::Assistant, "bot", "", metadata), &options());
    let at = |words: &str| html.find(words).unwrap_or_else(|| panic!("{words} in {html}"));
    assert!(at("No such board</") < at(">Input<") && at(">Input<") < at("A plan of many words."), "{html}");
}

/// The content that the writer, or the server, made of large data repeats the data.
#[test]
fn a_long_message_of_an_unknown_type_shows_its_beginning() {
    let rows: String = (0..3_000).map(|n| format!("\nrow {n}")).collect();
    let metadata = json!({"message_type": "acme.rows", "version": 1, "payload": {}});
    let entry = gallery::entry("long-rows", Role::Assistant, "bot", &format!("All rows{rows}"), metadata);
    let cut = Cut { bytes: 300_000, todos: None };
    let cut = Arc::new(std::iter::once((entry.message.seq, cut)).collect());
    let html = render_article(&entry, &TranscriptOptions { cut, ..options() });
    // A screen reader is told a few words more.
    assert!(html.contains("row 11") && !html.contains("row 30"), "{html}");
    assert!(html.contains("Show all ("), "{html}");
}

#[test]
fn an_unknown_type_without_data_says_so() {
    for (name, words) in [("a", "has neither text nor data."), ("b", "has no data besides its text.")] {
        let said = if name == "a" { "" } else { "Ping" };
        let entry = gallery::entry(name, Role::Assistant, "bot", said, json!({"message_type": "acme.ping"}));
        assert!(render_article(&entry, &options()).contains(words), "{words}");
    }
}

#[test]
fn an_error_gives_the_id_of_its_request() {
    let payload = json!({"error_type": "overloaded", "message": "Overloaded", "frames": []});
    let metadata = json!({"message_type": "ERROR", "version": 1, "payload": payload, "request_id": "req_1<2"});
    let html = render_article(&gallery::entry("any", Role::Assistant, "bot", "", metadata), &options());
    assert!(html.contains("<code>req_1&lt;2</code>") && html.contains("data-text=\"req_1&lt;2\""), "{html}");
}

#[test]
fn a_compaction_says_its_figures_and_divides_once() {
    let metadata = json!({"compact": {"trigger": "manual", "preTokens": 157_156}});
    let entry = gallery::entry("any", Role::System, "compact_summary", &"It was about the mill. ".repeat(9), metadata);
    let drawn = |dev: bool, detail: Detail| render_article(&entry, &TranscriptOptions { dev, detail, ..options() });
    for html in [drawn(false, Detail::Glance), drawn(true, Detail::Unfolded)] {
        assert!(html.contains("Context compacted · 157k tokens before"), "{html}");
        assert_eq!(html.matches("Read the summary").count(), 1, "{html}");
    }
    // The marker above it divides, and has the link.
    let unfolded = drawn(false, Detail::Unfolded);
    assert!(unfolded.contains("It was about the mill."), "{unfolded}");
    assert!(!unfolded.contains("class=\"divider\"") && !unfolded.contains("Read the summary"), "{unfolded}");
}

#[test]
fn what_is_folded_is_drawn_when_it_is_unfolded() {
    for name in
        ["run-done", "mcp", "notification", "summary", "superseded", "answered", "denied-in-words", "call-agent"]
    {
        let entry = named(name);
        let html = render_article(&entry, &TranscriptOptions { detail: Detail::Unfolded, ..options() });
        insta::assert_snapshot!(format!("{name}-unfolded"), lines(&html));
    }
}

#[test]
fn what_is_hidden_is_counted_and_what_only_looked_is_folded() {
    let (shown, hidden): (Vec<Entry>, Vec<Entry>) =
        gallery::entries().into_iter().partition(|entry| entry.display != Display::Dev);
    let hidden: Vec<HiddenRow> = hidden.into_iter().map(HiddenRow::from).collect();
    let last = 99;
    let page = MessagePage { messages: shown, hidden, from: 1, to: last, last_seq: last, cursor: String::new() };
    let rows: Vec<String> = transcript::page(page, &options())
        .split("<article ")
        .skip(1)
        .filter_map(|row| row.split_once("aria-label=\"")?.1.split('"').next().map(str::to_owned))
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
}

/// The words of a card's head.
fn head(entry: &Entry, options: &TranscriptOptions) -> String {
    let html = render_article(entry, options);
    let head =
        html.split_once("<summary").and_then(|(_, rest)| rest.split_once("</summary>")).map_or("", |(head, _)| head);
    let words = head.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text);
    words.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_call_says_how_the_work_behind_it_stands() {
    let call = |name: &str, more: Value| {
        let mut payload =
            json!({ "tool_name": "Task", "input": { "subagent_type": "reviewer", "description": "Look" } });
        payload.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let metadata = json!({ "message_type": "TOOL_CALL", "version": 1, "payload": payload });
        let mut entry = gallery::entry(name, Role::Assistant, "bot", "", metadata);
        entry.message.draft.call_id = Some("call-agent".to_owned());
        entry
    };
    let mut children = (*gallery::children()).clone();
    if let Some(child) = children.get_mut("call-agent") {
        child.session.last_activity_at.0 += 125_000_000;
    }
    let known = TranscriptOptions { children: Arc::new(children), ..options() };
    let unknown = TranscriptOptions { children: Arc::default(), ..options() };
    let launched = |name: &str| call(name, json!({ "state": "done", "background": true, "output": "" }));
    assert_eq!(head(&launched("b1"), &unknown), "Task | Look | reviewer | In the background");
    assert_eq!(head(&launched("b2"), &known), "Task | Look | reviewer | Background | 2 min 05 s | 48k tokens");
    let told =
        json!({ "state": "done", "background": true, "task_status": "failed", "result": { "totalTokens": 50_755 } });
    assert_eq!(
        head(&call("b3", told), &known),
        "Task | Look | reviewer | Background | 2 min 05 s | 48k tokens | Failed"
    );
    let waited = json!({ "state": "done", "task_status": "running", "duration_ms": 61_000 });
    assert_eq!(head(&call("b4", waited), &unknown), "Task | Look | reviewer | 1 min 01 s | Still running");
    // A call that nobody works on any more doesn't run.
    let running = call("b5", json!({ "state": "running" }));
    assert_eq!(head(&running, &unknown), "Task | Look | reviewer | Running");
    let rests = TranscriptOptions { rests: true, ..unknown };
    assert_eq!(head(&running, &rests), "Task | Look | reviewer | No answer recorded");
    // How the sub-agent ended is known, though its answer isn't: the panel says the same of it.
    let rests = TranscriptOptions { rests: true, ..known };
    assert_eq!(head(&running, &rests), "Task | Look | reviewer | 48k tokens");
}

#[test]
fn calls_that_only_looked_name_their_tools() {
    let call = |seq: i64, tool: &str| {
        let payload = json!({"tool_name": tool, "input": {"path": format!("{seq}.rs")}, "output": "x", "kind": "read"});
        let metadata = json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload});
        let mut entry = gallery::entry(&format!("look-{seq}"), Role::Assistant, "bot", "", metadata);
        entry.message.seq = seq;
        entry
    };
    let messages = vec![call(1, "Read"), call(2, "mcp__code_host__get_file"), call(3, "Read")];
    let page = MessagePage { messages, hidden: vec![], from: 1, to: 3, last_seq: 3, cursor: String::new() };
    let html = transcript::page(page, &options());
    let named = "title=\"Read, code host \u{b7} get_file\">Read, code host \u{b7} get_file</span>";
    assert!(html.contains(named), "{html}");
}

/// A call says how it ended, also where a message of its own has the result.
#[test]
fn a_call_whose_result_is_elsewhere_says_how_it_ended() {
    let metadata = json!({ "message_type": "TOOL_CALL", "version": 1, "payload": { "tool_name": "Bash", "input": { "command": "make" } } });
    let call = |name: &str| gallery::entry(name, Role::Assistant, "bot", "", metadata.clone());
    let open = TranscriptOptions { detail: Detail::Unfolded, ..options() };
    let told = "Its result is a separate message below";
    for (name, outcome, expected) in [
        ("result-none", None, "Bash | make | Running"),
        ("result-done", Some(ToolState::Done), "Bash | make"),
        ("result-failed", Some(ToolState::Failed), "Bash | make | Failed"),
    ] {
        let entry = outcome.map_or_else(|| call(name), |outcome| call(name).with_outcome(outcome));
        assert_eq!(head(&entry, &options()), expected);
        assert_eq!(render_article(&entry, &open).contains(told), outcome.is_some());
        // The cached drawing depends on the outcome.
        let again = outcome.map_or(entry.clone(), |_| call(name));
        assert_eq!(head(&again, &options()), "Bash | make | Running");
    }
}

fn approval(name: &str, payload: Value) -> String {
    let metadata = json!({ "message_type": "APPROVAL", "version": 1, "payload": payload });
    let options = TranscriptOptions { answers: true, ..options() };
    let mut entry = gallery::entry(name, Role::Assistant, "bot", "", metadata);
    entry.shown_sha256 = Some("seen".to_owned());
    render_article(&entry, &options)
}

#[test]
fn a_no_is_called_a_denial_everywhere() {
    let open = |name: &str, kind: &str| {
        approval(name, json!({ "kind": kind, "title": "Go", "questions": [], "state": "open", "risk": "high" }))
    };
    for (name, kind, yes) in [("d1", "permission", "Allow once"), ("d2", "plan", "Approve plan")] {
        let html = open(name, kind);
        assert!(html.contains("<span>Deny</span>") && html.contains(&format!("<span>{yes}</span>")), "{html}");
        assert!(html.contains("High risk"), "{html}");
    }
    let denied = json!({ "state": "denied", "text": "Not now" });
    let denied = approval(
        "d3",
        json!({ "kind": "plan", "title": "Go", "questions": [], "state": "denied", "decision": denied }),
    );
    assert!(denied.contains("You denied") && denied.contains("this plan"), "{denied}");
    for state in ["expired", "cancelled", "superseded"] {
        let payload = json!({ "kind": "permission", "title": "Go", "questions": [], "state": state, "risk": "high" });
        assert!(!approval(state, payload).contains("High risk"), "{state}");
    }
    let edit = |name: &str, note: &str| {
        let edits = json!([{ "file_path": "a.rs", "old_content": "1", "new_content": "2" }]);
        let info = json!([{ "state": "rejected", "note": note }]);
        let metadata =
            json!({ "message_type": "CODE_EDIT", "version": 1, "payload": { "edits": edits }, "edit_info": info });
        head(&gallery::entry(name, Role::Assistant, "bot", "", metadata), &options())
    };
    assert!(edit("d4", "Hang on").ends_with("Denied"), "{}", edit("d4", "Hang on"));
    assert!(edit("d5", "another call was denied").ends_with("Cancelled"));
}

#[test]
fn a_run_that_failed_is_not_finished() {
    let failed = json!({ "duration_ms": 211_232, "outcome": "failed" });
    let foot = render_article(&gallery::entry("f1", Role::Host, "result_meta", "3 min 31 s", failed), &options());
    assert!(foot.contains("<b>Run failed</b>") && foot.contains("3 min 31 s"), "{foot}");
    let overloaded = json!({ "error_type": "overloaded", "message": "Overloaded (529)", "frames": [] });
    let metadata = json!({ "message_type": "ERROR", "version": 1, "payload": overloaded });
    let card = render_article(&gallery::entry("f2", Role::Assistant, "bot", "", metadata), &options());
    let said = card.split_once("<section").map_or("", |(_, card)| card);
    assert_eq!(said.matches("Overloaded").count(), 1, "{said}");
}

#[test]
fn an_entry_of_any_kind_costs_few_elements_while_it_is_folded() {
    for name in ["read-1", "search-1", "run-done", "run-empty"] {
        let entry = named(name);
        let html = render_article(&entry, &options());
        let elements = html.matches('<').count() - html.matches("</").count() - html.matches("<!").count();
        assert!(elements <= 16, "{name} has {elements} elements: {html}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "<script>x</script>",
            "done",
            "failed",
            "open",
            "question",
            "completed",
            "\u{1b}[31mred",
            "",
            "1",
            "ä\0"
        ])
        .prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof![prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned), "[a-z_]{1,6}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

const KEYS: &[&str] = &[
    "tool_name",
    "input",
    "output",
    "error",
    "state",
    "kind",
    "edits",
    "file_path",
    "old_content",
    "new_content",
    "todos",
    "id",
    "content",
    "status",
    "files",
    "name",
    "mime",
    "size",
    "blob",
    "title",
    "questions",
    "options",
    "decision",
    "selected",
    "edit_info",
    "todo_info",
    "result",
    "file",
    "duration_ms",
    "started_at",
    "ended_at",
    "command",
    "compact",
    "preTokens",
    "progress",
    "frames",
    "message",
    "error_type",
    "label",
    "start_line",
    "scope",
    "patch",
    "retry_attempt",
    "tokens",
];

/// A valid payload of each type with one of its values exchanged.
fn bent() -> impl Strategy<Value = Value> {
    let examples: Vec<Value> =
        gallery::entries().into_iter().filter_map(|entry| entry.message.draft.metadata.map(Value::Object)).collect();
    (prop::sample::select(examples), any::<prop::sample::Index>(), any_json()).prop_map(|(mut value, at, other)| {
        let pointers = pointers(&value);
        if let Some(place) = value.pointer_mut(&pointers[at.index(pointers.len())]) {
            *place = other;
        }
        value
    })
}

fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => {
            map.iter().map(|(key, child)| (key.replace('~', "~0").replace('/', "~1"), child)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(n, child)| (n.to_string(), child)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        all.extend(pointers(child).into_iter().map(|rest| format!("/{key}{rest}")));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn no_message_draws_badly(
        metadata in prop_oneof![any_json(), bent(), bent(), bent()],
        content in prop_oneof![Just(String::new()), "\\PC{0,60}", Just("<script>alert(1)</script>".to_owned())],
        role in prop::sample::select(Role::ALL.to_vec()),
        status in prop::sample::select(Status::ALL.to_vec()),
        dev: bool,
        detail in prop::sample::select(vec![Detail::Glance, Detail::Unfolded, Detail::Whole]),
        id in "[a-z0-9]{16}",
    ) {
        let mut entry = gallery::entry("any", role, "bot", &content, metadata);
        entry.message.draft.status = status;
        entry.message.draft.id = MessageId::parse(id).expect("an id");
        let html = render_article(&entry, &TranscriptOptions { dev, detail, ..options() });
        prop_assert!(!html.contains("Could not draw"), "{html}");
        prop_assert!(!html.contains("<script"), "{html}");
        prop_assert!(html.starts_with("<article ") && html.ends_with("</article>"));
    }
}

/// Drawings are cached by id, so each gets its own.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

fn drawn(metadata: Value, content: &str, role: Role, options: &TranscriptOptions) -> String {
    let mut entry = gallery::entries().swap_remove(0);
    let number = DRAWN.fetch_add(1, Ordering::Relaxed);
    entry.message.draft.id = MessageId::parse(format!("drawn-{number}")).expect("an id");
    entry.message.draft.role = role;
    content.clone_into(&mut entry.message.draft.content);
    metadata["message_type"].as_str().unwrap_or("TEXT").clone_into(&mut entry.message_type);
    entry.message.draft.metadata = metadata.as_object().cloned();
    entry.parsed = ParsedBody::default();
    render_article(&entry, options)
}

fn edited(patch: &str) -> String {
    let info = json!([{"state": "applied", "scope": "fragment", "patch": patch}]);
    let edits = json!({"edits": [{"file_path": "src/mill.rs"}]});
    drawn(json!({"message_type": "CODE_EDIT", "payload": edits, "edit_info": info}), "", Role::Assistant, &options())
}

#[test]
fn a_diff_is_drawn_like_any_edit() {
    let created = edited("--- /dev/null\n+++ b/src/mill.rs\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    assert!(created.contains("data-k=\"A\"") && created.contains("<ins>+2</ins>") && !created.contains("term"));
    let two = edited("@@ -10,2 +10,3 @@\n-a\n+b\n+c\n d\n@@ -30 +31 @@\n-x\n+y\n");
    assert!(two.contains("18 unchanged lines") && two.contains("counter-set:o 29 n 30"), "{two}");
    let cut = edited(&format!("@@ -1,900 +1,900 @@\n{}", "+x\n".repeat(500)));
    assert!(cut.contains("<pre class=\"term\"") && cut.contains("Show 473 more lines") && cut.len() < 20_000, "{cut}");
    let moved = edited("diff --git a/old.rs b/src/mill.rs\nrename from old.rs\nrename to src/mill.rs\n");
    assert!(moved.contains("from old.rs") && moved.contains("Only the path changed"), "{moved}");
}

#[test]
fn what_is_known_of_a_change_without_its_text_is_said() {
    let card = |edit: Value, info: Value| {
        let mut info = info;
        info["state"] = json!("applied");
        let metadata = json!({"message_type": "CODE_EDIT", "payload": {"edits": [edit]}, "edit_info": [info]});
        drawn(metadata, "", Role::Assistant, &options())
    };
    let gone = card(json!({"file_path": "flour.md"}), json!({"scope": "file"}));
    assert!(gone.contains("data-k=\"D\"") && gone.contains("The file's content wasn't recorded"), "{gone}");
    let same = card(json!({"file_path": "d.txt", "old_content": "", "new_content": ""}), json!({"scope": "fragment"}));
    assert!(same.contains("data-k=\"M\"") && same.contains("The old and the new text are the same"), "{same}");
    let moved = card(json!({"file_path": "door/sign.txt"}), json!({"scope": "fragment", "moved_from": "sign.txt"}));
    assert!(moved.contains("data-k=\"R\"") && moved.contains("Only the path changed"), "{moved}");
}

#[test]
fn bytes_are_named_and_not_shown() {
    let html =
        edited("diff --git a/p.png b/p.png\nindex 1..2 100644\nGIT binary patch\nliteral 8\nPcmZQzWMJTcV*mgE0RR91\n\n");
    assert!(html.contains("Binary file") && html.contains("not recorded as text"), "{html}");
    assert!(!html.contains("PcmZQz") && !html.contains(" open") && !html.contains("Show it"), "{html}");
}

#[test]
fn data_that_no_component_draws_is_shown_once() {
    let metadata = json!({"message_type": "acme.deploy/plan@1", "payload": {"title": "Staging", "steps": 3}});
    let content = "acme.deploy/plan: Staging\n\n```json\n{\n  \"title\": \"Staging\",\n  \"steps\": 3\n}\n```";
    let html = drawn(metadata, content, Role::Assistant, &options());
    assert!(html.contains("<b>acme.deploy/plan: Staging</b>") && !html.contains("codeblock"), "{html}");
}

/// Like on the page of changes.
#[test]
fn what_stands_for_unseen_characters_has_its_colour() {
    let html = edited("@@ -1 +1 @@\n-let a = 1;\n+let a\u{200b} =\u{a0}1;\n");
    assert!(html.contains("<span class=\"h-x\">\u{27e8}U+200B\u{27e9}</span>"), "{html}");
    assert!(html.contains("<span class=\"h-x\">\u{a0}</span>"), "{html}");
}

#[test]
fn an_edit_that_has_only_a_path_says_so() {
    let edits = json!({"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a"}]}});
    assert!(drawn(edits, "path", Role::Assistant, &options()).contains("The change wasn't recorded"));
}

#[test]
fn of_a_large_edit_the_rest_is_on_the_page_of_changes() {
    let text = "one\n".repeat(10_000);
    let edits =
        json!({"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a.txt", "new_content": text}]}});
    let draw = |detail| drawn(edits.clone(), "large one", Role::Assistant, &TranscriptOptions { detail, ..options() });
    assert!(draw(Detail::Glance).contains("Large: "));
    let whole = draw(Detail::Whole);
    assert!(whole.contains("9,760 more lines, on the page of changes</a>") && !whole.contains("data-action=\"all\""));
    assert_eq!(whole.matches("class=\"l\"").count(), 240);
    assert_eq!(draw(Detail::Printed).matches("class=\"l\"").count(), 10_000);
}

/// All text of others is drawn by one function, which shows hidden characters.
#[test]
fn nothing_hides_in_any_card() {
    let bad = "cat\u{202e}gpj.exe";
    let shown = "cat<span class=\"ctl\" title=\"Right-to-left override\">U+202E</span>gpj.exe";
    let option = json!({"id": "o", "label": bad, "description": bad});
    let cards = [
        json!({}),
        json!({"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": bad, "status": "in_progress"}]}}),
        json!({"message_type": "FILE", "payload": {"files": [{"name": bad, "mime": "text/plain", "size": 1, "state": "ready"}]}}),
        json!({"message_type": "APPROVAL", "payload": {"kind": "question", "title": "t", "state": "open", "questions": [{"question": bad, "options": [option]}]}}),
        json!({"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": format!("src/{bad}"), "new_content": "a\n"}]}}),
        json!({"message_type": "ERROR", "payload": {"error_type": "e", "message": bad, "frames": [{"file": bad, "line": 1}]}}),
        json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Grep", "input": {"pattern": "x"}, "output": format!("{bad}:1:x")}}),
    ];
    for card in cards {
        let options = TranscriptOptions { detail: Detail::Unfolded, answers: true, ..options() };
        let html = drawn(card, bad, Role::Assistant, &options);
        assert!(html.contains(shown), "{html}");
        let text = html.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text);
        assert!(!text.into_iter().any(|text| text.contains('\u{202e}')), "{html}");
    }
}

#[test]
fn what_is_cut_is_counted_and_can_be_reached() {
    let reasoning = |lines: usize| {
        let text: String = (0..lines).map(|n| format!("line {n}\n")).collect();
        drawn(json!({}), &text, Role::Model, &options())
    };
    assert!(reasoning(35).contains("Show 4 hidden lines"), "{}", reasoning(35));
    assert!(reasoning(32).contains("Show 1 hidden line<"));
    assert!(!reasoning(31).contains("hidden line"));
    let frames: Vec<Value> = (1..=80).map(|n| json!({"file": "a.rs", "line": n})).collect();
    let trace = json!({"message_type": "ERROR", "payload": {"error_type": "e", "message": "m", "frames": frames}});
    assert!(drawn(trace.clone(), "t", Role::Assistant, &options()).contains("Show 30 more frames"));
    let whole = TranscriptOptions { detail: Detail::Whole, ..options() };
    assert_eq!(drawn(trace, "t", Role::Assistant, &whole).matches("<li ").count(), 80);
    let line = drawn(json!({}), &"x".repeat(1_500_000), Role::Tool, &options());
    assert!(line.len() < 20_000 && line.contains("Show 1 more line"));
    let input = json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Send", "input": {"body": "x".repeat(500_000)}, "error": "no"}});
    let input = drawn(input, "i", Role::Assistant, &options());
    assert!(
        input.contains("496,000 more characters") && input.contains("Show all") && input.contains("Open full"),
        "{}",
        input.replace('x', "")
    );
}

#[test]
fn a_text_that_begins_is_not_called_empty() {
    let mut entry = gallery::entries().swap_remove(0);
    entry.message.draft.role = Role::Assistant;
    entry.message.draft.content = String::new();
    entry.message.draft.metadata = None;
    entry.parsed = ParsedBody::default();
    "TEXT".clone_into(&mut entry.message_type);
    entry.message.draft.status = Status::Streaming;
    entry.message.draft.id = MessageId::parse("begins").expect("an id");
    assert!(!render_article(&entry, &options()).contains("Empty message"));
}
