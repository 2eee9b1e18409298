//! Every route with every credential: one table, made from the endpoints and from the server's own list of routes.

use crate::support::{Reply, SECRET, Server, fixture};
use insta::assert_snapshot;
use std::fmt::Write as _;

/// The server's lists of the routes outside of the table of endpoints.
const ROUTES: &str = concat!(
    include_str!("../../src/http.rs"),
    include_str!("../../src/http/compat.rs"),
    include_str!("../../src/http/mcp.rs")
);

/// Methods and paths of those routes.
fn routes() -> Vec<(String, String)> {
    let mut routes = Vec::new();
    for line in ROUTES.lines() {
        let Some((_, rest)) = line.split_once(".route(\"") else { continue };
        let (path, handler) = rest.split_once('"').unwrap();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let sign = format!("{}(", method.to_lowercase());
            if handler.contains(&sign) {
                routes.push((method.to_owned(), path.to_owned()));
            }
        }
    }
    routes
}

#[test]
fn every_route_with_every_credential() {
    let server = Server::with_sessions();
    let key = format!("Bearer {}", server.key());
    let made = server.with_key("POST", "/v1/keys", r#"{"name": "bot"}"#);
    let agent = format!("Bearer {}", made.json()["key"].as_str().unwrap());
    let endpoints = api::ENDPOINTS.iter().map(|e| (e.method.as_str().to_owned(), e.path.to_owned()));
    let mut all: Vec<(String, String)> = endpoints.chain(routes()).collect();
    assert!(all.len() > 30, "the list of routes is read from the server's source: {all:?}");
    all.push(("GET".to_owned(), "/v1/nothing".to_owned()));
    all.push(("GET".to_owned(), "/api/v1/nothing".to_owned()));
    all.push(("GET".to_owned(), "/nothing".to_owned()));
    all.push(("DELETE".to_owned(), "/v1/sessions".to_owned()));
    all.push(("POST".to_owned(), "/".to_owned()));
    // A build for lints has no interface, and so no worker.
    let built = fixture("../target/interface/worker.js").exists();
    // `cookie` is a log-in without its secret, `owner` one with it.
    let mut seen = format!(
        "{:62} {:>5} {:>6} {:>5} {:>6} {:>6} {:>4} {:>5}\n",
        "", "none", "cookie", "owner", "member", "viewer", "key", "agent"
    );
    let id = |added: &Reply| added.json()["person"]["id"].as_str().unwrap().to_owned();
    let person = |name: &str, role: &str| {
        id(&server.with_key("POST", "/v1/users", &format!(r#"{{"name": "{name}", "role": "{role}"}}"#)))
    };
    let (member, viewer) = (person("Ines", "member"), person("Vik", "viewer"));
    let log_in_as = |person: &str| {
        let link = server.with_key("POST", &format!("/v1/users/{person}/invitation"), "{}").json();
        server.logged_in(&server.log_in(link["url"].as_str().unwrap().split_once("#c=").unwrap().1))
    };
    for (method, path) in &all {
        let filled = [
            ("{session}", "5e551003-0000-4000-8000-000000000003"),
            ("{message}", "1"),
            ("{import}", "1"),
            ("{sha256}", "sha256:00"),
            ("{name}", "none.css"),
            ("{chunk}", "0"),
            ("{seq}", "1"),
            ("{index}", "0"),
            ("{instance}", "5e551009-0000-4000-8000-000000000009"),
            ("{key}", "none"),
            ("{login}", "none"),
            ("{kind}/{method}", "password/none"),
            ("{type}", "none"),
            ("{run}", "none"),
            ("{rule}", "none"),
            ("{channel}", "none"),
            ("{schedule}", "none"),
            ("{notice}", "none"),
            ("{share}", "none"),
            ("{secret}", "none"),
            ("{agent}", "claude_code"),
            ("{person}", "none"),
            ("{machine}", "none"),
            ("{wait}", "1"),
        ];
        let target = filled.iter().fold(path.clone(), |path, (name, value)| path.replace(name, value));
        assert!(!target.contains('{'), "say what stands for the parameter of {path}");
        // Each route gets a log-in of its own, since an earlier one may have changed it.
        let log_in = server.cookie();
        let secret = server.secret(&log_in);
        let (origin, json) = (server.origin(), ("Content-Type", "application/json"));
        let body = if method == "GET" { "" } else { "{}" };
        let send = |credential: &[(&str, &str)]| {
            let mut headers = vec![json, ("Origin", origin.as_str())];
            headers.extend(credential);
            if path == "/worker.js" && !built {
                return 200;
            }
            server.send(method, &target, &headers, body).status
        };
        let (none, cookie) = (send(&[]), send(&[("Cookie", &log_in)]));
        let owner = send(&[("Cookie", &log_in), (SECRET, &secret)]);
        let [member, viewer] = [&member, &viewer].map(|person| {
            let cookie = log_in_as(person);
            send(&[("Cookie", &cookie), (SECRET, &server.secret(&cookie))])
        });
        let (key, agent) = (send(&[("Authorization", &key)]), send(&[("Authorization", &agent)]));
        writeln!(
            seen,
            "{method:6} {path:55} {none:>5} {cookie:>6} {owner:>5} {member:>6} {viewer:>6} {key:>4} {agent:>5}"
        )
        .unwrap();
    }
    assert_snapshot!(seen);
}

/// Beside the table too, a key that may only post reads nothing.
#[test]
fn a_key_that_only_posts_reads_nothing() {
    let server = Server::start();
    let made = server.with_key("POST", "/v1/keys", r#"{"name": "bot", "scopes": ["post"]}"#);
    let bearer = format!("Bearer {}", made.json()["key"].as_str().unwrap());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let send = |method: &str, path: &str, body: &str| server.send(method, path, &headers, body);
    assert_eq!(send("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#).status, 201);
    let blob = send("POST", "/v1/blobs", "bytes").json()["blob"].as_str().unwrap().to_owned();
    for path in [
        "/v1/events?session=s1&until=now".to_owned(),
        "/v1/sessions/s1/export?format=json".to_owned(),
        "/v1/sessions/s1/export?format=html".to_owned(),
        "/v1/sessions/s1/export?format=markdown".to_owned(),
        "/v1/sessions/s1/export?format=original".to_owned(),
        format!("/v1/blobs/{blob}"),
    ] {
        let refused = send("GET", &path, "");
        assert_eq!((refused.status, &refused.json()["code"]), (403, &serde_json::json!("scope_missing")), "{path}");
    }
}

/// Endpoints for commands of this machine alone, which refuse a person.
#[test]
fn local_endpoints() {
    let server = Server::start();
    let cookie = server.cookie();
    for endpoint in api::ENDPOINTS
        .iter()
        .filter(|e| e.access.iter().all(|access| matches!(access, api::Access::Local | api::Access::Agent)))
    {
        let refused = server.as_owner(&cookie, endpoint.method.as_str(), endpoint.path, &serde_json::json!({}));
        assert_eq!(
            (refused.status, &refused.json()["code"]),
            (403, &serde_json::json!("forbidden")),
            "{}",
            endpoint.name
        );
    }
    let made = server.with_key("POST", "/v1/launch-codes", "{}");
    assert_eq!(made.status, 201);
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let code = url.strip_prefix(&format!("{}/#c=", server.origin())).unwrap();
    assert_eq!(server.log_in(code).status, 200);
}

/// Another site can't have a browser post what we take: only JSON is read.
#[test]
fn only_json_is_read() {
    let server = Server::start();
    let (cookie, origin) = (server.cookie(), server.origin());
    let secret = server.secret(&cookie);
    let mut seen = String::new();
    for content_type in [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "text/json",
        "",
    ] {
        let headers = [("Cookie", &*cookie), (SECRET, &*secret), ("Origin", &*origin), ("Content-Type", content_type)];
        let put = server.send("PUT", "/v1/projects", &headers, "{\"state\":\"paused\"}");
        let login = server.send("POST", "/v1/login", &headers, "{\"code\":\"wrong\"}");
        writeln!(seen, "{content_type:36} {} {}", put.status, if login.status == 429 { 401 } else { login.status })
            .unwrap();
    }
    let headers = [("Cookie", &*cookie), (SECRET, &*secret), ("Origin", &*origin)];
    let untold = server.send("PUT", "/v1/projects", &headers, "{\"state\":\"paused\"}");
    writeln!(seen, "{:36} {}", "not a word", untold.status).unwrap();
    assert_snapshot!(seen);
}
