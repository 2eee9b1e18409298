//! Finding a place in a session: the outline, and the search for words.

use crate::support::{House, Talk};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Two prompts, an edit, a call that fails, a thought.
async fn mill() -> House {
    let talk = Talk::new("mill")
        .user("How does the  mill\nturn?")
        .thinks("Wind, or the wheel.")
        .says("Let me look at the **wheel**.")
        .calls(
            "toolu_1",
            "Edit",
            &json!({"file_path": "/mill/wheel.txt", "old_string": "slow", "new_string": "fast"}),
            "The file /mill/wheel.txt has been updated.",
            &Value::Null,
        )
        .user("Is the WHEEL fast now?")
        .says("It is.");
    House::with(&talk).await
}

#[tokio::test]
async fn landmarks_in_their_order() {
    let house = mill().await;
    let all = house.get("/v1/sessions/mill/outline").await;
    let end = house.get("/v1/sessions/mill/outline?after=4").await;
    let none = house.get("/v1/sessions/mill/outline?after=-1").await;
    assert_snapshot!([all, end, none].map(|answer| house.shown(&answer)).join("\n"));
    // A thought is hidden, so it isn't new.
    let new = house.get("/v1/sessions/mill/outline?after=6&seen=0").await;
    let refused = house.get("/v1/sessions/mill/outline?seen=-1").await;
    assert_snapshot!("what_is_new_since", [new, refused].map(|answer| house.shown(&answer)).join("\n"));
    let house = House::with_fixtures(&["transcripts/claude/conversation.jsonl"]).await;
    let outline = house.read("/v1/sessions/conv/outline").await;
    let mut shown = String::new();
    for mark in outline["marks"].as_array().unwrap() {
        writeln!(shown, "{mark}").unwrap();
    }
    assert_snapshot!("landmarks_of_a_conversation", shown);
}

#[tokio::test]
async fn a_filter_narrows_what_is_new_and_what_is_found() {
    let house = mill().await;
    let new =
        async |filter: &str| house.read(&format!("/v1/sessions/mill/outline?seen=0{filter}")).await["new"].clone();
    assert_eq!(new("&type=CODE_EDIT").await, 1);
    assert_eq!(new("&type=CODE_EDIT&type=TEXT&role=user").await, 2);
    assert_eq!(new("&role=system").await, 0);
    let found = async |filter: &str| {
        let found = house.read(&format!("/v1/sessions/mill/find?q=wheel{filter}")).await;
        found["hits"].as_array().unwrap().iter().map(|hit| hit["seq"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let all = found("").await;
    let by_user = found("&type=TEXT&role=user").await;
    assert_eq!(by_user.len(), 1);
    assert!(all.len() > 2 && all.contains(&by_user[0]));
}

#[tokio::test]
async fn stretches_that_hold_what_a_filter_takes() {
    let house = mill().await;
    let scoped = hub::Scoped::new(house.hub.clone(), hub::Caller::Local);
    let path = api::sessions::SessionPath { session: "mill".to_owned() };
    let edits = vec!["CODE_EDIT".to_owned()];
    let edit = house.read("/v1/sessions/mill/messages?type=CODE_EDIT").await["messages"][0]["seq"].as_i64().unwrap();
    let stretches = async |types: &[String], dev: bool, width: i64| {
        scoped.stretches(&path, (types, &[]), dev, width).await.unwrap()
    };
    assert_eq!(stretches(&edits, false, 1).await, [edit - 1]);
    assert_eq!(stretches(&edits, false, 20).await, [0]);
    assert_eq!(stretches(&["WIND".to_owned()], true, 20).await, [0; 0]);
}

#[tokio::test]
async fn attempts_that_were_repeated_are_no_trouble() {
    let house = House::with_fixtures(&["transcripts/claude/compaction_and_errors.jsonl"]).await;
    let session = house.read("/v1/sessions").await["sessions"][0]["id"].as_str().unwrap().to_owned();
    let of_errors = |marks: &Value| marks.as_array().unwrap().iter().filter(|mark| mark["kind"] == "error").count();
    let outline = house.read(&format!("/v1/sessions/{session}/outline")).await;
    let messages = house.read(&format!("/v1/sessions/{session}/messages?limit=200")).await;
    let all = messages["messages"].as_array().unwrap().iter();
    let (attempts, errors): (Vec<_>, Vec<_>) = all
        .filter(|entry| entry["message_type"] == "ERROR")
        .partition(|entry| entry.to_string().contains("\"retry_attempt\""));
    assert!(!attempts.is_empty());
    assert_eq!(of_errors(&outline["marks"]), errors.len());
}

#[tokio::test]
async fn every_message_that_holds_a_text() {
    let house = mill().await;
    let mut shown = String::new();
    for query in
        ["q=wheel", "q=WHEEL.TXT", "q=wheel&dev=1", "q=mill%0Aturn", "q=the+wheel", "q=wheel&dev=0", "q=zeppelin"]
    {
        let found = house.read(&format!("/v1/sessions/mill/find?{query}")).await;
        writeln!(shown, "{query}: {found}").unwrap();
    }
    assert_snapshot!(shown);
}

#[tokio::test]
async fn what_was_removed_and_what_was_coloured_is_found() {
    let talk = Talk::new("mill")
        .user("Faster.")
        .calls(
            "toolu_1",
            "Edit",
            &json!({"file_path": "/mill/wheel.txt", "old_string": "sluggish\nwheel\n", "new_string": "swift\nwheel\n"}),
            "The file /mill/wheel.txt has been updated.",
            &Value::Null,
        )
        .calls("toolu_2", "Bash", &json!({"command": "make"}), "grinding\rmilled 9 sacks\n", &Value::Null)
        .calls("toolu_3", "Bash", &json!({"command": "ls"}), "\u{1b}[34mgra\u{1b}[1mnary\u{1b}[0m", &Value::Null);
    let house = House::with(&talk).await;
    let mut shown = String::new();
    // Text that a progress bar wrote over isn't found.
    for words in ["sluggish", "swift", "granary", "milled+9", "grinding"] {
        let found = house.read(&format!("/v1/sessions/mill/find?q={words}")).await;
        let searched = house.read(&format!("/v1/search?q={words}")).await;
        writeln!(shown, "{words}: {found}, {} in the search", searched["total"]).unwrap();
    }
    assert_snapshot!(shown);
}

/// By finding in the session and by the search, whichever of the two forms was stored and which was typed.
#[tokio::test]
async fn letters_are_found_however_they_were_typed() {
    let talk = Talk::new("mill").user("The cafe\u{301} by the mill").says("A caf\u{e9}, ｗｉｄｅ open").calls(
        "toolu_1",
        "Bash",
        &json!({"command": "ls"}),
        "\u{1107}\u{1169}\u{1100}\u{1169}\u{1109}\u{1165}.pdf",
        &Value::Null,
    );
    let house = House::with(&talk).await;
    for (words, hits) in [
        ("cafe\u{301}", 2),
        ("CAF\u{c9}", 2),
        ("wide", 1),
        ("ｗｉｄｅ", 1),
        ("보고서", 1),
        ("\u{1107}\u{1169}\u{1100}\u{1169}\u{1109}\u{1165}.pdf", 1),
    ] {
        let words = api::endpoint::segment(words);
        let found = house.read(&format!("/v1/sessions/mill/find?q={words}")).await;
        let searched = house.read(&format!("/v1/search?q={words}")).await;
        assert_eq!((found["hits"].as_array().map(Vec::len), &searched["total"]), (Some(hits), &json!(hits)), "{words}");
    }
}

#[tokio::test]
async fn what_can_not_be_looked_for() {
    let house = mill().await;
    let mut shown = String::new();
    let long = "x".repeat(501);
    for query in ["", "q=", "q=+", &format!("q={long}"), "q=a&dev=2", "q=a&colour=red"] {
        let answer = house.get(&format!("/v1/sessions/mill/find?{query}")).await;
        let short = query.chars().take(20).collect::<String>();
        writeln!(shown, "{short}: {}", house.shown(&answer)).unwrap();
    }
    writeln!(shown, "{}", house.shown(&house.get("/v1/sessions/nobody/find?q=a").await)).unwrap();
    assert_snapshot!(shown);
}
