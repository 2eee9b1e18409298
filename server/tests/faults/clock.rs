//! The computer's clock is set while the server runs: nothing waits for as long as it was ahead.

use crate::power::compiled;
use crate::support::{Place, Server, wait_until};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::FileExt as _;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const HOUR: i64 = 3600;

/// A clock that can be set.
struct Clock(File);

impl Clock {
    fn set(&self, ahead: i64) {
        self.0.write_all_at(&ahead.to_ne_bytes(), 0).unwrap();
    }
}

fn start(ahead: i64, arguments: &[&str]) -> (Server, Clock) {
    let place = Place::new();
    let library = compiled(&place, "clock");
    let file = place.write("ahead", ahead.to_ne_bytes());
    let clock = Clock(File::options().write(true).open(&file).unwrap());
    let mut command = place.program(&[&["serve", "--listen", "127.0.0.1:0", "--no-discover"][..], arguments].concat());
    command.env("LD_PRELOAD", library).env("CLOCK_FILE", file);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Server::adopt(place, child, &line), clock)
}

fn post(server: &Server, path: &str, body: &Value) -> Value {
    let reply = server.with_key("POST", path, &body.to_string());
    assert!(reply.status < 300, "{path}: {}", reply.text());
    reply.json()
}

fn session(server: &Server) -> String {
    post(server, "/v1/sessions", &json!({ "agent": "bot", "title": "Mill" }))["id"].as_str().unwrap().to_owned()
}

/// The other side of a channel, which is down for the first request. Counts the requests, and those that it took.
#[derive(Default)]
struct Other {
    requests: AtomicUsize,
    taken: AtomicUsize,
}

async fn other_side() -> (String, Arc<Other>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let other = Arc::new(Other::default());
    let take = async |State(other): State<Arc<Other>>| {
        if other.requests.fetch_add(1, Ordering::SeqCst) == 0 {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        other.taken.fetch_add(1, Ordering::SeqCst);
        StatusCode::NO_CONTENT
    };
    let router = Router::new().route("/hook", axum::routing::post(take)).with_state(Arc::clone(&other));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, other)
}

/// Deliveries that wait after a failure, and those behind them, are sent with the next message.
#[tokio::test(flavor = "multi_thread")]
async fn deliveries_after_the_clock_was_set_back() {
    let (url, other) = other_side().await;
    let (server, clock) = start(HOUR, &["--channel-host", "127.0.0.1"]);
    let channel = json!({ "kind": "webhook", "settings": { "url": url }, "every_session": true });
    post(&server, "/v1/channels", &channel);
    let session = session(&server);
    let say = |text: &str| post(&server, &format!("/v1/sessions/{session}/messages"), &json!({ "content": text }));
    say("One");
    wait_until("the other side is asked", || other.requests.load(Ordering::SeqCst) > 0);
    clock.set(0);
    say("Two");
    wait_until("both are sent", || other.taken.load(Ordering::SeqCst) == 2);
}

/// A schedule runs at the next minute of the clock as it is now.
#[test]
fn schedules_after_the_clock_was_set_back() {
    let (server, clock) = start(HOUR, &[]);
    let session = session(&server);
    let add = |cron: &str| post(&server, "/v1/schedules", &json!({ "session": session, "prompt": cron, "cron": cron }));
    add("* * * * *");
    // Two seconds before a minute.
    let seconds = hub::clock::now().0 / 1_000_000;
    clock.set(58 - seconds % 60);
    // A change wakes who looks.
    add("0 9 29 2 *");
    let path = format!("/v1/sessions/{session}/messages");
    wait_until("the prompt is there", || server.with_key("GET", &path, "").text().contains("* * * * *"));
}

/// Messages of agents under a clock that was ahead are no sign of life for ever.
#[test]
fn sessions_after_the_clock_was_set_back() {
    let (server, clock) = start(HOUR, &[]);
    let session = session(&server);
    let path = format!("/v1/sessions/{session}");
    post(&server, &format!("{path}/runs"), &json!({}));
    post(&server, &format!("{path}/heartbeat"), &json!({}));
    let state = || server.with_key("GET", &path, "").json()["session"]["state"].clone();
    assert_eq!(state(), "working");
    clock.set(0);
    assert_eq!(state(), "lost");
}

/// A link is as good as it was, however far the clock is set.
#[test]
fn a_link_after_the_clock_was_set_forward() {
    let (server, clock) = start(0, &[]);
    clock.set(24 * HOUR);
    assert_eq!(server.log_in(&server.code).status, 200);
}
