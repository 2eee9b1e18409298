//! The quota of a key, and the names that stay its own.

use crate::blobs::put;
use crate::support::House;
use api::Method::{Delete, Patch, Post};
use api::keys::{NewKey, Quota};
use hub::Caller;
use serde_json::{Value, json};

/// A key with a quota: its id, and who shows it.
async fn key(house: &House, messages: i64, bytes: i64) -> (String, Caller) {
    let quota = Some(Quota { messages: Some(messages), bytes: Some(bytes) });
    let made = house
        .hub
        .create_key(&house.hub.workspace, NewKey { name: "bot".to_owned(), quota, ..NewKey::default() })
        .await
        .unwrap();
    let caller = house.hub.agent(&made.key).await.unwrap().unwrap();
    house.send(caller.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": made.id}))).await;
    (made.id, caller)
}

async fn posted(house: &House, id: &str) -> Value {
    let keys = house.read("/v1/keys").await;
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["id"] == id).unwrap();
    json!([key["posted"]["messages"], key["quota"]["messages"]])
}

#[tokio::test]
async fn a_key_posts_as_much_as_it_may() {
    let house = House::new().await;
    let (id, caller) = key(&house, 4, 1_000_000).await;
    let messages = format!("/v1/sessions/{id}/messages");
    let say = |id: &str| house.send(caller.clone(), Post, &messages, Some(json!({"id": id, "content": "Done"})));
    assert_eq!(say("m1").await.status, 201);
    // Said again it is the same message.
    assert_eq!(say("m1").await.status, 200);
    let two = json!({"messages": [{"id": "m1", "content": "Done"}, {"id": "m2", "content": "Two"}]});
    let all = house.send(caller.clone(), Post, &format!("{messages}/batch"), Some(two)).await;
    assert_eq!(all.status, 201, "{}", all.body);
    assert_eq!(posted(&house, &id).await, json!([3, 4]));
    let three = json!({"messages": [{"content": "a"}, {"content": "b"}]});
    let too_many = house.send(caller.clone(), Post, &format!("{messages}/batch"), Some(three)).await;
    assert_eq!(too_many.status, 403);
    assert_eq!(say("m3").await.status, 201);
    let refused = say("m4").await;
    assert_eq!(
        (refused.status, refused.body),
        (
            403,
            json!({
                "status": 403,
                "code": "quota_reached",
                "title": "The quota of this key is used up: 4 messages",
                "hint": format!("The owner can raise it in Settings, Agent keys, or by `verbatim key quota {id}`"),
            })
        )
    );
    let session = house.send(caller.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot"}))).await;
    assert_eq!(session.body["code"], "quota_reached");
    // The owner's change holds at once, for a client that shows the same key again.
    let raised =
        house.send(Caller::Local, Patch, &format!("/v1/keys/{id}"), Some(json!({"quota": {"messages": 5}}))).await;
    assert_eq!(raised.status, 200, "{}", raised.body);
    assert_eq!(posted(&house, &id).await, json!([4, 5]));
}

#[tokio::test]
async fn bytes_count_wherever_they_go() {
    let house = House::new().await;
    let (id, caller) = key(&house, 1000, 3_000).await;
    let messages = format!("/v1/sessions/{id}/messages");
    let post = json!({"id": "m1", "status": "streaming", "content": "x".repeat(1_000)});
    assert_eq!(house.send(caller.clone(), Post, &messages, Some(post)).await.status, 201);
    let message = format!("{messages}/m1");
    let change = |len: usize| house.send(caller.clone(), Patch, &message, Some(json!({"append": "x".repeat(len)})));
    assert_eq!(change(1_000).await.status, 200);
    let refused = change(1_000).await;
    assert_eq!((refused.status, &refused.body["code"]), (403, &json!("quota_reached")));
    let scoped = hub::Scoped::new(house.hub.clone(), caller);
    assert_eq!(put(&scoped, "image/png", vec![1; 1_000]).await.unwrap_err().code, "quota_reached");
    assert!(put(&scoped, "image/png", vec![1; 200]).await.is_ok());
    assert!(
        put(&scoped, "image/png", vec![1; 900]).await.is_err(),
        "what was refused doesn't count, and what was stored does"
    );
}

#[tokio::test]
async fn a_quota_is_a_number_that_can_be_counted_to() {
    let house = House::new().await;
    for (quota, field) in [
        (json!({"messages": 0}), "/quota/messages"),
        (json!({"bytes": -1}), "/quota/bytes"),
        (json!({"bytes": 1_000_000_000_000_001_i64}), "/quota/bytes"),
    ] {
        let refused = house.post("/v1/keys", json!({"name": "bot", "quota": quota})).await;
        assert_eq!((refused.status, &refused.body["field"]), (400, &json!(field)));
    }
    let none = house.send(Caller::Local, Patch, "/v1/keys/none", Some(json!({"quota": {}}))).await;
    assert_eq!(none.status, 404);
}

/// A session that is gone for good leaves its names to the key that had them.
#[tokio::test]
async fn forgotten_names_stay_with_their_key() {
    let house = House::new().await;
    let (ada, bea) = (house.agent("ada").await, house.agent("bea").await);
    let make = |caller: &Caller, id: &str, own: &str| {
        let body = json!({"agent": "bot", "id": id, "agent_session_id": own});
        let (house, caller) = (&house, caller.clone());
        async move { house.send(caller, Post, "/v1/sessions", Some(body)).await }
    };
    assert_eq!(make(&ada, "s1", "nightly").await.status, 201);
    assert_eq!(house.send(Caller::owner(), Delete, "/v1/sessions/s1", None).await.status, 200);
    let later = model::Micros(hub::clock::now().0 + 40 * 24 * 3600 * model::Micros::SECOND);
    hub::upkeep::trash::purge_once(&house.hub, later).await.unwrap();
    assert_eq!(house.get("/v1/sessions/s1").await.status, 404);
    let by_id = make(&bea, "s1", "other").await;
    assert_eq!((by_id.status, &by_id.body["field"]), (409, &json!("/id")));
    let by_key = make(&bea, "s2", "nightly").await;
    assert_eq!((by_key.status, &by_key.body["field"]), (409, &json!("/agent_session_id")));
    assert_eq!(make(&ada, "s1", "nightly").await.status, 201);
}

#[tokio::test]
async fn what_the_context_log_takes_counts() {
    let house = House::new().await;
    let (id, caller) = key(&house, 1000, 30_000).await;
    let session = format!("/v1/sessions/{id}");
    let say = json!({"content": "x".repeat(10_000)});
    assert_eq!(house.send(caller.clone(), Post, &format!("{session}/messages"), Some(say)).await.status, 201);
    let runs = format!("{session}/runs");
    let begin = || house.send(caller.clone(), Post, &runs, Some(json!({"history_after": 0})));
    let posted = async || {
        let keys = house.read("/v1/keys").await;
        let key = keys["keys"].as_array().unwrap().iter().find(|key| key["id"] == id.as_str()).unwrap().clone();
        key["posted"]["bytes"].as_i64().unwrap()
    };
    let (mut sums, mut refused) = (vec![posted().await], None);
    while refused.is_none() && sums.len() < 100 {
        let run = begin().await;
        if run.status == 403 {
            refused = Some(run.body["code"].clone());
            break;
        }
        let end = format!("{session}/runs/{}/end", run.body["run"].as_str().unwrap());
        sums.push(posted().await);
        assert_eq!(begin().await.status, 200);
        assert_eq!(posted().await, sums[sums.len() - 1], "the open run is given again, and costs nothing");
        assert_eq!(house.send(caller.clone(), Post, &end, Some(json!({}))).await.status, 200);
    }
    assert_eq!(refused, Some(json!("quota_reached")));
    let costs: Vec<i64> = sums.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(costs[0] > 10_000, "{costs:?}");
    assert!(costs[1..].iter().all(|cost| (1..2_000).contains(cost)), "a text that was given before: {costs:?}");
}
