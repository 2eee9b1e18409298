//! Schedules from the shell, and on their page.

use crate::support::{Place, Server};
use serde_json::Value;

/// Asserts on what was seen, without ids and times.
macro_rules! assert_seen {
    ($seen:expr) => {
        insta::with_settings!({filters => vec![
            ("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]"),
            (r"20\d\d-\d\d-\d\d \d\d:\d\d", "[minute]"),
        ]}, { insta::assert_snapshot!($seen) })
    };
}

/// With and without a server it is the same.
#[test]
fn schedules_from_the_shell() {
    let place = Place::new();
    let session = place.out(&["send", "--title", "Mill", "One"]).trim_end().to_owned();
    let mut seen = place.seen(&["schedule", "list"]);
    let add = ["schedule", "add", &session, "Run the tests", "--cron", "0 9 * * 1-5", "--zone", "Europe/Berlin"];
    seen += &place.seen(&add);
    let listed: Value = serde_json::from_str(&place.out(&["schedule", "list", "--json"])).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    for arguments in [
        &["schedule", "list"][..],
        &["schedule", "pause", id],
        &["schedule", "pause", "--resume", id],
        &["schedule", "run", &id[..30]],
        &["show", &session],
        &["schedule", "remove", &id[..30]],
        &["schedule", "list"],
        &["schedule", "remove", "--undo", id],
        &["schedule", "add", &session, "x", "--at", "2999-12-01 09:00", "--zone", "America/New_York"],
        // The error of an invalid command names the option.
        &["schedule", "add", &session, "x", "--cron", "every day"],
        &["schedule", "add", &session, "x", "--at", "2001-01-01 09:00"],
        &["schedule", "add", &session, "x", "--cron", "0 9 * * *", "--zone", "Mars/Base"],
        &["schedule", "add", &session, "x"],
        &["schedule", "add", "nobody", "x", "--cron", "0 9 * * *"],
        &["schedule", "run", "nobody"],
    ] {
        seen += &place.seen(arguments);
    }
    assert_seen!(seen.replace(&session, "[session]").replace(id, "[id]").replace(&id[..30], "[prefix]"));
}

#[test]
fn the_page() {
    let server = Server::start();
    let cookie = server.cookie();
    let page = || server.get("/schedules", &[("Cookie", &cookie)]).text();
    let empty = page();
    assert!(empty.contains("No schedules yet") && empty.contains("A schedule needs a session"));
    let session = server.place.out(&["send", "--title", "Mill", "One"]).trim_end().to_owned();
    let add = ["schedule", "add", &session, "Run <b>the</b> tests", "--cron", "0 9 * * 1-5", "--zone", "Europe/Berlin"];
    server.place.out(&add);
    let listed = page();
    for part in
        ["Run &lt;b&gt;the&lt;/b&gt; tests", "0 9 * * 1-5", "Europe/Berlin", "Never", "Add schedule", "Run now", "Mill"]
    {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    // The prompt is marked in the transcript.
    let id = server.with_key("GET", "/v1/schedules", "").json()["schedules"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.with_key("POST", &format!("/v1/schedules/{id}/run"), "{}").status, 200);
    let transcript = server.get(&format!("/s/{session}"), &[("Cookie", &cookie)]).text();
    assert!(transcript.contains("\u{bb} [Scheduled Task]"), "{transcript}");
    assert!(page().contains(">Sent<"));
}
