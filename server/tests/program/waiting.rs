//! A session that waits for a person is told of on every page, however many are newer.

use crate::support::Server;
use serde_json::{Value, json};

#[test]
fn it_is_not_lost_among_newer_ones() {
    let server = Server::start();
    let (cookie, bearer) = (server.cookie(), format!("Bearer {}", server.agent_key()));
    let post = |path: &str, body: Value| {
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        assert_eq!(server.send("POST", path, &headers, &body.to_string()).status, 201, "{body}");
    };
    post("/v1/sessions", json!({"agent": "bot", "id": "asks", "title": "Which port?"}));
    let asks = json!({"content": "Which port?", "role": "assistant", "requires_user_input": true});
    post("/v1/sessions/asks/messages", asks);
    for n in 0..30 {
        post("/v1/sessions", json!({"agent": "bot", "id": format!("later-{n}")}));
        post(&format!("/v1/sessions/later-{n}/messages"), json!({"content": "Hello", "role": "assistant"}));
    }
    let page = server.get("/sessions", &[("Cookie", &cookie)]).text();
    assert!(page.contains("<title>(1!) "), "{}", &page[..2000.min(page.len())]);
    assert!(page.contains("data-asks=\"asks/1\""));
    let rail = server.get("/fragments/rail", &[("Cookie", &cookie)]).text();
    assert!(rail.contains("data-asks=\"asks/1\"") && rail.contains("href=\"/s/asks\""), "{rail}");
}
