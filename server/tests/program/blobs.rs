//! Files over HTTP: uploaded as they are, given back as nothing that a browser runs.

use crate::support::{Reply, SECRET, Server};
use sdk::blocking::Verbatim;
use serde_json::json;

const PNG: &str = "image/png";

fn upload(server: &Server, kind: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {}", server.key());
    server.send("POST", "/v1/blobs", &[("Authorization", &bearer), ("Content-Type", kind)], body)
}

#[test]
fn a_file_comes_back_as_it_went() {
    let server = Server::start();
    let made = upload(&server, PNG, "not quite a picture");
    assert_eq!(made.status, 201, "{}", made.text());
    let blob = made.json()["blob"].as_str().unwrap().to_owned();
    assert_eq!(blob, "sha256:6a9b921be6e9f4b9b1f2bd0f54dc5ae648043b64cdfab5fc92bed9d776cc9152");
    assert_eq!(made.json(), json!({"blob": blob, "mime": PNG, "size": 19}));
    let again = upload(&server, "text/html", "not quite a picture");
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, Some("true")));
    assert_eq!(again.json(), made.json(), "what is known of the bytes stays");

    let read = server.with_key("GET", &format!("/v1/blobs/{blob}"), "");
    assert_eq!((read.status, read.text().as_str()), (200, "not quite a picture"));
    assert_eq!(read.header("content-type"), Some(PNG));
    assert_eq!(read.header("content-security-policy"), Some("default-src 'none'; sandbox"));

    let page = upload(&server, "text/html; charset=utf-8", "<script>alert(1)</script>").json();
    let read = server.with_key("GET", &format!("/v1/blobs/{}", page["blob"].as_str().unwrap()), "");
    assert_eq!(page["mime"], "text/html");
    assert_eq!(read.header("content-type"), Some("application/octet-stream"));
    assert!(read.header("content-disposition").unwrap().starts_with("attachment"));
    assert_eq!(read.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn an_agent_reads_what_people_attach_for_it() {
    let server = Server::start();
    let made = upload(&server, "text/plain", "Conference, Williams").json();
    let blob = made["blob"].as_str().unwrap();
    let agent = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let session = agent.create_session("orchard-bot").unwrap();
    let unnamed = agent.read_blob(blob).map_err(|error| error.to_string());
    assert_eq!(unnamed, Err("There is no such blob".to_owned()));
    let file = json!({"name": "pears.txt", "mime": "text/plain", "size": 20, "blob": blob, "state": "ready"});
    let message = json!({"message_metadata": {"message_type": "FILE", "payload": {"files": [file]}}});
    let said = server.with_key("POST", &format!("/v1/sessions/{}/messages", session.id()), &message.to_string());
    assert_eq!(said.status, 201, "{}", said.text());
    assert_eq!(agent.read_blob(blob).unwrap(), b"Conference, Williams");
}

#[test]
fn what_is_no_upload() {
    let server = Server::start();
    assert_eq!(upload(&server, PNG, "").json()["code"], "empty_blob");
    let huge = server.raw(
        format!(
            "POST /v1/blobs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Length: {}\r\n\r\n",
            server.host(),
            server.key(),
            (64 << 20) + 1
        )
        .as_bytes(),
    );
    assert_eq!((huge.status, &huge.json()["code"]), (413, &json!("too_large")));
    let stranger = server.send("POST", "/v1/blobs", &[("Content-Type", PNG)], "x");
    assert_eq!(stranger.status, 401);
    let cookie = server.cookie();
    let secret = server.secret(&cookie);
    let foreign =
        [("Cookie", &*cookie), (SECRET, &*secret), ("Origin", "http://evil.example"), ("Content-Type", "text/plain")];
    assert_eq!(server.send("POST", "/v1/blobs", &foreign, "x").status, 403);
}

/// The description is open to programs that have no key yet.
#[test]
fn the_description_is_served() {
    let server = Server::start();
    let reply = server.get("/v1/openapi.json", &[]);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(&reply.json(), api::openapi::document());
}
