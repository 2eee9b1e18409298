//! Clients that never finish what they begin, and readers that don't read.

use crate::http::Connection;
use crate::kill::check_store;
use crate::poster::{self, content};
use crate::reader::{self, Reader};
use crate::rounds;
use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use serde_json::json;
use std::sync::Arc;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Half of them stop in the head, half in the body.
const HOSTILE: usize = 600;
const POSTS: usize = 200;

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_requests_stop_nobody() {
    let server = Server::start_in(Place::new(), &["--posts-per-second", "0"]);
    let town = Town::found(&server, 1).await;
    let path = format!("/v1/sessions/{}/messages", town.sessions[0]);
    let mut hostile = Vec::new();
    for number in 0..HOSTILE {
        let mut stream = TcpStream::connect(town.host(0)).await.unwrap();
        let begun = match number % 2 {
            0 => format!("POST {path} HTTP/1.1\r\nHost: {}\r\nX-Slow: ", town.host(0)),
            _ => format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\n{}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
                town.host(0),
                town.agent
            ),
        };
        stream.write_all(begun.as_bytes()).await.unwrap();
        hostile.push(stream);
    }
    let posts = async {
        let mut connection = Connection::open(town.host(0)).await.unwrap();
        for number in 0..POSTS {
            let body = json!({ "content": content(number, 0) }).to_string();
            let answer = connection.send("POST", &path, &town.agent, &body).await.unwrap();
            assert_eq!(answer.status, 201, "{}", answer.json());
        }
    };
    timeout(PATIENCE, posts).await.expect("who finishes what he begins is answered");
    // A byte more each: they aren't forgotten, and still in nobody's way.
    for stream in &mut hostile {
        let _ = stream.write_all(b"x").await;
    }
    assert_eq!(town.messages(&town.sessions[0]).await.len(), POSTS, "nothing of the unfinished ones was stored");
}

const POSTERS: usize = 16;
const READERS: usize = 16;
const SESSIONS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn readers_that_take_nothing_slow_nobody() {
    let server = Server::start_in(Place::new(), &["--posts-per-second", "0"]);
    let town = Arc::new(Town::found(&server, SESSIONS).await);
    let (end, may) = (watch::Sender::new(None), CancellationToken::new());
    let reader = |number| Reader::new(town.clone(), number);
    let late: JoinSet<()> = (0..READERS).map(|number| reader(number).read_late(end.subscribe(), may.clone())).collect();
    let prompt: JoinSet<()> = (0..READERS).map(|number| reader(number).read(end.subscribe())).collect();
    let posters: JoinSet<()> = (0..POSTERS).map(|number| poster::post(town.clone(), number)).collect();
    // More than the buffers between the server and a reader hold.
    timeout(PATIENCE * 4, town.ledger.reaches(rounds(3_000, 60_000))).await.expect("posts are answered");
    town.enough.cancel();
    timeout(PATIENCE, posters.join_all()).await.expect("every post is answered");
    let feed = reader::feed(&town).await;
    check_store(&town, &town.ledger.take(), &feed).await;
    end.send_replace(Some(feed.into()));
    timeout(PATIENCE, prompt.join_all()).await.expect("who reads has read everything before the others begin");
    may.cancel();
    timeout(PATIENCE, late.join_all()).await.expect("who comes late misses nothing");
}
