//! The table of the older products' words in `docs/user/migrating.md`: each request that it names is sent, and answered
//! as it says.

use crate::support::House;
use api::Method::{self, Get, Patch, Post, Put};
use api::keys::Scope;
use hub::Caller;
use serde_json::{Value, json};

/// A row: who sends what, and what comes back.
struct Row<'a> {
    by: &'a str,
    request: &'a str,
    answer: &'a str,
}

/// The rows of the table that have a request.
fn rows(page: &str) -> Vec<Row<'_>> {
    let (_, table) = page.split_once("| There | Here | By | Request | Answer |\n").unwrap();
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>());
    let rows = cells.filter(|cells| cells.len() == 5);
    rows.map(|cells| Row { by: cells[2], request: cells[3].trim_matches('`'), answer: cells[4] }).collect()
}

/// Returns the answer as the table has it.
fn said(status: u16, body: &Value) -> String {
    match (&body["title"], &body["role"]) {
        (Value::String(title), _) if status >= 400 => format!("{status} {title}"),
        (_, Value::String(role)) => {
            let kind = body["message_type"].as_str().unwrap();
            format!("{status} {role}, {kind}, {}", body["context"].as_str().unwrap())
        }
        _ => status.to_string(),
    }
}

#[tokio::test]
async fn each_row_of_the_table_is_answered_as_it_says() {
    let house = House::new().await;
    let key = house.agent_with("host", &[Scope::Post, Scope::Read, Scope::Mirror]).await;
    let bridge = house.agent_with("messenger", &[Scope::Post, Scope::Read, Scope::Bridge]).await;
    for (caller, id) in [(&key, "s1"), (&bridge, "s2")] {
        let made = house.send(caller.clone(), Post, "/v1/sessions", Some(json!({"agent": "pynchy", "id": id}))).await;
        assert_eq!(made.status, 201, "{}", made.body);
    }
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/user/migrating.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 55, "{}", rows.len());
    for row in rows {
        let (caller, session) = match row.by {
            "key" => (key.clone(), "s1"),
            "bridge" => (bridge.clone(), "s2"),
            "you" => (Caller::owner(), "s1"),
            other => panic!("{other}: {}", row.request),
        };
        let (method, rest) = row.request.split_once(' ').unwrap();
        let method: Method = match method {
            "GET" => Get,
            "POST" => Post,
            "PUT" => Put,
            "PATCH" => Patch,
            other => panic!("{other}"),
        };
        let (path, body) = rest.split_once(' ').map_or((rest, None), |(path, body)| (path, Some(body)));
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/v1/sessions/{session}/{path}") };
        let body: Option<Value> = body.map(|body| serde_json::from_str(body).unwrap());
        let answer = house.send(caller.clone(), method, &path, body).await;
        assert_eq!(said(answer.status, &answer.body), row.answer, "{}: {}", row.request, answer.body);
        if let Some(run) = answer.body["run"].as_str().filter(|_| path.ends_with("/runs")) {
            let end = format!("{path}/{run}/end");
            assert_eq!(house.send(caller, Post, &end, Some(json!({}))).await.status, 200);
        }
    }
    // The result of the call stands beside it, and the call knows what became of it.
    let all = house.read("/v1/sessions/s1/messages?dev=1&limit=500").await;
    let call = all["messages"].as_array().unwrap().iter().find(|message| message["call_id"] == "t1").unwrap();
    assert_eq!((&call["message_type"], &call["outcome"]), (&json!("TOOL_CALL"), &json!("done")), "{call}");
}
