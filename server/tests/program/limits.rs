//! Requests that are too large or too slow are refused, and nobody else notices.

use crate::support::{Place, Reply, Server};
use insta::assert_snapshot;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

#[test]
fn bodies_have_a_limit() {
    let server = Server::start();
    let mut seen = String::new();
    for endpoint in api::ENDPOINTS.iter().filter(|e| e.method != api::Method::Get) {
        for size in [endpoint.limit, endpoint.limit + 1] {
            let body = format!("{{}}{}", " ".repeat(size - 2));
            let reply = server.with_key(endpoint.method.as_str(), endpoint.path, &body);
            writeln!(seen, "{} {size} bytes: {} {}", endpoint.path, reply.status, reply.json()["code"]).unwrap();
        }
    }
    let origin = server.origin();
    let headers = [("Content-Type", "application/json"), ("Origin", origin.as_str())];
    let long = server.send("POST", "/v1/login", &headers, &format!("{{\"code\":\"{}\"}}", "x".repeat(8200)));
    writeln!(seen, "/v1/login 8211 bytes: {} {}", long.status, long.json()["code"]).unwrap();
    assert_snapshot!(seen);
}

/// A body that says nothing of its length, and one that says too much.
#[test]
fn bodies_without_an_end() {
    let server = Server::start();
    let head = format!(
        "POST /v1/imports HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        server.host(),
        server.key()
    );
    let chunk = format!("4000\r\n{}\r\n", " ".repeat(0x4000));
    let endless = server.raw(format!("{head}Transfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(8)).as_bytes());
    assert_eq!(endless.status, 413);
    let huge = server.raw(format!("{head}Content-Length: 1000000000000\r\n\r\n{}", " ".repeat(70_000)).as_bytes());
    assert_eq!(huge.status, 413);
    let said = server.raw(format!("{head}Content-Length: 99999999999\r\n\r\n").as_bytes());
    assert_eq!(said.status, 413, "the length alone is enough to know");
    let written = server.raw(format!("{head}Content-Length: 8000000\r\n\r\n{}", " ".repeat(8_000_000)).as_bytes());
    assert_eq!(written.status, 413, "who writes all before reading is answered");
    let strange = head.replace(&server.key(), "vbt_unknown");
    let refused = server.raw(
        format!("{strange}Connection: close\r\nContent-Length: 8000000\r\n\r\n{}", " ".repeat(8_000_000)).as_bytes(),
    );
    assert_eq!(refused.status, 401, "also where nobody looks at the body");
    let both = server.raw(
        format!("{head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n")
            .as_bytes(),
    );
    assert_ne!(both.status, 202, "two lengths are no request of ours");
}

#[test]
fn heads_have_a_limit() {
    let server = Server::start();
    let many: String = (0..101).fold(String::new(), |all, n| format!("{all}X-{n}: 1\r\n"));
    let start = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", server.host());
    assert_eq!(server.raw(format!("{start}\r\n").as_bytes()).status, 200);
    assert_eq!(server.raw(format!("{start}{many}\r\n").as_bytes()).status, 431);
    assert_eq!(server.raw(format!("{start}X: {}\r\n\r\n", "x".repeat(20_000)).as_bytes()).status, 431);
    // As many cookies as a browser keeps for a host, set by another server there: they are deleted, so that nobody is
    // locked out.
    let cookies = vec!["x".repeat(4_090); 180].join("; ");
    let locked_out = server.raw(format!("{start}Cookie: {cookies}\r\n\r\n").as_bytes());
    assert_eq!((locked_out.status, locked_out.header("clear-site-data")), (431, Some("\"cookies\"")));
    let long = format!("GET /{} HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(20_000), server.host());
    assert!((400..500).contains(&server.raw(long.as_bytes()).status));
}

/// A client that sends its head a byte at a time can't keep a connection.
#[test]
fn a_slow_head_is_cut_off() {
    let server = Server::start();
    let mut slow = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHo").unwrap();
    let mut rest = Vec::new();
    // Ends when the server hangs up; the time-out of reading would be an error.
    slow.read_to_end(&mut rest).unwrap();
    let answer = String::from_utf8_lossy(&rest);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert_eq!(server.get("/healthz", &[]).text(), "ok\n");
}

/// Many connections that say nothing leave room for one that does.
#[test]
fn silent_connections_stop_nobody() {
    let server = Server::start();
    let silent: Vec<_> = (0..200).map(|_| server.connect()).collect();
    assert_eq!(server.get("/healthz", &[]).status, 200);
    drop(silent);
}

/// Deep JSON, broken escapes and broken UTF-8 are wrong requests, not failures.
#[test]
fn odd_bodies_and_paths() {
    let server = Server::start();
    let mut seen = String::new();
    let deep = format!("{{\"paths\":{}{}}}", "[".repeat(20_000), "]".repeat(20_000));
    for (what, body) in [
        ("deep", deep.as_str()),
        ("torn", "{\"paths\":["),
        ("nothing", ""),
        ("null", "null"),
        ("a lone surrogate", "{\"paths\":[\"\\ud800\"]}"),
    ] {
        let reply = server.with_key("POST", "/v1/imports", body);
        writeln!(seen, "{what}: {} {}", reply.status, reply.json()["code"]).unwrap();
    }
    for path in [
        "/v1/sessions/%",
        "/v1/sessions/%ff",
        "/v1/sessions/%00",
        "/v1/sessions?q=%ff",
        "/v1/sessions?q=%",
        "/v1/sessions/..%2f..%2fme",
        "/v1/sessions/a/export",
        "/v1/sessions/a/export?format=zip",
        "/v1/events?after=nonsense",
    ] {
        let reply: Reply = server.with_key("GET", path, "");
        writeln!(seen, "{path}: {} {}", reply.status, reply.text()).unwrap();
    }
    assert_snapshot!(seen);
}

/// An agent that runs wild is told to wait; others are not.
#[test]
fn a_key_that_writes_too_often_waits() {
    let server = Server::start_in(Place::new(), &["--posts-per-second", "1"]);
    let makes = |key: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        server.send("POST", "/v1/sessions", &headers, "{\"agent\":\"bot\"}")
    };
    let (wild, calm) = (server.agent_key(), server.agent_key());
    let refused = (0..200).map(|_| makes(&wild)).find(|reply| reply.status != 201).expect("nobody writes for ever");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["code"], "too_fast");
    let bearer = format!("Bearer {wild}");
    assert_eq!(server.get("/v1/sessions", &[("Authorization", &bearer)]).status, 200, "reading is no writing");
    assert_eq!(makes(&calm).status, 201);
}

/// Numbers of an address are as large as somebody likes: none of them ends a request in the middle.
#[test]
fn the_largest_and_smallest_numbers_are_answered() {
    let server = Server::start();
    let bearer = format!("Bearer {}", server.agent_key());
    let as_agent = |path: &str, body: &str| {
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        assert_eq!(server.send("POST", path, &headers, body).status, 201);
    };
    as_agent("/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    let edit = r#"{"message_metadata": {"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a.rs", "old_content": "1\n2\n3", "new_content": "1\n4\n3"}]}}}"#;
    as_agent("/v1/sessions/s1/messages", edit);
    let cookie = server.cookie();
    let answers = |path: &str| server.get(path, &[("Cookie", &cookie)]);
    for number in [i64::MIN, i64::MIN + 1, -1, 0, 2, i64::from(u32::MAX), 1 << 53, i64::MAX - 1, i64::MAX] {
        for path in [
            "/s/s1?at=N",
            "/fragments/sessions/s1/chunks/N",
            "/fragments/sessions/s1/chunks/N?last=N",
            "/fragments/sessions/s1/chunks/0?last=N",
            "/fragments/sessions/s1/messages/N",
            "/fragments/sessions/s1/growth/N",
            "/fragments/sessions/s1/hidden?from=N",
            "/fragments/sessions/s1/hidden?from=N&to=9223372036854775807",
            "/fragments/sessions/s1/hidden?from=1&to=N",
            "/fragments/sessions/s1/edits/1/N",
            "/fragments/sessions/s1/edits/N/0",
            "/fragments/sessions/s1/records/N",
            "/fragments/sessions/s1/text/N",
            "/v1/sessions/s1/messages?around=N",
            "/v1/sessions/s1/messages?around=N&limit=1",
            "/v1/sessions/s1/messages?before=N",
            "/v1/sessions/s1/messages?after=N",
            "/v1/sessions/s1/messages?from=N&to=N",
            "/v1/sessions/s1/messages?from=1&to=N",
            "/v1/sessions/s1/messages?since=N",
            "/v1/sessions/s1/messages?limit=N",
            "/v1/sessions/s1/messages/N",
            "/v1/sessions?since=N",
            "/v1/sessions?until=N",
            "/v1/sessions?limit=N",
            "/v1/search?q=a&limit=N",
            "/sessions?since=N&limit=N",
            "/s/s1/changes",
            "/gallery?part=N",
        ] {
            let path = path.replace('N', &number.to_string());
            let reply = answers(&path);
            assert!((200..500).contains(&reply.status), "{path}: {} {}", reply.status, reply.text());
        }
    }
    let page = answers(&format!("/s/s1?at={}", i64::MAX));
    assert_eq!((page.status, page.text().contains("data-at=\"9007199254740991\"")), (200, true));
}
