//! Requests that nobody decides: their agent is gone, or a person dismisses them.

use crate::driving;
use crate::live::Talk;
use crate::support::{Answer, in_time};
use api::Method::{Get, Patch, Post};
use api::keys::{NewKey, Scope};
use futures::StreamExt as _;
use hub::clock;
use hub::feed::{Until, stream};
use model::Micros;
use serde_json::{Value, json};

fn permission(id: &str) -> Value {
    json!({"id": id, "message_metadata": {"message_type": "APPROVAL", "payload": {
        "kind": "permission", "title": "Run it", "state": "open", "questions": []}}})
}

fn question(id: &str) -> Value {
    json!({"id": id, "content": "Which?", "requires_user_input": true})
}

async fn entry(talk: &Talk, id: &str) -> Value {
    talk.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"].clone()
}

async fn open_asks(talk: &Talk) -> usize {
    talk.house.read("/v1/asks?each=1").await["asks"].as_array().unwrap().len()
}

async fn decide(talk: &Talk, id: &str, decision: Value) -> Answer {
    talk.owner(Post, &format!("/messages/{id}/decision"), decision).await
}

/// Waits until nothing asks any more.
async fn until_none_asks(talk: &Talk) {
    let mut changes = Box::pin(stream(talk.house.hub.clone(), 0, None, store::Sight::All, Until::Shutdown));
    in_time(async {
        while open_asks(talk).await > 0 {
            changes.next().await.unwrap();
        }
    })
    .await;
}

/// Why a request was closed, and whether it still asks.
fn closed(entry: &Value) -> (&Value, &Value, &Value) {
    let metadata = &entry["metadata"];
    (&metadata["request_closed"]["reason"], &metadata["payload"]["state"], &entry["requires_user_input"])
}

#[tokio::test]
async fn the_end_of_a_session_withdraws_what_it_asks() {
    let talk = Talk::new().await;
    for post in [permission("a1"), question("q1"), permission("a2")] {
        assert_eq!(talk.agent(Post, "/messages", post).await.status, 201);
    }
    assert_eq!(open_asks(&talk).await, 3);
    assert_eq!(talk.agent(Post, "/end", json!({})).await.body["state"], "done");
    assert_eq!(open_asks(&talk).await, 0);
    for id in ["a1", "a2"] {
        assert_eq!(closed(&entry(&talk, id).await), (&json!("agent_ended"), &json!("cancelled"), &json!(false)));
    }
    let asked = entry(&talk, "q1").await;
    assert_eq!(closed(&asked), (&json!("agent_ended"), &Value::Null, &json!(false)));
    let late = decide(&talk, "a1", json!({"state": "denied"})).await;
    let title = "It is closed: The agent ended before it was decided";
    assert_eq!((late.status, &late.body["code"], &late.body["title"]), (409, &json!("decided"), &json!(title)));
}

#[tokio::test]
async fn a_key_that_is_revoked_takes_its_requests_along() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", permission("a1")).await;
    talk.agent(Post, "/messages", question("q1")).await;
    // Another key's requests stay.
    let other = talk.house.agent("weekly").await;
    let made = talk.house.send(other.clone(), Post, "/v1/sessions", Some(json!({"agent": "weekly", "id": "s2"}))).await;
    assert_eq!(made.status, 201);
    talk.house.send(other, Post, "/v1/sessions/s2/messages", Some(permission("a1"))).await;
    talk.house.hub.revoke_key(&talk.house.hub.workspace, talk.agent.key_id().unwrap()).await.unwrap();
    let mut changes = Box::pin(stream(talk.house.hub.clone(), 0, None, store::Sight::All, Until::Shutdown));
    in_time(async {
        while open_asks(&talk).await > 1 {
            changes.next().await.unwrap();
        }
    })
    .await;
    assert_eq!(closed(&entry(&talk, "a1").await), (&json!("key_gone"), &json!("cancelled"), &json!(false)));
    assert_eq!(closed(&entry(&talk, "q1").await), (&json!("key_gone"), &Value::Null, &json!(false)));
    assert_eq!(talk.house.read("/v1/asks").await["asks"][0]["entry"]["session_id"], "s2");
}

/// A key that expired while no server ran is found when one starts.
#[tokio::test]
async fn what_a_gone_key_asked_is_withdrawn_at_the_start() {
    let mut talk = Talk::new().await;
    talk.agent(Post, "/messages", permission("a1")).await;
    let workspace = talk.house.hub.workspace.clone();
    // Without a word to this server, as by another one.
    workspace.revoke_agent_key(talk.agent.key_id().unwrap(), clock::now()).await.unwrap();
    assert_eq!(open_asks(&talk).await, 1);
    talk.house = talk.house.restarted().await;
    until_none_asks(&talk).await;
    assert_eq!(closed(&entry(&talk, "a1").await), (&json!("key_gone"), &json!("cancelled"), &json!(false)));
}

#[tokio::test]
async fn a_key_that_expires_takes_its_requests_along() {
    let talk = Talk::new().await;
    let at = clock::now().0 + 2 * Micros::SECOND;
    let expires_at = jiff::Timestamp::from_microsecond(at).unwrap().to_string();
    let new = NewKey {
        name: "short".to_owned(),
        scopes: Some(vec![Scope::Post, Scope::Read]),
        expires_at: Some(json!(expires_at)),
        ..NewKey::default()
    };
    let key = talk.house.hub.create_key(&talk.house.hub.workspace, new).await.unwrap();
    let short = talk.house.hub.agent(&key.key).await.unwrap().unwrap();
    let made = talk.house.send(short.clone(), Post, "/v1/sessions", Some(json!({"agent": "short", "id": "s2"}))).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let posted = talk.house.send(short, Post, "/v1/sessions/s2/messages", Some(permission("a1"))).await;
    assert_eq!(posted.status, 201, "{}", posted.body);
    until_none_asks(&talk).await;
    let closed_one = talk.house.read("/v1/sessions/s2/messages/a1").await["entry"].clone();
    assert_eq!(closed(&closed_one), (&json!("key_gone"), &json!("cancelled"), &json!(false)));
}

/// Whatever is asked can be dismissed, without what was shown: nobody decided it, and the agent is told.
#[tokio::test]
async fn a_person_dismisses_any_request() {
    let file = json!({"id": "f1", "message_metadata": {"message_type": "FILE", "payload": {"files": [
        {"name": "a.txt", "mime": "text/plain", "size": 1, "state": "processing",
            "actions": [{"id": "keep", "label": "Keep"}]}]}}});
    for (id, post, approval) in [("a1", permission("a1"), true), ("q1", question("q1"), false), ("f1", file, false)] {
        let talk = Talk::new().await;
        let posted = talk.agent(Post, "/messages", post).await;
        assert_eq!(posted.status, 201, "{}", posted.body);
        let with_more = decide(&talk, id, json!({"state": "cancelled", "selected": ["keep"]})).await;
        assert_eq!((with_more.status, &with_more.body["field"]), (400, &json!("/selected")));
        let dismissed = decide(&talk, id, json!({"state": "cancelled"})).await;
        assert_eq!(dismissed.status, 200, "{}", dismissed.body);
        let entry = entry(&talk, id).await;
        let how = &entry["metadata"]["request_closed"];
        assert_eq!((&how["reason"], &how["by"], &how["via"]), (&json!("dismissed"), &json!("owner"), &json!("web")));
        assert_eq!((&entry["requires_user_input"], &entry["shown_sha256"]), (&json!(false), &Value::Null), "{id}");
        if approval {
            let payload = &entry["metadata"]["payload"];
            let decision = &payload["decision"];
            assert_eq!(payload["state"], "cancelled");
            assert_eq!(
                (&decision["state"], &decision["by"], &decision["via"], &decision["selected"]),
                (&json!("cancelled"), &json!("owner"), &json!("web"), &json!([]))
            );
        }
        assert_eq!(open_asks(&talk).await, 0);
        // The agent is told.
        let told = talk.agent(Post, "/pending", json!({})).await.body["messages"][0].clone();
        let field = if approval { "approval_id" } else { "reply_to" };
        assert_eq!(told["metadata"]["payload"][field], id);
        assert_eq!(
            (&told["content"], &told["metadata"]["decision_state"]),
            (&json!("Dismissed without a decision"), &json!("cancelled"))
        );
        // Once. Nobody else decides it, and the agent doesn't ask again by a change of what is beside it.
        let again = decide(&talk, id, json!({"state": "cancelled"})).await;
        assert_eq!((again.status, &again.body["replayed"]), (200, &json!(true)));
        assert_eq!(again.body["action"]["id"], dismissed.body["action"]["id"]);
        for late in [json!({"state": "denied"}), json!({"selected": ["0:keep"], "shown_sha256": "00"})] {
            let late = decide(&talk, id, late).await;
            assert_eq!((late.status, &late.body["code"]), (409, &json!("decided")), "{id}: {}", late.body);
        }
    }
}

/// Only a message that asks can be dismissed, and only people dismiss.
#[tokio::test]
async fn only_a_person_dismisses_and_only_what_is_asked() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "m1", "content": "Said"})).await;
    let nothing = decide(&talk, "m1", json!({"state": "cancelled"})).await;
    assert_eq!((nothing.status, &nothing.body["code"]), (409, &json!("no_approval")));
    talk.agent(Post, "/messages", permission("a1")).await;
    let own = talk.agent(Post, "/messages/a1/decision", json!({"state": "cancelled"})).await;
    assert_eq!((own.status, &own.body["code"]), (403, &json!("forbidden")));
    let said =
        json!({"id": "q1", "content": "x", "message_metadata": {"request_closed": {"reason": "dismissed", "at": 1}}});
    let own = talk.agent(Post, "/messages", said).await;
    assert_eq!((own.status, &own.body["code"]), (403, &json!("not_yours_to_decide")), "{}", own.body);
    assert_eq!(decide(&talk, "a1", json!({"state": "denied"})).await.status, 200);
    let late = decide(&talk, "a1", json!({"state": "cancelled"})).await;
    assert_eq!((late.status, &late.body["code"]), (409, &json!("decided")));
    // An agent takes its own request back as before.
    talk.agent(Post, "/messages", permission("a2")).await;
    let mut cancelled = permission("a2");
    cancelled["message_metadata"]["payload"]["state"] = json!("cancelled");
    let metadata = json!({"message_metadata": cancelled["message_metadata"]});
    assert_eq!(talk.agent(Patch, "/messages/a2", metadata).await.status, 200);
}

/// An edit or a command of which nothing is known but its name can only be denied.
#[tokio::test]
async fn a_command_without_its_content_is_never_allowed() {
    let talk = Talk::new().await;
    for (number, tool, input, refused) in [
        (1, "Bash", json!({}), true),
        (2, "Bash", json!({"command": " "}), true),
        (3, "Edit", json!({}), true),
        (4, "write_file", json!({"file_path": "note.txt"}), true),
        (5, "delete", json!({}), true),
        (6, "Bash", json!({"command": "ls"}), false),
        (7, "Write", json!({"file_path": "note.txt", "content": ""}), false),
        (8, "delete", json!({"path": "note.txt"}), false),
        (9, "mcp__board__list", json!({}), false),
    ] {
        let (call_id, id) = (format!("c{number}"), format!("a{number}"));
        let payload = json!({"tool_name": tool, "input": input});
        let call = json!({"call_id": call_id, "message_metadata": {"message_type": "TOOL_CALL", "payload": payload}});
        talk.agent(Post, "/messages", call).await;
        let mut ask = permission(&id);
        ask["call_id"] = json!(call_id);
        talk.agent(Post, "/messages", ask).await;
        let asked = entry(&talk, &id).await;
        assert_eq!(
            (&asked["not_shown"]["reason"] == "no_content", asked["shown_sha256"].is_null()),
            (refused, refused)
        );
        let shown = asked["shown_sha256"].as_str().unwrap_or("00");
        let allowed = decide(&talk, &id, json!({"state": "allowed_once", "shown_sha256": shown})).await;
        if refused {
            assert_eq!((allowed.status, &allowed.body["code"]), (409, &json!("no_content")), "{tool} {}", allowed.body);
            assert_eq!(decide(&talk, &id, json!({"state": "denied"})).await.status, 200);
        } else {
            assert_eq!(allowed.status, 200, "{tool} {}", allowed.body);
        }
    }
}

/// An agent that is started here goes on: it is told that nobody answers.
#[tokio::test]
async fn a_driven_agent_is_told_that_its_request_was_dismissed() {
    let house = driving::house().await;
    let session = driving::started(&house, json!({"prompt": "Ask for a permission"})).await;
    let (card, _) = driving::asked(&house, &session).await;
    let path = format!("/v1/sessions/{session}/messages/{card}");
    let dismissed = driving::owner(&house, Post, &format!("{path}/decision"), json!({"state": "cancelled"})).await;
    assert_eq!(dismissed.status, 200, "{}", dismissed.body);
    let told = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
        "response": {"behavior": "deny", "message": "Nobody answered.", "interrupt": true}}});
    let answers: Vec<Value> =
        driving::written(&house, "answers", 1).await.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers, [told]);
    assert_eq!(closed(&house.read(&path).await["entry"]).0, "dismissed");
}

/// All of them, however many other messages came since.
#[tokio::test]
async fn an_agent_that_ends_leaves_no_request() {
    let house = driving::house().await;
    let session = driving::started(&house, json!({"prompt": "Ask for a permission"})).await;
    let (card, _) = driving::asked(&house, &session).await;
    let ended =
        driving::owner(&house, Post, &format!("/v1/sessions/{session}/agent/tell"), json!({"action": "end"})).await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    driving::until(&house, &session, "ended").await;
    let card = house.read(&format!("/v1/sessions/{session}/messages/{card}")).await["entry"].clone();
    assert_eq!(
        (&card["metadata"]["payload"]["state"], &card["requires_user_input"]),
        (&json!("cancelled"), &json!(false))
    );
    assert_eq!(house.read("/v1/asks").await["asks"], json!([]));
}
