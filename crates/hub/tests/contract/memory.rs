//! Memories: people's messages, recalled in any session, and forgotten.

use crate::live::Talk;
use crate::support::House;
use api::Method::{Delete, Get, Patch, Post, Put};
use api::keys::Scope;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use hub::Caller;
use hub::Embedder;
use hub::memory::embed_part;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Knows three directions: animals, buildings, and all else.
#[derive(Debug, Default)]
struct Meanings {
    is_down: AtomicBool,
}

impl Embedder for Meanings {
    fn model(&self) -> &'static str {
        "meanings"
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>> {
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.to_lowercase().contains(word));
        let vector = |text: &String| {
            let animal = has(text, &["dog", "cat", "poodle"]);
            let building = has(text, &["mill", "barn", "house"]);
            vec![if animal { 3.0 } else { 0.0 }, if building { 3.0 } else { 0.0 }, 0.5]
        };
        let answer = if self.is_down.load(Ordering::Relaxed) {
            Err("connection refused".to_owned())
        } else {
            Ok(texts.iter().map(vector).collect())
        };
        async move { answer }.boxed()
    }
}

fn texts(page: &Value) -> Vec<&str> {
    page["memories"].as_array().unwrap().iter().map(|memory| memory["text"].as_str().unwrap()).collect()
}

impl Talk {
    async fn recalls(&self, q: &str) -> Vec<String> {
        let page = self.house.read(&format!("/v1/memory?q={}", q.replace(' ', "%20"))).await;
        texts(&page).into_iter().map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn what_people_say_is_remembered_and_nothing_else() {
    let talk = Talk::new().await;
    for body in [
        json!({"id": "m1", "content": "The mill turns on Mondays"}),
        json!({"id": "m2", "content": "A mill nobody reads of", "context": "none"}),
        json!({"id": "m3", "content": "Never mind the mill", "memory": "never"}),
        json!({"id": "m4", "content": "@Assistant btw the mill is red"}),
        json!({"id": "m5", "role": "system", "content": "The mill is a system"}),
    ] {
        assert_eq!(talk.owner(Post, "/messages", body).await.status, 201);
    }
    for body in [
        json!({"content": "I know the mill"}),
        json!({"role": "model", "content": "Is the mill red?"}),
        json!({"role": "tool", "sender": "command_output", "content": "mill: not found"}),
        json!({"role": "user", "content": "A mill that was passed on"}),
    ] {
        assert_eq!(talk.agent(Post, "/messages", body).await.status, 201);
    }
    talk.house.hub.tell_session(&model::SessionId::parse("s1").unwrap(), &host("The mill is up")).await;
    let page = talk.house.read("/v1/memory?q=mill").await;
    let memory = page["memories"][0].as_object().unwrap();
    let shown: Vec<&Value> = ["session_id", "message_id", "seq", "role", "provenance", "text", "score", "found_by"]
        .map(|key| &memory[key])
        .into();
    let said = "The mill turns on Mondays";
    let expected =
        [json!("s1"), json!("m1"), json!(1), json!("user"), json!("person"), json!(said), json!(1.0), json!(["words"])];
    assert_eq!(shown, expected.iter().collect::<Vec<_>>());
    let sums = (page["memories"].as_array().unwrap().len(), &page["total"], &page["vectors"], &page["next"]);
    assert_eq!(sums, (1, &json!(1), &json!("off"), &Value::Null));
    assert_eq!(talk.house.read("/v1/memory").await["total"], 1);
}

fn host(text: &str) -> hub::host::HostMessage {
    hub::host::HostMessage::new(&hub::host::HostEvent::Notice { text: text.to_owned() })
}

#[tokio::test]
async fn the_output_of_listed_tools_is_remembered() {
    let talk = Talk::new().await;
    talk.owner(Put, "/routing", json!({"remembered_tools": ["command_output"]})).await;
    talk.agent(Post, "/messages", json!({"role": "tool", "sender": "command_output", "content": "port 8080"})).await;
    talk.agent(Post, "/messages", json!({"role": "tool", "sender": "other", "content": "port 9090"})).await;
    assert_eq!(talk.recalls("port").await, ["port 8080"]);
}

#[tokio::test]
async fn what_is_changed_retracted_or_deleted_is_recalled_no_more() {
    let talk = Talk::new().await;
    for (id, content) in [("m1", "red mill"), ("m2", "green mill"), ("m3", "blue mill")] {
        talk.owner(Post, "/messages", json!({"id": id, "content": content})).await;
    }
    talk.owner(Patch, "/messages/m1", json!({"content": "red barn"})).await;
    talk.owner(Delete, "/messages/m2", Value::Null).await;
    assert_eq!(
        (talk.recalls("mill").await, talk.recalls("barn").await),
        (vec!["blue mill".to_owned()], vec!["red barn".to_owned()])
    );
    talk.owner(Delete, "", Value::Null).await;
    assert_eq!(talk.house.read("/v1/memory").await["total"], 0);
    talk.owner(Post, "/restore", Value::Null).await;
    assert_eq!(talk.recalls("mill").await, ["blue mill"]);
}

#[tokio::test]
async fn a_memory_is_forgotten_for_good() {
    let talk = Talk::new().await;
    for (id, content) in [("m1", "red mill"), ("m2", "green mill")] {
        talk.owner(Post, "/messages", json!({"id": id, "content": content})).await;
    }
    let forget = async |body: Value| talk.house.send(Caller::owner(), Post, "/v1/memory/forget", Some(body)).await;
    let gone = forget(json!({"session": "s1", "message": "m1"})).await;
    assert_eq!((gone.status, gone.body), (200, json!({"memories": 1})));
    assert_eq!(forget(json!({"session": "s1", "message": "m1"})).await.status, 404);
    assert_eq!(talk.recalls("mill").await, ["green mill"]);
    let kept = talk.owner(Get, "/messages/m1", Value::Null).await;
    assert_eq!(kept.body["entry"]["content"], "red mill", "the message stays");
    assert_eq!(forget(json!({"all": true})).await.body, json!({"memories": 1}));
    assert_eq!(talk.recalls("mill").await, [""; 0]);
    for (body, field) in [
        (json!({}), "/session"),
        (json!({"session": "s1"}), "/message"),
        (json!({"message": "m1"}), "/session"),
        (json!({"session": "s1", "message": "m1", "all": true}), "/all"),
    ] {
        let refused = forget(body.clone()).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{body}");
    }
    let by_agent = talk.house.send(talk.agent.clone(), Post, "/v1/memory/forget", Some(json!({"all": true}))).await;
    assert_eq!(by_agent.status, 403);
}

#[tokio::test]
async fn an_agent_recalls_what_it_may_read() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "the red mill"})).await;
    let recall = async |caller: Caller| {
        let answer = talk.house.send(caller, Get, "/v1/memory?q=mill", None).await;
        (answer.status, answer.body)
    };
    let own = recall(talk.agent.clone()).await;
    assert_eq!((own.0, texts(&own.1)), (200, vec!["the red mill"]));
    let other = recall(talk.house.agent("other").await).await;
    assert_eq!((other.0, texts(&other.1)), (200, Vec::new()));
    let all = recall(talk.house.agent_with("reader", &[Scope::ReadAll]).await).await;
    assert_eq!((all.0, texts(&all.1)), (200, vec!["the red mill"]));
    assert_eq!(recall(talk.house.agent_with("writer", &[Scope::Post]).await).await.0, 403);
}

#[tokio::test]
async fn the_newest_come_first_a_page_at_a_time() {
    let talk = Talk::new().await;
    for number in 1..=5 {
        talk.owner(Post, "/messages", json!({"content": format!("number {number}")})).await;
    }
    let first = talk.house.read("/v1/memory?limit=3").await;
    assert_eq!(texts(&first), ["number 5", "number 4", "number 3"]);
    let rest = talk.house.read(&format!("/v1/memory?limit=3&after={}", first["next"].as_str().unwrap())).await;
    assert_eq!((texts(&rest), &rest["next"]), (vec!["number 2", "number 1"], &Value::Null));
    for (path, field) in [
        ("/v1/memory?limit=0", "limit"),
        ("/v1/memory?limit=101", "limit"),
        ("/v1/memory?after=x", "after"),
        ("/v1/memory?q=a&after=3", "after"),
    ] {
        let refused = talk.house.get(path).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{path}");
    }
    assert_eq!(talk.house.get("/v1/memory?session=nobody").await.status, 404);
}

#[tokio::test]
async fn memories_are_found_by_meaning_where_an_endpoint_makes_vectors() {
    let mut talk = Talk::new().await;
    let meanings = Arc::new(Meanings::default());
    let embedder: Arc<dyn Embedder> = Arc::clone(&meanings) as _;
    talk.house.renew(|settings| settings.embedder = Some(embedder)).await;
    for (id, content) in [("m1", "I have a poodle"), ("m2", "The barn is old"), ("m3", "Buy bread")] {
        talk.owner(Post, "/messages", json!({"id": id, "content": content})).await;
    }
    let state = async |talk: &Talk| talk.house.read("/v1/memory").await["vectors"].clone();
    assert_eq!(state(&talk).await, "pending");
    assert_eq!(talk.recalls("bread").await, ["Buy bread"], "words are there at once");
    assert_eq!(embed_part(&talk.house.hub, &*meanings).await, Ok(3));
    assert_eq!(embed_part(&talk.house.hub, &*meanings).await, Ok(0));
    assert_eq!(state(&talk).await, "ready");
    // No word of it: the meaning alone.
    let found = talk.house.read("/v1/memory?q=which%20dog&limit=1").await;
    assert_eq!((texts(&found), &found["memories"][0]["found_by"]), (vec!["I have a poodle"], &json!(["meaning"])));
    let both = talk.house.read("/v1/memory?q=old%20house&limit=1").await;
    assert_eq!(
        (texts(&both), &both["memories"][0]["found_by"]),
        (vec!["The barn is old"], &json!(["words", "meaning"]))
    );
    // A message that changes gets the vector of its new text.
    talk.owner(Patch, "/messages/m3", json!({"content": "Feed the cat"})).await;
    assert_eq!(embed_part(&talk.house.hub, &*meanings).await, Ok(1));
    let mut dogs = talk.recalls("dog").await;
    dogs.truncate(2);
    dogs.sort();
    assert_eq!(dogs, ["Feed the cat", "I have a poodle"]);
    // A forgotten memory is found by neither kind of search.
    let forget = json!({"session": "s1", "message": "m1"});
    talk.house.send(Caller::owner(), Post, "/v1/memory/forget", Some(forget)).await;
    assert_eq!(talk.recalls("dog").await[0], "Feed the cat");
    assert!(!talk.recalls("poodle").await.contains(&"I have a poodle".to_owned()));
    // All anew, and an endpoint that is down: words still find.
    meanings.is_down.store(true, Ordering::Relaxed);
    assert_eq!(talk.house.post("/v1/memory/embed", json!({})).await.body, json!({"memories": 2}));
    assert_eq!(embed_part(&talk.house.hub, &*meanings).await, Err("connection refused".to_owned()));
    let page = talk.house.read("/v1/memory?q=barn").await;
    assert_eq!(texts(&page), ["The barn is old"]);
    assert_eq!((&page["vectors"], &page["error"]), (&json!("failing"), &json!("connection refused")));
    meanings.is_down.store(false, Ordering::Relaxed);
    assert_eq!(embed_part(&talk.house.hub, &*meanings).await, Ok(2));
    assert_eq!(state(&talk).await, "ready");
}

#[tokio::test]
async fn without_an_endpoint_no_vectors_are_made() {
    let house = House::new().await;
    let page = house.read("/v1/memory").await;
    let empty = json!({"memories": [], "next": null, "total": 0, "embedded": 0, "vectors": "off"});
    assert_eq!(page, empty);
    let refused = house.post("/v1/memory/embed", json!({})).await;
    assert_eq!((refused.status, refused.body["code"].as_str()), (409, Some("no_endpoint")));
}

/// An endpoint that gives what a test says, once each; then nothing more.
#[derive(Debug, Default)]
struct Scripted(Mutex<VecDeque<Vec<Vec<f32>>>>);

impl Embedder for Scripted {
    fn model(&self) -> &'static str {
        "scripted"
    }

    fn embed(&self, _: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>> {
        let answer = self.0.lock().unwrap().pop_front();
        async move { answer.ok_or_else(|| "asked once too often".to_owned()) }.boxed()
    }
}

#[tokio::test]
async fn what_an_endpoint_gives_wrongly_is_named_and_words_still_find() {
    let mut talk = Talk::new().await;
    let endpoint = Arc::new(Scripted::default());
    let embedder: Arc<dyn Embedder> = Arc::clone(&endpoint) as _;
    talk.house.renew(|settings| settings.embedder = Some(embedder)).await;
    for content in ["The mill is red", "The barn is old"] {
        talk.owner(Post, "/messages", json!({"content": content})).await;
    }
    let gives = |vectors: Vec<Vec<f32>>| endpoint.0.lock().unwrap().push_back(vectors);
    for (vectors, words) in [
        (vec![vec![1.0]], "the endpoint gave 1 vectors for 2 texts"),
        (vec![vec![1.0], vec![1.0, 2.0]], "the endpoint gave vectors of 1 and of 2 numbers"),
        (vec![vec![], vec![]], "the endpoint gave a vector without numbers"),
    ] {
        gives(vectors);
        assert_eq!(embed_part(&talk.house.hub, &*endpoint).await, Err(words.to_owned()));
        let page = talk.house.read("/v1/memory?q=barn").await;
        assert_eq!(
            (texts(&page), &page["vectors"], &page["error"]),
            (vec!["The barn is old"], &json!("failing"), &json!(words))
        );
    }
    // Numbers that are none, and a vector without a direction, are like no vector: they aren't asked for again.
    gives(vec![vec![f32::NAN, 1.0], vec![0.0, 0.0]]);
    assert_eq!(embed_part(&talk.house.hub, &*endpoint).await, Ok(2));
    talk.owner(Post, "/messages", json!({"content": "The wind is cold"})).await;
    gives(vec![vec![1.0, 0.0]]);
    assert_eq!(embed_part(&talk.house.hub, &*endpoint).await, Ok(1));
    gives(vec![vec![1.0, 0.0]]);
    assert_eq!(talk.recalls("winter").await, ["The wind is cold"]);
    // Another model behind the same name.
    gives(vec![vec![1.0, 0.0, 0.0]]);
    let page = talk.house.read("/v1/memory?q=barn").await;
    let words = "its vectors have 3 numbers now, those of before 2: make them anew";
    assert_eq!((texts(&page), &page["error"]), (vec!["The barn is old"], &json!(words)));
    // Nobody waits again for one that has just failed: asked once more, it would say so.
    assert_eq!(talk.recalls("mill").await, ["The mill is red"]);
    assert_eq!(talk.house.read("/v1/memory").await["error"], words);
}
