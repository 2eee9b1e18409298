//! A text that is being written, on the event stream of a page.

use super::support::{Events, Place, Reply, Server};
use serde_json::json;

/// An agent with a session `s1`, whose first message is being written.
struct Agent {
    server: Server,
    bearer: String,
}

impl Agent {
    fn new() -> Self {
        let server = Server::start_in(Place::new(), &[]);
        let bearer = format!("Bearer {}", server.agent_key());
        let agent = Self { server, bearer };
        agent.say("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
        agent.say("POST", "/v1/sessions/s1/messages", r#"{"id": "m1", "content": "One", "status": "streaming"}"#);
        agent
    }

    fn say(&self, method: &str, path: &str, body: &str) -> Reply {
        let headers = [("Authorization", self.bearer.as_str()), ("Content-Type", "application/json")];
        let reply = self.server.send(method, path, &headers, body);
        assert!(reply.status < 300, "{}", reply.text());
        reply
    }

    fn update(&self, change: &serde_json::Value) {
        self.say("PATCH", "/v1/sessions/s1/messages/m1", &change.to_string());
    }

    /// Our id of the session.
    fn session(&self) -> String {
        self.server.with_key("GET", "/v1/sessions/s1", "").json()["session"]["id"].as_str().unwrap().to_owned()
    }
}

/// Reads the next change, by its `seq` and revision.
fn change(events: &mut Events) -> (i64, i64) {
    let (name, data) = events.next();
    assert_eq!(name, "feed", "{data}");
    let told: serde_json::Value = serde_json::from_str(&data).unwrap();
    (told["from_seq"].as_i64().unwrap(), told["revision"].as_i64().unwrap())
}

#[test]
fn a_page_is_told_how_a_text_goes_on() {
    let agent = Agent::new();
    let id = agent.session();
    let mut events = agent.server.events(&format!("growth={id}"));
    let mut grown = |append: &str| {
        agent.update(&json!({ "append": append }));
        let (name, data) = events.next();
        assert_eq!(name, "growth", "{data}");
        data.replace(&id, "ID")
    };
    // It isn't known how much of it a page has: the last block comes whole.
    assert_eq!(grown(" & two"), "ID 1 0\n<p>One &amp; two</p>");
    assert_eq!(grown(" <three>"), "ID 1 0 9\n <three>");
    assert_eq!(grown("\nfour"), "ID 1 0 17\n\nfour");
    assert_eq!(grown(" *five"), "ID 1 0\n<p>One &amp; two &lt;three&gt;\nfour <em>five</em></p>");
    assert_eq!(grown("*\n\n- a"), "ID 1 0\n<p>One &amp; two &lt;three&gt;\nfour <em>five</em></p><ul><li>a</li></ul>");
    assert_eq!(grown("b"), "ID 1 1 1\nb");
    // That it is complete is a change as any other.
    agent.update(&json!({ "status": "final" }));
    assert_eq!(change(&mut events), (1, 8));
}

#[test]
fn a_page_that_shows_other_sessions_hears_of_a_text_when_it_is_complete() {
    let agent = Agent::new();
    let mut all = agent.server.events("");
    let mut others = agent.server.events("growth=none");
    // Each is read before the next one: a newer change of a message takes the place of one that wasn't read yet.
    for (append, revision) in [(" two", 2), (" three", 3)] {
        agent.update(&json!({ "append": append }));
        assert_eq!(change(&mut all), (1, revision));
    }
    agent.update(&json!({ "append": " four.", "status": "final" }));
    assert_eq!(change(&mut all), (1, 4));
    assert_eq!(change(&mut others), (1, 4));
    // Messages from before the stream began are sent too, so that its reader knows where it is.
    agent.say("POST", "/v1/sessions/s1/messages", r#"{"id": "m1b", "content": "Five", "status": "streaming"}"#);
    agent.say("PATCH", "/v1/sessions/s1/messages/m1b", r#"{"append": " six"}"#);
    let mut late = agent.server.events("after=1.0&growth=none");
    let mut told = Vec::new();
    while told.last() != Some(&(2, 2)) {
        told.push(change(&mut late));
    }
    assert_eq!(told.iter().filter(|change| **change == (2, 2)).count(), 1);
}

#[test]
fn what_does_more_than_go_on_is_a_change() {
    let agent = Agent::new();
    let mut events = agent.server.events(&format!("growth={}", agent.session()));
    agent.update(&json!({ "append": " two", "requires_user_input": true }));
    assert_eq!(change(&mut events), (1, 2));
    agent.update(&json!({ "content": "Another text" }));
    assert_eq!(change(&mut events), (1, 3));
    agent.update(&json!({ "content": "Another text that goes on" }));
    assert_eq!(events.next().0, "growth");
}

#[test]
fn growth_is_for_pages_and_has_a_limit() {
    let agent = Agent::new();
    let with = [("Authorization", agent.bearer.as_str())];
    let field = |reply: Reply| (reply.status, reply.json()["field"].as_str().map(str::to_owned));
    let growth = Some("growth".to_owned());
    assert_eq!(field(agent.server.get("/v1/events?session=s1&until=now&growth=s1", &with)), (400, growth.clone()));
    let many: Vec<_> = (0..65).map(|n| format!("s{n}")).collect();
    let path = |many: &[String]| format!("/v1/events?until=now&growth={}", many.join(","));
    assert_eq!(field(agent.server.with_key("GET", &path(&many), "")), (400, growth));
    assert_eq!(agent.server.with_key("GET", &path(&many[..64]), "").status, 200);
}
