//! Invalid posts get an error that names the field, and nothing of them is stored.

use crate::support::House;
use api::Method::{Get, Post};
use hub::Caller;
use insta::assert_snapshot;
use serde_json::json;
use std::fmt::Write as _;

#[tokio::test]
async fn every_refusal_names_its_field() {
    let house = House::new().await;
    let agent = house.agent("bot").await;
    house.send(agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": "s1"}))).await;
    let mut shown = String::new();
    for body in [
        json!({}),
        json!({"content": 7}),
        json!({"content": "x", "colour": "red"}),
        json!({"content": "x", "id": ""}),
        json!({"content": "x", "id": ".."}),
        json!({"content": "x", "call_id": "c".repeat(201)}),
        json!({"content": "x", "run_id": "r".repeat(201)}),
        json!({"content": "x", "role": 3}),
        json!({"content": "x", "context": 3}),
        json!({"content": "x", "role": "host"}),
        json!({"content": "x", "role": "king"}),
        json!({"content": "x", "role": "system"}),
        json!({"content": "x", "status": "retracted"}),
        json!({"content": "x", "memory": "always"}),
        json!({"content": "x", "created_at": "yesterday"}),
        json!({"content": "x", "created_at": "2026-11-01T08:00:00"}),
        json!({"content": "x", "created_at": 1_772_355_600}),
        json!({"content": "x", "created_at": 1_772_355_600_000_i64}),
        json!({"content": "x", "message_metadata": {"message_type": "APPROVAL", "payload": {"title": "Go?"}}}),
        json!({"content": "x", "message_metadata": {"message_type": "TODO"}}),
        json!({"content": "x", "deliver": true}),
        json!({"content": "x", "role": "user", "requires_user_input": true}),
        json!({"content": "x", "message_metadata": []}),
        json!({"content": "x", "message_metadata": {"message_type": ""}}),
        json!({"content": "x", "message_metadata": {"message_type": "X".repeat(201)}}),
        json!({"content": "x", "message_metadata": {"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "c", "status": "doing"}]}}}),
        json!({"content": "x", "message_metadata": {"message_type": "ACTION", "payload": {"approval_id": "a", "selected": ["Allow"]}}}),
    ] {
        let answer = house.send(agent.clone(), Post, "/v1/sessions/s1/messages", Some(body.clone())).await;
        let body = body.to_string().replace(&"X".repeat(201), "X...").replace(&"c".repeat(201), "c...");
        let body = body.replace(&"r".repeat(201), "r...");
        writeln!(shown, "{body}\n  {} {}", answer.status, answer.body).unwrap();
    }
    for (path, body) in [
        ("/v1/sessions", json!({})),
        ("/v1/sessions", json!({"agent": " "})),
        ("/v1/sessions", json!({"agent": "bot", "id": ".."})),
        ("/v1/sessions", json!({"agent": "bot", "agent_session_id": "."})),
        ("/v1/sessions", json!({"agent": "bot", "parent": "nobody"})),
        ("/v1/sessions/s1/messages/batch", json!({"messages": []})),
        ("/v1/sessions/s1/messages/batch", json!({"messages": [{"content": "x"}, {"content": "y", "id": ""}]})),
        (
            "/v1/sessions/s1/messages/batch",
            json!({"messages": [{"content": "x", "id": "1"}, {"content": "y", "id": "1"}]}),
        ),
        ("/v1/sessions/s1/pending", json!({"wait": 61})),
        ("/v1/sessions/s1/pending", json!({"limit": 0})),
        ("/v1/sessions/s1/pending", json!({"wait": "5"})),
        ("/v1/sessions/s1/messages/batch", json!({"messages": [{"content": "x", "colour": "red"}]})),
        ("/v1/sessions/s1/end", json!({"outcome": "maybe"})),
    ] {
        let answer = house.send(agent.clone(), Post, path, Some(body.clone())).await;
        writeln!(shown, "{path} {body}\n  {} {}", answer.status, answer.body).unwrap();
    }
    for body in [
        json!({"name": ""}),
        json!({"name": "x", "scopes": ["rule"]}),
        json!({"name": "x", "expires_at": "2001-01-01"}),
    ] {
        let answer = house.send(Caller::owner(), Post, "/v1/keys", Some(body.clone())).await;
        writeln!(shown, "/v1/keys {body}\n  {} {}", answer.status, answer.body).unwrap();
    }
    assert_snapshot!(shown);
    let page = house.send(Caller::owner(), Get, "/v1/sessions/s1/messages", None).await;
    assert_eq!(page.body["messages"], json!([]));
}
