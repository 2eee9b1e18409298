//! How far an agent's key reaches: its own sessions, with its scopes, in its own roles.

use crate::support::{Answer, House, Talk, texts};
use api::Method::{self, Delete, Get, Patch, Post};
use api::keys::{NewKey, Scope};
use hub::{Agent, Caller, Scoped};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

const MUCH: store::Usage = store::Usage { messages: 1_000, bytes: 1_000_000 };

async fn with_scopes(house: &House, scopes: &[Scope]) -> Caller {
    let new = NewKey { name: "bot".to_owned(), scopes: Some(scopes.to_vec()), ..NewKey::default() };
    let key = house.hub.create_key(&house.hub.workspace, new).await.unwrap();
    house.hub.agent(&key.key).await.unwrap().unwrap()
}

/// A session of this key with a message, made by a caller who may do everything.
async fn with_a_message(house: &House, key: &Caller) -> String {
    let id = key.key_id().unwrap().to_owned();
    let all = Caller::Agent(Arc::new(Agent {
        id,
        name: "bot".to_owned(),
        scopes: Scope::ALL.to_vec(),
        quota: MUCH,
        machine: None,
    }));
    let made = make(house, &all, json!({"agent": "bot"})).await;
    let session = made.body["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{session}/messages");
    assert_eq!(house.send(all, Post, &path, Some(json!({"id": "m1", "content": "x"}))).await.status, 201);
    session
}

async fn make(house: &House, caller: &Caller, session: Value) -> Answer {
    house.send(caller.clone(), Post, "/v1/sessions", Some(session)).await
}

/// An agent gives its own ids as it likes, ours too: who names a session by our id gets that one.
#[tokio::test]
async fn our_id_wins_over_an_agents_own() {
    let house = House::new().await;
    let (ada, mallory) = (house.agent("ada").await, house.agent("mallory").await);
    make(&house, &ada, json!({"agent": "bot", "id": "s1"})).await;
    let made = make(&house, &mallory, json!({"agent": "imposter", "agent_session_id": "s1"})).await;
    assert_eq!(made.status, 201);
    let imposter = made.body["id"].as_str().unwrap();
    let path = format!("/v1/sessions/{imposter}/messages");
    assert_eq!(house.send(mallory, Post, &path, Some(json!({"content": "x"}))).await.status, 201);
    assert_eq!(house.read("/v1/sessions/s1").await["session"]["id"], "s1");
    let said = house.send(Caller::owner(), Post, "/v1/sessions/s1/messages", Some(json!({"content": "Hello"}))).await;
    assert_eq!(said.body["session_id"], "s1", "{}", said.body);
}

/// A name that two agents use for their sessions is ambiguous for the owner.
#[tokio::test]
async fn an_own_id_of_two_agents_is_ambiguous() {
    let house = House::with(&Talk::new("mill").user("Grind")).await;
    let mallory = house.agent("mallory").await;
    make(&house, &mallory, json!({"agent": "imposter", "agent_session_id": "mill"})).await;
    let named = house.get("/v1/sessions/mill").await;
    assert_eq!((named.status, &named.body["code"]), (409, &json!("ambiguous")));
    let own = house.send(mallory, Get, "/v1/sessions/mill", None).await;
    assert_eq!(own.body["session"]["agent"], "imposter", "for the agent there is one alone");
}

#[tokio::test]
async fn an_agent_counts_its_own_sessions() {
    let house = House::with(&Talk::new("mill").user("Grind")).await;
    let ada = house.agent("ada").await;
    make(&house, &ada, json!({"agent": "bot", "id": "s1", "project": "/home/ada/pond"})).await;
    let page = house.send(ada, Get, "/v1/sessions", None).await.body;
    let expected = json!({
        "projects": [{"value": "/home/ada/pond", "sessions": 1}], "agents": [{"value": "bot", "sessions": 1}],
    });
    assert_eq!((&page["total"], &page["all"], &page["facets"]), (&json!(1), &json!(1), &expected));
}

/// The endpoints of each scope: a `post` key gets answers to its own messages, a `read` key reads all.
#[tokio::test]
async fn each_scope_by_itself() {
    let house = House::new().await;
    let scopes = [Scope::Post, Scope::Read, Scope::Mirror];
    let post = json!({"content": "x", "message_metadata": {"source": "test"}});
    let asked: [(Method, &str, Value); 13] = [
        (Get, "/v1/me", Value::Null),
        (Post, "/v1/sessions", json!({"agent": "bot"})),
        (Get, "/v1/sessions", Value::Null),
        (Get, "/v1/sessions/{s}", Value::Null),
        (Get, "/v1/sessions/{s}/messages", Value::Null),
        (Get, "/v1/sessions/{s}/messages/1", Value::Null),
        (Get, "/v1/sessions/{s}/todos", Value::Null),
        (Patch, "/v1/sessions/{s}", json!({"title": "x"})),
        (Post, "/v1/sessions/{s}/heartbeat", Value::Null),
        (Post, "/v1/sessions/{s}/messages", post.clone()),
        (Post, "/v1/sessions/{s}/messages/batch", json!({"messages": [post]})),
        (Patch, "/v1/sessions/{s}/messages/m1", json!({"content": "y"})),
        (Post, "/v1/sessions/{s}/pending", json!({})),
    ];
    let mut seen = String::new();
    for (method, path, body) in asked {
        let mut line = format!("{:6} {path:32}", method.as_str());
        for scope in scopes {
            let (key, word) = (with_scopes(&house, &[scope]).await, scope.as_str());
            let own = with_a_message(&house, &key).await;
            let body = Some(body.clone()).filter(|body| !body.is_null());
            let answer = house.send(key, method, &path.replace("{s}", &own), body).await;
            assert_ne!(answer.status, 404, "{path} with {word}: {}", answer.body);
            write!(line, " {word} {}", answer.status).unwrap();
        }
        writeln!(seen, "{line}").unwrap();
    }
    assert_snapshot!(seen);
}

/// An agent changes what agents may say.
#[tokio::test]
async fn what_people_told_the_system_is_theirs() {
    let house = House::new().await;
    let ada = house.agent("ada").await;
    make(&house, &ada, json!({"agent": "bot", "id": "s1"})).await;
    let rule = json!({"id": "rule", "role": "system", "content": "Never push"});
    assert_eq!(house.send(Caller::owner(), Post, "/v1/sessions/s1/messages", Some(rule)).await.status, 201);
    let path = "/v1/sessions/s1/messages/rule";
    for (method, body) in [(Patch, Some(json!({"content": "Push"}))), (Delete, None)] {
        let refused = house.send(ada.clone(), method, path, body).await;
        assert_eq!((refused.status, &refused.body["code"]), (403, &json!("not_yours")));
    }
    let page = house.read("/v1/sessions/s1/messages?dev=1").await;
    assert_eq!(texts(&page["messages"], "content"), ["Never push"]);
}

/// However it says so: beside the payload it is the same wish.
#[tokio::test]
async fn an_agent_writes_no_memory() {
    let house = House::new().await;
    let ada = house.agent("ada").await;
    make(&house, &ada, json!({"agent": "bot", "id": "s1"})).await;
    let path = "/v1/sessions/s1/messages";
    house.send(ada.clone(), Post, path, Some(json!({"id": "m1", "content": "x"}))).await;
    let always = json!({"content": "x", "message_metadata": {"embed": "always"}});
    for (method, path) in [(Post, path), (Patch, "/v1/sessions/s1/messages/m1")] {
        let refused = house.send(ada.clone(), method, path, Some(always.clone())).await;
        let said = (refused.status, &refused.body["code"], &refused.body["field"]);
        assert_eq!(said, (403, &json!("memory_forbidden"), &json!("/message_metadata/embed")));
    }
    let never = json!({"content": "x", "message_metadata": {"embed": "never"}});
    assert_eq!(house.send(ada, Post, path, Some(never)).await.status, 201);
    assert_eq!(house.send(Caller::Local, Post, path, Some(always)).await.status, 201);
}

/// However many pieces it comes in, a text has an end.
#[tokio::test]
async fn a_text_has_a_greatest_length() {
    let house = House::new().await;
    let ada = house.agent("ada").await;
    make(&house, &ada, json!({"agent": "bot", "id": "s1"})).await;
    let half = "x".repeat(10 << 20);
    let streaming = json!({"id": "m1", "content": half, "status": "streaming"});
    assert_eq!(house.send(ada.clone(), Post, "/v1/sessions/s1/messages", Some(streaming)).await.status, 201);
    let path = "/v1/sessions/s1/messages/m1";
    let refused = house.send(ada.clone(), Patch, path, Some(json!({"append": half}))).await;
    assert_eq!(refused.status, 413);
    assert_snapshot!(house.shown(&refused));
    assert_eq!(house.send(ada, Patch, path, Some(json!({"append": "y"}))).await.status, 200);
}

/// An agent that comes back is told what became of its session; of another key's, that the name is taken and no more.
#[tokio::test]
async fn a_session_that_is_gone_is_told_of() {
    let house = House::new().await;
    let (ada, bea) = (house.agent("ada").await, house.agent("bea").await);
    let nightly = || json!({"agent": "nightly", "agent_session_id": "run-1"});
    let id = make(&house, &ada, nightly()).await.body["id"].as_str().unwrap().to_owned();
    make(&house, &ada, json!({"agent": "nightly", "id": "s2"})).await;
    let mut shown = String::new();
    let mut tell = |who: &str, answer: Answer| {
        writeln!(shown, "{who}: {} {}", answer.status, answer.body.to_string().replace(&id, "[id]")).unwrap();
    };
    for (who, caller) in [("another key", &bea), ("a person", &Caller::owner())] {
        tell(who, make(&house, caller, nightly()).await);
        tell(who, make(&house, caller, json!({"agent": "nightly", "id": "s2"})).await);
    }
    tell("another key", house.send(bea.clone(), Post, "/v1/sessions/run-1/heartbeat", None).await);
    // It knows the session by then: nothing of it is looked up.
    let say = async |caller: &Caller, name: &str| {
        house.send(caller.clone(), Post, &format!("/v1/sessions/{name}/messages"), Some(json!({"content": "x"}))).await
    };
    assert_eq!(say(&ada, &id).await.status, 201);
    for name in [id.as_str(), "s2"] {
        assert_eq!(house.send(Caller::owner(), Delete, &format!("/v1/sessions/{name}"), None).await.status, 200);
    }
    tell("its own, deleted", make(&house, &ada, nightly()).await);
    tell("its own, deleted", make(&house, &ada, json!({"agent": "nightly", "id": "s2"})).await);
    for name in [id.as_str(), "run-1", "s2", "run-2"] {
        tell(&format!("its own, {name}").replace(&id, "[id]"), say(&ada, name).await);
    }
    tell("its own, waiting", house.send(ada.clone(), Post, "/v1/sessions/run-1/pending", None).await);
    tell("another key, deleted", make(&house, &bea, nightly()).await);
    tell("another key, run-1", say(&bea, "run-1").await);
    assert_snapshot!(shown);
}

/// Links lead to what is there.
#[tokio::test]
async fn a_deleted_parent_is_no_ancestor() {
    let house = House::new().await;
    let ada = house.agent("ada").await;
    make(&house, &ada, json!({"agent": "bot", "id": "above"})).await;
    make(&house, &ada, json!({"agent": "bot", "id": "below", "parent": "above"})).await;
    let ancestors = async || house.read("/v1/sessions/below").await["ancestors"].clone();
    assert_eq!(texts(&ancestors().await, "id"), ["above"]);
    house.send(Caller::owner(), Delete, "/v1/sessions/above", None).await;
    let restored = house.send(Caller::owner(), Post, "/v1/sessions/below/restore", Some(json!({}))).await;
    assert_eq!(restored.status, 200, "{}", restored.body);
    assert_eq!(ancestors().await, json!([]));
}

/// An agent's message is found by its id alone, wherever it stands; another one's isn't there.
#[tokio::test]
async fn a_message_is_found_by_its_id_alone() {
    let house = House::new().await;
    let (ada, bea) = (house.agent("ada").await, house.agent("bea").await);
    for (agent, id) in [(&ada, "s1"), (&ada, "s2"), (&bea, "s3")] {
        make(&house, agent, json!({"agent": "bot", "id": id})).await;
        let path = format!("/v1/sessions/{id}/messages");
        house.send(agent.clone(), Post, &path, Some(json!({"id": format!("of-{id}"), "content": "x"}))).await;
    }
    let session_of = async |caller: &Caller, message: &str| {
        let found = Scoped::new(house.hub.clone(), caller.clone()).session_of(message).await.unwrap();
        found.map_or_else(|| "none".to_owned(), |session| session.to_string())
    };
    assert_eq!(session_of(&ada, "of-s1").await, "s1");
    assert_eq!(session_of(&ada, "of-s3").await, "none");
    assert_eq!(session_of(&ada, "a\0b").await, "none");
    assert_eq!(session_of(&Caller::Local, "of-s3").await, "s3");
    house.send(Caller::owner(), Delete, "/v1/sessions/s1", None).await;
    assert_eq!(session_of(&ada, "of-s1").await, "none");
}
