//! Documents of declared types: exact problems, what views are made of, and that nothing escapes their budget.

use model::declared::{Declared, MAX_BYTES, MAX_NODES, Node, View, controls, node, starter};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

fn document(view: Value) -> Value {
    json!({"type": "acme/plan", "version": 1, "title": "Plan", "view": view})
}

/// The problems of a document, one a line; nothing if it is read.
fn problems(document: &Value) -> String {
    let lines = Declared::read(document).err().unwrap_or_default();
    lines.iter().map(|it| format!("{}: {}", it.pointer, it.expected)).collect::<Vec<_>>().join("\n")
}

fn view(elements: Value, payload: &Value) -> View {
    let document = document(elements);
    let declared = Declared::read(&document).unwrap_or_else(|problems| panic!("{document}: {problems:?}"));
    declared.view(payload)
}

/// Components of a view, rows and items included.
fn size(nodes: &[Node]) -> usize {
    let inner = |node: &Node| match node {
        Node::KeyValue(rows) => rows.len(),
        Node::Table(table) => table.rows.len(),
        Node::List { items, .. } => items.len(),
        Node::Columns(children)
        | Node::Group(children)
        | Node::Section { children, .. }
        | Node::Callout { children, .. } => size(children),
        _ => 0,
    };
    nodes.iter().map(|node| 1 + inner(node)).sum()
}

#[test]
fn wrong_documents_are_refused_with_each_problem() {
    let wrong = [
        json!([]),
        json!({}),
        json!({"type": "TODO", "version": 0, "title": "", "view": []}),
        json!({"type": "a", "title": "A", "view": [{"component": "script", "text": "alert(1)"}]}),
        json!({"type": "a", "title": "A", "view": [{"component": "text", "text": 1}, {"text": "x"}]}),
        json!({"type": "a", "title": "A", "colour": "red", "view": {"component": "text", "text": "x", "style": "color:red"}}),
        json!({"type": "a", "title": "A", "summary": "{state}", "markdown": "{/a|upper}", "view": {"component": "divider"}}),
        json!({"type": "a", "title": "A", "view": {"component": "section", "title": "{", "children": [
            {"component": "progress", "value": "done"}, {"component": "key_value"}, {"component": "callout"}]}}),
        json!({"type": "a", "title": "A", "view": {"component": "badge", "text": "x", "role": "purple",
            "if": {"value": "/a", "is": [], "above": "1"}}}),
        json!({"type": "a", "title": "A", "icon": "skull", "view": [
            {"component": "input", "name": "x", "label": "X", "kind": "select"},
            {"component": "chart", "chart": "radar", "title": "T", "rows": "/r", "x": "{./x}"}]}),
        json!({"type": "a", "title": "A", "schema": {"$ref": "#"}}),
        json!({"type": "a", "title": "A", "schema": {"type": "text", "properties": {"a": {"$ref": "https://example.com/s"},
            "b": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#/$defs/c"}, "c": {"$ref": "#/$defs/b"}}, "required": "a"}}),
        json!({"type": "a", "title": "A", "view": [{"component": "table", "rows": "rows", "columns": [{"title": "T"}]}]}),
        json!({"type": "a\u{7}", "title": "x".repeat(200), "view": 7}),
    ];
    let told: Vec<String> = wrong.iter().map(|it| format!("{it}\n{}", problems(it))).collect();
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn the_document_of_the_guide_is_valid() {
    let guide = include_str!("../../../docs/user/message-types.md");
    let (_, from) = guide.split_once("RELEASE = ").expect("a document");
    let (written, _) = from.split_once("\n}\n").expect("its end");
    // Python allows a comma behind the last item.
    let written = ["    ]", "        ]"]
        .iter()
        .fold(written.to_owned(), |text, end| text.replace(&format!(",\n{end}"), &format!("\n{end}")));
    let document: Value = serde_json::from_str(&format!("{}}}", written.trim_end_matches(','))).expect("JSON");
    let declared = Declared::read(&document).expect("a valid document");
    let payload = json!({"name": "1.4", "state": "failed", "error": "The signature was refused"});
    assert_eq!(declared.summary(&payload), "Release 1.4: failed");
    let shows_error = |node: &Node| matches!(node, Node::Callout { title, .. } if title == "The signature was refused");
    assert!(declared.view(&payload).nodes.iter().any(shows_error));
}

#[test]
fn documents_are_bounded() {
    let nested =
        (0..12).fold(json!({"component": "divider"}), |inner, _| json!({"component": "group", "children": [inner]}));
    assert_eq!(
        problems(&document(nested)),
        "/view/children/0/children/0/children/0/children/0/children/0/children/0/children/0/children/0: components nested at most 8 deep"
    );
    let many = vec![json!({"component": "divider"}); 301];
    assert_eq!(problems(&document(json!(many))), "/view: at most 300 items");
    let many = vec![json!({"component": "columns", "children": vec![json!({"component": "divider"}); 100]}); 3];
    assert_eq!(problems(&document(json!(many))), "/view/2/children/97: at most 300 components");
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(problems(&document(deep)), ": JSON nested at most 40 deep");
    assert_eq!(
        problems(&document(json!({"component": "text", "text": "x".repeat(70_000)}))),
        ": at most 64 KiB of JSON"
    );
}

#[test]
fn every_component_shows_its_values() {
    let sha = "a".repeat(64);
    let payload = json!({
        "service": "api", "state": "failed", "size": 7_000_000, "took": 252, "at": "2026-11-26T04:38:00Z", "cost": 1234.5,
        "share": 0.256, "count": 1_234_567, "done": 3, "url": "https://example.com/1", "code": "let x = 1;",
        "old": "a\n", "new": "b\n", "blob": format!("sha256:{sha}"), "more": {"x": 1, "y": null},
        "steps": [{"name": "build", "ok": true, "ms": 1200}, {"name": "test", "ok": false, "ms": 93_000}],
        "tags": ["one", "two"], "empty": [],
    });
    let role = json!({"value": "/state", "map": {"failed": "bad"}, "else": "info"});
    let shown = view(
        json!([
            {"component": "heading", "text": "{/service} {{literal}}"},
            {"component": "text", "text": "{/size|bytes}, {/took|duration}, {/at|time}, {/cost|currency:EUR}, {/share|percent}, {/count|number}, {/cost|number:0}, {/more|json}, {/missing}"},
            {"component": "text", "text": "**bold**", "markdown": true},
            {"component": "badge", "text": "{/state}", "role": role},
            {"component": "key_value", "rows": [{"label": "At", "value": "{/at|time}"}, {"label": "Page", "value": "run", "href": "{/url}"},
                {"label": "Gone", "value": "x", "if": "/missing"}], "of": "/more"},
            {"component": "table", "rows": "/steps", "columns": [{"title": "Step", "value": "{./name}"}, {"title": "Took", "value": "{./ms|duration:ms}", "align": "right"}]},
            {"component": "table", "rows": "/steps"},
            {"component": "list", "items": "/tags", "ordered": true},
            {"component": "code", "text": "{/code}", "language": "rust"},
            {"component": "diff", "path": "a.txt", "old": "/old", "new": "/new"},
            {"component": "progress", "label": "Done", "value": "/done", "max": 4},
            {"component": "chart", "chart": "bar", "title": "Times", "unit": "ms", "rows": "/steps", "x": "{./name}", "series": [{"name": "ms", "value": "./ms"}]},
            {"component": "image", "blob": "{/blob}", "alt": "A picture"},
            {"component": "link", "href": "{/url}"},
            {"component": "columns", "children": [{"component": "text", "each": "/steps", "if": "./ok", "text": "{./name} of {/service}"}]},
            {"component": "section", "title": "More", "open": false, "children": [{"component": "json", "value": "/more"}]},
            {"component": "callout", "role": "warn", "title": "Careful", "children": [{"component": "divider"}], "if": {"value": "/state", "in": ["failed"]}},
            {"component": "input", "name": "why", "label": "Why?"},
            {"component": "button", "label": "Retry", "value": "retry", "role": "ok", "if": {"value": "/done", "below": 4}},
            {"component": "text", "text": "never", "if": {"value": "/state", "not": "failed"}},
            {"component": "list", "items": "/empty"},
        ]),
        &payload,
    );
    insta::assert_debug_snapshot!(shown);
    insta::assert_snapshot!(node::markdown(&shown.nodes));
    let controls = controls(&shown.nodes);
    assert_eq!(controls.buttons, [("Retry".to_owned(), "retry".to_owned())]);
    assert_eq!(controls.inputs, [("why".to_owned(), "Why?".to_owned())]);
}

#[test]
fn what_cannot_be_shown_says_so() {
    let payload = json!({"steps": "none", "url": "javascript:alert(1)", "blob": "../../etc/passwd", "n": "x"});
    let shown = view(
        json!([
            {"component": "table", "rows": "/steps"},
            {"component": "text", "each": "/steps", "text": "x"},
            {"component": "link", "text": "Run", "href": "{/url}"},
            {"component": "image", "blob": "{/blob}", "alt": ""},
            {"component": "progress", "value": "/n"},
            {"component": "diff", "path": "a", "new": "/missing"},
            {"component": "key_value", "of": "/url"},
            {"component": "key_value", "rows": [{"label": "Run", "value": "here", "href": "{/url}"}]},
        ]),
        &payload,
    );
    insta::assert_debug_snapshot!(shown.nodes);
}

#[test]
fn links_lead_to_web_pages_and_mail_alone() {
    let allowed = ["https://example.com", "HTTP://example.com/?a=b", "mailto:a@example.com"];
    let refused = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " https://example.com",
        "data:text/html,x",
        "https:example.com",
        "//example.com",
        "/logout",
        "https://",
        "https://exa mple.com",
        "vbscript:x",
        "http\n://a",
        "mailto:",
        "",
    ];
    assert!(allowed.iter().all(|href| node::is_safe_link(href)));
    assert_eq!(refused.iter().filter(|href| node::is_safe_link(href)).count(), 0);
}

#[test]
fn a_million_repetitions_are_bounded_and_counted() {
    let payload = json!({"items": vec![json!({"a": 1}); 1_000_000]});
    let each = |view_of: Value| view(view_of, &payload);
    let flat = each(json!({"component": "text", "each": "/items", "text": "{./a}"}));
    assert_eq!(flat.nodes.len(), 201);
    assert_eq!(flat.nodes.last(), Some(&Node::More(999_800)));
    let never = each(json!({"component": "text", "each": "/items", "if": "./b", "text": "x"}));
    assert!(never.is_cut && matches!(never.nodes.as_slice(), [Node::More(left)] if *left > 900_000));
    let table = each(json!({"component": "table", "rows": "/items"}));
    let [Node::Group(parts)] = table.nodes.as_slice() else { panic!("{:?}", table.nodes.len()) };
    assert_eq!(parts.last(), Some(&Node::More(999_800)));
    let nested = (0..6).fold(
        json!({"component": "text", "text": "{/items}"}),
        |inner, _| json!({"component": "group", "each": "/items", "children": [inner]}),
    );
    let nested = each(nested);
    assert!(nested.is_cut && size(&nested.nodes) <= 2 * MAX_NODES);
    let tree = each(json!({"component": "json", "value": "."}));
    assert!(format!("{tree:?}").len() < 40_000);
    let schema =
        json!({"type": "a", "title": "A", "schema": {"properties": {"items": {"items": {"required": ["b"]}}}}});
    let schema = Declared::read(&schema).expect("a document").view(&payload);
    assert_eq!((schema.problems.len(), size(&schema.nodes)), (10, 203));
}

#[test]
fn a_schema_alone_makes_a_grid_and_tables() {
    let declared = Declared::read(&json!({
        "type": "acme/run", "title": "Run",
        "schema": {
            "type": "object", "required": ["name", "owner"],
            "properties": {
                "name": {"type": "string", "title": "Name of the run"},
                "state": {"enum": ["passed", "failed"]},
                "at": {"type": "string", "format": "date-time"},
                "page": {"type": "string", "format": "uri"},
                "size": {"type": "integer", "format": "bytes", "maximum": 10},
                "cases": {"type": "array", "items": {"$ref": "#/$defs/case"}},
            },
            "$defs": {"case": {"properties": {"id": {"type": "integer"}, "state": {"enum": ["passed", "failed"]}}}},
        },
    }))
    .expect("a document");
    let payload = json!({
        "more_things": true, "tags": ["a", "b"], "name": "nightly", "state": "failed", "at": "2026-11-26T04:38:00Z",
        "page": "https://example.com", "size": 2_300, "cases": [{"id": 1, "state": "passed"}, {"id": "2"}],
        "env": {"os": "linux"}, "log": "one\ntwo",
    });
    insta::assert_debug_snapshot!(declared.view(&payload));
    assert_eq!(declared.summary(&payload), "Run: nightly");
    insta::assert_snapshot!(declared.markdown(&payload));
}

#[test]
fn summary_and_markdown_come_from_the_document() {
    let read = |document: Value| Declared::read(&document).expect("a document");
    let declared = read(
        json!({"type": "a", "title": "Plan", "summary": "{/name}:\n{/n|number}", "markdown": "# {/name}", "view": []}),
    );
    let payload = json!({"name": "api", "n": 1_200});
    assert_eq!(
        (declared.summary(&payload), declared.markdown(&payload)),
        ("api: 1,200".to_owned(), "# api".to_owned())
    );
    let blank = read(json!({"type": "a", "title": "Plan", "summary": "{/x}", "view": []}));
    assert_eq!(blank.summary(&json!({"n": 1, "x": "", "words": "Two  words"})), "Plan: Two words");
    assert_eq!(blank.summary(&json!({})), "Plan");
}

#[test]
fn a_starter_is_a_document_that_shows_its_payload() {
    let payload = json!({
        "title": "Run {1}", "started_at": "2026-11-26T04:38:00Z", "size_bytes": 12, "took_ms": 4, "url": "https://example.com",
        "steps": [{"name": "a", "n": 1}], "tags": ["x"], "env": {"a": 1}, "log": "a\nb", "odd{name": 1, "nothing": null,
    });
    let made = starter("acme.ci/run@1", 2, payload.as_object().expect("an object"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&made).expect("JSON"));
    let shown = Declared::read(&made).expect("a document").view(&payload);
    assert_eq!(shown.nodes.len(), 5);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        select(vec!["https://example.com", "2026-11-26T04:38:00Z", "javascript:alert(1)", "<script>", "{/a}", "ok"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        let key = prop_oneof![3 => select(vec!["a", "b", "items", "name", "state"]).prop_map(str::to_owned), 1 => ".{0,6}".prop_map(String::from)];
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec((key, inner), 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Components that are mostly right.
fn element() -> impl Strategy<Value = Value> {
    let path = || select(vec!["/a", "/items", "./a", ".", "/a/b", "/items/0", "./items"]);
    let text = || {
        select(vec![
            "{/a}",
            "{./name|number}",
            "{.|bytes}",
            "{/a|time}",
            "{/a|duration:ms} {/b|currency:USD}",
            "x",
            "{.|json}",
            "{/a|percent}",
        ])
    };
    let leaf = (select(model::declared::COMPONENTS.to_vec()), path(), text(), path(), any::<bool>()).prop_map(
        |(component, path, text, other, more)| {
            let mut element = match component {
                "text" | "heading" | "badge" => json!({"text": text}),
                "key_value" => json!({"of": path, "rows": [{"label": text, "value": text, "href": text}]}),
                "table" if more => json!({"rows": path}),
                "table" => json!({"rows": path, "columns": [{"title": text, "value": text, "role": {"value": other, "map": {"ok": "ok"}}}]}),
                "list" => json!({"items": path}),
                "code" => json!({"text": text, "language": text}),
                "diff" => json!({"path": text, "old": path, "new": other}),
                "progress" => json!({"value": path, "max": other}),
                "chart" => json!({"chart": "line", "title": text, "rows": path, "x": text, "series": [{"name": text, "value": other}]}),
                "image" => json!({"blob": text, "alt": text}),
                "link" => json!({"href": text}),
                "button" => json!({"label": text}),
                "input" => json!({"name": "n", "label": text}),
                "json" => json!({"value": path}),
                "section" => json!({"title": text, "children": []}),
                "divider" => json!({}),
                _ => json!({"children": []}),
            };
            element["component"] = json!(component);
            if more {
                element["each"] = json!(other);
                element["if"] = json!({"value": path, "not": 1});
            }
            element
        },
    );
    leaf.prop_recursive(4, 24, 5, move |inner| {
        (vec(inner, 0..5), select(vec!["/items", ".", "/a"]), any::<bool>()).prop_map(|(children, each, columns)| {
            json!({"component": if columns { "columns" } else { "group" }, "each": each, "children": children})
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn evaluation_ends_within_its_budget(elements in vec(element(), 0..6), payload in value(), wide in any::<bool>()) {
        let payload = if wide { json!({"items": vec![payload.clone(); 300], "a": vec![payload; 50]}) } else { payload };
        let document = document(json!(elements));
        let declared = Declared::read(&document);
        prop_assert!(declared.is_ok(), "{}: {:?}", document, declared);
        if let Ok(declared) = declared {
            let view = declared.view(&payload);
            prop_assert!(size(&view.nodes) <= 3 * MAX_NODES);
            let told = format!("{view:?}").len();
            prop_assert!(told < 20 * MAX_BYTES, "{} bytes", told);
            prop_assert!(!declared.summary(&payload).is_empty());
            prop_assert!(!declared.markdown(&payload).is_empty());
        }
    }

    #[test]
    fn any_document_is_read_or_refused(document in value(), schema in value(), payload in value()) {
        let refused = Declared::read(&document);
        prop_assert!(refused.is_ok() || refused.is_err_and(|problems| !problems.is_empty()));
        if let Ok(declared) = Declared::read(&json!({"type": "a", "title": "A", "schema": schema})) {
            let _ = declared.view(&payload);
        }
    }

    #[test]
    fn a_starter_is_always_read(payload in vec((".{0,80}", value()), 0..60), version in any::<i64>()) {
        let payload: Map<String, Value> = payload.into_iter().collect();
        let made = starter("acme/any", version, &payload);
        let declared = Declared::read(&made);
        prop_assert!(declared.is_ok(), "{}: {:?}", made, declared);
    }
}
