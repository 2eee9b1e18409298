//! A NUL in a name is refused, or asked for in vain: alike on both engines, of which one can't hold it.

use crate::support::{Place, Server, postgres};
use insta::assert_snapshot;
use std::fmt::Write as _;

#[test]
fn no_name_holds_a_nul() {
    assert_snapshot!(seen(&Server::start()));
    match postgres() {
        Some(url) => {
            let server = Server::start_in(Place::new(), &["--database", &url]);
            assert_snapshot!("no_name_holds_a_nul", seen(&server));
        }
        None => println!("one engine only: `cargo xtask pg -- ...` gives it the other one"),
    }
}

/// Of a page its heading.
fn told(text: &str) -> &str {
    let heading = || text.split_once("<h1")?.1.split_once('>')?.1.split_once("</h1>");
    heading().map_or(text, |(heading, _)| heading)
}

fn seen(server: &Server) -> String {
    let mut seen = String::new();
    // On a database of others' sessions too.
    let id = format!("nul-{}", server.port);
    let made = server.with_key("POST", "/v1/sessions", &format!(r#"{{"agent":"bot","id":"{id}"}}"#));
    assert_eq!(made.status, 201, "{}", made.text());
    let messages = format!("/v1/sessions/{id}/messages");
    for path in [
        "/v1/sessions/%00",
        "/v1/sessions/a/messages/%00",
        "/v1/sessions?project=%00",
        "/v1/sessions?agent=a%00b",
        "/v1/sessions?q=%00",
        "/v1/sessions?after=%00",
        "/v1/search?q=mill&project=%00",
        "/v1/search?q=%00",
        "/v1/stats?project=%00",
        "/v1/events?session=%00",
        "/v1/imports/%00",
        "/s/%00",
        "/?agent=%00",
        "/api/v1/messages/pending?agent_instance_id=%00",
        "/v1/sessions?%00=1",
    ] {
        let reply = server.with_key("GET", path, "");
        writeln!(seen, "{path}: {} {}", reply.status, told(&reply.text())).unwrap();
    }
    for (method, path, body) in [
        ("POST", "/v1/sessions", r#"{"agent":"a\u0000b"}"#),
        ("POST", "/v1/sessions", r#"{"agent":"bot","id":"a\u0000b"}"#),
        ("POST", "/v1/sessions", r#"{"agent":"bot","title":"a\u0000b","project":"/a\u0000b","branch":"\u0000"}"#),
        ("POST", "/v1/sessions", r#"{"agent":"bot","parent":"a\u0000b"}"#),
        ("PATCH", "/v1/sessions/{id}", r#"{"title":"a\u0000b"}"#),
        ("POST", &messages, r#"{"content":"a\u0000b","sender":"\u0000","call_id":"\u0000","run_id":"\u0000"}"#),
        ("POST", &messages, r#"{"id":"a\u0000b","content":"x"}"#),
        (
            "POST",
            &messages,
            r#"{"content":"x","message_metadata":{"message_type":"A\u0000B","payload":{"a":"\u0000"}}}"#,
        ),
        ("POST", "/v1/keys", r#"{"name":"a\u0000b"}"#),
        ("DELETE", "/v1/keys/a%00b", "{}"),
        ("PUT", "/v1/projects", r#"{"state":"paused","paths":["/a\u0000b"]}"#),
        ("POST", "/v1/projects/forget", r#"{"path":"/a\u0000b"}"#),
        ("PATCH", "/v1/preferences", r#"{"assistant_name":"a\u0000b"}"#),
        ("POST", "/v1/imports", r#"{"paths":["/a\u0000b"]}"#),
    ] {
        let reply = server.with_key(method, &path.replace("{id}", &id), body);
        let path = path.replace(&id, "{id}");
        let told = if reply.status < 400 { String::new() } else { reply.text() };
        writeln!(seen, "{method} {path} {body}: {} {told}", reply.status).unwrap();
    }
    seen
}
