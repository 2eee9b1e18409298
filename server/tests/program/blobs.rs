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
fn a_player_reads_one_range() {
    let server = Server::start();
    let made = upload(&server, "audio/ogg", "0123456789").json();
    let blob = format!("/v1/blobs/{}", made["blob"].as_str().unwrap());
    let bearer = format!("Bearer {}", server.key());
    let read = |headers: &[(&str, &str)]| {
        let reply = server.get(&blob, &[&[("Authorization", &*bearer)], headers].concat());
        let header = |name| reply.header(name).unwrap_or_default().to_owned();
        assert_eq!((&*header("accept-ranges"), &*header("content-type")), ("bytes", "audio/ogg"));
        assert_eq!((&*header("x-content-type-options"), reply.header("content-disposition")), ("nosniff", None));
        (reply.status, header("content-range"), reply.text())
    };
    let range = |range| read(&[("Range", range)]);
    let whole = (200, String::new(), "0123456789".to_owned());
    let part = |range: &str, text: &str| (206, format!("bytes {range}/10"), text.to_owned());
    let none = (416, "bytes */10".to_owned(), String::new());
    assert_eq!(read(&[]), whole);
    assert_eq!(range("bytes=0-"), part("0-9", "0123456789"));
    assert_eq!(range("bytes=2-4"), part("2-4", "234"));
    assert_eq!(range("bytes=8-99"), part("8-9", "89"));
    assert_eq!(range("bytes=-3"), part("7-9", "789"));
    assert_eq!(range("bytes=10-"), none);
    assert_eq!(range("bytes=-0"), none);
    // A range that isn't valid, or asks for several parts, is answered with the whole.
    for odd in ["bytes=4-2", "bytes=x", "lines=1-2", "bytes=0-1,4-5", "bytes=0-0,-1"] {
        assert_eq!(range(odd), whole, "{odd}");
    }
    let etag = server.get(&blob, &[("Authorization", &*bearer)]).header("etag").unwrap().to_owned();
    assert_eq!(read(&[("Range", "bytes=1-1"), ("If-Range", &etag)]), part("1-1", "1"));
    assert_eq!(read(&[("Range", "bytes=1-1"), ("If-Range", "\"other\"")]), whole);
}

#[test]
fn only_what_runs_nothing_is_shown() {
    let server = Server::start();
    let served = |mime: &str| {
        let made = upload(&server, mime, mime).json();
        let read = server.with_key("GET", &format!("/v1/blobs/{}", made["blob"].as_str().unwrap()), "");
        // Safari's viewer doesn't start in a sandbox.
        let own = if mime == "application/pdf" { "style-src 'unsafe-inline'" } else { "sandbox" };
        assert_eq!(read.header("content-security-policy"), Some(&*format!("default-src 'none'; {own}")));
        (read.header("content-type").unwrap().to_owned(), read.header("content-disposition").is_some())
    };
    let text = ("text/plain; charset=utf-8".to_owned(), false);
    let saved = ("application/octet-stream".to_owned(), true);
    assert_eq!(served("application/pdf"), ("application/pdf".to_owned(), false));
    assert_eq!(served("video/mp4"), ("video/mp4".to_owned(), false));
    assert_eq!(
        (served("text/plain"), served("text/javascript"), served("application/json")),
        (text.clone(), text.clone(), text)
    );
    assert_eq!(
        (served("text/html"), served("image/svg+xml"), served("application/xml")),
        (saved.clone(), saved.clone(), saved)
    );
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
