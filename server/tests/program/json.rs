//! Bodies that aren't JSON, are too deep, too long or never end: each write refuses them by code and pointer, and goes
//! on.

use crate::support::{Reply, SECRET, Server};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;

/// A server with a session `s1` of a key, and the key.
fn server() -> (Server, String) {
    let server = Server::start();
    let key = server.agent_key();
    let made = as_agent(&server, &key, "POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    assert_eq!(made.status, 201, "{}", made.text());
    (server, key)
}

fn as_agent(server: &Server, key: &str, method: &str, path: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {key}");
    server.send(method, path, &[("Authorization", &bearer), ("Content-Type", "application/json")], body)
}

fn told(reply: &Reply) -> String {
    let body = if reply.status == 0 { Value::Null } else { reply.json() };
    format!("{} {} {}", reply.status, body["code"], body["field"])
}

/// Every endpoint that takes a body.
#[test]
fn no_write_takes_what_is_no_json() {
    let (server, _) = server();
    let mut seen = String::new();
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for endpoint in api::ENDPOINTS.iter().filter(|e| e.method != api::Method::Get) {
        let fill = [("{session}", "s1"), ("{message}", "m1"), ("{key}", "none")];
        let path = fill.iter().fold(endpoint.path.to_owned(), |path, (name, value)| path.replace(name, value));
        let method = endpoint.method.as_str();
        let mut codes = Vec::new();
        for body in ["{", "[]", "null", "\"text\"", "{}{}", "{\"a\":1,}", "{\"\\ud800\":1}", "NaN", deep.as_str()] {
            let reply = if endpoint.access.contains(&api::Access::Local) {
                server.with_key(method, &path, body)
            } else {
                let (cookie, origin) = (server.cookie(), server.origin());
                let secret = server.secret(&cookie);
                let json = ("Content-Type", "application/json");
                let headers = [("Cookie", &*cookie), (SECRET, &*secret), ("Origin", &*origin), json];
                server.send(method, &path, &headers, body)
            };
            codes.push(reply.status.to_string());
        }
        writeln!(seen, "{method:6} {:55} {}", endpoint.path, codes.join(" ")).unwrap();
    }
    assert_snapshot!(seen);
}

#[test]
fn a_post_that_is_almost_right() {
    let (server, key) = server();
    let mut seen = String::new();
    let nested = |depth: usize| {
        let payload = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        format!("{{\"content\":\"x\",\"message_metadata\":{payload}}}")
    };
    let long = "x".repeat(100_000);
    for (what, body) in [
        ("twice the same key", r#"{"content": "a", "content": "b"}"#.to_owned()),
        ("a key that isn't there", r#"{"contents": "a"}"#.to_owned()),
        ("a number for a text", r#"{"content": 1}"#.to_owned()),
        ("a role that isn't there", r#"{"content": "a", "role": "boss"}"#.to_owned()),
        ("a list for an envelope", r#"{"message_metadata": []}"#.to_owned()),
        ("an envelope without its payload", r#"{"message_metadata": {"message_type": "TODO"}}"#.to_owned()),
        (
            "a todo without an id",
            r#"{"message_metadata": {"message_type": "TODO", "payload": {"todos": [{"content": "a", "status": "pending"}]}}}"#
                .to_owned(),
        ),
        ("an id of 129 characters", format!(r#"{{"id": "{}", "content": "a"}}"#, "i".repeat(129))),
        ("a sender of 100,000 characters", format!(r#"{{"sender": "{long}", "content": "a"}}"#)),
        ("a name of 100,000 characters", format!(r#"{{"sender_name": "{long}", "content": "a"}}"#)),
        ("60 levels", nested(60)),
        ("200 levels", nested(200)),
        ("100,000 levels", nested(100_000)),
        ("a number of 400 digits", format!(r#"{{"content": "a", "created_at": {}}}"#, "9".repeat(400))),
        ("a time that is none", r#"{"content": "a", "created_at": "tomorrow"}"#.to_owned()),
        ("a time in the year 9999", r#"{"content": "a", "created_at": "9999-12-31T23:59:59Z"}"#.to_owned()),
        ("a time before 1970", r#"{"content": "a", "created_at": "1901-01-01T00:00:00Z"}"#.to_owned()),
        ("a NUL", r#"{"content": "a\u0000b"}"#.to_owned()),
        ("a lone surrogate", r#"{"content": "\ud800"}"#.to_owned()),
        ("white space around", " \n{\"content\": \"a\"}\t ".to_owned()),
        ("a byte order mark", "\u{feff}{\"content\": \"a\"}".to_owned()),
    ] {
        let reply = as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &body);
        writeln!(seen, "{what}: {}", told(&reply)).unwrap();
        let batch = format!(r#"{{"messages": [{{"content": "first"}}, {}]}}"#, body.trim_start_matches('\u{feff}'));
        let reply = as_agent(&server, &key, "POST", "/v1/sessions/s1/messages/batch", &batch);
        writeln!(seen, "    as the second of two: {}", told(&reply)).unwrap();
    }
    assert_snapshot!(seen);
}

#[test]
fn names_of_sessions_and_keys_have_an_end() {
    let (server, key) = server();
    let long = "x".repeat(100_000);
    let mut seen = String::new();
    for field in ["agent", "id", "agent_session_id", "title", "project", "cwd", "branch", "model", "version", "parent"]
    {
        let mut body = json!({"agent": "bot"});
        body[field] = json!(long);
        let reply = as_agent(&server, &key, "POST", "/v1/sessions", &body.to_string());
        writeln!(seen, "{field}: {}", told(&reply)).unwrap();
    }
    let reply = server.with_key("POST", "/v1/keys", &json!({ "name": long }).to_string());
    writeln!(seen, "key: {}", told(&reply)).unwrap();
    let reply = server.with_key("PATCH", "/v1/sessions/s1", &json!({ "title": long }).to_string());
    writeln!(seen, "new title: {}", told(&reply)).unwrap();
    assert_snapshot!(seen);
}

/// Bytes that are no text.
#[test]
fn broken_utf_8() {
    let (server, key) = server();
    let mut seen = String::new();
    for bytes in [&b"\xff"[..], b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"] {
        let body = [b"{\"content\":\"", bytes, b"\"}"].concat();
        let head = format!(
            "POST /v1/sessions/s1/messages HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            server.host(),
            body.len()
        );
        let reply = server.raw(&[head.as_bytes(), &body].concat());
        writeln!(seen, "{bytes:x?}: {}", told(&reply)).unwrap();
    }
    assert_snapshot!(seen);
}

/// A client that closes its side after half of a body has said nothing, and is told so or hung up on.
#[test]
fn half_a_body_writes_nothing() {
    let (server, key) = server();
    let head = format!(
        "POST /v1/sessions/s1/messages HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"content\": \"half\"}}",
        server.host()
    );
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let reply = Reply::read(stream);
    assert!(reply.status == 0 || (400..500).contains(&reply.status), "{} {}", reply.status, reply.text());
    let page = as_agent(&server, &key, "GET", "/v1/sessions/s1/messages", "");
    assert_eq!(page.json()["last_seq"], 0);
}

/// A body that comes byte by byte is one body, and keeps nobody else waiting.
#[test]
fn a_body_in_drops() {
    let (server, key) = server();
    let body = r#"{"content": "drop by drop"}"#;
    let mut stream = server.connect();
    let head = format!(
        "POST /v1/sessions/s1/messages HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.host()
    );
    stream.write_all(head.as_bytes()).unwrap();
    for byte in body.bytes() {
        stream.write_all(&[b'1', b'\r', b'\n', byte, b'\r', b'\n']).unwrap();
        stream.flush().unwrap();
        assert_eq!(server.get("/healthz", &[]).status, 200);
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let reply = Reply::read(stream);
    assert_eq!((reply.status, &reply.json()["content"]), (201, &json!("drop by drop")));
}
