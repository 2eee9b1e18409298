//! Clients that never finish what they begin.

use crate::http::Connection;
use crate::poster::content;
use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

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
