//! Every open approval and question of all sessions, page by page.

use crate::live::Talk;
use api::Method::{Delete, Get, Patch, Post};
use hub::Caller;
use serde_json::{Value, json};

/// Returns a page of the list: the ids, the count of all, and the cursor of the next page.
async fn listed(talk: &Talk, caller: Caller, query: &str) -> (Vec<String>, i64, Option<String>) {
    let answer = talk.house.send(caller, Get, &format!("/v1/asks?each=1{query}"), None).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let asks = answer.body["asks"].as_array().unwrap();
    let ids = asks.iter().map(|ask| ask["entry"]["id"].as_str().unwrap().to_owned()).collect();
    assert!(asks.iter().all(|ask| ask["session"]["id"] == ask["entry"]["session_id"]), "{}", answer.body);
    (ids, answer.body["total"].as_i64().unwrap(), answer.body["next"].as_str().map(str::to_owned))
}

async fn all(talk: &Talk) -> String {
    let (ids, total, next) = listed(talk, Caller::owner(), "").await;
    assert_eq!((ids.len() as i64, next), (total, None));
    ids.join(" ")
}

fn approval(id: &str) -> Value {
    let payload = json!({"kind": "permission", "title": "Run it?", "state": "open"});
    json!({"id": id, "call_id": "c", "message_metadata": {"message_type": "APPROVAL", "payload": payload}})
}

fn question(id: &str) -> Value {
    json!({"id": id, "content": "Which tree?", "requires_user_input": true})
}

#[tokio::test]
async fn each_open_request_is_listed_until_it_is_decided() {
    let talk = Talk::new().await;
    assert_eq!(all(&talk).await, "");
    let call = json!({"id": "call", "call_id": "c", "message_metadata": {"message_type": "TOOL_CALL", "payload": {
        "tool_name": "Bash", "input": {"command": "ls"}}}});
    for message in [call, approval("a1"), approval("a2"), question("q1"), question("q2")] {
        assert_eq!(talk.agent(Post, "/messages", message).await.status, 201);
    }
    // Two approvals of one call are two requests, and each says what it covers.
    assert_eq!(all(&talk).await, "a1 a2 q1 q2");
    let asks = talk.house.send(Caller::owner(), Get, "/v1/asks?each=1", None).await.body;
    for ask in asks["asks"].as_array().unwrap().iter().take(2) {
        assert_eq!(ask["entry"]["calls"][0]["input"], json!({"command": "ls"}));
        assert_eq!(ask["entry"]["shown_sha256"].as_str().map(str::len), Some(64));
    }
    assert_eq!(talk.owner(Post, "/messages/a1/decision", json!({"state": "denied"})).await.status, 200);
    assert_eq!(all(&talk).await, "a2 q1 q2");
    talk.owner(Post, "/messages", json!({"content": "The pear", "reply_to": "q2"})).await;
    assert_eq!(all(&talk).await, "a2 q1");
    assert_eq!(talk.agent(Patch, "/messages/a2", json!({"status": "retracted"})).await.status, 200);
    assert_eq!(all(&talk).await, "q1");
    let sessions = |archived: bool| json!({"sessions": ["s1"], "archived": archived});
    talk.house.send(Caller::owner(), Patch, "/v1/sessions", Some(sessions(true))).await;
    assert_eq!(all(&talk).await, "");
    talk.house.send(Caller::owner(), Patch, "/v1/sessions", Some(sessions(false))).await;
    assert_eq!(all(&talk).await, "q1");
    talk.owner(Delete, "", Value::Null).await;
    assert_eq!(all(&talk).await, "");
}

#[tokio::test]
async fn requests_come_in_pages_the_longest_waiting_first() {
    let talk = Talk::new().await;
    for number in 0..5 {
        assert_eq!(talk.agent(Post, "/messages", question(&format!("q{number}"))).await.status, 201);
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    for expected in [2, 2, 1] {
        let (ids, total, next) = listed(&talk, Caller::owner(), &format!("&limit=2{after}")).await;
        assert_eq!((ids.len(), total), (expected, 5));
        seen.extend(ids);
        after = next.map(|next| format!("&after={next}")).unwrap_or_default();
    }
    assert_eq!((seen.join(" ").as_str(), after.as_str()), ("q0 q1 q2 q3 q4", ""));
    // An agent sees what its own sessions ask.
    let other = talk.house.agent("other").await;
    assert_eq!(listed(&talk, other, "").await, (Vec::new(), 0, None));
    assert_eq!(listed(&talk, talk.agent.clone(), "").await.1, 5);
}

#[tokio::test]
async fn a_wrong_query_is_refused() {
    let talk = Talk::new().await;
    for (query, field) in
        [("each=2", "each"), ("each=1&after=x", "after"), ("each=1&limit=0", "limit"), ("limit=201", "limit")]
    {
        let refused = talk.house.send(Caller::owner(), Get, &format!("/v1/asks?{query}"), None).await;
        assert_eq!((refused.status, &refused.body["field"]), (400, &json!(field)), "{}", refused.body);
    }
}
