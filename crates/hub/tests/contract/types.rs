//! Declared types: declaring, listing, removing, what messages of them say, and answers to their buttons.

use crate::live::Talk;
use crate::support::Answer;
use api::Method::{Delete, Get, Patch, Post, Put};
use api::keys::Scope;
use hub::Caller;
use serde_json::{Value, json};

const PLAN: &str = "/v1/types/acme.deploy%2Fplan";

fn document(version: i64, badge: &str) -> Value {
    json!({
        "title": "Deployment", "version": version, "summary": "Deploy {/service}: {/state}", "markdown": "Deployment of **{/service}**",
        "view": [
            {"component": "badge", "text": badge},
            {"component": "input", "name": "why", "label": "Why?"},
            {"component": "button", "label": "Roll back", "value": "rollback"},
        ],
        "schema": {"required": ["service"]},
    })
}

fn message(id: &str, version: i64) -> Value {
    let payload = json!({"service": "api", "state": "done"});
    json!({"id": id, "message_metadata": {"message_type": "acme.deploy/plan", "version": version, "payload": payload}})
}

async fn send(talk: &Talk, caller: &Caller, method: api::Method, path: &str, body: Value) -> Answer {
    let body = Some(body).filter(|body| !body.is_null());
    talk.house.send(caller.clone(), method, path, body).await
}

/// Returns the entries of a list, without times and hashes.
fn listed(answer: &Answer) -> Vec<(String, i64, String)> {
    let types = answer.body["types"].as_array().cloned().unwrap_or_default();
    let line = |it: &Value| {
        let word = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        (word("type"), it["version"].as_i64().unwrap_or_default(), word("declared_by"))
    };
    types.iter().map(line).collect()
}

#[tokio::test]
async fn a_type_is_declared_listed_and_removed() {
    let talk = Talk::new().await;
    let (agent, other) = (talk.house.agent("bot").await, talk.house.agent("other").await);
    let first = send(&talk, &agent, Put, PLAN, document(1, "{/state}")).await;
    assert_eq!(
        (first.status, &first.body["title"], &first.body["replayed"]),
        (200, &json!("Deployment"), &Value::Null)
    );
    let again = send(&talk, &agent, Put, PLAN, document(1, "{/state}")).await;
    assert_eq!((again.status, &again.body["replayed"]), (200, &json!(true)));
    assert_eq!(again.body["sha256"], first.body["sha256"]);
    // Another key declares no version of it.
    let theirs = send(&talk, &other, Put, PLAN, document(1, "x")).await;
    assert_eq!((theirs.status, &theirs.body["code"]), (403, &json!("not_yours")));
    let newer = send(&talk, &other, Put, PLAN, document(2, "x")).await;
    assert_eq!((newer.status, &newer.body["code"]), (403, &json!("not_yours")));
    assert_eq!(send(&talk, &agent, Put, PLAN, document(2, "x")).await.status, 200);
    assert_eq!(send(&talk, &agent, Put, PLAN, document(1, "y")).await.status, 200);
    let list = send(&talk, &Caller::owner(), Get, "/v1/types", Value::Null).await;
    let named = |version, by: &str| ("acme.deploy/plan".to_owned(), version, by.to_owned());
    assert_eq!(listed(&list), [named(2, "bot"), named(1, "bot")]);
    let detail = send(&talk, &agent, Get, PLAN, Value::Null).await;
    assert_eq!(detail.body["versions"][1]["document"]["view"][0]["text"], "y");
    assert_eq!(detail.body["versions"][1]["document"]["type"], "acme.deploy/plan");
    // People remove it, agents don't.
    assert_eq!(send(&talk, &agent, Delete, PLAN, Value::Null).await.status, 403);
    assert_eq!(listed(&send(&talk, &Caller::owner(), Delete, PLAN, Value::Null).await), []);
    assert_eq!(send(&talk, &Caller::owner(), Delete, PLAN, Value::Null).await.status, 404);
    let log = send(&talk, &Caller::owner(), Get, "/v1/audit", Value::Null).await;
    let kinds: Vec<&str> =
        log.body["entries"].as_array().unwrap().iter().filter_map(|entry| entry["what"]["kind"].as_str()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "type_declared").count(), 3);
    assert_eq!(kinds.first(), Some(&"type_removed"));
}

/// Messages of a version that nobody declared are shown by the owner of the name alone.
#[tokio::test]
async fn the_first_owner_holds_the_name() {
    let talk = Talk::new().await;
    let (first, other) = (talk.house.agent("first").await, talk.house.agent("other").await);
    let put = async |caller: &Caller, version| send(&talk, caller, Put, PLAN, document(version, "x")).await;
    let refused = |answer: &Answer, by: &str| {
        let title = format!("The type `acme.deploy/plan` belongs to {by}: nobody else can declare a version of it");
        (answer.status, answer.body["code"].clone(), answer.body["title"].clone())
            == (403, json!("not_yours"), json!(title))
    };
    assert_eq!(put(&first, 2).await.status, 200);
    assert_eq!(put(&other, 2).await.body["replayed"], true, "the same document changes nothing");
    for version in [1, 3, 99] {
        let answer = put(&other, version).await;
        assert!(refused(&answer, "first"), "{}", answer.body);
    }
    talk.agent(Post, "/messages", message("m1", 5)).await;
    let page = talk.owner(Get, "/messages", Value::Null).await;
    assert_eq!(page.body["messages"][0]["summary"], "Deploy api: done");
    // A person declares any version, and the key goes on to declare its own.
    assert_eq!(put(&Caller::owner(), 3).await.status, 200);
    assert_eq!(put(&first, 4).await.status, 200);
    assert!(refused(&put(&other, 5).await, "first"));
    // The name of a key that was revoked stays with it until a person takes it.
    let Caller::Agent(key) = &first else { panic!("no agent") };
    assert_eq!(talk.house.send(Caller::owner(), Delete, &format!("/v1/keys/{}", key.id), None).await.status, 200);
    assert!(refused(&put(&other, 5).await, "first"));
    assert_eq!(put(&Caller::owner(), 5).await.status, 200);
    assert!(refused(&put(&other, 6).await, "You"));
    // A type that a person declared is theirs, until they remove it.
    assert_eq!(send(&talk, &Caller::owner(), Delete, PLAN, Value::Null).await.status, 200);
    assert_eq!(put(&Caller::owner(), 1).await.status, 200);
    assert!(refused(&put(&other, 3).await, "You"));
    assert!(refused(&put(&other, 2).await, "You"));
    assert_eq!(send(&talk, &Caller::owner(), Delete, PLAN, Value::Null).await.status, 200);
    assert_eq!(put(&other, 2).await.status, 200);
}

#[tokio::test]
async fn wrong_documents_are_refused_with_their_problems() {
    let talk = Talk::new().await;
    let agent = talk.house.agent("bot").await;
    let reader = talk.house.agent_with("reader", &[Scope::Read]).await;
    let mut told = Vec::new();
    let wrong = json!({"title": "", "colour": "red", "view": [{"component": "script"}]});
    for (caller, path, body) in [
        (&agent, PLAN, wrong),
        (&agent, "/v1/types/TODO", document(1, "x")),
        (&agent, PLAN, json!({"type": "other", "title": "A", "view": []})),
        (&agent, PLAN, json!({"title": "A", "view": [{"component": "text", "text": "x".repeat(70_000)}]})),
        (&agent, PLAN, json!([])),
        (&reader, PLAN, document(1, "x")),
        (&agent, "/v1/types/nothing", Value::Null),
    ] {
        let method = if body.is_null() { Get } else { Put };
        let answer = send(&talk, caller, method, path, body).await;
        told.push(format!("{} {} {}", answer.status, answer.body["code"], answer.body));
    }
    insta::assert_snapshot!(told.join("\n"));
}

#[tokio::test]
async fn messages_say_what_their_type_declares() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", message("before", 1)).await;
    let declared = talk.house.put(PLAN, document(1, "{/state}")).await;
    assert_eq!(declared.status, 200);
    let posted = talk.agent(Post, "/messages", message("m1", 7)).await;
    assert_eq!(posted.body["summary"], "Deploy api: done");
    assert_eq!(posted.body["content"], "Deployment of **api**");
    // Content generated from the payload follows it; content that the agent wrote itself stays.
    let update = json!({"message_metadata": {"message_type": "acme.deploy/plan", "payload": {"service": "web"}}});
    let changed = talk.agent(Patch, "/messages/m1", update).await;
    assert_eq!(changed.body["content"], "Deployment of **web**");
    // Earlier messages are shown by the declaration, too.
    let page = talk.owner(Get, "/messages", Value::Null).await;
    assert_eq!(page.body["messages"][0]["summary"], "Deploy api: done");
    assert_eq!(page.body["messages"][1]["summary"], "Deploy web:");
}

#[tokio::test]
async fn a_button_answers_the_agent() {
    let talk = Talk::new().await;
    talk.house.put(PLAN, document(1, "{/state}")).await;
    talk.agent(Post, "/messages", message("m1", 1)).await;
    let shown = talk.owner(Get, "/messages/m1", Value::Null).await.body["entry"]["shown_sha256"].clone();
    let press = async |body: Value| talk.owner(Post, "/messages/m1/decision", body).await;
    let mut told = Vec::new();
    for body in [
        json!({"selected": ["rollback"]}),
        json!({"selected": ["delete"], "shown_sha256": shown}),
        json!({"selected": ["rollback"], "values": {"other": 1}, "shown_sha256": shown}),
        json!({"selected": ["rollback"], "shown_sha256": "0".repeat(64)}),
    ] {
        let answer = press(body).await;
        told.push((answer.status, answer.body["field"].as_str().unwrap_or_default().to_owned()));
    }
    let field = |status, field: &str| (status, field.to_owned());
    assert_eq!(
        told,
        [field(400, "/shown_sha256"), field(400, "/selected/0"), field(400, "/values/other"), field(412, "")]
    );
    let done = press(json!({"selected": ["rollback"], "values": {"why": "slow"}, "shown_sha256": shown})).await;
    assert_eq!(done.status, 200, "{}", done.body);
    let payload = &done.body["action"]["metadata"]["payload"];
    assert_eq!(*payload, json!({"reply_to": "m1", "selected": ["rollback"], "values": {"why": "slow"}}));
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_eq!(pending.body["messages"][0]["message_type"], "ACTION");
}
