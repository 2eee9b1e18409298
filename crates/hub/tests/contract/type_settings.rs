//! The way back from message types: payloads that aren't checked, and types that are drawn as text.

use crate::live::Talk;
use api::Method::{Get, Patch, Post};
use hub::Caller;
use serde_json::{Value, json};

const SETTINGS: &str = "/v1/settings/types";

/// A TODO whose state no version knows.
fn parked(id: &str) -> Value {
    let todos = json!([{"id": "1", "content": "Mill", "status": "parked"}]);
    json!({"id": id, "message_metadata": {"message_type": "TODO", "payload": {"todos": todos}}})
}

#[tokio::test]
async fn types_are_accepted_unchecked_while_that_is_switched_off() {
    let talk = Talk::new().await;
    let set = async |settings: Value| talk.house.send(Caller::owner(), Patch, SETTINGS, Some(settings)).await;
    let post = async |body: Value| talk.agent(Post, "/messages", body).await;
    assert_eq!(post(parked("m1")).await.body["field"], "/message_metadata/payload/todos/0/status");

    assert_eq!(set(json!({"unvalidated": ["TODO"]})).await.body, json!({"plain": [], "unvalidated": ["TODO"]}));
    let stored = post(parked("m2")).await;
    assert_eq!(stored.status, 201, "{}", stored.body);
    let metadata = &stored.body["metadata"];
    assert_eq!(
        *metadata,
        json!({
            "message_type": "TODO",
            "payload": {"todos": [{"id": "1", "content": "Mill", "status": "parked"}]},
            "version": 1,
            "unvalidated": true
        })
    );
    let not_an_envelope = json!({"id": "m3", "message_metadata": {"message_type": "TODO", "payload": []}});
    assert_eq!(post(not_an_envelope).await.body["field"], "/message_metadata/payload");
    let other = json!({"id": "m4", "message_metadata": {"message_type": "FILE", "payload": {}}});
    assert_eq!(post(other.clone()).await.status, 400);

    set(json!({"unvalidated": ["*"]})).await;
    assert_eq!(post(other).await.status, 201);
    // By these people decide: they are checked always.
    for tag in ["APPROVAL", "ACTION"] {
        let forged = json!({"message_metadata": {"message_type": tag, "payload": {"state": "allowed_once"}}});
        assert!(matches!(post(forged).await.status, 400 | 403), "{tag}");
    }

    set(json!({"unvalidated": []})).await;
    assert_eq!(post(parked("m5")).await.status, 400);
    let kept = talk.agent(Get, "/messages/m2", Value::Null).await;
    assert_eq!(kept.body["entry"]["metadata"], *metadata, "switching back changes no data");
}

#[tokio::test]
async fn what_is_switched_is_kept_logged_and_not_an_agents_to_change() {
    let talk = Talk::new().await;
    let set = async |caller: Caller, settings: Value| talk.house.send(caller, Patch, SETTINGS, Some(settings)).await;
    assert_eq!(set(talk.agent.clone(), json!({"plain": ["*"]})).await.status, 403);
    assert_eq!(set(Caller::owner(), json!({"plain": ["TODO", "*", "TODO"]})).await.status, 200);
    let kept = json!({"plain": ["*", "TODO"], "unvalidated": []});
    assert_eq!(talk.house.read(SETTINGS).await, kept);
    let refused = set(Caller::owner(), json!({"plain": ["TODO", ""]})).await;
    assert_eq!((refused.status, &refused.body["field"]), (400, &json!("/plain/1")));
    let logged = talk.house.read("/v1/audit?limit=1").await;
    let changes = json!([{"field": "plain", "old": [], "new": ["*", "TODO"]}]);
    assert_eq!(logged["entries"][0]["what"], json!({"kind": "preferences_changed", "changes": changes}));
}
