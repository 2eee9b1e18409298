//! The older agent API by hand: its answers and refusals as a whole. `end2end/omnara` has its SDK.

use crate::support::{Reply, Server};
use insta::{assert_snapshot, with_settings};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

const INSTANCE: &str = "FAAA0240-7460-4045-9021-81C5C1CC172F";
const OTHER: &str = "00000000-7460-4045-9021-81c5c1cc172f";

struct Agent<'a> {
    server: &'a Server,
    bearer: String,
    /// What it asked, and what it was told.
    seen: String,
}

impl<'a> Agent<'a> {
    fn new(server: &'a Server) -> Self {
        let made = server.with_key("POST", "/v1/keys", r#"{"name":"Night bot","scopes":["post","read","mirror"]}"#);
        assert_eq!(made.status, 201);
        let bearer = format!("Bearer {}", made.json()["key"].as_str().unwrap());
        Self { server, bearer, seen: String::new() }
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> Value {
        let headers = [("Authorization", &*self.bearer), ("Content-Type", "application/json")];
        let reply = self.server.send(method, &format!("/api/v1{path}"), &headers, body);
        self.note(&format!("{method} {path} {body}"), &reply)
    }

    fn note(&mut self, asked: &str, reply: &Reply) -> Value {
        assert_eq!(reply.header("content-type"), Some("application/json"), "{asked}: {}", reply.text());
        writeln!(self.seen, "{}\n  {} {}", asked.trim_end(), reply.status, reply.text()).unwrap();
        reply.json()
    }

    fn post(&mut self, body: &Value) -> Value {
        self.ask("POST", "/messages/agent", &body.to_string())
    }
}

fn assert_seen(name: &str, seen: &str) {
    let filters = [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", "[time]"),
        (r#""user_id":"[0-9a-f]{10}""#, r#""user_id":"[key]""#),
    ];
    with_settings!({ filters => filters }, { assert_snapshot!(name, seen) });
}

#[test]
fn every_answer_as_a_whole() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    let first =
        agent.post(&json!({"agent_instance_id": INSTANCE, "agent_type": "Night Bot", "content": "Good morning"}));
    let session = INSTANCE.to_lowercase();
    let said =
        server.with_key("POST", &format!("/v1/sessions/{session}/messages"), r#"{"role":"user","content":"Hm"}"#);
    assert_eq!(said.status, 201);
    agent.ask("GET", &format!("/agent-instances/{INSTANCE}?message_limit=1"), "");
    let first = first["message_id"].as_str().unwrap();
    agent.ask("GET", &format!("/messages/pending?agent_instance_id={INSTANCE}&last_read_message_id={first}"), "");
    agent.ask("GET", &format!("/messages/pending?agent_instance_id={INSTANCE}&last_read_message_id={first}"), "");
    agent.ask("GET", &format!("/messages/pending?agent_instance_id={INSTANCE}"), "");
    let typed = json!({"agent_instance_id": INSTANCE, "content": "typed", "mark_as_read": false});
    agent.ask("POST", "/messages/user", &typed.to_string());
    let asked = agent.post(&json!({"agent_instance_id": INSTANCE, "content": "Shall I?", "send_push": null}));
    let asked = asked["message_id"].as_str().unwrap();
    agent.ask("PATCH", &format!("/messages/{asked}/request-input"), "");
    agent.ask("PATCH", &format!("/messages/{first}/request-input"), "");
    agent.ask("GET", &format!("/agent-instances/{INSTANCE}?message_limit=0"), "");
    agent.ask("GET", &format!("/agent-instances/{INSTANCE}/messages?limit=2"), "");
    agent.ask("POST", &format!("/agents/instances/{INSTANCE}/heartbeat"), "");
    agent.ask("POST", "/sessions/end", &json!({"agent_instance_id": INSTANCE}).to_string());
    agent.ask("PUT", &format!("/agent-instances/{INSTANCE}/status"), r#"{"status":"COMPLETED"}"#);
    let new = json!({"agent_type": "Relay", "transport": "ws", "name": "Night", "agent_instance_id": OTHER});
    agent.ask("POST", "/agent-instances", &new.to_string());
    agent.ask("POST", "/agent-instances", &new.to_string());
    agent.ask("POST", "/agent-instances", r#"{"agent_type":"relay"}"#);
    agent.ask("GET", "/auth/verify", "");
    let health = server.get("/health", &[]);
    agent.note("GET /health, without a credential", &health);
    assert_seen("every_answer_as_a_whole", &agent.seen);
}

#[test]
fn every_refusal() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    agent.post(&json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Mine"}));
    agent.seen.clear();
    for body in [
        "",
        "null",
        "[]",
        "{",
        "{\"content\":\"\\ud800\"}",
        "{}",
        r#"{"agent_instance_id":"x"}"#,
        r#"{"agent_instance_id":7,"content":"x"}"#,
        &json!({"agent_instance_id": INSTANCE}).to_string(),
        &json!({"agent_instance_id": INSTANCE, "content": ["x"]}).to_string(),
        &json!({"agent_instance_id": INSTANCE, "content": "x", "requires_user_input": "yes"}).to_string(),
        &json!({"agent_instance_id": INSTANCE, "content": "x", "send_sms": 3}).to_string(),
        &json!({"agent_instance_id": INSTANCE, "content": "x", "git_diff": {}}).to_string(),
        &json!({"agent_instance_id": INSTANCE, "content": "x", "message_metadata": []}).to_string(),
        &json!({"agent_instance_id": INSTANCE, "content": "x", "message_metadata": {"message_type": ""}}).to_string(),
        // Nobody answers its own questions.
        &json!({"agent_instance_id": INSTANCE, "content": "x", "message_metadata":
            {"message_type": "ACTION", "payload": {"reply_to": "1", "selected": ["yes"]}}})
        .to_string(),
        &json!({"agent_instance_id": OTHER, "content": "x"}).to_string(),
        &json!({"agent_instance_id": OTHER, "content": "x", "agent_type": "bot", "message_metadata":
            {"message_type": "TODO", "payload": {}}})
        .to_string(),
    ] {
        agent.ask("POST", "/messages/agent", body);
    }
    let (unknown, text) = (json!({"agent_instance_id": OTHER, "content": "x"}).to_string(), "not-an-id");
    for (method, path, body) in [
        ("POST", "/messages/user".to_owned(), &*unknown),
        ("POST", "/sessions/end".to_owned(), &unknown),
        ("GET", "/messages/pending".to_owned(), ""),
        ("GET", format!("/messages/pending?agent_instance_id={text}"), ""),
        ("GET", format!("/messages/pending?agent_instance_id={OTHER}"), ""),
        ("GET", format!("/messages/pending?agent_instance_id={INSTANCE}&last_read_message_id={text}"), ""),
        ("PATCH", format!("/messages/{text}/request-input"), ""),
        ("PATCH", format!("/messages/{OTHER}/request-input"), ""),
        ("POST", "/agent-instances".to_owned(), "{}"),
        ("POST", "/agent-instances".to_owned(), r#"{"agent_type":"bot","agent_instance_id":"x"}"#),
        ("POST", "/agent-instances".to_owned(), r#"{"agent_type":" "}"#),
        ("GET", format!("/agent-instances/{OTHER}"), ""),
        ("GET", format!("/agent-instances/{INSTANCE}?message_limit=many"), ""),
        ("GET", format!("/agent-instances/{INSTANCE}/messages?before_message_id={OTHER}"), ""),
        ("PUT", format!("/agent-instances/{INSTANCE}/status"), r#"{"status":"PAUSED"}"#),
        ("PUT", format!("/agent-instances/{OTHER}/status"), r#"{"status":"COMPLETED"}"#),
        ("POST", format!("/agents/instances/{OTHER}/heartbeat"), ""),
        ("DELETE", format!("/agent-instances/{INSTANCE}"), ""),
        ("GET", "/messages/nobody/knows".to_owned(), ""),
        ("POST", "/steps".to_owned(), "{}"),
    ] {
        agent.ask(method, &path, body);
    }
    assert_seen("every_refusal", &agent.seen);
    let listed = server.with_key("GET", "/v1/sessions", "").json();
    assert_eq!(listed["total"], 1, "what is refused makes no session");
}

#[test]
fn keys_open_it_and_nothing_else() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    let path = "/api/v1/auth/verify";
    let cookie = server.cookie();
    let origin = server.origin();
    for (what, header) in [
        ("nothing", ("X-Nothing", "")),
        ("a cookie", ("Cookie", &*cookie)),
        ("a wrong key", ("Authorization", "Bearer vbt_ag_0000000000_x_00000000")),
        ("no bearer", ("Authorization", "Basic eDp5")),
    ] {
        let reply = server.get(path, &[header, ("Origin", &origin)]);
        agent.note(what, &reply);
        assert_eq!(reply.status, 401);
    }
    let local = format!("Bearer {}", server.key());
    agent.note("the key of this machine", &server.get(path, &[("Authorization", &local)]));
    let foreign = server.get(path, &[("Authorization", &local), ("Origin", "https://example.org")]);
    assert_eq!(foreign.status, 403);
    let elsewhere = server.get(path, &[("Authorization", &local), ("Host", "example.org")]);
    assert_eq!(elsewhere.status, 421);
    // Another agent's sessions aren't there.
    agent.post(&json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Mine"}));
    let mut other = Agent::new(&server);
    other.post(&json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Mine too"}));
    other.ask("GET", &format!("/agent-instances/{INSTANCE}"), "");
    other.ask("POST", "/agent-instances", &json!({"agent_instance_id": INSTANCE, "agent_type": "bot"}).to_string());
    assert_seen("keys_open_it_and_nothing_else", &format!("{}{}", agent.seen, other.seen));
}

#[test]
fn a_body_without_an_end_is_refused() {
    let server = Server::start();
    let agent = Agent::new(&server);
    let head = format!(
        "POST /api/v1/messages/agent HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n",
        server.host(),
        agent.bearer
    );
    let huge = server.raw(format!("{head}Content-Length: 1000000000000\r\n\r\n{}", " ".repeat(70_000)).as_bytes());
    assert_eq!((huge.status, huge.json()), (413, json!({"detail": "Request body is too large"})));
}

/// Large bodies lie in memory: a few at a time, and small ones pass by.
#[test]
fn large_bodies_are_taken_a_few_at_a_time() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    let head = format!(
        "POST /api/v1/messages/agent HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        server.host(),
        agent.bearer,
        32 << 20
    );
    let open = || {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = [0; 12];
        // "100": its body is being read from now on.
        stream.read_exact(&mut answer).unwrap();
        (stream, String::from_utf8_lossy(&answer[9..]).into_owned())
    };
    let taken: Vec<_> = (0..4).map(|_| open()).collect();
    assert!(taken.iter().all(|(_, status)| status == "100"));
    assert_eq!(open().1, "429");
    let small = json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Small"});
    assert_eq!(agent.post(&small)["success"], true);
}

/// Sends a request and hangs up with its answer unread.
fn lose_the_answer(server: &Server, request: &[u8]) {
    let mut stream = server.connect();
    stream.write_all(request).unwrap();
    // It has come; the rest of it is reset.
    stream.read_exact(&mut [0]).unwrap();
}

#[test]
fn a_request_whose_answer_was_lost_is_done_once() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    let body = json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Once"}).to_string();
    let request = format!(
        "POST /api/v1/messages/agent HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nContent-Length: {}\r\n\r\n{body}",
        server.host(),
        agent.bearer,
        body.len()
    );
    lose_the_answer(&server, request.as_bytes());
    lose_the_answer(&server, request.as_bytes());
    let third = agent.ask("POST", "/messages/agent", &body);
    let messages = || {
        let path = format!("/v1/sessions/{}/messages", INSTANCE.to_lowercase());
        server.with_key("GET", &path, "").json()["messages"].as_array().unwrap().clone()
    };
    assert_eq!(messages().len(), 1);
    assert_eq!(messages()[0]["id"], third["message_id"]);
    // This one's answer arrived: who says the same again says it twice.
    let fourth = agent.ask("POST", "/messages/agent", &body);
    assert_ne!(fourth["message_id"], third["message_id"]);
    assert_eq!(messages().len(), 2);
}
