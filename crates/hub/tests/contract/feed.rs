//! The promise of the event stream: a page, and the events since its cursor, make the next page.

use crate::support::{House, in_time};
use api::Method::{Delete, Patch, Post};
use futures::StreamExt as _;
use hub::Caller;
use hub::feed::{Until, position, stream};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    Post(u8),
    Stream(u8),
    Append(u8),
    Retract(u8),
    Say(u8),
    Rename(u8),
    All(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => any::<u8>().prop_map(Step::Post),
        2 => any::<u8>().prop_map(Step::Stream),
        4 => any::<u8>().prop_map(Step::Append),
        1 => any::<u8>().prop_map(Step::Retract),
        2 => any::<u8>().prop_map(Step::Say),
        1 => any::<u8>().prop_map(Step::Rename),
        1 => any::<u8>().prop_map(Step::All),
    ]
}

/// Sends a step; what it asks for may be refused.
async fn take(house: &House, agent: &Caller, step: &Step) {
    let at = |path: &str| format!("/v1/sessions/s1{path}");
    let (caller, method, path, body) = match step {
        Step::Post(n) => (agent, Post, at("/messages"), json!({"id": format!("m{}", n % 24), "content": "final"})),
        Step::Stream(n) => {
            (agent, Post, at("/messages"), json!({"id": format!("m{}", n % 24), "content": "", "status": "streaming"}))
        }
        Step::Append(n) => (agent, Patch, at(&format!("/messages/m{}", n % 24)), json!({"append": format!(" {n}")})),
        Step::Retract(n) => (agent, Delete, at(&format!("/messages/m{}", n % 24)), json!({})),
        Step::Say(n) => (&Caller::owner(), Post, at("/messages"), json!({"content": format!("say {n}")})),
        Step::Rename(n) => (agent, Patch, at(""), json!({"title": format!("title {n}")})),
        Step::All(n) => {
            let messages: Vec<Value> = (0..=n % 5).map(|i| json!({"content": format!("of many {i}")})).collect();
            (agent, Post, at("/messages/batch"), json!({ "messages": messages }))
        }
    };
    house.send(caller.clone(), method, &path, Some(body)).await;
}

/// All messages by their `seq`, and the cursor of the read.
async fn page(house: &House) -> (BTreeMap<i64, Value>, String) {
    let page = house.read("/v1/sessions/s1/messages?dev=1&limit=500").await;
    let cursor = page["cursor"].as_str().unwrap().to_owned();
    let messages = page["messages"].as_array().unwrap().iter();
    (messages.map(|message| (message["seq"].as_i64().unwrap(), message.clone())).collect(), cursor)
}

async fn history(before: Vec<Step>, after: Vec<Step>) {
    let house = House::new().await;
    let agent = house.agent("bot").await;
    house.send(agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": "s1"}))).await;
    for step in &before {
        take(&house, &agent, step).await;
    }
    let (mut shown, cursor) = page(&house).await;
    for step in &after {
        take(&house, &agent, step).await;
    }
    let (expected, _) = page(&house).await;
    let events =
        stream(house.hub.clone(), position(&cursor).unwrap(), Some("s1".to_owned()), store::Sight::All, Until::Now);
    let events: Vec<_> = in_time(events.collect()).await;
    assert!(events.windows(2).all(|pair| pair[0].pos < pair[1].pos), "{events:?}");
    for event in events.iter().filter(|event| event.from_seq > 0) {
        for seq in event.from_seq..=event.to_seq {
            let read = house.read(&format!("/v1/sessions/s1/messages?dev=1&from={seq}&to={seq}")).await;
            shown.insert(seq, read["messages"][0].clone());
        }
    }
    assert_eq!(shown, expected);
    let seqs: Vec<i64> = expected.keys().copied().collect();
    assert_eq!(seqs, (1..=count(&seqs)).collect::<Vec<_>>(), "no gap");
}

fn count(seqs: &[i64]) -> i64 {
    i64::try_from(seqs.len()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_page_and_its_events_are_the_next_page(
        before in prop::collection::vec(step(), 0..12),
        after in prop::collection::vec(step(), 0..24),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(history(before, after));
    }
}
