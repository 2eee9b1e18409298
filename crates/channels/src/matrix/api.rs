//! Requests of the client-server API.

use crate::channel::Place;
use crate::failure::Failure;
use crate::{Http, Reply};
use reqwest::Url;
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::Duration;

/// How long a sync waits at the homeserver for something to happen.
const WAIT: Duration = Duration::from_secs(25);
/// How long its answer may take.
const SYNC: Duration = Duration::from_secs(40);
/// Events of a room in one sync. What lies before them is fetched.
const TIMELINE: u32 = 100;
/// Pages of what lies before them.
const PAGES: usize = 20;

pub struct Api {
    http: Http,
    homeserver: Url,
    token: String,
    me: OnceLock<String>,
}

impl Api {
    pub fn new(http: &Http, homeserver: Url, token: &str) -> Self {
        Self { http: http.clone(), homeserver, token: token.to_owned(), me: OnceLock::new() }
    }

    fn url(&self, parts: &[&str]) -> Url {
        let mut url = self.homeserver.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["_matrix", "client", "v3"]).extend(parts);
        }
        url
    }

    async fn call(&self, method: &str, parts: &[&str], body: Option<&Value>) -> Result<Reply, Failure> {
        let request = self.http.request(method, self.url(parts)).bearer_auth(&self.token);
        let request = if let Some(body) = body { request.json(body) } else { request };
        self.http.send(request).await
    }

    /// The user id of the token's account.
    pub async fn me(&self) -> Result<String, Failure> {
        if let Some(me) = self.me.get() {
            return Ok(me.clone());
        }
        let reply = self.call("GET", &["account", "whoami"], None).await?;
        let me = text(&reply.json, "user_id")?;
        Ok(self.me.get_or_init(|| me).clone())
    }

    /// Sends a message, once for each key, and returns the event's id.
    pub async fn message(&self, room: &str, key: &str, content: &Value) -> Result<String, Failure> {
        let reply = self.call("PUT", &["rooms", room, "send", "m.room.message", key], Some(content)).await?;
        text(&reply.json, "event_id")
    }

    pub async fn redact(&self, room: &str, event: &str, key: &str) -> Result<(), Failure> {
        self.call("PUT", &["rooms", room, "redact", event, key], Some(&json!({}))).await.map(drop)
    }

    /// Accepts an invitation.
    pub async fn join(&self, room: &str) -> Result<(), Failure> {
        self.call("POST", &["rooms", room, "join"], Some(&json!({}))).await.map(drop)
    }

    /// Leaves a room, or declines an invitation to it.
    pub async fn leave(&self, room: &str) -> Result<(), Failure> {
        self.call("POST", &["rooms", room, "leave"], Some(&json!({}))).await.map(drop)
    }

    /// Makes the room of a session, or finds it by its alias.
    pub async fn make_room(&self, place: &Place<'_>) -> Result<String, Failure> {
        let me = self.me().await?;
        let server = me.split_once(':').map_or("", |(_, server)| server);
        // The bot's name as well: two bots of one homeserver may show the same session.
        let name = me.trim_start_matches('@').split(':').next().unwrap_or_default();
        let alias = format!("verbatim-{name}-{}", place.session);
        let body = json!({
            "name": place.title,
            "topic": place.page,
            "preset": "private_chat",
            "invite": place.people,
            "room_alias_name": alias,
        });
        match self.call("POST", &["createRoom"], Some(&body)).await {
            Ok(reply) => text(&reply.json, "room_id"),
            // It was made before, and nobody noted it.
            Err(refused @ Failure::Never { .. }) => {
                let full = format!("#{alias}:{server}");
                match self.call("GET", &["directory", "room", &full], None).await {
                    Ok(reply) => text(&reply.json, "room_id"),
                    Err(later @ Failure::Later { .. }) => Err(later),
                    Err(Failure::Never { .. }) => Err(refused),
                }
            }
            Err(later) => Err(later),
        }
    }

    /// Returns the events since a position. Without one, returns the present position.
    pub async fn sync(&self, since: Option<&str>) -> Result<Value, Failure> {
        let limit = if since.is_some() { TIMELINE } else { 0 };
        let filter = json!({
            "room": {
                "timeline": { "limit": limit, "types": ["m.room.message", "m.reaction", "m.room.redaction"] },
                "state": { "types": [] },
                "ephemeral": { "types": [] },
                "account_data": { "types": [] },
            },
            "presence": { "types": [] },
            "account_data": { "types": [] },
        });
        let mut url = self.url(&["sync"]);
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("filter", &filter.to_string());
            if let Some(since) = since {
                query.append_pair("since", since).append_pair("timeout", &WAIT.as_millis().to_string());
            }
        }
        let request = self.http.request("GET", url).bearer_auth(&self.token).timeout(SYNC);
        Ok(self.http.send(request).await?.json)
    }

    /// Events between two positions, the oldest first.
    pub async fn between(&self, room: &str, before: &str, since: &str) -> Result<Vec<Value>, Failure> {
        let mut events = Vec::new();
        let mut from = before.to_owned();
        for _ in 0..PAGES {
            let mut url = self.url(&["rooms", room, "messages"]);
            url.query_pairs_mut()
                .append_pair("dir", "b")
                .append_pair("from", &from)
                .append_pair("to", since)
                .append_pair("limit", &TIMELINE.to_string());
            let page = self.http.send(self.http.request("GET", url).bearer_auth(&self.token)).await?.json;
            let chunk = page.get("chunk").and_then(Value::as_array).cloned().unwrap_or_default();
            let is_last = chunk.is_empty();
            events.extend(chunk);
            match page.get("end").and_then(Value::as_str) {
                Some(end) if !is_last => end.clone_into(&mut from),
                _ => break,
            }
        }
        events.reverse();
        Ok(events)
    }
}

fn text(json: &Value, field: &str) -> Result<String, Failure> {
    let found = json.get(field).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Failure::later(format!("the homeserver's answer has no `{field}`")))
}
