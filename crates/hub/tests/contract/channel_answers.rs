//! Actions of people in channels: who may act, the effect, and that it happens once.

use crate::channel_side::{OtherSide, add, deliveries, incoming, incoming_raw, open, secret, states};
use crate::live::{Talk, contents};
use ::channels::signature::Secret;
use api::Method::{Delete, Get, Patch, Post};
use hub::Caller;
use serde_json::{Value, json};

pub async fn talk() -> (Talk, OtherSide, String) {
    let mut talk = Talk::new().await;
    open(&mut talk.house).await;
    let side = OtherSide::start().await;
    let channel = add(&talk.house, &side, "webhook", "hook", json!({"people": {"ada": "Ada"}})).await;
    (talk, side, channel)
}

pub async fn asks(talk: &Talk, id: &str, title: &str) {
    let payload = json!({"kind": "permission", "title": title, "state": "open", "questions": [{"question": title, "options": [
        {"id": "y", "label": "Allow once", "kind": "allow_once"}, {"id": "a", "label": "Always allow", "kind": "allow_always"},
        {"id": "n", "label": "Deny", "kind": "reject_once"}]}]});
    let body = json!({"id": id, "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
    assert_eq!(talk.agent(Post, "/messages", body).await.status, 201);
}

pub fn post(text: &str, about: Option<&str>) -> Value {
    let mut body = json!({"session": "s1", "sender": "ada", "text": text});
    if let Some(about) = about {
        body["about"] = about.into();
    }
    body
}

/// Somebody in a channel who has the name of a person is that person: their role and what they see hold there too.
#[tokio::test]
async fn somebody_in_a_channel_is_the_person_with_that_name() {
    let (talk, _side, channel) = talk().await;
    let asked = |path: &'static str, method, body| talk.house.send(Caller::owner(), method, path, Some(body));
    let added = asked("/v1/users", Post, json!({"name": "ADA", "role": "viewer"})).await;
    assert_eq!(added.status, 201);
    let person = format!("/v1/users/{}", added.body["person"]["id"].as_str().unwrap());
    let refused = incoming(&talk.house, &channel, "evt_1", &post("go on", None)).await.unwrap_err();
    assert_eq!(refused, (403, "forbidden".to_owned()));
    let edited = talk.house.send(Caller::owner(), Patch, &person, Some(json!({"role": "member"}))).await;
    assert_eq!(edited.status, 200);
    let taken = incoming(&talk.house, &channel, "evt_2", &post("go on", None)).await.unwrap();
    assert_eq!(taken["seq"], 1);
    // Nobody who was removed speaks for the owner.
    assert_eq!(talk.house.send(Caller::owner(), Delete, &person, Some(json!({}))).await.status, 200);
    let refused = incoming(&talk.house, &channel, "evt_3", &post("go on", None)).await.unwrap_err();
    assert_eq!(refused, (403, "stranger".to_owned()));
}

#[tokio::test]
async fn a_persons_words_reach_the_agent_once_and_every_other_channel() {
    let (talk, side, channel) = talk().await;
    let other = add(&talk.house, &side, "slack", "slack", json!({})).await;
    let third = add(&talk.house, &side, "discord", "discord", json!({})).await;
    let taken = incoming(&talk.house, &channel, "evt_1", &post("go on", None)).await.unwrap();
    assert_eq!(taken, json!({"seq": 1, "decided": false, "replayed": false}));
    // The other side didn't hear the answer.
    let again = incoming(&talk.house, &channel, "evt_1", &post("go on", None)).await.unwrap();
    assert_eq!(again, json!({"seq": 1, "decided": false, "replayed": true}));
    let stored = talk.owner(Get, "/messages", Value::Null).await;
    let message = &stored.body["messages"][0];
    assert_eq!(stored.body["last_seq"], 1);
    assert_eq!(
        (&message["role"], &message["sender"], &message["sender_name"]),
        (&json!("user"), &json!("webhook:ada"), &json!("Ada"))
    );
    assert_eq!((&message["provenance"], &message["metadata"]["channel"]["id"]), (&json!("person"), &json!(channel)));
    for (path, id) in [("slack", &other), ("discord", &third)] {
        assert_eq!(OtherSide::texts(&side.came(path, 1).await), ["[Ada] go on"]);
        deliveries(&talk.house, id, |found| states(found) == [(1, "sent")]).await;
    }
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_eq!(contents(&pending.body["messages"]), ["go on"]);
    // The origin has nothing to say of it.
    deliveries(&talk.house, &channel, <[Value]>::is_empty).await;
}

/// The channel of a message stays, even when other metadata replaces the message's.
#[tokio::test]
async fn a_message_keeps_the_channel_that_it_came_by() {
    let (talk, _side, channel) = talk().await;
    incoming(&talk.house, &channel, "evt_1", &post("go on", None)).await.unwrap();
    let stored = talk.owner(Get, "/messages", Value::Null).await;
    let message = &stored.body["messages"][0];
    let (path, origin) = (format!("/messages/{}", message["id"].as_str().unwrap()), &message["metadata"]["channel"]);
    assert_eq!(*origin, json!({"id": channel, "name": "hook", "kind": "webhook", "event": "evt_1"}));
    let forged = json!({"id": "another", "name": "Ours"});
    let cases = [
        (json!({"note": 1}), json!({"note": 1, "channel": origin})),
        (json!({"note": 2, "channel": forged}), json!({"note": 2, "channel": origin})),
        (Value::Null, json!({"channel": origin})),
    ];
    for (given, kept) in cases {
        let changed = talk.owner(Patch, &path, json!({"message_metadata": given})).await;
        assert_eq!((changed.status, &changed.body["metadata"]), (200, &kept), "{given}");
    }
    deliveries(&talk.house, &channel, <[Value]>::is_empty).await;
}

#[tokio::test]
async fn what_is_forged_late_or_a_strangers_is_refused_and_leaves_nothing() {
    let (talk, side, channel) = talk().await;
    let slack = add(&talk.house, &side, "slack", "slack", json!({})).await;
    let house = &talk.house;
    let refused = |status: u16, code: &str| Err((status, code.to_owned()));
    let body = post("rm -rf /", None).to_string();
    let now = hub::clock::now().0 / 1_000_000;
    let sign = |secret: &str, at: i64| Secret::parse(secret).unwrap().sign("evt_1", at, body.as_bytes());
    let forged = sign(&Secret::write(&[8; 32]), now);
    let raw = async |channel: &str, id: Option<&str>, at: i64, signature: Option<&str>, body: &str| {
        incoming_raw(house, channel, (id, Some(&at.to_string()), signature), body.as_bytes()).await
    };
    let good = sign(&secret(), now);
    assert_eq!(raw(&channel, Some("evt_1"), now, Some(&forged), &body).await, refused(401, "bad_signature"));
    assert_eq!(raw(&channel, Some("evt_2"), now, Some(&good), &body).await, refused(401, "bad_signature"));
    assert_eq!(
        raw(&channel, Some("evt_1"), now, Some(&good), &body.replace("rm", "ls")).await,
        refused(401, "bad_signature")
    );
    assert_eq!(raw(&channel, Some("evt_1"), now, None, &body).await, refused(401, "bad_signature"));
    let old = now - 301;
    assert_eq!(
        raw(&channel, Some("evt_1"), old, Some(&sign(&secret(), old)), &body).await,
        refused(401, "bad_signature")
    );
    assert_eq!(raw(&slack, Some("evt_1"), now, Some(&good), &body).await, refused(404, "not_found"));
    assert_eq!(raw("none", Some("evt_1"), now, Some(&good), &body).await, refused(404, "not_found"));
    let mut stranger = post("hello", None);
    stranger["sender"] = "mallory".into();
    assert_eq!(incoming(house, &channel, "evt_3", &stranger).await, refused(403, "stranger"));
    let mut elsewhere = post("hello", None);
    elsewhere["session"] = "s9".into();
    assert_eq!(incoming(house, &channel, "evt_4", &elsewhere).await, refused(404, "not_found"));
    assert_eq!(incoming(house, &channel, "evt_5", &json!({"session": "s1"})).await, refused(400, "invalid_json"));
    assert_eq!(incoming(house, &channel, "evt_6", &post(" \n", None)).await, refused(400, "invalid_field"));
    assert_eq!(incoming(house, &channel, "evt_7", &post("hello", Some("m9"))).await, refused(404, "not_found"));
    assert_eq!(talk.owner(Get, "/messages", Value::Null).await.body["last_seq"], 0);
}

#[tokio::test]
async fn an_approval_is_decided_once_from_wherever_and_all_channels_say_by_whom() {
    let (talk, side, channel) = talk().await;
    add(&talk.house, &side, "slack", "slack", json!({})).await;
    asks(&talk, "a1", "Run the tests?").await;
    let shown = side.came("hook", 1).await[0].text();
    assert!(shown.starts_with(
        "🔐 Run the tests?\n1. Allow once\n2. Always allow\n3. Deny\nAnswer with a number\nhttp://127.0.0.1:7117/s/s1"
    ));
    side.came("slack", 1).await;
    deliveries(&talk.house, &channel, |found| states(found) == [(1, "sent")]).await;
    let refused = incoming(&talk.house, &channel, "evt_0", &post("maybe", Some("a1"))).await;
    assert_eq!(refused, Err((422, "unclear".to_owned())), "an unclear word is no permission");
    let taken = incoming(&talk.house, &channel, "evt_1", &post("1", None)).await.unwrap();
    assert_eq!(taken, json!({"seq": 1, "decided": true, "replayed": false}));
    let decided = talk.owner(Get, "/messages/a1", Value::Null).await.body["entry"]["metadata"]["payload"].clone();
    assert_eq!(
        (&decided["state"], &decided["decision"]["by"], &decided["decision"]["via"]),
        (&json!("allowed_once"), &json!("Ada"), &json!("webhook"))
    );
    // The same answer again is the same decision; another one comes too late, from wherever.
    let again = incoming(&talk.house, &channel, "evt_1", &post("1", Some("a1"))).await.unwrap();
    assert_eq!(again, json!({"seq": 1, "decided": true, "replayed": true}));
    let late = incoming(&talk.house, &channel, "evt_2", &post("deny", Some("a1"))).await;
    assert_eq!(late, Err((409, "decided".to_owned())));
    let late = talk.owner(Post, "/messages/a1/decision", json!({"state": "denied"})).await;
    assert_eq!((late.status, late.body["title"].as_str()), (409, Some("It was already decided, by Ada: Allow once")));
    let texts = OtherSide::texts(&side.came("slack", 2).await);
    assert_eq!(texts[1], "🔐 Permission: Run the tests? (allowed once: Allow once) by Ada (webhook)");
    let audit = talk.house.read("/v1/audit?limit=1").await;
    assert_eq!(audit["entries"][0]["who"], json!({"kind": "person", "channel": "hook", "name": "Ada"}));
}

#[tokio::test]
async fn of_two_requests_the_one_that_is_meant_must_be_named() {
    let (talk, side, channel) = talk().await;
    asks(&talk, "a1", "Run the tests?").await;
    asks(&talk, "a2", "Push?").await;
    side.came("hook", 2).await;
    deliveries(&talk.house, &channel, |found| states(found) == [(2, "sent"), (1, "sent")]).await;
    let unclear = incoming(&talk.house, &channel, "evt_1", &post("approve", None)).await;
    assert_eq!(unclear, Err((409, "several_open".to_owned())));
    incoming(&talk.house, &channel, "evt_2", &post("no", Some("a2"))).await.unwrap();
    let state = async |id: &str| {
        talk.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"]["metadata"]["payload"]["state"]
            .clone()
    };
    assert_eq!((state("a1").await, state("a2").await), (json!("open"), json!("denied")));
}
