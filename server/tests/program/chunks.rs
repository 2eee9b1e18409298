//! Chunks of a transcript, by the page and by requests for one or several.

use super::support::Server;
use serde_json::json;

#[test]
fn several_chunks_of_one_request_are_those_of_one_request_each() {
    let server = Server::start();
    let bearer = format!("Bearer {}", server.agent_key());
    let as_agent = |path: &str, body: &str| {
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        assert_eq!(server.send("POST", path, &headers, body).status, 201);
    };
    as_agent("/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    let texts: Vec<_> = (1..=50).map(|n| json!({"content": format!("Text {n}"), "created_at": n})).collect();
    as_agent("/v1/sessions/s1/messages/batch", &json!({ "messages": texts }).to_string());
    let cookie = server.cookie();
    let get = |path: &str| server.get(path, &[("Cookie", cookie.as_str())]).text();
    let chunks = |range: &str| get(&format!("/fragments/sessions/s1/chunks/{range}"));
    let section = |n: u8| format!(r#"<section data-chunk="{n}" class="chunk">{}</section>"#, chunks(&n.to_string()));
    let sections = [0, 1, 2].map(section);
    assert!(sections[2].contains("Text 50"), "{}", sections[2]);

    assert_eq!(chunks("0?last=1"), sections[..2].concat());
    assert_eq!(chunks("1?last=99"), sections[1..].concat(), "the session has three");
    assert_eq!([chunks("3?last=5"), chunks("2?last=1")], ["", ""]);
    assert!(get("/s/s1").contains(&sections[1..].concat()), "the page begins with the last two");
}
