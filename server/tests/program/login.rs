//! Log-in: a one-time code becomes a cookie and a secret. Without the cookie there is nothing to see, without the
//! secret nothing to be done.

use crate::support::{PATIENCE, Place, Reply, SECRET, Server};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

#[test]
fn a_code_is_worth_one_cookie() {
    let server = Server::start();
    let first = server.log_in(&server.code);
    assert_eq!(first.status, 200);
    let secret = first.json()["secret"].as_str().unwrap().to_owned();
    assert_eq!(first.json(), json!({ "secret": secret }));
    let cookie = first.header("set-cookie").unwrap().to_owned();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    let (name, token) = pair.split_once('=').unwrap();
    assert_eq!(name, format!("verbatim_{}", server.port), "cookies don't know ports, names do");
    assert_eq!((token.len(), secret.len()), (43, 43), "256 bits each");
    assert_ne!(secret, token);
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000");
    assert_eq!(server.get("/v1/me", &[("Cookie", pair)]).json()["kind"], "owner");

    let second = server.log_in(&server.code);
    assert_eq!(second.status, 401);
    assert_eq!(second.header("set-cookie"), None);
    assert_snapshot!(second.text());
    assert_eq!(server.get("/v1/me", &[("Cookie", pair)]).status, 200, "the first log-in holds");
}

#[test]
fn five_wrong_codes_a_minute() {
    let server = Server::start();
    let statuses: Vec<u16> = (0..7).map(|n| server.log_in(&format!("wrong {n}")).status).collect();
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429]);
    let refused = server.log_in("wrong again");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    assert_snapshot!(refused.text());
    assert_eq!(server.log_in(&server.code).status, 200, "who guesses shuts nobody out");
}

#[test]
fn what_is_no_log_in() {
    let server = Server::start();
    let cookie = server.cookie();
    let (name, token) = cookie.split_once('=').unwrap();
    let mut seen = String::new();
    for (what, header) in [
        ("nothing", ("X-Nothing", String::new())),
        ("an empty cookie", ("Cookie", format!("{name}="))),
        ("a cookie of another port", ("Cookie", format!("verbatim_1={token}"))),
        ("a cookie by another name", ("Cookie", format!("x{name}={token}"))),
        ("a token that is cut", ("Cookie", format!("{name}={}", &token[1..]))),
        ("the code", ("Cookie", format!("{name}={}", server.code))),
        ("the key as a cookie", ("Cookie", format!("{name}={}", server.key()))),
        ("the token as a key", ("Authorization", format!("Bearer {token}"))),
        ("an empty key", ("Authorization", "Bearer ".to_owned())),
        ("a key without its scheme", ("Authorization", server.key())),
        ("a key by another scheme", ("Authorization", format!("Basic {}", server.key()))),
        ("the log-in among others", ("Cookie", format!("theme=dark; {cookie}; dev=1"))),
        ("the key", ("Authorization", format!("Bearer {}", server.key()))),
    ] {
        let status = server.get("/v1/sessions", &[(header.0, &header.1)]).status;
        let state = server.get("/v1/login", &[(header.0, &header.1)]);
        writeln!(seen, "{what}: {status}, log-in state {} {}", state.status, state.text()).unwrap();
    }
    let both = server.get("/v1/sessions", &[("Cookie", &cookie), ("Authorization", "Bearer wrong")]);
    writeln!(seen, "the log-in and a wrong key: {}", both.status).unwrap();
    let secret = server.secret(&cookie);
    for (what, headers) in [
        ("the log-in and its secret", vec![("Cookie", &*cookie), (SECRET, &*secret)]),
        ("the log-in and another secret", vec![("Cookie", &*cookie), (SECRET, token)]),
        ("the secret alone", vec![(SECRET, &*secret)]),
        ("the secret as a key", vec![("Authorization", &*format!("Bearer {secret}"))]),
    ] {
        let (status, state) = (server.get("/v1/sessions", &headers).status, server.get("/v1/login", &headers));
        writeln!(seen, "{what}: {status}, log-in state {} {}", state.status, state.text()).unwrap();
    }
    assert_snapshot!(seen);
}

#[test]
fn a_page_leads_to_the_log_in_page_and_back() {
    let server = Server::start();
    let mut seen = String::new();
    for path in [
        "/",
        "/?q=mill&sort=title",
        "/s/abc?dev=1",
        "/search?q=a%20b",
        "/folders",
        "/sessions",
        "/%2F%2Fevil.example",
        "//evil.example/",
    ] {
        let reply = server.get(path, &[]);
        writeln!(seen, "{path}: {} {}", reply.status, reply.header("location").unwrap_or("-")).unwrap();
    }
    for path in
        ["/v1/sessions", "/fragments/sessions", "/v1/events", "/v1/blobs/00", "/v1/sessions/a/export?format=json"]
    {
        let reply = server.get(path, &[]);
        writeln!(seen, "{path}: {} {}", reply.status, reply.header("content-type").unwrap_or("-")).unwrap();
    }
    assert_snapshot!(seen);
    assert_snapshot!(server.get("/v1/sessions", &[]).text());
    let page = server.get("/login?next=%2F", &[]);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(!page.text().contains("<script>"), "no inline script");
}

#[test]
fn logging_out_ends_the_log_in() {
    let server = Server::start();
    let (cookie, other) = (server.cookie(), server.cookie());
    let reply = server.send("POST", "/v1/logout", &[("Cookie", &cookie), ("Origin", &server.origin())], "");
    assert_eq!(reply.status, 200);
    let set = reply.header("set-cookie").unwrap();
    assert_eq!(set, format!("verbatim_{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", server.port));
    assert_eq!(server.get("/v1/me", &[("Cookie", &cookie)]).status, 401);
    assert_eq!(server.get("/v1/me", &[("Cookie", &other)]).status, 200);
}

/// A browser has one log-in: the one that its cookie named before ends, and no other.
#[test]
fn a_new_log_in_ends_the_old_one_of_the_browser() {
    let server = Server::start();
    let (before, other) = (server.cookie(), server.cookie());
    let link = server.place.out(&["open"]);
    let (_, code) = link.trim().split_once("/#c=").unwrap();
    let log_in = |code: &str| {
        let origin = server.origin();
        let headers = [("Content-Type", "application/json"), ("Origin", &*origin), ("Cookie", &*before)];
        server.send("POST", "/v1/login", &headers, &serde_json::json!({ "code": code }).to_string())
    };
    assert_eq!(log_in("wrong").status, 401);
    assert_eq!(server.get("/v1/me", &[("Cookie", &before)]).status, 200, "a wrong code ends nothing");
    let reply = log_in(code);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap();
    for (cookie, status) in [(cookie, 200), (&*before, 401), (&*other, 200)] {
        assert_eq!(server.get("/v1/me", &[("Cookie", cookie)]).status, status);
    }
}

/// A log-in outlives the server; neither code, token nor key is stored in readable form.
#[test]
fn a_restart_keeps_log_ins_and_stores_no_secret() {
    let mut server = Server::start();
    let (cookie, key) = (server.cookie(), server.key());
    let (_, token) = cookie.split_once('=').unwrap();
    let log_in_secret = server.secret(&cookie);
    server.terminate();
    server.ended(PATIENCE);
    let place = std::mem::replace(&mut server.place, Place::new());
    let entries = place.data().read_dir().unwrap().map(|entry| entry.unwrap().path());
    for path in entries.filter(|path| path.is_file()) {
        let bytes = std::fs::read(path).unwrap();
        for secret in [token, &log_in_secret, &key, &server.code] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
        }
    }
    let again = Server::start_in(place, &[]);
    let renamed = format!("verbatim_{}={token}", again.port);
    assert_eq!(again.get("/v1/me", &[("Cookie", &renamed)]).status, 200);
    let made = change(&again, &[("Cookie", &renamed), (SECRET, &log_in_secret)]);
    assert_eq!(made.status, 201, "{}", made.text());
    assert_ne!(again.key(), key, "each start has a key of its own");
}

/// Makes a session, as a page does that shows this.
fn change(server: &Server, credential: &[(&str, &str)]) -> Reply {
    let origin = server.origin();
    let headers = [&[("Origin", &*origin), ("Content-Type", "application/json")], credential].concat();
    server.send("POST", "/v1/sessions", &headers, r#"{"agent": "bot"}"#)
}

/// The whole answer to a change by a cookie alone.
fn read_only() -> Value {
    json!({
        "status": 403,
        "code": "secret_missing",
        "title": "This log-in can only read",
        "hint": "Log in again with the link from `verbatim open`",
    })
}

/// Each endpoint of the table and each route beside it: by its method, and not by a list.
#[test]
fn the_cookie_alone_reads_everything_and_changes_nothing() {
    let server = Server::with_sessions();
    let (cookie, origin) = (server.cookie(), server.origin());
    let secret = server.secret(&cookie);
    let beside = [("POST", "/v1/blobs"), ("POST", "/fragments/render")];
    let endpoints = api::ENDPOINTS.iter().map(|endpoint| (endpoint.method.as_str(), endpoint.path));
    let alone = [("Cookie", &*cookie), ("Origin", &*origin), ("Content-Type", "application/json")];
    let (mut read, mut refused) = (0, 0);
    for (method, path) in endpoints.chain(beside) {
        let session = "5e551003-0000-4000-8000-000000000003";
        let filled = [
            ("{session}", session),
            ("{message}", "1"),
            ("{import}", "1"),
            ("{key}", "x"),
            ("{login}", "x"),
            ("{type}", "x"),
        ];
        let path = filled.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
        if method == "GET" {
            let whole = [&alone[..], &[(SECRET, &*secret)]].concat();
            let (reply, expected) = (server.send("GET", &path, &alone, ""), server.send("GET", &path, &whole, ""));
            assert_eq!(reply.status, expected.status, "{path}: {}", reply.text());
            read += 1;
            continue;
        }
        for wrong in [None, Some(""), Some("x"), cookie.split('=').nth(1), Some(&secret[1..])] {
            let headers = [&alone[..], wrong.map(|wrong| (SECRET, wrong)).as_slice()].concat();
            let reply = server.send(method, &path, &headers, "{}");
            assert_eq!((reply.status, reply.json()), (403, read_only()), "{method} {path} {wrong:?}");
        }
        refused += 1;
    }
    assert!(read > 20 && refused > 20, "{read} {refused}");
    // Another log-in's secret is none either.
    let other = server.cookie();
    let reply = change(&server, &[("Cookie", &cookie), (SECRET, &server.secret(&other))]);
    assert_eq!((reply.status, reply.json()), (403, read_only()));
    assert_eq!(change(&server, &[("Cookie", &cookie), (SECRET, &secret)]).status, 201);
    // It can end the log-in: that gives nobody anything.
    assert_eq!(server.send("POST", "/v1/logout", &alone, "").status, 200);
    assert_eq!(server.get("/v1/me", &alone).status, 401);
}

/// A browser gives its cookies to every server of a host, whatever the port. Who has them can't decide with them.
#[test]
fn a_cookie_that_another_port_got_decides_nothing() {
    let server = Server::start();
    let cookie = server.cookie();
    let bearer = format!("Bearer {}", server.agent_key());
    let as_agent = |path: &str, body: Value| {
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        server.send("POST", path, &headers, &body.to_string())
    };
    assert_eq!(as_agent("/v1/sessions", json!({"agent": "bot", "id": "s1"})).status, 201);
    let question = json!({"question": "Run it?", "options": [{"id": "yes", "label": "Allow", "kind": "allow_once"}]});
    let payload = json!({"kind": "permission", "title": "Run it?", "questions": [question], "state": "open"});
    let asked = json!({"id": "a1", "message_metadata": {"message_type": "APPROVAL", "version": 1, "payload": payload}});
    assert_eq!(as_agent("/v1/sessions/s1/messages", asked).status, 201);

    // The other server, and a browser that opens its page.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut browser = std::net::TcpStream::connect(other.local_addr().unwrap()).unwrap();
    write!(browser, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n").unwrap();
    let mut got = vec![0; 1000];
    let length = other.accept().unwrap().0.read(&mut got).unwrap();
    let request = String::from_utf8_lossy(&got[..length]).into_owned();
    let stolen = request.lines().find_map(|line| line.strip_prefix("Cookie: ")).unwrap();

    // It is no browser: it says whatever it likes of where it comes from.
    let origin = server.origin();
    let json = ("Content-Type", "application/json");
    let headers = [("Cookie", stolen), ("Origin", &*origin), ("Sec-Fetch-Site", "same-origin"), json];
    let path = "/v1/sessions/s1/messages/a1";
    let message = server.get(path, &headers).json();
    let shown = message["entry"]["shown_sha256"].clone();
    assert!(shown.is_string(), "it reads everything: {message}");
    let decision = json!({"selected": ["yes"], "shown_sha256": shown});
    let refused = server.send("POST", &format!("{path}/decision"), &headers, &decision.to_string());
    assert_eq!((refused.status, refused.json()), (403, read_only()));
    assert_eq!(as_agent("/v1/sessions/s1/pending", json!({})).json()["messages"], json!([]));

    let decided = server.as_owner(&cookie, "POST", &format!("{path}/decision"), &decision);
    assert_eq!(decided.status, 200, "{}", decided.text());
    assert_eq!(as_agent("/v1/sessions/s1/pending", json!({})).json()["messages"].as_array().unwrap().len(), 1);
}

/// Its secret was made with a later version: until then it reads.
#[tokio::test]
async fn a_log_in_from_before_there_were_secrets_reads() {
    let mut server = Server::start();
    let cookie = server.cookie();
    let secret = server.secret(&cookie);
    server.terminate();
    server.ended(PATIENCE);
    let store = store::Store::open(&store::Database::Sqlite(server.place.data().join("verbatim.db"))).await.unwrap();
    let workspace = store.workspace("default");
    for login in workspace.logins().await.unwrap() {
        workspace.put_login(&store::Login { secret_hash: None, ..login }).await.unwrap();
    }
    store.close().await;
    let server = server.again();
    for credential in [vec![("Cookie", &*cookie)], vec![("Cookie", &*cookie), (SECRET, &*secret)]] {
        assert_eq!(server.get("/v1/me", &credential).status, 200);
        assert_eq!(server.get("/v1/login", &credential).json(), json!({"logged_in": true, "may_change": false}));
        let reply = change(&server, &credential);
        assert_eq!((reply.status, reply.json()), (403, read_only()));
    }
    // A new one in the same browser takes its place.
    let link = server.place.out(&["open"]);
    let body = json!({ "code": link.trim().split_once("/#c=").unwrap().1 }).to_string();
    let origin = server.origin();
    let headers = [("Content-Type", "application/json"), ("Origin", &*origin), ("Cookie", &*cookie)];
    let made = server.send("POST", "/v1/login", &headers, &body);
    let renewed = made.header("set-cookie").unwrap().split(';').next().unwrap();
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    assert_eq!(change(&server, &[("Cookie", renewed), (SECRET, &secret)]).status, 201);
    assert_eq!(server.get("/v1/me", &[("Cookie", &cookie)]).status, 401);
}
