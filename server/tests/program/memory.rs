//! Memory with an endpoint that makes vectors, as the program asks it; and the page that shows it.

use crate::support::{PATIENCE, Place, Server, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

/// An endpoint in the form of `OpenAI`'s API: `dog` and `poodle` mean the same to it.
struct Endpoint {
    port: u16,
    /// The requests that it got: the head of each, and its body.
    asked: Receiver<(String, Value)>,
}

impl Endpoint {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (send, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let send = send.clone();
                std::thread::spawn(move || while answer(&stream, &send).is_some() {});
            }
        });
        Self { port, asked }
    }
}

/// Answers the next request of a connection. None at its end.
fn answer(mut stream: &TcpStream, send: &Sender<(String, Value)>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let vector = |text: &Value| {
        let text = text.as_str().unwrap_or_default();
        let is_dog = text.contains("dog") || text.contains("poodle");
        if is_dog { json!([4.0, 0.0]) } else { json!([0.0, 2.0]) }
    };
    // Out of order, as the form allows.
    let inputs = body["input"].as_array()?;
    let data: Vec<Value> = inputs
        .iter()
        .enumerate()
        .rev()
        .map(|(index, text)| json!({"index": index, "embedding": vector(text)}))
        .collect();
    let reply = json!({"object": "list", "data": data}).to_string();
    let _ = send.send((head, body));
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", reply.len());
    stream.write_all((head + &reply).as_bytes()).ok()
}

#[test]
fn an_endpoint_gives_memories_their_meaning() {
    let endpoint = Endpoint::start();
    let url = format!("http://127.0.0.1:{}/v1/", endpoint.port);
    let place = Place::new();
    let options = ["--embedding-url", &url, "--embedding-model", "small", "--embedding-key", "s3cret"];
    let server = Server::start_in(place, &options);
    let cookie = server.cookie();
    let post = |path: &str, body: Value| server.as_owner(&cookie, "POST", path, &body);
    assert_eq!(post("/v1/sessions", json!({"agent": "bot", "id": "s1"})).status, 201);
    for content in ["I have a poodle", "Buy <b>bread</b>"] {
        let said = post("/v1/sessions/s1/messages", json!({"content": content}));
        assert_eq!(said.status, 201, "{}", said.text());
    }
    let read = |path: &str| server.get(path, &[("Cookie", cookie.as_str())]);
    let (head, body) = &endpoint.asked.recv_timeout(PATIENCE).unwrap();
    wait_until("vectors are made", || read("/v1/memory").json()["vectors"] == "ready");
    assert!(head.starts_with("POST /v1/embeddings HTTP/1.1"), "{head}");
    assert!(head.to_ascii_lowercase().contains("authorization: bearer s3cret"), "{head}");
    assert_eq!(body["model"], "small");
    let found = read("/v1/memory?q=dog").json();
    assert_eq!((&found["memories"][0]["text"], &found["model"]), (&json!("I have a poodle"), &json!("small")));
    let page = read("/memory?q=dog").text();
    assert!(page.contains("I have a poodle") && page.contains("Buy &lt;b&gt;bread"), "{page}");
    assert!(page.contains("data-send=\"POST /v1/memory/forget\"") && page.contains("Recompute vectors"), "{page}");
    let forget = json!({"session": "s1", "message": found["memories"][0]["message_id"]});
    assert_eq!(post("/v1/memory/forget", forget).json(), json!({"memories": 1}));
    let left = read("/v1/memory").json()["memories"].clone();
    assert_eq!((left.as_array().unwrap().len(), &left[0]["text"]), (1, &json!("Buy <b>bread</b>")));
}

#[test]
fn an_empty_memory_says_how_it_fills() {
    let server = Server::start();
    let page = server.get("/memory", &[("Cookie", server.cookie().as_str())]).text();
    assert!(page.contains("No memories yet") && !page.contains("forget-memories"), "{page}");
    let wrong = server.get("/memory?limit=900", &[("Cookie", server.cookie().as_str())]);
    assert_eq!(wrong.status, 200);
    assert!(wrong.text().contains("a number from 1 to 100"), "{}", wrong.text());
}

#[test]
fn a_wrong_name_ends_the_start() {
    let place = Place::new();
    let output = place.program(&["serve", "--assistant-name", "@"]).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && words.contains("--assistant-name"), "{words}");
}
