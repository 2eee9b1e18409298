//! Headers of every kind of answer.

use crate::support::{Reply, SECRET, Server, fixture};
use insta::assert_snapshot;
use std::fmt::Write as _;

/// They are the same on every answer.
const ALWAYS: [&str; 6] = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
];

#[test]
fn on_every_kind_of_answer() {
    let server = Server::with_sessions();
    let cookie = server.cookie();
    let (with, secret) = (("Cookie", cookie.as_str()), server.secret(&cookie));
    let session = "5e551008-0000-4000-8000-000000000008";
    let detail = server.get(&format!("/v1/sessions/{session}/messages?dev=1&limit=500&type=FILE"), &[with]).json();
    let file = &detail["messages"][0]["metadata"]["payload"]["files"][0];
    let blob = format!("/v1/blobs/{}", file["blob"].as_str().unwrap().trim_start_matches("sha256:"));
    let from_evil = ("Origin", "http://evil.example");
    let replies: Vec<(&str, Reply)> = vec![
        ("a page", server.get("/", &[with])),
        ("a session's page", server.get(&format!("/s/{session}"), &[with])),
        ("a page that isn't there", server.get("/s/nobody", &[with])),
        ("no page at all", server.get("/nothing", &[with])),
        ("the log-in page", server.get("/login", &[])),
        ("the way to it", server.get("/", &[])),
        ("a fragment", server.get(&format!("/fragments/sessions/{session}/chunks/0"), &[with])),
        ("a fragment that isn't there", server.get("/fragments/sessions/nobody/panel", &[with])),
        ("JSON", server.get("/v1/sessions", &[with])),
        ("a problem", server.get("/v1/sessions?limit=0", &[with])),
        ("no endpoint", server.get("/v1/nothing", &[with])),
        (
            "another method",
            server.send("DELETE", "/v1/sessions", &[with, (SECRET, &secret), ("Origin", &server.origin())], ""),
        ),
        ("no log-in", server.get("/v1/sessions", &[])),
        ("another host", server.get("/", &[("Host", "evil.example")])),
        ("another origin", server.get("/v1/sessions", &[with, from_evil])),
        (
            "a question before a request of another origin",
            server.send("OPTIONS", "/v1/sessions", &[with, from_evil], ""),
        ),
        ("a log-in", server.log_in(&server.code)),
        ("the event stream", server.get("/v1/events", &[with])),
        ("an export", server.get(&format!("/v1/sessions/{session}/export?format=original"), &[with])),
        ("an export as JSON", server.get(&format!("/v1/sessions/{session}/export?format=json"), &[with])),
        ("a picture", server.get(&blob, &[with])),
        ("no picture", server.get("/v1/blobs/sha256:00", &[with])),
        ("an asset that isn't there", server.get("/assets/none.css", &[])),
        ("health", server.get("/healthz", &[])),
        ("the icon", server.get("/favicon.ico", &[])),
        ("the icon of a phone", server.get("/apple-touch-icon.png", &[])),
    ];
    let mut seen = String::new();
    for name in ALWAYS {
        writeln!(seen, "{name}: {}", replies[0].1.header(name).unwrap()).unwrap();
    }
    for (what, reply) in &replies {
        writeln!(seen, "\n{what}: {}", reply.status).unwrap();
        for name in ALWAYS {
            // Nothing in a file may run, whatever opens it.
            let own = (*what == "a picture" && name == ALWAYS[0]).then_some("default-src 'none'; sandbox");
            assert_eq!(reply.header(name), own.or(replies[0].1.header(name)), "{name} of {what}");
        }
        for (name, value) in &reply.headers {
            assert!(!name.starts_with("access-control-"), "{what}: {name}");
            if !ALWAYS.contains(&name.as_str()) && !matches!(name.as_str(), "date" | "connection" | "content-length") {
                let value = value.replace(&server.port.to_string(), "[port]");
                let value = match name.as_str() {
                    "set-cookie" => hide(&value),
                    "verbatim-build" => "[hash]".to_owned(),
                    _ => value,
                };
                writeln!(seen, "  {name}: {}", own_ids(&value)).unwrap();
            }
        }
    }
    assert_snapshot!(seen);
}

/// The value of a cookie is a secret.
fn hide(cookie: &str) -> String {
    let (name, rest) = cookie.split_once('=').unwrap();
    let attributes = rest.split_once(';').map_or("", |(_, attributes)| attributes);
    format!("{name}=[token];{attributes}")
}

/// The name of an exported file may end with a piece of our id, and that of a session's page is one.
fn own_ids(value: &str) -> String {
    if value.starts_with("/s/") {
        return "/s/[id]".to_owned();
    }
    // The files of a page and their hash change with every build.
    if value.starts_with("/assets/") {
        let names = value.split(' ').map(|file| file.split_once("?v=").map_or(file, |(name, _)| name));
        return names.collect::<Vec<_>>().join(" ");
    }
    match value.rsplit_once('-') {
        Some((name, ending)) if ending.get(8..) == Some(".json\"") => format!("{name}-[short id].json\""),
        _ => value.to_owned(),
    }
}

/// The interface's files never change under one address. Without an interface, as in a build for lints, there are none.
#[test]
fn assets_are_immutable() {
    let server = Server::start();
    let page = server.get("/login", &[]).text();
    let built = fixture("../target/interface/verbatim.css").exists();
    for name in ["verbatim.css", "login.js"] {
        let at = page.find(&format!("/assets/{name}?v=")).unwrap_or_else(|| panic!("{name} is not on the log-in page"));
        let url = page[at..].split('"').next().unwrap();
        let hash = url.rsplit('=').next().unwrap();
        assert_eq!(hash.len(), if built { 16 } else { 0 }, "{url}");
        for (coding, wanted) in [("", None), ("gzip", Some("gzip")), ("gzip, br;q=0.9", Some("br")), ("identity", None)]
        {
            let reply = server.get(url, &[("Accept-Encoding", coding)]);
            if built {
                assert_eq!((reply.status, reply.header("content-encoding")), (200, wanted), "{url} {coding}");
                assert_eq!(reply.header("cache-control"), Some("private, max-age=31536000, immutable"));
                assert_eq!(reply.header("vary"), Some("accept-encoding"));
                assert!(!reply.body.is_empty());
            } else {
                assert_eq!(reply.status, 404);
            }
        }
    }
    for outside in [
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/server.json",
        "/assets/verbatim.css.br",
        "/assets/",
        "/assets/a/b.css",
    ] {
        assert_eq!(server.get(outside, &[]).status, 404, "{outside}");
    }
}

/// Whatever follows the `?`, a page is answered by a page.
#[test]
fn a_page_that_is_asked_for_wrongly_says_so_as_a_page() {
    let server = Server::start();
    let cookie = server.cookie();
    let id = format!("asked-{}", server.port);
    server.with_key("POST", "/v1/sessions", &format!(r#"{{"agent":"bot","id":"{id}"}}"#));
    for (path, status) in [
        (format!("/s/{id}?at=abc"), 400),
        (format!("/s/{id}?at=1&at=2"), 400),
        (format!("/s/{id}?at=&panel=none&utm=1"), 200),
        ("/gallery?part=x".to_owned(), 400),
        ("/?limit=x".to_owned(), 400),
    ] {
        let reply = server.get(&path, &[("Cookie", &cookie)]);
        let told = reply.text().contains("This link is invalid");
        assert_eq!((reply.status, told), (status, status == 400), "{path}");
        assert!(reply.header("content-type").unwrap().starts_with("text/html"), "{path}");
    }
}
