//! Log-in: a one-time code becomes a cookie, and without one there is nothing to see.

use crate::support::{Place, Server};
use insta::assert_snapshot;
use std::fmt::Write as _;

#[test]
fn a_code_is_worth_one_cookie() {
    let server = Server::start();
    let first = server.log_in(&server.code);
    assert_eq!((first.status, first.text().as_str()), (200, "{}"));
    let cookie = first.header("set-cookie").unwrap().to_owned();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    let (name, token) = pair.split_once('=').unwrap();
    assert_eq!(name, format!("verbatim_{}", server.port), "cookies don't know ports, names do");
    assert_eq!(token.len(), 43, "256 bits");
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
    server.terminate();
    server.ended(crate::support::PATIENCE);
    let place = std::mem::replace(&mut server.place, Place::new());
    for entry in place.data().read_dir().unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for secret in [token, &key, &server.code] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
        }
    }
    let again = Server::start_in(place, &[]);
    let renamed = format!("verbatim_{}={token}", again.port);
    assert_eq!(again.get("/v1/me", &[("Cookie", &renamed)]).status, 200);
    assert_ne!(again.key(), key, "each start has a key of its own");
}
