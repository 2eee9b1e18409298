//! Search: what is found, where the marks point, filters and pages.

use crate::support::{House, Talk, texts};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;

async fn library() -> House {
    let house = House::new().await;
    let talks = [
        Talk::new("mill")
            .user("Where does the Müller keep the millstone?")
            .thinks("A millstone is heavy, and a thought is not found.")
            .calls(
                "toolu_1",
                "Grep",
                &json!({"pattern": "millstone_of"}),
                "src/wheel.rs:7: millstoneRadius",
                &Value::Null,
            )
            .says("Under the *great* wheel.\nThe millstone lies on oak."),
        Talk::new("bakery")
            .of("/home/ada/bakery", "main")
            .at(600)
            .user("Bake 焼きたてのパン with stone-ground flour")
            .says(&format!("{} The millstone at the end {}", "grain ".repeat(200), "chaff ".repeat(200))),
    ];
    for talk in &talks {
        house.import(&[house.write(&format!("{}.jsonl", talk.session), talk.text())]).await;
    }
    house
}

#[tokio::test]
async fn a_whole_answer() {
    let house = library().await;
    assert_snapshot!(house.shown(&house.get("/v1/search?q=oak").await));
}

#[tokio::test]
async fn what_is_found_and_marked() {
    let house = library().await;
    let mut shown = String::new();
    for query in [
        "q=millstone",
        "q=MILLSTONE",
        "q=mill",
        "q=millstone%20oak",
        "q=oak%20millstone",
        "q=wheel%20mill",
        "q=stone",
        "q=radius",
        "q=m%C3%BCller",
        "q=%E3%83%91%E3%83%B3",
        "q=nothing",
        "q=%22oak%22",
        "q=oak*%20OR%20NEAR(",
        "q=-",
        "q=thought",
        "q=millstone&project=/home/ada/bakery",
        "q=millstone&agent=codex",
        "q=millstone&role=user",
        "q=millstone&role=user&role=assistant&type=TEXT",
        "q=millstone&type=TOOL_CALL",
        "q=millstone&session=bakery",
        "q=millstone&since=2026-03-01T09:10:00Z",
        "q=millstone&until=2026-03-01T09:10:00Z",
    ] {
        let page = house.read(&format!("/v1/search?{query}")).await;
        writeln!(shown, "{query}: {}", page["total"]).unwrap();
        for hit in page["hits"].as_array().unwrap() {
            let text = hit["snippet"]["text"].as_str().unwrap();
            let marks = hit["snippet"]["marks"].as_array().unwrap();
            let mut marked = String::new();
            let mut at = 0;
            for mark in marks {
                let (from, to) = (mark[0].as_u64().unwrap() as usize, mark[1].as_u64().unwrap() as usize);
                write!(marked, "{}[{}]", &text[at..from], &text[from..to]).unwrap();
                at = to;
            }
            marked += &text[at..];
            let title = hit["session_title"].as_str().unwrap().chars().take(12).collect::<String>();
            writeln!(shown, "  {title} {} {}: {marked}", hit["seq"], hit["role"].as_str().unwrap()).unwrap();
        }
    }
    assert_snapshot!(shown);
}

#[tokio::test]
async fn pages_are_all_hits() {
    let talk = (1..=9).fold(Talk::new("many").at_once(), |talk, n| talk.user(&format!("grain number {n}")));
    let house = House::with(&talk).await;
    let whole = house.read("/v1/search?q=grain").await;
    assert_eq!((whole["total"].as_i64(), whole["total_is_floor"].as_bool()), (Some(9), Some(false)));
    assert_eq!(texts(&whole["hits"], "message_id").len(), 9);
    for limit in [1, 2, 4, 9] {
        let mut hits: Vec<Value> = Vec::new();
        let mut after = String::new();
        loop {
            let page = house.read(&format!("/v1/search?q=grain&limit={limit}{after}")).await;
            hits.extend(page["hits"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={}", api::endpoint::segment(next));
        }
        assert_eq!(json!(hits), whole["hits"], "limit {limit}");
    }
}

#[tokio::test]
async fn counts_say_what_other_filters_would_find() {
    let house = library().await;
    let mut shown = String::new();
    for query in
        ["q=millstone", "q=millstone&type=TOOL_CALL", "q=millstone&role=user", "q=millstone&role=user&type=TEXT"]
    {
        let page = house.read(&format!("/v1/search?{query}")).await;
        writeln!(shown, "{query}: {}", page["counts"]).unwrap();
    }
    assert_snapshot!(shown);
}

/// An excerpt reads as words: without the numbers before the lines of a file, and the frames of tables.
#[tokio::test]
async fn an_excerpt_is_plain() {
    let file = "     1\u{2192}use oak;\n     2\u{2192}\n    13\u{2192}fn quince() {}";
    let table = "Trees:\n\n| Tree | Fruit |\n|------|:-----:|\n| medlar | late |\n\n|x| x + 1";
    let house = House::with(&Talk::new("plain").user(file).says(table)).await;
    let excerpt = async |word: &str| {
        let page = house.read(&format!("/v1/search?q={word}")).await;
        page["hits"][0]["snippet"]["text"].as_str().unwrap().trim_end().to_owned()
    };
    assert_eq!(excerpt("oak").await, "use oak;  fn quince() {}");
    assert_eq!(excerpt("trees").await, "Trees:  Tree \u{b7} Fruit  medlar \u{b7} late  |x| x + 1");
}

#[tokio::test]
async fn phrases_and_words_with_signs_are_found_as_they_are_written() {
    let house = House::new().await;
    let talk = Talk::new("desk")
        .user("Look at POL-358 and #4211, scripts/deploy.sh, alice@example.com; 61.2% don't --error-on-warnings")
        .says("C++ or node.js v2.1.0 foo::bar_baz, bar_baz(qux) $5 wrong-book `a && b`, https://example.org/a?b=c&d=e#frag")
        .user("Say the exact phrase here, please")
        .says("Here phrase exact is another order: C is no plus, 50 of 5.");
    house.import(&[house.write("desk.jsonl", talk.text())]).await;
    let found = async |query: &str| {
        let encoded: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let page = house.read(&format!("/v1/search?q={encoded}")).await;
        page["hits"].as_array().unwrap().iter().map(|hit| hit["seq"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    for (query, expected) in [
        ("POL-358", &[1][..]),
        ("#4211", &[1]),
        ("scripts/deploy.sh", &[1]),
        ("alice@example.com", &[1]),
        ("61.2%", &[1]),
        ("don't", &[1]),
        ("--error-on-warnings", &[1]),
        ("C++", &[2]),
        ("node.js", &[2]),
        ("v2.1.0", &[2]),
        ("foo::bar_baz", &[2]),
        ("bar_baz(qux)", &[2]),
        ("$5", &[2]),
        ("wrong-book", &[2]),
        ("&&", &[2]),
        ("https://example.org/a?b=c&d=e#frag", &[2]),
        ("\"exact phrase here\"", &[3]),
        ("\"Exact  Phrase\" please", &[3]),
        ("exact phrase here", &[4, 3]),
        ("\"phrase exact\" C++", &[]),
        ("\"exact phrase", &[4, 3]),
        ("||", &[]),
    ] {
        assert_eq!(found(query).await, expected, "{query}");
    }
    for query in ["*", "NEAR(", "OR", "NOT", "AND", "-", "(", "^", "col:x", "%", "_", "\\", "\"", "\"\"", "§1", "'"] {
        found(query).await;
    }
}
