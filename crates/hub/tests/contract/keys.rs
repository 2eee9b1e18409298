//! Keys: what they may do, what they look like, how long they hold.

use crate::live::Talk;
use crate::support::{House, in_time};
use api::Method::{Delete, Get, Patch, Post};
use api::keys::{NewKey, Scope};
use hub::Caller;
use serde_json::{Value, json};

/// A key with this scope reads what others write, and writes nothing of theirs.
#[tokio::test]
async fn a_key_that_reads_all() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"content": "Mine"})).await;
    let reader = talk.house.agent_with("reader", &[Scope::Post, Scope::ReadAll]).await;
    let ask = async |method, path: &str, body: Value| {
        let body = Some(body).filter(|body| !body.is_null());
        talk.house.send(reader.clone(), method, path, body).await
    };
    let list = ask(Get, "/v1/sessions", Value::Null).await;
    assert_eq!(list.body["sessions"].as_array().unwrap().len(), 1);
    for path in ["", "/messages", "/messages/1", "/todos"] {
        let answer = ask(Get, &format!("/v1/sessions/s1{path}"), Value::Null).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    for (method, path, body) in [
        (Post, "/messages", json!({"content": "Mine, too?"})),
        (Patch, "/messages/1", json!({"content": "Mine now"})),
        (Delete, "/messages/1", Value::Null),
        (Post, "/pending", json!({})),
        (Post, "/end", json!({})),
        (Post, "/heartbeat", json!({})),
        (Patch, "", json!({"title": "Mine"})),
    ] {
        let answer = ask(method, &format!("/v1/sessions/s1{path}"), body).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    // Its own it reads, too.
    assert_eq!(ask(Post, "/v1/sessions", json!({"agent": "bot", "id": "s2"})).await.status, 201);
    assert_eq!(ask(Post, "/v1/sessions/s2/pending", json!({})).await.status, 200);
}

/// A key may do what was asked for; where nothing was, post and read its own.
#[tokio::test]
async fn what_a_new_key_may_do() {
    let house = House::new().await;
    let make = async |body: Value| house.send(Caller::owner(), Post, "/v1/keys", Some(body)).await;
    assert_eq!(make(json!({"name": "x"})).await.body["scopes"], json!(["post", "read", "mirror"]));
    let none = make(json!({"name": "x", "scopes": []})).await;
    assert_eq!((none.status, &none.body["field"]), (400, &json!("/scopes")));
    let all = json!(["mirror", "read_all", "post", "read", "post"]);
    let made = make(json!({"name": "x", "scopes": all})).await;
    assert_eq!(made.body["scopes"], json!(["post", "read", "read_all", "mirror"]));
}

/// `vbt_<id>_<secret>_<check>`; those of before go on to hold.
#[tokio::test]
async fn what_a_key_looks_like() {
    let house = House::new().await;
    let made =
        house.hub.create_key(&house.hub.workspace, NewKey { name: "x".to_owned(), ..NewKey::default() }).await.unwrap();
    let parts: Vec<&str> = made.key.split('_').collect();
    assert_eq!((parts.len(), parts[0], parts[1]), (4, "vbt", made.id.as_str()));
    let old = format!("vbt_ag_{}_{}", parts[1], parts[2]);
    let old = format!("{old}_{:08x}", crc32fast::hash(old.as_bytes()));
    for key in [&made.key, &old] {
        let caller = house.hub.agent(key).await.unwrap();
        assert_eq!(caller.unwrap().key_id(), Some(made.id.as_str()));
    }
    assert_eq!(house.hub.agent(&made.key.replace(parts[1], "0000000000")).await.unwrap(), None);
}

/// A wait ends when its key does.
#[tokio::test]
async fn a_key_that_expires_ends_a_wait() {
    let house = House::new().await;
    let soon = (hub::clock::now().0 + 700_000).to_string();
    let new = NewKey { name: "x".to_owned(), expires_at: Some(soon.into()), ..NewKey::default() };
    let key = house.hub.create_key(&house.hub.workspace, new).await.unwrap().key;
    let agent = house.hub.agent(&key).await.unwrap().unwrap();
    house.send(agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": "s1"}))).await;
    for path in ["/v1/sessions/s1/pending", "/v1/sessions/s1/runs"] {
        let answer = in_time(house.send(agent.clone(), Post, path, Some(json!({"wait": 60})))).await;
        assert_eq!((answer.status, &answer.body["code"]), (401, &json!("revoked")), "{path}");
    }
}
