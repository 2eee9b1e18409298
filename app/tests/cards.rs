//! Every card in every state as HTML; and no message whatever draws badly.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
mod gallery;

use api::messages::{Display, Entry, HiddenRow, MessagePage};
use app::message_renderer::{MessageRenderer, render_article};
use app::transcript::{self, Detail, TranscriptOptions};
use leptos::prelude::*;
use model::{MessageId, Role, Status};
use proptest::prelude::*;
use serde_json::{Value, json};

fn options() -> TranscriptOptions {
    let mut options = TranscriptOptions::new(gallery::session(), 99, gallery::NOW);
    options.children = gallery::children();
    options.newest_todo =
        gallery::entries().iter().rev().find(|e| e.message.draft.id.as_str() == "todo").map(|e| e.message.seq);
    options
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
        let entry =
            gallery::entries().into_iter().find(|e| e.message.draft.id.as_str() == name).expect("in the gallery");
        let html = render_article(&entry, &TranscriptOptions { dev, detail, ..options() });
        let head: String = lines(&html).lines().take(60).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(format!("{name}-whole"), head);
    }
}

/// A plan that is handed over is read as one; what was pasted keeps its signs.
#[test]
fn a_person_writes_documents_and_pastes_scripts() {
    let drawn = |content: &str| {
        let mut entry =
            gallery::entries().into_iter().find(|e| e.message.draft.id.as_str() == "long").expect("in the gallery");
        entry.message.draft.content = content.to_owned();
        entry.message.revision += i32::try_from(content.len()).expect("short");
        render_article(&entry, &options())
    };
    let plan = drawn("Do this:\n\n# Plan\n\nUse `tabs`.\n\n## Steps\n\n- one\n- two");
    let body = plan.split_once("<div class=\"prose document\">").unwrap_or_else(|| panic!("{plan}")).1;
    let expected = "<p>Do this:</p><h2>Plan</h2><p>Use <code>tabs</code>.</p><h3>Steps</h3><ul><li>one</li><li>two</li></ul></div>";
    assert!(body.starts_with(expected), "{body}");
    let script = drawn("# install\nnpm ci\n\n# test\nnpm test");
    let body = script.split_once("<div class=\"prose\">").expect("no document").1;
    let expected = "<p class=\"lines\"># install\nnpm ci\n\n# test\nnpm test</p></div>";
    assert!(body.starts_with(expected), "{body}");
}

#[test]
fn what_is_folded_is_drawn_when_it_is_unfolded() {
    for name in
        ["run-done", "mcp", "notification", "summary", "superseded", "answered", "denied-in-words", "call-agent"]
    {
        let entry =
            gallery::entries().into_iter().find(|e| e.message.draft.id.as_str() == name).expect("in the gallery");
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

#[test]
fn an_entry_of_any_kind_costs_few_elements_while_it_is_folded() {
    for name in ["read-1", "search-1", "run-done", "run-empty"] {
        let entry =
            gallery::entries().into_iter().find(|e| e.message.draft.id.as_str() == name).expect("in the gallery");
        let html = render_article(&entry, &options());
        let elements = html.matches('<').count() - html.matches("</").count() - html.matches("<!").count();
        assert!(elements <= 16, "{name} has {elements} elements: {html}");
    }
}

#[test]
fn a_declared_type_gets_its_component_and_a_failing_one_shows_the_raw_message() {
    MessageRenderer::register("test/good", |_, payload| view! { <p>{payload["say"].to_string()}</p> }.into_any());
    MessageRenderer::register("test/bad", |_, _| panic!("a component that fails"));
    let of = |tag: &str| {
        let metadata = json!({"message_type": tag, "payload": {"say": "<hello>"}});
        render_article(
            &gallery::entry(tag.rsplit('/').next().unwrap_or(tag), Role::Assistant, "bot", "words", metadata),
            &options(),
        )
    };
    assert!(
        of("test/good").contains("<p>&quot;&lt;hello&gt;&quot;</p>")
            || of("test/good").contains("<p>\"&lt;hello&gt;\"</p>")
    );
    insta::assert_snapshot!("declared-but-failing", lines(&of("test/bad")));
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
