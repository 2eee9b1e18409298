//! The older agent API by hand: its answers and refusals as a whole. `end2end/omnara` has its SDK.

use crate::support::{Reply, Server};
use insta::{assert_snapshot, with_settings};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

const INSTANCE: &str = "FAAA0240-7460-4045-9021-81C5C1CC172F";
const OTHER: &str = "00000000-7460-4045-9021-81c5c1cc172f";

struct Agent<'a> {
    server: &'a Server,
    bearer: String,
    /// Its requests, and their answers.
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

/// A message that is waited for comes without: the SDK takes no further fields there.
#[test]
fn messages_carry_their_type_and_metadata() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    let edit = json!({"message_type": "CODE_EDIT", "version": 1, "webhook_url": "https://example.org/hook",
        "payload": {"edits": [{"file_path": "mill.rs", "new_content": "grind();"}]}});
    let legacy = json!({"webhook_url": "https://example.org/hook"});
    let gauge = json!({"message_type": "GAUGE", "version": 3, "payload": {"at": [1, null]}});
    // Two items with one id are taken.
    let item = |content: &str| json!({"id": "1", "content": content, "status": "pending"});
    let list = json!({"message_type": "TODO", "version": 1, "payload": {"todos": [item("Grind"), item("Sift")]}});
    let sent = [json!(null), edit, legacy, gauge, list];
    let mut last = Value::Null;
    for metadata in &sent {
        let post =
            json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "x", "message_metadata": metadata});
        last = agent.post(&post)["message_id"].clone();
    }
    let expected: Vec<Value> =
        sent.iter().map(|sent| json!([sent.get("message_type").unwrap_or(&Value::Null), sent])).collect();
    let carried = |messages: &Value| -> Vec<Value> {
        let messages = messages.as_array().unwrap().iter();
        messages.map(|message| json!([message["message_type"], message["message_metadata"]])).collect()
    };
    assert_eq!(carried(&agent.ask("GET", &format!("/agent-instances/{INSTANCE}/messages"), "")), expected);
    assert_eq!(carried(&agent.ask("GET", &format!("/agent-instances/{INSTANCE}"), "")["messages"]), expected);
    let tick = json!({"role": "user", "content": "Done", "message_metadata":
        {"message_type": "TODO", "version": 1, "payload": {"todos": [{"id": "1", "content": "Grind", "status": "completed"}]}}});
    let path = format!("/v1/sessions/{}/messages", INSTANCE.to_lowercase());
    let wait = || {
        assert_eq!(server.with_key("POST", &path, &tick.to_string()).status, 201);
    };
    wait();
    let pending =
        format!("/messages/pending?agent_instance_id={INSTANCE}&last_read_message_id={}", last.as_str().unwrap());
    // Whoever asks for the head of the answer takes nothing.
    let head = server.send("HEAD", &format!("/api/v1{pending}"), &[("Authorization", &*agent.bearer)], "");
    assert_eq!(head.status, 405);
    assert_eq!(agent.ask("GET", &pending, "")["messages"][0].as_object().unwrap().len(), 5);
    let ticked = [json!(["TODO", tick["message_metadata"]])];
    wait();
    let told = agent.post(&json!({"agent_instance_id": INSTANCE, "content": "Listening"}));
    assert_eq!(carried(&told["queued_user_messages"]), ticked);
    wait();
    let asked = agent.ask("PATCH", &format!("/messages/{}/request-input", told["message_id"].as_str().unwrap()), "");
    assert_eq!(carried(&asked["messages"]), ticked);
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
        20 << 20
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

/// A message of the agent as it stands on the wire.
fn request(server: &Server, agent: &Agent, body: &str) -> String {
    format!(
        "POST /api/v1/messages/agent HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nContent-Length: {}\r\n\r\n{body}",
        server.host(),
        agent.bearer,
        body.len()
    )
}

fn messages(server: &Server) -> Vec<Value> {
    let path = format!("/v1/sessions/{}/messages?limit=500", INSTANCE.to_lowercase());
    server.with_key("GET", &path, "").json()["messages"].as_array().unwrap().clone()
}

#[test]
fn a_request_whose_client_was_gone_before_the_answer_is_done_once() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    agent.post(&json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Good morning"}));
    let body = json!({"agent_instance_id": INSTANCE, "content": "Once"}).to_string();
    let connection = server.connect();
    // The request and the connection's end are one segment: whoever has read the one sees the other.
    #[cfg(target_os = "linux")]
    rustix::net::sockopt::set_tcp_cork(&connection, true).unwrap();
    (&connection).write_all(request(&server, &agent, &body).as_bytes()).unwrap();
    drop(connection);
    while messages(&server).len() < 2 {}
    let again = agent.ask("POST", "/messages/agent", &body);
    assert_eq!(messages(&server).len(), 2);
    assert_eq!(messages(&server)[1]["id"], again["message_id"]);
    // This one's answer arrived: who says the same again says it twice.
    let third = agent.ask("POST", "/messages/agent", &body);
    assert_ne!(third["message_id"], again["message_id"]);
    assert_eq!(messages(&server).len(), 3);
}

/// How a client leaves that has its answer.
#[derive(Debug, Clone, Copy)]
enum Leave {
    Stays,
    Closes,
    Resets,
}

#[test]
fn clients_that_say_the_same_are_each_heard() {
    let server = Server::start();
    let mut agent = Agent::new(&server);
    agent.post(&json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Good morning"}));
    for (round, leave) in [Leave::Stays, Leave::Closes, Leave::Resets].into_iter().enumerate() {
        let body = json!({"agent_instance_id": INSTANCE, "content": format!("{leave:?}")}).to_string();
        let request = request(&server, &agent, &body);
        let say = || {
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).unwrap();
            let mut reader = std::io::BufReader::new(stream);
            let mut reply = Reply::head(&mut reader);
            let length = reply.header("content-length").unwrap().parse().unwrap();
            reply.body.resize(length, 0);
            reader.read_exact(&mut reply.body).unwrap();
            let stream = reader.into_inner();
            if matches!(leave, Leave::Resets) {
                socket2::SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
            }
            let id = reply.json()["message_id"].as_str().unwrap().to_owned();
            (id, matches!(leave, Leave::Stays).then_some(stream))
        };
        let together = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(say)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        let one_by_one: Vec<_> = (0..8).map(|_| say()).collect();
        let ids: HashSet<&str> = together.iter().chain(&one_by_one).map(|(id, _)| &**id).collect();
        assert_eq!(ids.len(), 16, "{leave:?}");
        assert_eq!(messages(&server).len(), 1 + 16 * (round + 1), "{leave:?}");
    }
}

/// The server before it may have stored the message; what is said again is kept.
#[test]
fn what_is_said_again_after_a_restart_is_kept() {
    let mut server = Server::start();
    let mut agent = Agent::new(&server);
    let same = json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "Still here"});
    let before = agent.post(&same);
    let bearer = agent.bearer.clone();
    server.kill();
    let server = server.again();
    let mut agent = Agent { server: &server, bearer, seen: String::new() };
    assert_ne!(agent.post(&same)["message_id"], before["message_id"]);
    let typed = json!({"agent_instance_id": INSTANCE, "content": "typed"}).to_string();
    for _ in 0..2 {
        agent.ask("POST", "/messages/user", &typed);
    }
    assert_eq!(messages(&server).len(), 4);
}
