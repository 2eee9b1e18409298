//! `kill -9` while channels are told of messages, again and again: each channel is told each message once, in order.

use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use crate::{poster, rounds};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use channels::signature::{ID, SIGNATURE, Secret, TIMESTAMP};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

const POSTERS: usize = 8;
const SESSIONS: usize = 4;
const CHANNELS: usize = 3;

/// The deliveries to each channel: key and body, in the order of arrival, repetitions included.
type Arrived = watch::Sender<BTreeMap<usize, Vec<(String, Bytes)>>>;

#[tokio::test(flavor = "multi_thread")]
async fn each_channel_is_told_each_message_once() {
    let kills = rounds(20, 200);
    let arrived = Arrived::new(BTreeMap::new());
    let url = other_side(arrived.clone()).await;
    let arguments = ["--posts-per-second", "0", "--channel-host", "127.0.0.1"];
    let mut server = Server::start_in(Place::new(), &arguments);
    let secret = Secret::write(&[7; 32]);
    let channels: Vec<String> = (0..CHANNELS).map(|number| add(&server, &format!("{url}/{number}"), &secret)).collect();
    let town = Arc::new(Town::found(&server, SESSIONS).await);
    let posters: JoinSet<()> = (0..POSTERS).map(|number| poster::post(town.clone(), number)).collect();
    for kill in 0..kills {
        let more = 10 + kill * 7919 % 60;
        timeout(PATIENCE, town.ledger.reaches(town.ledger.count() + more)).await.expect("posts are answered");
        // A person writes in the first channel: the others are told.
        say(&server, &channels[0], &secret, &town.sessions[kill % SESSIONS], &format!("evt_{kill}"));
        server.kill();
        server = server.again();
        town.starts.send_modify(|starts| *starts += 1);
    }
    town.enough.cancel();
    timeout(PATIENCE, posters.join_all()).await.expect("every post is answered in the end");

    let mut written: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for session in &town.sessions {
        written.insert(session.clone(), town.messages(session).await);
    }
    let mut repeated = 0;
    for (number, channel) in channels.iter().enumerate() {
        let is_told = |message: &&Value| message["metadata"]["channel"]["id"] != json!(channel);
        let expected: BTreeMap<&String, Vec<i64>> = written
            .iter()
            .map(|(session, all)| (session, all.iter().filter(is_told).map(|m| m["seq"].as_i64().unwrap()).collect()))
            .collect();
        let total: usize = expected.values().map(Vec::len).sum();
        let all = town.sessions.iter().map(|session| written[session].len()).sum::<usize>();
        assert_eq!(all - total, if number == 0 { kills } else { 0 }, "a channel isn't told what came from it");
        let is_complete = |all: &BTreeMap<usize, Vec<(String, Bytes)>>| {
            all.get(&number).is_some_and(|came| came.iter().map(|(key, _)| key).collect::<BTreeSet<_>>().len() >= total)
        };
        let mut changes = arrived.subscribe();
        // The queue may be long: the time limit is for the gap between deliveries.
        while !is_complete(&changes.borrow_and_update()) {
            timeout(PATIENCE, changes.changed()).await.expect("more is told").unwrap();
        }
        let came = changes.borrow()[&number].clone();
        let mut bodies: BTreeMap<&str, &Bytes> = BTreeMap::new();
        let mut told: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (key, body) in &came {
            if let Some(before) = bodies.insert(key, body) {
                assert_eq!(before, body, "a repetition is the same");
                repeated += 1;
                continue;
            }
            let event: Value = serde_json::from_slice(body).unwrap();
            let session = event["session"]["id"].as_str().unwrap().to_owned();
            told.entry(session).or_default().push(event["message"]["seq"].as_i64().unwrap());
        }
        let expected: BTreeMap<String, Vec<i64>> = expected.into_iter().map(|(id, seqs)| (id.clone(), seqs)).collect();
        assert_eq!(told, expected, "each message once, in order");
    }
    println!(
        "{kills} kills: {CHANNELS} channels were told of {} messages, each once by its key and in order; {repeated} came twice",
        written.values().map(Vec::len).sum::<usize>(),
    );
}

async fn other_side(arrived: Arrived) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let take = async |State(arrived): State<Arrived>, Path(number): Path<usize>, headers: HeaderMap, body: Bytes| {
        let key = headers[ID].to_str().unwrap().to_owned();
        arrived.send_modify(|all| all.entry(number).or_default().push((key, body)));
    };
    let router = Router::new().route("/{number}", axum::routing::post(take)).with_state(arrived);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

fn add(server: &Server, url: &str, secret: &str) -> String {
    let body = json!({
        "kind": "webhook",
        "settings": { "url": url, "secret": secret },
        "people": { "ada": "Ada", "bo": "Bo" },
        "every_session": true,
    });
    let added = server.with_key("POST", "/v1/channels", &body.to_string());
    assert_eq!(added.status, 201, "{}", added.json());
    added.json()["channel"]["id"].as_str().unwrap().to_owned()
}

/// Until it is taken: the same event again is the same message.
fn say(server: &Server, channel: &str, secret: &str, session: &str, event: &str) {
    let body = json!({ "session": session, "sender": "ada", "text": "@Assistant go on" }).to_string();
    let now = hub::clock::now().0 / 1_000_000;
    let (at, signature) = (now.to_string(), Secret::parse(secret).unwrap().sign(event, now, body.as_bytes()));
    let headers = [(ID, event), (TIMESTAMP, &at), (SIGNATURE, &signature), ("Content-Type", "application/json")];
    for replayed in [false, true] {
        let taken = server.send("POST", &format!("/v1/channels/{channel}/incoming"), &headers, &body);
        assert_eq!((taken.status, &taken.json()["replayed"]), (200, &json!(replayed)), "{}", taken.json());
    }
}
