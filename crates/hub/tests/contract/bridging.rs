//! A bridge's key brings what people wrote elsewhere, as their own words, into the sessions that it made; no other key
//! does.

use crate::support::House;
use api::Method::{Get, Patch, Post, Put};
use api::keys::Scope;
use hub::Caller;
use serde_json::{Value, json};

/// Returns the prompt of a run that begins now: `sender: content`.
async fn given(house: &House, caller: &Caller, session: &str) -> Vec<String> {
    let run = house.send(caller.clone(), Post, &format!("/v1/sessions/{session}/runs"), Some(json!({}))).await;
    assert_eq!(run.status, 201, "{}", run.body);
    let end = format!("/v1/sessions/{session}/runs/{}/end", run.body["run"].as_str().unwrap());
    assert_eq!(house.send(caller.clone(), Post, &end, Some(json!({}))).await.status, 200);
    let prompt = run.body["prompt"].as_array().unwrap();
    prompt.iter().map(|it| format!("{}: {}", it["sender"].as_str().unwrap(), it["content"].as_str().unwrap())).collect()
}

async fn say(house: &House, caller: &Caller, session: &str, body: Value) -> crate::support::Answer {
    house.send(caller.clone(), Post, &format!("/v1/sessions/{session}/messages"), Some(body)).await
}

/// A house with a key of these scopes and its session.
async fn with_key(scopes: &[Scope]) -> (House, Caller) {
    let house = House::new().await;
    let key = house.agent_with("messenger", scopes).await;
    let made = house.send(key.clone(), Post, "/v1/sessions", Some(json!({"agent": "pynchy", "id": "s1"}))).await;
    assert_eq!(made.status, 201, "{}", made.body);
    (house, key)
}

const BRIDGE: [Scope; 3] = [Scope::Post, Scope::Read, Scope::Bridge];
const ADDRESS: &str = "49151@s.whatsapp.net";

#[tokio::test]
async fn what_a_bridge_brings_is_the_persons_own() {
    let (house, bridge) = with_key(&BRIDGE).await;
    let hello =
        json!({"role": "user", "sender": ADDRESS, "sender_name": "Ada", "content": "The mill turns on Mondays"});
    let said = say(&house, &bridge, "s1", hello).await;
    assert_eq!(said.status, 201, "{}", said.body);
    let fields =
        ["role", "sender", "sender_name", "provenance", "context", "metadata"].map(|field| said.body[field].clone());
    let expected = [json!("user"), json!(ADDRESS), json!("Ada"), json!("person"), json!("turn"), Value::Null];
    assert_eq!(fields, expected);
    // Without a name, the address is shown.
    let unnamed = say(&house, &bridge, "s1", json!({"role": "user", "sender": ADDRESS, "content": "Really"})).await;
    assert_eq!(unnamed.body["sender_name"], ADDRESS);
    let told = [format!("{ADDRESS}: The mill turns on Mondays"), format!("{ADDRESS}: Really")];
    assert_eq!(given(&house, &bridge, "s1").await, told);
    let memories = house.read("/v1/memory?q=mill").await["memories"].clone();
    assert_eq!((memories.as_array().unwrap().len(), &memories[0]["sender_name"]), (1, &json!("Ada")), "{memories}");
}

#[tokio::test]
async fn a_bridge_commands_nothing_and_speaks_for_nobody_else() {
    let (house, bridge) = with_key(&BRIDGE).await;
    let user = |sender: &str, more: Value| {
        let mut body = json!({"role": "user", "sender": sender, "content": "pause"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let set = json!({"trigger": "mention", "name": "Pynchy", "direct_commands": "on"});
    house.put("/v1/sessions/s1/routing", set).await;
    // Neither control words nor commands: they are words, and without a mention nobody is called.
    for (content, read) in [
        ("pause", None),
        ("@Pynchy pause", Some("@Pynchy pause")),
        ("@Pynchy !ls", Some("@Pynchy !ls")),
        ("@Pynchy hi", Some("hi")),
    ] {
        let said = say(&house, &bridge, "s1", user(ADDRESS, json!({"content": content}))).await;
        assert_eq!((said.status, &said.body["provenance"]), (201, &json!("person")), "{}", said.body);
        let told: Vec<String> = read.map(|read| format!("{ADDRESS}: {read}")).into_iter().collect();
        assert_eq!(given(&house, &bridge, "s1").await, told, "{content}");
    }
    // Another voice's word, no address, ticks: passed on, as by any key.
    let tick =
        json!({"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "x", "status": "completed"}]}});
    for body in [
        user("host", json!({})),
        user("system", json!({})),
        user(" ", json!({})),
        json!({"role": "user", "content": "x"}),
        user(ADDRESS, json!({"message_metadata": tick})),
    ] {
        let said = say(&house, &bridge, "s1", body.clone()).await;
        assert_eq!((said.status, &said.body["provenance"]), (201, &json!("key")), "{body}: {}", said.body);
    }
    assert_eq!(given(&house, &bridge, "s1").await, [""; 0]);
    for (body, status, field) in [
        (user(ADDRESS, json!({"message_metadata": {"routing": {"text": "x"}}})), 400, "/message_metadata/routing"),
        (user(ADDRESS, json!({"memory": "always"})), 403, "/memory"),
        (json!({"role": "system", "content": "x"}), 403, "/role"),
    ] {
        let refused = say(&house, &bridge, "s1", body.clone()).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (status, Some(field)), "{body}: {}", refused.body);
    }
    // Sessions that another key or a person made aren't there.
    house.post("/v1/sessions", json!({"agent": "bot", "id": "s2"})).await;
    assert_eq!(say(&house, &bridge, "s2", user(ADDRESS, json!({}))).await.status, 404);
    // No key changes a person's message.
    let said = say(&house, &bridge, "s1", user(ADDRESS, json!({"id": "m", "content": "@Pynchy the mill"}))).await;
    assert_eq!(said.body["provenance"], "person");
    let forged = json!({"content": "the barn"});
    let changed = house.send(bridge.clone(), Patch, "/v1/sessions/s1/messages/m", Some(forged)).await;
    assert_eq!((changed.status, &changed.body["code"]), (403, &json!("not_yours")), "{}", changed.body);
    assert_eq!(house.read("/v1/memory?q=barn").await["memories"], json!([]));
    let decided = house.send(bridge, Put, "/v1/settings/routing", Some(json!({}))).await;
    assert_eq!(decided.status, 403);
}

#[tokio::test]
async fn another_key_passes_words_on_and_nothing_is_written_into_them() {
    let (house, key) = with_key(&[Scope::Post, Scope::Read, Scope::Mirror]).await;
    let said = say(&house, &key, "s1", json!({"role": "user", "sender": ADDRESS, "content": "The mill"})).await;
    assert_eq!((said.status, &said.body["provenance"], &said.body["metadata"]), (201, &json!("key"), &Value::Null));
    assert_eq!(given(&house, &key, "s1").await, [""; 0]);
    assert_eq!(house.read("/v1/memory?q=mill").await["memories"], json!([]));
    let made = house.send(Caller::owner(), Get, "/v1/keys", None).await.body;
    assert_eq!(made["keys"][0]["scopes"], json!(["post", "read", "mirror"]));
    let usual = house.send(Caller::owner(), Post, "/v1/keys", Some(json!({"name": "usual"}))).await.body;
    assert_eq!(usual["scopes"], json!(["post", "read", "mirror"]), "a bridge is named by its owner");
}
