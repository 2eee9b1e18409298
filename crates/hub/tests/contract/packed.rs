//! Transcripts that their agent packed: Codex replaces a rollout at rest by one with `.zst` behind its name.

use crate::support::{House, in_time, lines};
use futures::StreamExt as _;
use hub::{Consent, Root};
use model::source::Source;
use serde_json::{Value, json};
use std::path::PathBuf;

const POND: &str = "rollout-2026-09-02T08-00-00-5e55a0de-0000-4000-8000-00000000d001.jsonl";

fn rollout(prompt: &str) -> String {
    let line = |kind: &str, payload: Value| {
        format!("{}\n", json!({ "timestamp": "2026-09-02T08:00:01.000Z", "type": kind, "payload": payload }))
    };
    line("session_meta", json!({ "id": "5e55a0de-0000-4000-8000-00000000d001", "cwd": "/home/ada/pond" }))
        + &line("event_msg", json!({ "type": "user_message", "message": prompt }))
        + &line("event_msg", json!({ "type": "agent_message", "message": "The sluice is open." }))
}

fn packed(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

/// The bytes of what was packed, and of the packed file where these are what is exported.
async fn stored(house: &House) -> (Vec<u8>, Option<Vec<u8>>) {
    let list = house.read("/v1/sessions").await;
    let detail = house.read(&format!("/v1/sessions/{}", list["sessions"][0]["id"].as_str().unwrap())).await;
    let [source] = detail["sources"].as_array().unwrap().as_slice() else { panic!("one source: {detail}") };
    let path = source["path"].as_str().unwrap();
    let source = house.hub.workspace.source_by_path(path).await.unwrap().unwrap();
    let packed = match house.hub.packed(path).await.unwrap() {
        Some(packed) => Some(bytes(house, &packed).await),
        None => None,
    };
    (bytes(house, &source).await, packed)
}

async fn bytes(house: &House, source: &Source) -> Vec<u8> {
    let (mut bytes, mut next) = (Vec::new(), Some(0));
    while let Some(offset) = next {
        let chunk = house.hub.workspace.source_chunk(&source.id, offset).await.unwrap().unwrap();
        bytes.extend(chunk.bytes);
        next = chunk.next;
    }
    bytes
}

async fn said(house: &House) -> Vec<String> {
    let list = house.read("/v1/sessions").await;
    assert_eq!(list["total"], 1, "{list}");
    let id = list["sessions"][0]["id"].as_str().unwrap();
    lines(&house.read(&format!("/v1/sessions/{id}/messages")).await)
}

const SAID: [&str; 2] = ["2 user TEXT shown: Drain the pond", "3 assistant TEXT shown: The sluice is open."];

#[tokio::test]
async fn a_packed_rollout_is_read_and_found() {
    let house = House::new().await;
    let text = rollout("Drain the pond");
    let file = house.write(&format!("{POND}.zst"), packed(&text));
    let job = house.import(std::slice::from_ref(&file)).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(1), &json!([])));
    assert_eq!(job["bytes_done"], job["bytes"], "of the file as it lies there");
    assert_eq!(said(&house).await, SAID);
    assert_eq!(house.read("/v1/search?q=sluice").await["total"], 1);
    assert_eq!(stored(&house).await, (text.clone().into_bytes(), Some(packed(&text))));
    let again = house.import(&[file]).await;
    assert_eq!((&again["sessions"], &again["messages"]), (&json!(1), &json!(0)));
    assert_eq!(again["bytes_done"], again["bytes"]);
    // The session goes on, and its agent packs it once more.
    let plain = house.write(POND, format!("{text}{}", more()));
    house.import(&[plain]).await;
    assert_eq!(stored(&house).await, (format!("{text}{}", more()).into_bytes(), None));
}

/// A line that goes on.
fn more() -> String {
    let payload = json!({ "type": "user_message", "message": "Close it" });
    format!("{}\n", json!({ "timestamp": "2026-09-12T08:00:01.000Z", "type": "event_msg", "payload": payload }))
}

#[tokio::test]
async fn a_rollout_that_is_packed_after_it_was_read_is_the_same_session() {
    let house = House::new().await;
    let text = rollout("Drain the pond");
    let plain = house.write(POND, &text);
    house.import(std::slice::from_ref(&plain)).await;
    std::fs::remove_file(&plain).unwrap();
    let file = house.write(&format!("{POND}.zst"), packed(&text));
    let job = house.import(std::slice::from_ref(&file)).await;
    assert_eq!((&job["sessions"], &job["messages"], &job["failed"]), (&json!(1), &json!(0), &json!([])));
    assert_eq!(said(&house).await, SAID);
    assert_eq!(stored(&house).await, (text.clone().into_bytes(), None), "what was read first");
    // The session goes on: its agent unpacks the file.
    std::fs::remove_file(&file).unwrap();
    house.write(POND, format!("{text}{}", more()));
    assert_eq!(house.import(&[plain]).await["messages"], 1);
    assert_eq!(said(&house).await[2..], ["4 user TEXT shown: Close it"]);
}

#[tokio::test]
async fn what_is_packed_and_no_transcript_is_refused() {
    let house = House::new().await;
    let torn = packed(&rollout("Drain the pond"));
    let files =
        [house.write("a.jsonl.zst", &torn[..torn.len() / 2]), house.write("b.jsonl.zst", packed("Dear diary\n"))];
    let job = house.import(&files).await;
    let reasons = [&job["failed"][0]["reason"], &job["failed"][1]["reason"]].map(|reason| reason.as_str().unwrap());
    assert!(reasons.iter().any(|reason| reason.starts_with("can't be unpacked: ")), "{reasons:?}");
    assert!(reasons.contains(&"looks like plain text, not like a transcript"), "{reasons:?}");
}

/// The folder of an agent, which is followed.
async fn following(agent: &str, folder: agents::Folder, path: PathBuf, house: &mut House) {
    let agent = agents::agent(agent).unwrap().name;
    house.renew(|settings| settings.roots = vec![Root { path, consent: Consent::Given, agent, folder }]).await;
    house.follow().await;
}

#[tokio::test]
async fn packed_rollouts_are_counted_and_followed() {
    let mut house = House::new().await;
    house.write(&format!("codex/2026/09/02/{POND}.zst"), packed(&rollout("Drain the pond")));
    let path = house.path("codex");
    following("codex", agents::agent("codex").unwrap().folders[0], path, &mut house).await;
    assert_eq!(said(&house).await, SAID);
    let folder = &house.read("/v1/projects").await["projects"][0];
    assert_eq!((&folder["files"], &folder["sessions"]), (&json!(1), &json!(1)));
}

const TOOLS: &str = r#"{"uuid":"u2","parentUuid":"u1","sessionId":"s1","timestamp":"2026-09-02T08:00:02.000Z","type":"assistant","cwd":"/home/ada/mill","version":"0.9.0","model":"mill-1","message":{"role":"model","parts":[{"text":"It is ground."}]}}"#;

fn prompt() -> String {
    let words = "rye ".repeat(40);
    format!(
        r#"{{"uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-09-02T08:00:01.000Z","type":"user","cwd":"/home/ada/mill","version":"0.9.0","message":{{"role":"user","parts":[{{"text":"Grind {words}"}}]}}}}"#
    )
}

/// Half a first line may look like that of another agent: it is waited for its end.
#[tokio::test]
async fn a_file_that_is_first_seen_half_is_its_agents() {
    let mut house = House::new().await;
    let text = format!("{}\n{TOOLS}\n", prompt());
    let name = ".qwen/projects/-mill/chats/s1.jsonl";
    // Half of it would be read as Claude Code's.
    let file = house.write(name, &text[..250]);
    let path = house.path(".qwen/projects");
    following("qwen", agents::agent("qwen").unwrap().folders[0], path, &mut house).await;
    assert_eq!(house.read("/v1/sessions").await["total"], 0);
    let pos = house.hub.feed.pos();
    let mut events =
        Box::pin(hub::feed::stream(house.hub.clone(), pos, None, store::Sight::All, hub::feed::Until::Shutdown));
    std::fs::write(&file, &text).unwrap();
    in_time(events.next()).await.unwrap();
    let list = house.read("/v1/sessions").await;
    assert_eq!(list["sessions"][0]["agent"], "qwen");
    assert_eq!(said(&house).await.len(), 2);
}
