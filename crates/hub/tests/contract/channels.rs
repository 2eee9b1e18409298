//! Channels: what they are told, in which order, and what happens when the other side doesn't take it.

use crate::channel_side::{Came, OtherSide, Respond, add, deliveries, open, secret, settle, states};
use crate::live::Talk;
use crate::support::House;
use ::channels::signature::Secret;
use api::Method::{Delete, Get, Patch, Post};
use hub::Caller;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::collections::BTreeSet;

async fn talk() -> (Talk, OtherSide) {
    let mut talk = Talk::new().await;
    open(&mut talk.house).await;
    (talk, OtherSide::start().await)
}

async fn say(talk: &Talk, id: &str, content: &str) {
    let posted = talk.agent(Post, "/messages", json!({"id": id, "content": content})).await;
    assert_eq!(posted.status, 201, "{}", posted.body);
}

#[tokio::test]
async fn a_channel_is_added_changed_and_removed() {
    let (talk, side) = talk().await;
    let house = &talk.house;
    let body = json!({"kind": "webhook", "settings": {"url": format!("{}/hook", side.url)}, "people": {"ada": "Ada"}, "sessions": ["s1"]});
    let added = house.send(Caller::owner(), Post, "/v1/channels", Some(body)).await;
    let made = added.body["secret"].as_str().unwrap().to_owned();
    assert!(Secret::parse(&made).is_some());
    let id = added.body["channel"]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/channels/{id}");
    let mut shown = house.shown(&added);
    for (method, path, body) in [
        (Patch, path.clone(), json!({"name": "Ops", "people": {"bo": "Bo"}, "verbosity": "verbose", "paused": true})),
        (Delete, format!("{path}/sessions/s1"), Value::Null),
        (Post, format!("{path}/sessions"), json!({"session": "s1"})),
        (Delete, path.clone(), Value::Null),
        (Post, format!("{path}/test"), Value::Null),
        (Patch, path.clone(), json!({"removed": false, "paused": false})),
        (Post, format!("{path}/test"), Value::Null),
        (Patch, path.clone(), json!({"settings": {"url": "http://10.0.0.1/"}})),
        (Patch, path.clone(), json!({"settings": {"uri": "x"}})),
        (Post, "/v1/channels".to_owned(), json!({"kind": "pigeon"})),
        (Post, "/v1/channels".to_owned(), json!({"kind": "slack", "settings": {"url": "https://localhost/"}})),
        (Post, "/v1/channels".to_owned(), json!({"kind": "addressed", "people": {"ada": ""}})),
    ] {
        let answer = house.send(Caller::owner(), method, &path, Some(body).filter(|body| !body.is_null())).await;
        let mut answer = answer;
        if let Some(fields) = answer.body.as_object_mut() {
            fields.shift_remove("kinds");
        }
        shown += &format!("\n=== {} {path}\n{}", method.as_str(), house.shown(&answer));
    }
    let test = &side.came("hook", 1).await[0];
    shown += &format!("\n=== the test\n{}", house.json(&test.json()));
    assert_snapshot!(shown.replace(&made, "[secret]").replace(&side.url, "[side]").replace(&id, "[channel]"));
    let audit = house.read("/v1/audit?limit=20").await;
    let kinds: Vec<&str> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|entry| entry["what"]["kind"].as_str().unwrap())
        .collect();
    let expected = [
        "channel_added",
        "channel_changed",
        "channel_changed",
        "channel_changed",
        "channel_changed",
        "channel_removed",
        "channel_added",
    ];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn each_channel_is_told_in_order_and_signed() {
    let (talk, side) = talk().await;
    let webhook = add(&talk.house, &side, "webhook", "hook", json!({})).await;
    let slack = add(&talk.house, &side, "slack", "slack", json!({})).await;
    for n in 1..=40 {
        say(&talk, &format!("m{n}"), &format!("line {n} <!here> & more")).await;
    }
    let (hooked, slacked) = (side.came("hook", 40).await, side.came("slack", 40).await);
    let secret = Secret::parse(&secret()).unwrap();
    let now = hub::clock::now().0 / 1_000_000;
    for came in &hooked {
        let header = |name: &str| came.headers.get(name).map(|value| value.to_str().unwrap());
        let headers = (header("webhook-id"), header("webhook-timestamp"), header("webhook-signature"));
        assert_eq!(secret.verify(headers, &came.body, now), Ok(()));
    }
    let ids: BTreeSet<&str> = hooked.iter().map(|came| came.id.as_str()).collect();
    assert_eq!(ids.len(), 40, "each has an id of its own");
    let lines = |shown: &str| (1..=40).map(|n| format!("nightly: line {n} {shown}")).collect::<Vec<_>>();
    assert_eq!(OtherSide::texts(&hooked), lines("<!here> & more"));
    assert_eq!(OtherSide::texts(&slacked), lines("&lt;!here&gt; &amp; more"));
    for channel in [&webhook, &slack] {
        let found =
            deliveries(&talk.house, channel, |found| states(found).iter().all(|(_, state)| *state == "sent")).await;
        assert_eq!(states(&found), (1..=40).rev().map(|seq| (seq, "sent")).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_assistant_has_one_name_and_others_their_own() {
    let (talk, side) = talk().await;
    add(&talk.house, &side, "webhook", "hook", json!({})).await;
    say(&talk, "m1", "One").await;
    side.came("hook", 1).await;
    let named = json!({"assistant_name": "Pynchy"});
    assert_eq!(talk.house.send(Caller::owner(), Patch, "/v1/preferences", Some(named)).await.status, 200);
    say(&talk, "m2", "Two").await;
    for (id, name) in [("m3", "nightly-bot"), ("m4", "Night watch")] {
        talk.agent(Post, "/messages", json!({"id": id, "content": "More", "sender_name": name})).await;
    }
    let came = side.came("hook", 4).await;
    // The name of the key and that of the session's agent stand for the assistant; another agent's doesn't.
    let texts = ["nightly: One", "Pynchy: Two", "Pynchy: More", "Night watch: More"];
    assert_eq!(OtherSide::texts(&came), texts);
    let detail = talk.owner(Get, "", Value::Null).await.body;
    assert_eq!(detail["assistant"], json!({"name": "Pynchy", "replaces": ["nightly-bot", "nightly"]}));
}

#[tokio::test]
async fn what_grows_is_edited_where_that_can_be_done_and_else_said_when_it_is_complete() {
    let (talk, side) = talk().await;
    add(&talk.house, &side, "slack", "slack", json!({})).await;
    add(&talk.house, &side, "discord", "discord", json!({})).await;
    talk.agent(Post, "/messages", json!({"id": "m1", "content": "I", "status": "streaming"})).await;
    let first = side.came("discord", 1).await;
    talk.agent(Patch, "/messages/m1", json!({"append": " see.", "status": "final"})).await;
    let call = |output: Value| json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "ls"}, "output": output}});
    talk.agent(Post, "/messages", json!({"id": "m2", "message_metadata": call(Value::Null), "call_id": "c1"})).await;
    let slack = side.came("slack", 1).await;
    assert_eq!(OtherSide::texts(&slack), ["nightly: I see."]);
    side.came("discord", 3).await;
    talk.agent(Patch, "/messages/m2", json!({"message_metadata": call(json!("a.rs"))})).await;
    talk.agent(Delete, "/messages/m1", Value::Null).await;
    let discord = side.came("discord", 5).await;
    let seen: Vec<_> = discord.iter().map(|came| (came.method.as_str(), came.path.as_str(), came.text())).collect();
    assert_eq!(seen[0], ("POST", "discord", "nightly: I".to_owned()));
    assert_eq!(seen[1].0, "PATCH");
    assert_eq!(seen[1].2, "nightly: I see.");
    assert_eq!((seen[2].0, &*seen[2].2), ("POST", "🔧 Bash: ls (running)"));
    assert_eq!((seen[3].0, &*seen[3].2), ("PATCH", "🔧 Bash: ls\n📋 a.rs"));
    assert_eq!((seen[4].0, &*seen[4].2), ("PATCH", "(retracted)"));
    assert!(seen[1].1.starts_with("discord/messages/n"), "{seen:?}");
    assert_eq!((seen[4].1 == seen[1].1, seen[3].1 == seen[1].1), (true, false), "{seen:?}");
    assert_eq!(OtherSide::texts(&side.came("slack", 2).await)[1], "🔧 Bash: ls\n📋 a.rs");
    assert_eq!(first.len(), 1);
}

#[tokio::test]
async fn a_long_text_comes_whole_to_discord_and_an_edit_changes_its_parts() {
    let (talk, side) = talk().await;
    add(&talk.house, &side, "discord", "discord", json!({})).await;
    let lines = |from: usize, to: usize| (from..=to).map(|n| format!("let line_{n} = {n};\n")).collect::<String>();
    let text = format!("Look:\n```rust\n{}```\nThat was it", lines(1, 400));
    talk.agent(Post, "/messages", json!({"id": "m1", "content": text, "status": "streaming"})).await;
    let came = side.came("discord", 4).await;
    let texts = OtherSide::texts(&came);
    assert!(texts.iter().all(|text| text.encode_utf16().count() <= 2000));
    assert!(texts.iter().all(|text| text.matches("```").count() == 2), "{texts:?}");
    let code = texts.join("\n").replace("```rust\n", "").replace("```\n", "");
    assert_eq!(code, format!("nightly: Look:\n{}That was it", lines(1, 400)));
    assert!(came.iter().all(|came| came.method == "POST"));
    let parts = came.len();
    talk.agent(Patch, "/messages/m1", json!({"append": ", really.", "status": "final"})).await;
    let edited = side.came("discord", parts + 1).await;
    let last = edited.last().unwrap();
    assert_eq!((last.method.as_str(), edited.len()), ("PATCH", parts + 1), "the other parts are as they were");
    assert!(last.text().ends_with("That was it, really."));
    talk.agent(Patch, "/messages/m1", json!({"content": "Short"})).await;
    let cut = side.came("discord", 2 * parts + 1).await;
    let methods: Vec<_> = cut.iter().skip(parts + 1).map(|came| came.method.as_str()).collect();
    assert_eq!(methods, [&["PATCH"][..], &vec!["DELETE"; parts - 1]].concat());
    assert_eq!(cut[parts + 1].text(), "nightly: Short");
}

/// Nothing passes what a channel doesn't take, and nothing is lost, however long that takes.
#[tokio::test]
async fn a_channel_that_is_down_gets_everything_in_order_once_it_is_back() {
    let (talk, side) = talk().await;
    side.answers(&[Respond::Status(503)]);
    let channel = add(&talk.house, &side, "webhook", "hook", json!({})).await;
    for n in 1..=5 {
        say(&talk, &format!("m{n}"), &format!("line {n}")).await;
    }
    let failed = |found: &[Value]| found.iter().any(|found| found["attempts"] == 1);
    let found = deliveries(&talk.house, &channel, failed).await;
    let first = found.iter().find(|found| found["seq"] == 1).unwrap();
    assert_eq!(first["error"], "503 Service Unavailable");
    assert!(first["next_at"].as_i64() > Some(hub::clock::now().0), "it is tried again later");
    assert!(found.iter().all(|found| found["state"] == "pending"));
    assert_eq!(side.came("hook", 1).await.len(), 1, "nothing passes it");
    let shown = talk.house.read("/v1/channels").await;
    let shown = &shown["channels"][0];
    assert_eq!((&shown["waiting"], &shown["dead"], &shown["error"]), (&json!(5), &json!(0), &first["error"]));
    // The pause is over.
    assert_eq!(settle(&talk.house, &channel, "now").await.body, json!({"deliveries": 1}));
    let came = side.came("hook", 6).await;
    let texts: Vec<String> = (1..=5).map(|n| format!("nightly: line {n}")).collect();
    assert_eq!(OtherSide::texts(&came[1..]), texts);
    assert_eq!(came[0].id, came[1].id, "a repetition has the same id");
    deliveries(&talk.house, &channel, |found| found.iter().all(|found| found["state"] == "sent")).await;
}

#[tokio::test]
async fn what_a_channel_refuses_is_dead_until_a_person_says_more() {
    let (talk, side) = talk().await;
    side.answers(&[Respond::Status(404), Respond::Status(410)]);
    let channel = add(&talk.house, &side, "slack", "slack", json!({})).await;
    for n in 1..=3 {
        say(&talk, &format!("m{n}"), &format!("line {n}")).await;
    }
    let over = |found: &[Value]| found.len() == 3 && found.iter().all(|found| found["state"] != "pending");
    let found = deliveries(&talk.house, &channel, over).await;
    assert_eq!(states(&found), [(3, "sent"), (2, "dead"), (1, "dead")], "what follows goes on");
    let dead = talk.house.read(&format!("/v1/channels/{channel}/deliveries?state=dead")).await;
    let errors: Vec<&str> =
        dead["deliveries"].as_array().unwrap().iter().map(|d| d["error"].as_str().unwrap()).collect();
    assert_eq!(errors, ["410 Gone", "404 Not Found"]);
    side.answers(&[Respond::Status(400)]);
    assert_eq!(settle(&talk.house, &channel, "retry").await.body, json!({"deliveries": 2}));
    let found = deliveries(&talk.house, &channel, over).await;
    assert_eq!(states(&found), [(3, "sent"), (2, "sent"), (1, "dead")], "sent again in the old order");
    assert_eq!(settle(&talk.house, &channel, "clear").await.body, json!({"deliveries": 1}));
    let found = deliveries(&talk.house, &channel, over).await;
    assert_eq!(states(&found)[2], (1, "cleared"));
    assert_eq!(OtherSide::texts(&side.came("slack", 5).await).last().unwrap(), "nightly: line 2");
}

#[tokio::test]
async fn a_channel_that_asks_for_time_is_given_it() {
    let (talk, side) = talk().await;
    side.answers(&[Respond::TooMany { seconds: 3600 }]);
    let channel = add(&talk.house, &side, "slack", "slack", json!({})).await;
    let before = hub::clock::now().0;
    say(&talk, "m1", "line 1").await;
    let found = deliveries(&talk.house, &channel, |found| found.iter().any(|found| found["attempts"] == 1)).await;
    let next_at = found[0]["next_at"].as_i64().unwrap();
    assert!(next_at >= before + 3_600_000_000, "an hour as asked");
    assert_eq!(found[0]["error"], "429 Too Many Requests");
}

#[tokio::test]
async fn a_channel_that_names_a_date_is_given_time_until_then() {
    let (talk, side) = talk().await;
    let before = hub::clock::now().0;
    let date = jiff::Timestamp::from_microsecond(before + 3_600_000_000).unwrap();
    let date = date.to_zoned(jiff::tz::TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    side.answers(&[Respond::NotBefore { date }]);
    let channel = add(&talk.house, &side, "webhook", "hook", json!({})).await;
    say(&talk, "m1", "line 1").await;
    let found = deliveries(&talk.house, &channel, |found| found.iter().any(|found| found["attempts"] == 1)).await;
    let wait = found[0]["next_at"].as_i64().unwrap() - before;
    // Dates have seconds.
    assert!((3_598_000_000..3_700_000_000).contains(&wait), "an hour as asked: {wait}");
    assert_eq!(found[0]["error"], "503 Service Unavailable");
}

/// One of them takes the connection and never answers.
#[tokio::test]
async fn a_channel_that_never_answers_delays_no_other() {
    let (talk, side) = talk().await;
    let (silent, other) = (OtherSide::start().await, &side);
    silent.answers(&[Respond::Never]);
    let stuck = add(&talk.house, &silent, "slack", "slack", json!({})).await;
    add(&talk.house, other, "slack", "slack", json!({})).await;
    for n in 1..=3 {
        say(&talk, &format!("m{n}"), &format!("line {n}")).await;
    }
    silent.came("slack", 1).await;
    assert_eq!(OtherSide::texts(&other.came("slack", 3).await).len(), 3);
    let found = deliveries(&talk.house, &stuck, |found| found.len() == 3).await;
    assert!(found.iter().all(|found| found["state"] == "pending"));
}

#[tokio::test]
async fn a_message_can_name_a_webhook_of_its_own() {
    let (talk, side) = talk().await;
    let more = json!({"settings": {}, "name": "own"});
    let channel = add(&talk.house, &side, "addressed", "", more).await;
    let to = |url: String| json!({"message_type": "TEXT", "webhook_url": url});
    say(&talk, "m1", "to nobody").await;
    for (id, url) in [("m2", format!("{}/own", side.url)), ("m3", "https://169.254.169.254/latest".to_owned())] {
        talk.agent(Post, "/messages", json!({"id": id, "content": "ready", "message_metadata": to(url)})).await;
    }
    let came: Vec<Came> = side.came("own", 1).await;
    assert_eq!((came[0].json()["type"].as_str(), &*came[0].text()), (Some("message.created"), "nightly: ready"));
    let found =
        deliveries(&talk.house, &channel, |found| found.len() == 2 && found.iter().all(|f| f["state"] != "pending"))
            .await;
    assert_eq!(states(&found), [(3, "dead"), (2, "sent")]);
    assert!(found[0]["error"].as_str().unwrap().contains("a public host"));
}

#[tokio::test]
async fn a_channel_is_told_of_its_sessions_alone_and_from_then_on() {
    let (talk, side) = talk().await;
    say(&talk, "m1", "before").await;
    let channel = add(&talk.house, &side, "slack", "slack", json!({"every_session": false, "sessions": ["s1"]})).await;
    let other = json!({"agent": "nightly-bot", "id": "s2"});
    talk.house.send(talk.agent.clone(), Post, "/v1/sessions", Some(other)).await;
    talk.house.send(talk.agent.clone(), Post, "/v1/sessions/s2/messages", Some(json!({"content": "elsewhere"}))).await;
    say(&talk, "m2", "after").await;
    assert_eq!(OtherSide::texts(&side.came("slack", 1).await), ["nightly: after"]);
    deliveries(&talk.house, &channel, |found| states(found) == [(2, "sent")]).await;
    // Paused, it keeps what comes.
    let path = format!("/v1/channels/{channel}");
    talk.house.send(Caller::owner(), Patch, &path, Some(json!({"paused": true}))).await;
    say(&talk, "m3", "meanwhile").await;
    deliveries(&talk.house, &channel, |found| states(found) == [(3, "pending"), (2, "sent")]).await;
    talk.house.send(Caller::owner(), Patch, &path, Some(json!({"paused": false}))).await;
    assert_eq!(OtherSide::texts(&side.came("slack", 2).await)[1], "nightly: meanwhile");
    talk.house.send(Caller::owner(), Delete, &format!("{path}/sessions/s1"), None).await;
    say(&talk, "m4", "no more").await;
    let kept = talk.owner(Get, "/messages", Value::Null).await;
    assert_eq!(kept.body["last_seq"], 4);
    let found = deliveries(&talk.house, &channel, |found| found.iter().all(|f| f["state"] == "sent")).await;
    assert_eq!(states(&found), [(3, "sent"), (2, "sent")]);
}

#[tokio::test]
async fn a_message_says_what_each_channel_was_told_of_it() {
    let (talk, side) = talk().await;
    let hook = add(&talk.house, &side, "webhook", "hook", json!({})).await;
    side.answers(&[Respond::Status(403)]);
    say(&talk, "m1", "Hello").await;
    deliveries(&talk.house, &hook, |found| states(found) == [(1, "dead")]).await;
    let told = talk.owner(Get, "/messages/m1/deliveries", Value::Null).await;
    let delivery = &told.body["deliveries"][0];
    assert_eq!((&delivery["channel"], &delivery["name"]), (&json!(hook), &json!("hook")), "{}", told.body);
    let delivery = &delivery["delivery"];
    assert_eq!(
        (&delivery["seq"], &delivery["state"], &delivery["text"], &delivery["attempts"]),
        (&json!(1), &json!("dead"), &json!("nightly: Hello"), &json!(1))
    );
    assert!(delivery["error"].as_str().unwrap().contains("403"), "{delivery}");
    let none = talk.owner(Get, "/messages/m2/deliveries", Value::Null).await;
    assert_eq!((none.status, &none.body["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn a_list_of_channels_is_as_much_work_however_much_they_were_told() {
    let mut talk = Talk::within(House::counting().await).await;
    open(&mut talk.house).await;
    let side = OtherSide::start().await;
    let channel = add(&talk.house, &side, "webhook", "hook", json!({})).await;
    let mut steps = Vec::new();
    for (from, to) in [(0, 5), (5, 45)] {
        for number in from..to {
            say(&talk, &format!("m{number}"), "The mill turns.").await;
        }
        let are_sent = |all: &[Value]| all.len() == to && all.iter().all(|one| one["state"] == "sent");
        deliveries(&talk.house, &channel, are_sent).await;
        let mut least = u64::MAX;
        for _ in 0..4 {
            let counted = talk.house.steps(async { drop(talk.house.read("/v1/channels").await) }).await;
            least = least.min(counted);
        }
        steps.push(least);
    }
    assert!(steps[1] <= steps[0] + 20, "{steps:?}");
    let listed = talk.house.read("/v1/channels").await;
    assert_eq!(listed["channels"][0]["waiting"], 0, "{listed}");
    assert!(listed["channels"][0]["sent_at"].is_number(), "{listed}");
}
