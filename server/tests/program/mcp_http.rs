//! `/mcp`: the same tools over HTTP, for keys.

use crate::mcp::{Person, state};
use crate::support::{Reply, Server};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

/// A client with a key.
pub struct Client<'a> {
    server: &'a Server,
    key: String,
    /// The session that the server named, or another.
    session: Option<String>,
}

impl<'a> Client<'a> {
    fn new(server: &'a Server) -> Self {
        Self::with_key(server, &server.agent_key())
    }

    pub fn with_key(server: &'a Server, key: &str) -> Self {
        let mut client = Self { server, key: key.to_owned(), session: None };
        let (reply, mut lines) = client.begin("/mcp", &initialize());
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
        client.session = reply.header("mcp-session-id").map(str::to_owned);
        assert_eq!(answer(&mut lines)["result"]["serverInfo"]["name"], "verbatim");
        client
    }

    /// Sends a message, and reads the head of the answer.
    fn begin(&self, path: &str, message: &Value) -> (Reply, BufReader<TcpStream>) {
        self.send(path, message, "")
    }

    fn send(&self, path: &str, message: &Value, headers: &str) -> (Reply, BufReader<TcpStream>) {
        let body = message.to_string();
        let mut request = format!("POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.server.host());
        request += &format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", self.key);
        request += &format!("Accept: application/json, text/event-stream\r\n{headers}");
        if let Some(session) = &self.session {
            request += &format!("Mcp-Session-Id: {session}\r\n");
        }
        let mut stream = self.server.connect();
        stream.write_all(format!("{request}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        (Reply::head(&mut reader), reader)
    }

    pub fn request(&self, message: &Value) -> Value {
        let (reply, mut lines) = self.begin("/mcp", message);
        assert_eq!(reply.status, 200);
        answer(&mut lines)
    }

    pub fn call(&self, tool: &str, arguments: Value) -> String {
        text(&self.request(&tool_call(1, tool, arguments)))
    }

    /// The whole result of a call, during which something else is done.
    pub fn call_and(&self, tool: &str, arguments: Value, meanwhile: impl FnOnce()) -> Value {
        let (reply, mut lines) = self.begin("/mcp", &tool_call(1, tool, arguments));
        assert_eq!(reply.status, 200);
        meanwhile();
        answer(&mut lines)
    }
}

fn initialize() -> Value {
    let client = json!({"name": "codex-mcp-client", "version": "0.169.0"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

fn tool_call(id: u64, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": id}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The next message of a stream of events. None at its end.
fn event(lines: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap_or(0) > 0 {
        if let Some(data) = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty()) {
            return Some(serde_json::from_str(data).unwrap());
        }
        line.clear();
    }
    None
}

/// The answer, after what was told before it.
fn answer(lines: &mut BufReader<TcpStream>) -> Value {
    loop {
        let message = event(lines).unwrap();
        if !message["id"].is_null() {
            return message;
        }
    }
}

#[test]
fn a_client_has_a_session_of_its_own() {
    let server = Server::start();
    let person = Person::of(&server);
    let client = Client::new(&server);
    let list = client.request(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 8);
    assert_eq!(client.call("log", json!({"text": "one"})), "Logged as message 1 of the session");
    assert_eq!(client.call("log", json!({"text": "two"})), "Logged as message 2 of the session");
    let session = person.session();
    assert_eq!((session["agent_session_id"].as_str(), &session["agent"]), (client.session.as_deref(), &json!("codex")));

    // A client of the newest version names no session.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Zed", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "log", "arguments": {"text": "new"}, "_meta": meta});
    let newest = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params});
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: log\r\n";
    for turn in 1..=2 {
        let (_, mut lines) =
            Client { session: None, server: &server, key: client.key.clone() }.send("/mcp", &newest, headers);
        assert_eq!(text(&answer(&mut lines)), format!("Logged as message {turn} of the session"));
        assert_eq!(person.session()["agent"], "Zed");
    }

    // Another key can't go on with it, whoever told it the name.
    let thief = Client { key: server.agent_key(), session: client.session.clone(), server: &server };
    let refused = thief.call("log", json!({"text": "three"}));
    assert!(refused.starts_with("This name belongs to another key's session"), "{refused}");
    let (_, mut lines) =
        client.begin("/mcp?session=nightly&agent=bot&title=Build", &tool_call(3, "log", json!({"text": "four"})));
    assert_eq!(text(&answer(&mut lines)), "Logged as message 1 of the session");
    let session = person.session();
    let of = |field: &str| session[field].as_str().unwrap_or_default().to_owned();
    assert_eq!(["agent_session_id", "agent", "title"].map(of), ["nightly", "bot", "Build"]);

    let bearer = format!("Bearer {}", client.key);
    let headers = [("Authorization", bearer.as_str()), ("Mcp-Session-Id", client.session.as_deref().unwrap())];
    assert_eq!(server.send("DELETE", "/mcp", &headers, "").status, 204);
    let ended = person.get(&format!("/v1/sessions/{}", client.session.as_deref().unwrap()));
    assert_eq!((&ended["session"]["state"], &ended["session"]["last_seq"]), (&json!("done"), &json!(2)));
}

#[test]
fn who_hangs_up_or_cancels_waits_no_more() {
    let server = Server::start();
    let person = Person::of(&server);
    let client = Client::new(&server);
    let ask = tool_call(5, "ask", json!({"question": "Which?", "options": ["This"]}));
    let (_, mut lines) = client.begin("/mcp", &ask);
    person.decides(json!({"selected": ["1"]}));
    let first = event(&mut lines).unwrap();
    assert_eq!((&first["method"], &first["params"]["progressToken"]), (&json!("notifications/progress"), &json!(5)));
    assert_eq!(text(&answer(&mut lines)), "This");

    let (_, lines) = client.begin("/mcp", &ask);
    person.until(|message| state(message) == "open");
    drop(lines);
    person.until(|message| state(message) == "cancelled");

    let (_, mut lines) = client.begin("/mcp", &ask);
    person.until(|message| state(message) == "open");
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    let other = Client { key: server.agent_key(), session: client.session.clone(), server: &server };
    assert_eq!(other.begin("/mcp", &cancelled).0.status, 202);
    assert_eq!(state(&person.until(|_| true)), "open", "another key cancels nothing");
    assert_eq!(client.begin("/mcp", &cancelled).0.status, 202);
    person.until(|message| state(message) == "cancelled");
    assert_eq!(answer(&mut lines)["result"]["isError"], true);

    let (_, mut lines) = client.begin("/mcp", &ask);
    person.until(|message| state(message) == "open");
    server.place.out(&["key", "revoke", client.key.split('_').nth(1).unwrap()]);
    assert_eq!(answer(&mut lines)["result"]["isError"], true, "a key that was revoked gets no answer");
    person.until(|message| state(message) == "cancelled");
    assert_eq!(client.begin("/mcp", &ask).0.status, 401);
}

#[test]
fn a_stranger_and_a_browser_have_no_tools() {
    let server = Server::start();
    let (key, origin) = (server.agent_key(), server.origin());
    let bearer = format!("Bearer {key}");
    let accept = ("Accept", "application/json, text/event-stream");
    let json = ("Content-Type", "application/json");
    let status = |headers: &[(&str, &str)], body: &str| server.send("POST", "/mcp", headers, body).status;
    let list = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    let own = ("Authorization", bearer.as_str());
    assert_eq!(status(&[own, accept, json], list), 200);
    assert_eq!(status(&[own, accept, json, ("Origin", &origin)], list), 200);
    assert_eq!(status(&[own, accept, json, ("Origin", "http://evil.example")], list), 403);
    assert_eq!(status(&[own, accept, json, ("Host", "evil.example")], list), 421);
    assert_eq!(status(&[accept, json], list), 401);
    assert_eq!(status(&[("Authorization", "Bearer vbt_none"), accept, json], list), 401);
    let cookie = server.cookie();
    let secret = server.secret(&cookie);
    let logged_in = [("Cookie", cookie.as_str()), (crate::support::SECRET, &secret), ("Origin", &origin), accept, json];
    assert_eq!(status(&logged_in, list), 403);
    assert_eq!(status(&[own, json], list), 406);
    assert_eq!(status(&[own, accept], list), 415);
    assert_eq!(status(&[own, accept, json], "{\"jsonrpc\""), 415);
    assert_eq!(server.get("/mcp", &[own, ("Accept", "text/event-stream")]).status, 405);
    let large = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "{}"}}"#, "x".repeat(17 << 20));
    assert_eq!(status(&[own, accept, json], &large), 413);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    assert_eq!(status(&[own, accept, json], &deep), 400);
}
