//! Clients that are slow, cut short, half-closed or many.

use crate::support::{Place, Reply, Server};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

/// The head of a request, without the blank line at its end.
fn head(server: &Server, key: &str, request: &str) -> String {
    let host = server.host();
    format!("{request} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n")
}

/// Sends these bytes, and says no more.
fn half_closed(server: &Server, bytes: &str) -> TcpStream {
    let mut stream = server.connect();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    stream
}

fn code(reply: &Reply) -> (u16, String) {
    (reply.status, reply.json()["code"].as_str().unwrap_or_default().to_owned())
}

/// Who has said all that it says gets its answer; who said less than it promised is told so.
#[test]
fn a_client_that_closes_its_half() {
    let server = Server::start();
    let key = server.agent_key();
    let body = json!({"agent": "bot", "id": "s1"}).to_string();
    let post = head(&server, &key, "POST /v1/sessions");
    let whole = half_closed(&server, &format!("{post}Content-Length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(Reply::read(whole).status, 201);
    let short = half_closed(&server, &format!("{post}Content-Length: 1000\r\n\r\n{body}"));
    assert_eq!(code(&Reply::read(short)), (400, "broken_body".to_owned()));
    let chunks = server.raw(format!("{post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{body}\r\n").as_bytes());
    assert_eq!(code(&chunks), (400, "broken_body".to_owned()));
}

/// A wait whose client went takes nothing along.
#[test]
fn a_client_that_leaves_while_it_waits() {
    let server = Server::start();
    let key = server.agent_key();
    let bearer = format!("Bearer {key}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/v1/sessions", &headers, r#"{"agent": "bot", "id": "s1"}"#).status, 201);
    let wait = head(&server, &key, "POST /v1/sessions/s1/pending");
    let mut left = half_closed(&server, &format!("{wait}Content-Length: 11\r\n\r\n{{\"wait\":60}}"));
    let mut rest = Vec::new();
    left.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty(), "nobody was there to be told: {}", String::from_utf8_lossy(&rest));
    server.as_owner(&server.cookie(), "POST", "/v1/sessions/s1/messages", &json!({"content": "Here"}));
    let taken = server.send("POST", "/v1/sessions/s1/pending", &headers, r#"{"wait": 60}"#).json();
    assert_eq!(taken["messages"][0]["content"], "Here");
}

/// A body that stops is let go after some seconds, whoever sends it.
#[test]
fn a_body_that_stops() {
    let server = Server::start();
    let key = server.agent_key();
    let waiting: Vec<TcpStream> =
        ["POST /v1/sessions", "POST /v1/blobs", "POST /api/v1/messages/agent", "POST /v1/login"]
            .iter()
            .map(|request| {
                let mut slow = server.connect();
                let head = head(&server, &key, request);
                slow.write_all(format!("{head}Content-Length: 1000\r\n\r\n{{\"agen").as_bytes()).unwrap();
                slow
            })
            .collect();
    for slow in waiting {
        let reply = Reply::read(slow);
        assert_eq!(reply.status, 408, "{}", reply.text());
    }
}

/// A stream ends with a word when its key does.
#[test]
fn a_stream_ends_with_its_key() {
    let server = Server::start();
    // A key may end before its stream begins: the next one lasts twice as long.
    let open = |milliseconds: i64| {
        let end = (jiff::Timestamp::now() + jiff::SignedDuration::from_millis(milliseconds)).to_string();
        let name = milliseconds.to_string();
        let made = server.place.run(&["key", "create", "--name", &name, "--scope", "post,read_all", "--expires", &end]);
        let key = String::from_utf8(made.stdout).unwrap();
        let mut stream = server.connect();
        stream.write_all(format!("{}\r\n", head(&server, key.trim_end(), "GET /v1/events")).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        (Reply::head(&mut reader).status == 200).then_some(reader)
    };
    let reader = (9..16).find_map(|power| open(1 << power)).expect("a key that reads all needs no session");
    let last = reader.lines().map_while(Result::ok).filter(|line| line.starts_with("event:")).last();
    assert_eq!(last.as_deref(), Some("event: bye"));
}

/// One log-in has 32 streams at most.
#[test]
fn streams_have_a_limit() {
    let server = Server::start();
    let cookie = server.cookie();
    let request = format!("GET /v1/events HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", server.host());
    let open = || {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        (Reply::head(&mut reader), reader)
    };
    let mut streams: Vec<_> = (0..32).map(|_| open()).collect();
    assert!(streams.iter().all(|(reply, _)| reply.status == 200));
    let (refused, _) = open();
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("5")));
    let other = server.cookie();
    assert_eq!(server.get("/v1/events?until=now", &[("Cookie", &other)]).status, 200, "others have their own");
    // One that goes makes room.
    streams.pop();
    assert!((0..1000).any(|_| open().0.status == 200));
}

/// A batch is as many writes as it has messages.
#[test]
fn a_batch_counts_as_its_messages() {
    let server = Server::start_in(Place::new(), &["--posts-per-second", "1"]);
    let bearer = format!("Bearer {}", server.agent_key());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/v1/sessions", &headers, r#"{"agent": "bot", "id": "s1"}"#).status, 201);
    let messages: Vec<Value> = (0..100).map(|n| json!({"content": n.to_string()})).collect();
    let batch = json!({"messages": messages}).to_string();
    let path = "/v1/sessions/s1/messages/batch";
    assert_eq!(server.send("POST", path, &headers, &batch).status, 201);
    let refused = server.send("POST", path, &headers, &batch);
    assert_eq!(code(&refused), (429, "too_fast".to_owned()));
    let seconds: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((80..=100).contains(&seconds), "{seconds}");
}

/// Errors of the server itself have the same body as all others.
#[test]
fn refusals_have_a_body() {
    let server = Server::start();
    let key = server.key();
    let bearer = format!("bearer {key}");
    let json_type = ("Content-Type", "application/json");
    assert_eq!(server.get("/v1/me", &[("Authorization", &bearer)]).status, 200, "the scheme's case means nothing");
    let method = server.with_key("PUT", "/v1/me", "");
    assert_eq!(code(&method), (405, "method_not_allowed".to_owned()));
    assert_eq!(method.header("allow"), Some("GET,HEAD"));
    let many: String = (0..101).fold(String::new(), |all, n| format!("{all}X-{n}: 1\r\n"));
    let head = format!("GET /v1/me HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{many}\r\n", server.host());
    assert_eq!(code(&server.raw(head.as_bytes())), (431, "head_too_large".to_owned()));
    let encoded = [("Authorization", bearer.as_str()), json_type, ("Content-Encoding", "gzip")];
    let encoded = server.send("POST", "/v1/sessions", &encoded, "{}");
    assert_eq!(code(&encoded), (415, "encoded".to_owned()));
    assert_eq!(server.with_key("POST", "/v1/sessions", r#"{"agent":"bot","id":"s1"}"#).status, 201);
    for (levels, status) in [(64, 201), (65, 400)] {
        // Brackets in a text aren't counted.
        let (open, close) = ("[".repeat(levels - 2), "]".repeat(levels - 2));
        let body = format!(r#"{{"content":"[[{{\"","message_metadata":{{"x":{open}{close}}}}}"#);
        let reply = server.with_key("POST", "/v1/sessions/s1/messages", &body);
        assert_eq!(reply.status, status, "{levels}: {}", reply.text());
    }
    let field = |reply: Reply| reply.json()["field"].as_str().map(str::to_owned);
    assert_eq!(field(server.with_key("GET", "/v1/events?zz=1", "")).as_deref(), Some("zz"));
    let login = [json_type, ("Origin", &server.origin())].map(|(name, value)| (name, value.to_owned()));
    let login: Vec<(&str, &str)> = login.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(field(server.send("POST", "/v1/login", &login, r#"{"code":"x","zz":1}"#)).as_deref(), Some("/zz"));
}
