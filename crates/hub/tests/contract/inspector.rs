//! The inspector of a session: times, events, verbatim records.

use crate::support::{House, Talk, texts};
use api::Method;
use hub::Caller;
use serde_json::{Value, json};

/// `tool Bash 1.000-2.000`: seconds after the beginning of the first request.
fn spans(waterfall: &Value) -> Vec<String> {
    let requests = waterfall["requests"].as_array().unwrap();
    let zero = requests[0]["began_at"].as_i64().unwrap();
    let second = |at: &Value| at.as_i64().map_or("open".to_owned(), |at| ((at - zero) / 1_000_000).to_string());
    let of_request = |request: &Value| {
        let number = request["number"].clone();
        let line = move |span: &Value| {
            let name = span["name"].as_str().map_or(String::new(), |name| format!(" {name}"));
            let failed = if span["failed"] == json!(true) { " failed" } else { "" };
            let kind = span["kind"].as_str().unwrap();
            format!("{number} {kind}{name} {}-{}{failed}", second(&span["began_at"]), second(&span["ended_at"]))
        };
        request["spans"].as_array().unwrap().iter().map(line).collect::<Vec<_>>()
    };
    requests.iter().flat_map(of_request).collect()
}

const MODEL: &str = "claude-opus-4-6";

#[tokio::test]
async fn the_time_of_requests_is_split_by_what_took_it() {
    let questions = json!([{"question": "Which stone?", "header": "Stone", "multiSelect": false,
        "options": [{"label": "Basalt", "description": ""}, {"label": "Granite", "description": ""}]}]);
    let answered = json!({"questions": questions, "answers": {"Which stone?": "Basalt"}});
    let talk = Talk::new("mill")
        .user("Grind")
        .calls("toolu_1", "Bash", &json!({"command": "make"}), "done", &Value::Null)
        .says("Ground.")
        .at(60)
        .user("Ask me")
        .calls("toolu_2", "AskUserQuestion", &json!({"questions": questions}), "Basalt", &answered)
        .says("Basalt it is.");
    let house = House::with(&talk).await;
    let waterfall = house.read("/v1/sessions/mill/waterfall").await;
    assert_eq!(
        spans(&waterfall),
        [
            format!("1 model {MODEL} 0-1"),
            "1 tool Bash 1-2".to_owned(),
            format!("2 model {MODEL} 2-3"),
            "2 idle 3-59".to_owned(),
            format!("3 model {MODEL} 59-60"),
            "3 approval Which stone? 60-61".to_owned(),
            format!("4 model {MODEL} 61-62"),
        ]
    );
    assert_eq!(waterfall["before"], Value::Null);
    let page = house.read("/v1/sessions/mill/waterfall?limit=2&before=4").await;
    let numbers: Vec<_> = page["requests"].as_array().unwrap().iter().map(|of| of["number"].clone()).collect();
    assert_eq!((numbers, &page["before"]), (vec![json!(2), json!(3)], &json!(2)));
    let first = house.read("/v1/sessions/mill/waterfall?limit=2&before=2").await;
    // Lines behind the page are no part of it, but show when its last request was over.
    assert_eq!(spans(&first), [format!("1 model {MODEL} 0-1"), "1 tool Bash 1-2".to_owned()]);
    assert_eq!(house.get("/v1/sessions/mill/waterfall?limit=0").await.status, 400);
}

#[tokio::test]
async fn a_session_without_requests_has_no_times() {
    let house = House::new().await;
    house.import(&[house.write("mill.jsonl", Talk::new("mill").user("Grind").text())]).await;
    assert_eq!(house.read("/v1/sessions/mill/waterfall").await, json!({"requests": []}));
}

fn system(subtype: &str, second: i64, more: &Value) -> String {
    let mut line = json!({"type": "system", "subtype": subtype, "uuid": format!("sys-{second}"), "parentUuid": null,
        "sessionId": "mill", "timestamp": format!("2026-03-01T09:00:{second:02}.000Z"), "cwd": "/home/ada/mill",
        "version": "2.1.49", "isSidechain": false, "userType": "external", "level": "info"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string()
}

#[tokio::test]
async fn events_are_what_happened_beside_words_and_calls() {
    let retry = json!({"error": {"status": 529, "error": {"error": {"type": "overloaded_error", "message": "Overloaded"}}},
        "retryAttempt": 1, "maxRetries": 10});
    let compact =
        json!({"content": "Conversation compacted", "compactMetadata": {"trigger": "auto", "preTokens": 900}});
    let talk = Talk::new("mill")
        .user("Grind")
        .raw(&system("api_error", 2, &retry))
        .at(3)
        .calls("toolu_1", "Bash", &json!({"command": "make"}), "done", &Value::Null)
        .user("[Request interrupted by user]")
        .raw(&system("compact_boundary", 20, &compact))
        .raw(&system("stop_hook_summary", 21, &json!({"hookCount": 1, "hookInfos": [{"command": "lint"}]})))
        .at(30)
        .user("Go on")
        .says("Ground.");
    let house = House::with(&talk).await;
    let events = house.read("/v1/sessions/mill/events").await;
    let kinds = texts(&events["events"], "kind");
    assert_eq!(kinds, ["prompt", "retry", "interruption", "compaction", "hook", "prompt"]);
    assert_eq!((&events["total"], &events["before"]), (&json!(6), &Value::Null));
    let summaries = texts(&events["events"], "summary");
    assert_eq!((summaries[0], summaries[3], summaries[5]), ("Grind", "Conversation compacted", "Go on"));
    // Two pages, the last one first, have all of them once.
    assert_eq!(house.read("/v1/sessions/mill/events?limit=6").await["before"], Value::Null);
    let last = house.read("/v1/sessions/mill/events?limit=4").await;
    let before = last["before"].as_i64().unwrap();
    let first = house.read(&format!("/v1/sessions/mill/events?limit=4&before={before}")).await;
    assert_eq!([texts(&first["events"], "kind"), texts(&last["events"], "kind")].concat(), kinds);
    assert_eq!((&first["before"], &first["total"]), (&Value::Null, &json!(6)));
    assert_eq!(house.get("/v1/sessions/mill/events?limit=201").await.status, 400);
}

#[tokio::test]
async fn records_are_the_bytes_of_the_files() {
    // Spaces and a last line without an end stay as they are.
    let text = Talk::new("mill").user("Grind").says("Ground.").user("Again").text() + "{\"type\":  \"noise\"}";
    let house = House::new().await;
    house.import(&[house.write("mill.jsonl", &text)]).await;
    let mut whole = String::new();
    let mut query = String::new();
    for pages in 1.. {
        let page = house.read(&format!("/v1/sessions/mill/records?limit=2{query}")).await;
        whole.extend(texts(&page["records"], "text"));
        let Some(next) = page["next"].as_object() else {
            assert_eq!(pages, 2);
            break;
        };
        query = format!("&source={}&offset={}", next["source"].as_str().unwrap(), next["offset"]);
    }
    assert_eq!(whole, text);
    let of_message = house.read("/v1/sessions/mill/records?at=2&limit=1").await;
    let line = text.lines().nth(1).unwrap();
    assert_eq!(texts(&of_message["records"], "text"), [format!("{line}\n")]);
    let refused = async |query: &str| {
        let answer = house.get(&format!("/v1/sessions/mill/records?{query}")).await;
        format!("{} {} {}", answer.status, answer.body["code"], answer.body["field"])
    };
    assert_eq!(refused("source=elsewhere").await, "400 \"invalid_field\" \"source\"");
    assert_eq!(refused("offset=4").await, "400 \"invalid_field\" \"source\"");
    assert_eq!(refused("at=2&source=elsewhere").await, "400 \"conflicting_fields\" null");
    assert_eq!(refused("at=99").await, "404 \"not_found\" null");
    let agent = house.agent("miller").await;
    let answer = house.send(agent, Method::Get, "/v1/sessions/mill/records", None).await;
    assert_eq!(answer.status, 403);
    let session = house.read("/v1/sessions/mill").await["session"]["id"].as_str().unwrap().to_owned();
    assert_eq!(house.send(Caller::Local, Method::Delete, "/v1/sessions/mill", None).await.status, 200);
    for (name, of) in [("of its agent", "mill"), ("ours", session.as_str())] {
        let answer = house.get(&format!("/v1/sessions/{of}/records")).await;
        assert_eq!((answer.status, &answer.body["code"]), (404, &json!("session_deleted")), "{name}");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_comes_in_pieces() {
    // Characters of three bytes each: a piece of 1 MiB ends within one.
    let long = "\u{6f22}".repeat((5 << 19) / 3);
    let text = Talk::new("mill").user("Grind").user(&long).says("Ground.").text();
    let house = House::new().await;
    house.import(&[house.write("mill.jsonl", &text)]).await;
    let (mut whole, mut cut, mut query) = (String::new(), Vec::new(), String::new());
    loop {
        let page = house.read(&format!("/v1/sessions/mill/records{query}")).await;
        whole.extend(texts(&page["records"], "text"));
        cut.extend(page["records"].as_array().unwrap().iter().map(|record| record["cut"].as_bool().unwrap()));
        let Some(next) = page["next"].as_object() else { break };
        query = format!("?source={}&offset={}", next["source"].as_str().unwrap(), next["offset"]);
    }
    assert!(whole == text, "not the bytes of the file");
    assert_eq!(cut, [false, true, true, false, false]);
}

#[tokio::test]
async fn a_session_that_was_posted_has_no_records() {
    let house = House::new().await;
    house.post("/v1/sessions", json!({"id": "posted", "agent": "mill", "title": "Posted"})).await;
    assert_eq!(house.read("/v1/sessions/posted/records").await, json!({"records": []}));
}
