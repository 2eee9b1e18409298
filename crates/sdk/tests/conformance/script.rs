//! A server that answers as was recorded, and compares each request with the one that is due.

use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub const KEY: &str = "vbt_1_secret";

pub struct Script {
    pub address: String,
    state: Arc<Mutex<State>>,
    server: JoinHandle<()>,
}

struct State {
    left: VecDeque<Value>,
    failures: Vec<String>,
    /// The fields of a message beside its envelope aren't compared.
    envelope_alone: bool,
}

struct Request {
    method: String,
    target: String,
    head: String,
    body: Option<Value>,
}

impl Script {
    pub async fn start(exchanges: Vec<Value>, envelope_alone: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = State { left: exchanges.into(), failures: Vec::new(), envelope_alone };
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        let server = tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let Some(request) = read(&mut connection).await else { continue };
                let answer = shared.lock().unwrap_or_else(PoisonError::into_inner).answer(&request);
                // Without an answer the connection breaks.
                if let Some(answer) = answer {
                    connection.write_all(answer.as_bytes()).await.expect("sent");
                }
            }
        });
        Self { address, state, server }
    }

    /// Returns the differences from the expected requests, and how many requests didn't come.
    pub fn end(self) -> (Vec<String>, usize) {
        self.server.abort();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut state.failures), state.left.len())
    }
}

impl State {
    fn answer(&mut self, request: &Request) -> Option<String> {
        let Some(exchange) = self.left.pop_front() else {
            self.failures.push(format!("nothing more should be sent: {} {}", request.method, request.target));
            return Some(response(400, "{}"));
        };
        let due = &exchange["request"];
        if !request.head.contains(&format!("authorization: Bearer {KEY}")) {
            self.failures.push("a request without the key".to_owned());
        }
        let target = due["path"].as_str().expect("a path");
        if due["method"] != request.method.as_str() || parts(target) != parts(&request.target) {
            self.failures.push(format!("{} {}, not {due}", request.method, request.target));
        }
        let is_bare =
            request.method == "DELETE" && request.body.as_ref().is_none_or(|body| *body == serde_json::json!({}));
        let (mut sent, mut due) = (request.body.clone().unwrap_or_default(), due["body"].clone());
        if self.envelope_alone {
            (sent, due) = (sent["message_metadata"].take(), due["message_metadata"].take());
        }
        if !is_bare && !matches(&due, &sent) {
            self.failures.push(format!("sent {sent}, not {due}"));
        }
        let answer = &exchange["answer"];
        let status = answer["status"].as_u64()?;
        let body = match (&answer["stream"], &answer["body"]) {
            (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
            (_, json) => json.to_string(),
        };
        Some(response(status, &body))
    }
}

/// Path and decoded query, in any order.
fn parts(target: &str) -> (String, Vec<(String, String)>) {
    let url = reqwest::Url::parse(&format!("http://localhost{target}")).expect("a path");
    let mut query: Vec<_> = url.query_pairs().into_owned().collect();
    query.sort();
    (url.path().to_owned(), query)
}

fn matches(due: &Value, sent: &Value) -> bool {
    match (due, sent) {
        (Value::String(any), Value::String(text)) if any == "$ANY" => !text.is_empty(),
        (Value::Object(due), Value::Object(sent)) => {
            due.len() == sent.len() && due.iter().all(|(key, due)| sent.get(key).is_some_and(|sent| matches(due, sent)))
        }
        (Value::Array(due), Value::Array(sent)) => {
            due.len() == sent.len() && due.iter().zip(sent).all(|(due, sent)| matches(due, sent))
        }
        _ => due == sent,
    }
}

fn response(status: u64, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Recorded\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

async fn read(connection: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok()).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if connection.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    let mut words = head.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    Some(Request { method, target, body: serde_json::from_slice(&body).ok(), head })
}
