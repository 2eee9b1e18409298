//! A server that comes and goes, with agents and readers that don't give up.

use crate::http::Connection;
use crate::ledger::Ledger;
use crate::support::{PATIENCE, Server};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The servers, keys and sessions that posters and readers share.
pub struct Town {
    /// Where the servers are, one or more on one store; they come back to the same ports.
    pub hosts: Vec<String>,
    /// Header of an agent's key. It holds for ever.
    pub agent: String,
    /// Header of a person's log-in.
    pub person: String,
    /// The agent's sessions.
    pub sessions: Vec<String>,
    /// Where the feed was when all of them were made.
    pub cursor: String,
    pub ledger: Ledger,
    /// Counts answers that something doesn't work for the moment.
    pub refused: watch::Sender<usize>,
    /// Counts the server's starts.
    pub starts: watch::Sender<u64>,
    /// No more posts.
    pub enough: CancellationToken,
}

impl Town {
    pub async fn found(server: &Server, sessions: usize) -> Self {
        Self::on(&[server], sessions).await
    }

    /// All of them on one store.
    pub async fn on(servers: &[&Server], sessions: usize) -> Self {
        let (server, hosts) = (servers[0], servers.iter().map(|server| server.host()).collect());
        let host = server.host();
        let agent = format!("Authorization: Bearer {}", server.agent_key());
        // The same log-in at each of them, whose cookies have names of their own.
        let cookie = server.cookie();
        let (_, token) = cookie.split_once('=').unwrap();
        let cookies: Vec<String> = servers.iter().map(|server| format!("verbatim_{}={token}", server.port)).collect();
        let person = format!("Cookie: {}", cookies.join("; "));
        let mut connection = Connection::open(&host).await.unwrap();
        let mut ids = Vec::new();
        for n in 0..sessions {
            let body = json!({"agent": "bot", "id": format!("session-{n}")}).to_string();
            let made = connection.send("POST", "/v1/sessions", &agent, &body).await.unwrap();
            assert_eq!(made.status, 201, "{}", made.json());
            ids.push(made.json()["id"].as_str().unwrap().to_owned());
        }
        let list = connection.send("GET", "/v1/sessions?limit=1", &person, "").await.unwrap().json();
        Self {
            hosts,
            agent,
            person,
            sessions: ids,
            cursor: list["cursor"].as_str().unwrap().to_owned(),
            ledger: Ledger::default(),
            refused: watch::Sender::new(0),
            starts: watch::Sender::new(1),
            enough: CancellationToken::new(),
        }
    }

    /// The server of one of those who use them.
    pub fn host(&self, number: usize) -> &str {
        &self.hosts[number % self.hosts.len()]
    }

    /// Waits until the server was started again after `start`.
    pub async fn restarted_after(&self, start: u64) {
        let waits = async { self.starts.subscribe().wait_for(|now| *now > start).await.map(drop) };
        timeout(PATIENCE, waits).await.expect("the server doesn't come back").unwrap();
    }

    /// All messages of a session, in order.
    pub async fn messages(&self, session: &str) -> Vec<Value> {
        let mut connection = Connection::open(self.host(0)).await.unwrap();
        let mut messages: Vec<Value> = Vec::new();
        loop {
            let from = messages.len() + 1;
            let path = format!("/v1/sessions/{session}/messages?from={from}&to={}", from + 499);
            let page = connection.send("GET", &path, &self.person, "").await.unwrap().json();
            let Some(more) = page["messages"].as_array().filter(|more| !more.is_empty()) else { return messages };
            messages.extend(more.iter().cloned());
        }
    }
}
