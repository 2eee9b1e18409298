//! Followed files: what an agent writes is announced and stored; what the owner didn't allow isn't read.

use crate::support::{House, Talk, in_time, lines};
use futures::{Stream, StreamExt as _};
use hub::Consent;
use hub::feed::FeedChange;
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

const MILL: &str = "projects/-home-ada-mill/mill.jsonl";
const BAKERY: &str = "projects/-home-ada-bakery/bakery.jsonl";

type Events = Pin<Box<dyn Stream<Item = Arc<FeedChange>> + Send>>;

/// Follows two files of which everything is read already.
async fn followed() -> (House, Events) {
    let house = House::with_projects(Consent::Given).await;
    house.write(MILL, Talk::new("mill").user("One").text());
    house.write(BAKERY, Talk::new("bakery").user("Bake").text());
    let mut events: Events =
        Box::pin(hub::feed::stream(house.hub.clone(), 0, None, store::Sight::All, hub::feed::Until::Shutdown));
    house.follow().await;
    let read = house.hub.feed.pos();
    while in_time(events.next()).await.unwrap().pos < read {}
    (house, events)
}

fn append(path: &Path, text: &str) {
    std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// The next event of this session.
async fn next(events: &mut Events, house: &House, session: &str) -> Arc<FeedChange> {
    let id = house.read(&format!("/v1/sessions/{session}")).await["session"]["id"].as_str().unwrap().to_owned();
    in_time(events.filter(|event| std::future::ready(event.session == id)).next()).await.unwrap()
}

async fn messages(house: &House, session: &str) -> Vec<String> {
    lines(&house.read(&format!("/v1/sessions/{session}/messages?dev=1")).await)
}

#[tokio::test]
async fn a_new_line_is_announced_and_stored() {
    let (house, mut events) = followed().await;
    append(&house.path(MILL), &Talk::new("mill").user("One").says("Two").last_line());
    let event = next(&mut events, &house, "mill").await;
    assert_eq!((event.from_seq, event.to_seq), (2, 2));
    assert_eq!(messages(&house, "mill").await, ["1 user TEXT shown: One", "2 assistant TEXT shown: Two"]);
}

/// Half a line is no line: the agent is still writing it.
#[tokio::test]
async fn a_torn_line_waits_for_its_end() {
    let (house, mut events) = followed().await;
    let line = Talk::new("mill").user("One").says("Two").last_line();
    let (half, rest) = line.split_at(line.len() / 2);
    append(&house.path(MILL), half);
    // Files are read in the order of their changes: when the second has been read, so has the first.
    append(&house.path(BAKERY), &Talk::new("bakery").user("Bake").says("Baked").last_line());
    next(&mut events, &house, "bakery").await;
    assert_eq!(messages(&house, "mill").await, ["1 user TEXT shown: One"]);
    append(&house.path(MILL), rest);
    next(&mut events, &house, "mill").await;
    assert_eq!(messages(&house, "mill").await, ["1 user TEXT shown: One", "2 assistant TEXT shown: Two"]);
}

#[tokio::test]
async fn a_new_file_is_a_new_session() {
    let (house, mut events) = followed().await;
    house.write("projects/-home-ada-mill/second.jsonl", Talk::new("second").user("Another").text());
    let event = in_time(events.next()).await.unwrap();
    let detail = house.read(&format!("/v1/sessions/{}", event.session)).await;
    assert_eq!(detail["session"]["agent_session_id"], "second");
}

/// A file of another agent in a followed folder is a session of that agent. One of no agent becomes none, and stops
/// nothing.
#[tokio::test]
async fn files_of_others_in_a_followed_folder() {
    let (house, mut events) = followed().await;
    house.write("projects/-home-ada-mill/other.jsonl", "{\"a\":1}\n{\"a\":2}\n");
    append(&house.path(BAKERY), &Talk::new("bakery").user("Bake").says("Baked").last_line());
    next(&mut events, &house, "bakery").await;
    assert_eq!(house.read("/v1/sessions").await["total"], 2);
    let codex = r#"{"timestamp":"2026-06-25T13:03:57Z","type":"session_meta","payload":{"id":"019e"}}"#;
    house.write("projects/-home-ada-mill/rollout.jsonl", format!("{codex}\n"));
    let event = in_time(events.next()).await.unwrap();
    let session = house.read(&format!("/v1/sessions/{}", event.session)).await["session"].take();
    assert_eq!((&session["agent"], &session["agent_session_id"]), (&json!("codex"), &json!("019e")));
}

/// A project's folder that is a link to elsewhere is read once a person agreed to where it leads, and followed from
/// then on.
#[cfg(unix)]
#[tokio::test]
async fn a_linked_folder_is_followed() {
    let (house, mut events) = followed().await;
    let talk = Talk::new("weir").user("Open");
    let file = house.write("elsewhere/weir.jsonl", talk.text());
    std::os::unix::fs::symlink(house.path("elsewhere"), house.path("projects/-home-ada-weir")).unwrap();
    let link = house.path("projects/-home-ada-weir");
    let links = json!({ link.to_str().unwrap(): house.path("elsewhere") });
    let agreed = house.put("/v1/projects", json!({"paths": [link], "state": "following", "links": links})).await;
    assert_eq!(agreed.status, 200, "{}", agreed.body);
    let event = in_time(events.next()).await.unwrap();
    let detail = house.read(&format!("/v1/sessions/{}", event.session)).await;
    assert_eq!(detail["session"]["agent_session_id"], "weir");
    append(&file, &talk.says("Opened").last_line());
    next(&mut events, &house, "weir").await;
    assert_eq!(messages(&house, "weir").await, ["1 user TEXT shown: Open", "2 assistant TEXT shown: Opened"]);
}

#[tokio::test]
async fn a_rewritten_file_is_read_anew() {
    let (house, mut events) = followed().await;
    let short = Talk::new("mill").user("New").text();
    std::fs::write(house.path("new"), &short).unwrap();
    std::fs::rename(house.path("new"), house.path(MILL)).unwrap();
    next(&mut events, &house, "mill").await;
    let page = house.read("/v1/sessions/mill/messages").await;
    assert_eq!(page["messages"][0]["content"], "New");
    assert_eq!(house.read("/v1/sessions/mill").await["sources"][0]["size"], short.len());
}

/// Written anew in the same place, longer than before: the end of what was read isn't there any more.
#[tokio::test]
async fn a_file_rewritten_in_place_is_read_anew() {
    let (house, mut events) = followed().await;
    append(&house.path(MILL), &Talk::new("mill").user("One").says("Two").last_line());
    next(&mut events, &house, "mill").await;
    let new = Talk::new("mill").user(&"New ".repeat(1000)).text();
    let mut file = std::fs::File::options().write(true).open(house.path(MILL)).unwrap();
    file.write_all(new.as_bytes()).unwrap();
    next(&mut events, &house, "mill").await;
    assert_eq!(house.read("/v1/sessions/mill").await["sources"][0]["size"], new.len());
    let page = house.read("/v1/sessions/mill/messages").await;
    assert_eq!(page["messages"][1]["status"], "retracted");
}

#[tokio::test]
async fn a_paused_folder_is_not_read() {
    let (house, mut events) = followed().await;
    let folder = house.path(MILL).parent().unwrap().to_owned();
    house.put("/v1/projects", json!({"paths": [folder], "state": "paused"})).await;
    append(&house.path(MILL), &Talk::new("mill").user("One").says("Unread").last_line());
    append(&house.path(BAKERY), &Talk::new("bakery").user("Bake").says("Baked").last_line());
    next(&mut events, &house, "bakery").await;
    assert_eq!(messages(&house, "mill").await, ["1 user TEXT shown: One"]);
    // Followed again, what was written meanwhile comes too.
    house.put("/v1/projects", json!({"paths": [folder], "state": "following"})).await;
    next(&mut events, &house, "mill").await;
    assert_eq!(messages(&house, "mill").await, ["1 user TEXT shown: One", "2 assistant TEXT shown: Unread"]);
}

/// A stream that resumes at a cursor gets what came since, once, and ends with the hub.
#[tokio::test]
async fn a_stream_resumes_and_ends() {
    let house = House::with(&Talk::new("mill").user("One").says("Two")).await;
    let cursor = house.read("/v1/sessions").await["cursor"].as_str().unwrap().to_owned();
    let pos = hub::feed::position(&cursor).unwrap();
    let file = house.write("mill.jsonl", Talk::new("mill").user("One").says("Two").user("Three").text());
    house.import(&[file]).await;
    let mut events =
        Box::pin(hub::feed::stream(house.hub.clone(), pos, None, store::Sight::All, hub::feed::Until::Shutdown));
    let event = in_time(events.next()).await.unwrap();
    assert!(event.pos > pos);
    assert_eq!((event.from_seq, event.to_seq), (3, 3));
    house.hub.shutdown.cancel();
    let rest: Vec<Arc<FeedChange>> = in_time(events.collect()).await;
    assert!(rest.iter().all(|later| later.pos > event.pos));
    for wrong in ["", "1", "1.", "2.1", "1.xyz", "x"] {
        assert_eq!(hub::feed::position(wrong).unwrap_err().field.as_deref(), Some("after"), "{wrong}");
    }
}
