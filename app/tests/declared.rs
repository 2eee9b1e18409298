//! Messages of types that a document declares, as HTML.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
mod gallery;

use api::messages::{Entry, ShownBy};
use app::message::broken::broken;
use app::message_renderer::render_article;
use app::transcript::TranscriptOptions;
use model::Role;
use model::declared::Declared;
use serde_json::{Value, json};
use std::sync::Arc;

fn options() -> TranscriptOptions {
    let mut options = TranscriptOptions::new(gallery::session(), 99, gallery::NOW);
    options.children = gallery::children();
    options.newest_todo = gallery::entries().last().map(|entry| entry.message.seq);
    options
}

/// One tag a line.
fn lines(html: &str) -> String {
    html.replace("><", ">\n<").replace("<!>", "")
}

/// An entry of a type that a document declares.
fn declared(document: Value, content: &str, payload: Value) -> Entry {
    let metadata = json!({"message_type": document["type"], "payload": payload});
    let mut entry = gallery::entry("declared", Role::Assistant, "bot", content, metadata);
    let declared = Declared::read(&document).expect("a document");
    entry.show_by(Arc::new(ShownBy { declared, sha256: "0".repeat(64) }));
    entry
}

#[test]
fn a_declared_type_is_drawn_by_its_document() {
    let payload = json!({
        "service": "api <b>", "state": "failed", "at": "2026-11-26T04:38:00Z", "url": "https://example.com", "done": 3,
        "steps": [{"name": "build", "ms": 1200}, {"name": "test", "ms": 93_000}], "old": "a\n", "new": "b\n", "bad": "javascript:alert(1)",
    });
    let document = json!({
        "type": "acme/deploy", "title": "Deployment", "icon": "branch", "summary": "Deploy {/service}",
        "schema": {"required": ["owner"]},
        "view": [
            {"component": "heading", "text": "{/service}"},
            {"component": "columns", "children": [
                {"component": "badge", "text": "{/state}", "role": {"value": "/state", "map": {"failed": "bad"}}},
                {"component": "progress", "label": "Done", "value": "/done", "max": 4}]},
            {"component": "key_value", "rows": [{"label": "At", "value": "{/at|time}"}, {"label": "Page", "value": "run", "href": "{/url}"}]},
            {"component": "table", "rows": "/steps"},
            {"component": "chart", "chart": "bar", "title": "Times", "unit": "ms", "rows": "/steps", "x": "{./name}", "series": [{"name": "Time", "value": "./ms"}]},
            {"component": "section", "title": "Code", "children": [{"component": "code", "text": "let x = 1;", "language": "rust"},
                {"component": "diff", "path": "a.txt", "old": "/old", "new": "/new"}]},
            {"component": "callout", "role": "warn", "title": "Careful", "children": [{"component": "list", "items": "/steps", "text": "{./name}"}]},
            {"component": "link", "href": "{/bad}"},
            {"component": "image", "blob": "a".repeat(64), "alt": "A picture"},
            {"component": "input", "name": "why", "label": "Why?", "kind": "select", "options": ["slow", "wrong"]},
            {"component": "button", "label": "Retry", "value": "retry"},
            {"component": "divider"}, {"component": "json", "value": "/steps"},
        ],
    });
    let mut entry = declared(document, "", payload);
    let html = render_article(&entry, &options());
    assert!(
        html.contains("aria-label=\"Agent bot: Deploy api &lt;b&gt;\"") || html.contains("Deploy api &lt;b&gt;"),
        "{html}"
    );
    insta::assert_snapshot!("declared", lines(&html));
    // Buttons answer where somebody takes the answer.
    entry.shown_sha256 = Some("seen".to_owned());
    let asking = render_article(&entry, &TranscriptOptions { answers: true, ..options() });
    assert!(!html.contains("data-decide") && html.contains("disabled"));
    assert!(asking.contains("data-decide=\"declared\" data-shown=\"seen\""), "{asking}");
    assert!(!html.contains("=\"javascript:"));
}

#[test]
fn a_schema_alone_shows_a_grid_and_nothing_is_ever_blank() {
    let document =
        json!({"type": "acme/run", "title": "Run", "schema": {"properties": {"state": {"enum": ["passed"]}}}});
    let html =
        render_article(&declared(document.clone(), "Said besides", json!({"state": "passed", "n": 1})), &options());
    insta::assert_snapshot!("declared-by-a-schema", lines(&html));
    let empty = render_article(&declared(document, "", json!({})), &options());
    assert!(empty.contains("Run"), "{empty}");
    // A message that can't be drawn is shown as text and JSON.
    let metadata = json!({"message_type": "test/bad", "payload": {"say": "<hello>"}});
    let entry = gallery::entry("bad", Role::Assistant, "bot", "words", metadata);
    insta::assert_snapshot!("broken", lines(broken(&entry).as_str()));
}
