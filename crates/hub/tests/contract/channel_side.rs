//! The other side of channels: a server on this machine that takes what is sent, as a test wants it to.

use crate::support::{Answer, House, in_time};
use ::channels::signature::Secret;
use api::Method;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hub::Caller;
use hub::channels::incoming;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// A request that came: its path, method, id, headers and body.
#[derive(Debug, Clone, PartialEq)]
pub struct Came {
    pub path: String,
    pub method: String,
    pub id: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Came {
    pub fn json(&self) -> Value {
        // A deletion has no body.
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the text that a person reads there.
    pub fn text(&self) -> String {
        let json = self.json();
        ["text", "content"].iter().find_map(|key| json[key].as_str()).unwrap_or_default().to_owned()
    }
}

#[derive(Clone)]
pub struct OtherSide {
    pub url: String,
    came: watch::Sender<Vec<Came>>,
    answers: Arc<Mutex<VecDeque<Respond>>>,
}

/// How the other side answers a request.
#[derive(Debug, Clone)]
pub enum Respond {
    Status(u16),
    TooMany {
        seconds: u32,
    },
    /// As an HTTP date.
    NotBefore {
        date: String,
    },
    Never,
}

impl OtherSide {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let side = Self { url, came: watch::Sender::new(Vec::new()), answers: Arc::default() };
        let router = Router::new().route("/{*path}", axum::routing::any(take)).with_state(side.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        side
    }

    /// The next requests get these answers; then all get a success.
    pub fn answers(&self, answers: &[Respond]) {
        self.answers.lock().unwrap().extend(answers.iter().cloned());
    }

    /// Waits until so much came to a path.
    pub async fn came(&self, path: &str, count: usize) -> Vec<Came> {
        let of_path =
            |all: &Vec<Came>| all.iter().filter(|came| came.path.starts_with(path)).cloned().collect::<Vec<_>>();
        let mut changes = self.came.subscribe();
        let found = in_time(changes.wait_for(|all| of_path(all).len() >= count)).await.unwrap();
        of_path(&found)
    }

    pub fn texts(came: &[Came]) -> Vec<String> {
        came.iter().map(Came::text).collect()
    }
}

async fn take(
    State(side): State<OtherSide>,
    Path(path): Path<String>,
    method: axum::http::Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let id = headers.get("webhook-id").map(|id| id.to_str().unwrap().to_owned()).unwrap_or_default();
    let came = Came { path, method: method.to_string(), id, headers, body };
    let number = side.came.borrow().len();
    side.came.send_modify(|all| all.push(came));
    let answer = side.answers.lock().unwrap().pop_front();
    match answer {
        None => axum::Json(json!({ "id": format!("n{number}") })).into_response(),
        Some(Respond::Status(status)) => StatusCode::from_u16(status).unwrap().into_response(),
        Some(Respond::TooMany { seconds }) => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", seconds.to_string())]).into_response()
        }
        Some(Respond::NotBefore { date }) => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", date)]).into_response(),
        Some(Respond::Never) => std::future::pending().await,
    }
}

/// The secret of webhooks in tests.
pub fn secret() -> String {
    Secret::write(&[7; 32])
}

/// Lets channels reach this machine, and starts to send.
pub async fn open(house: &mut House) {
    house.renew(|settings| settings.channel_hosts = vec!["127.0.0.1".to_owned()]).await;
    tokio::spawn(hub::channels::run(house.hub.clone()));
}

/// Adds a channel of a kind that posts to a path of the other side. Returns its id.
pub async fn add(house: &House, side: &OtherSide, kind: &str, path: &str, more: Value) -> String {
    let mut settings = json!({ "url": format!("{}/{path}", side.url) });
    if kind == "webhook" {
        settings["secret"] = secret().into();
    }
    let mut body = json!({ "kind": kind, "name": path, "settings": settings, "every_session": true });
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    let added = house.send(Caller::owner(), Method::Post, "/v1/channels", Some(body)).await;
    assert_eq!(added.status, 201, "{}", added.body);
    added.body["channel"]["id"].as_str().unwrap().to_owned()
}

/// Waits until a channel's deliveries are as wanted.
pub async fn deliveries(house: &House, channel: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let path = format!("/v1/channels/{channel}/deliveries");
    in_time(async {
        loop {
            let found = house.read(&path).await["deliveries"].as_array().unwrap().clone();
            if wanted(&found) {
                return found;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

/// State of each delivery, the latest first.
pub fn states(deliveries: &[Value]) -> Vec<(i64, &str)> {
    deliveries.iter().map(|found| (found["seq"].as_i64().unwrap(), found["state"].as_str().unwrap())).collect()
}

pub async fn settle(house: &House, channel: &str, action: &str) -> Answer {
    house.post(&format!("/v1/channels/{channel}/deliveries"), json!({ "action": action })).await
}

/// Posts from outside, signed. The clock there is a second ahead: it has whole seconds only, and a message of the same
/// second in which a request was shown may have been written before.
pub async fn incoming(house: &House, channel: &str, id: &str, body: &Value) -> Result<Value, (u16, String)> {
    incoming_at(house, channel, id, body, hub::clock::now().0 / 1_000_000 + 1).await
}

/// Like [`incoming`], but written at the given second.
pub async fn incoming_at(
    house: &House,
    channel: &str,
    id: &str,
    body: &Value,
    at: i64,
) -> Result<Value, (u16, String)> {
    let body = body.to_string();
    let signature = Secret::parse(&secret()).unwrap().sign(id, at, body.as_bytes());
    incoming_raw(house, channel, (Some(id), Some(&at.to_string()), Some(&signature)), body.as_bytes()).await
}

pub async fn incoming_raw(
    house: &House,
    channel: &str,
    headers: (Option<&str>, Option<&str>, Option<&str>),
    body: &[u8],
) -> Result<Value, (u16, String)> {
    let taken = incoming::signed(&house.hub, channel, headers, body).await;
    taken.map(|posted| serde_json::to_value(posted).unwrap()).map_err(|problem| (problem.status, problem.code))
}
