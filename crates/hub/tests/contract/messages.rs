//! Messages of a session: whole answers, what is hidden, filters, and one message with its bytes.

use crate::support::{House, Talk, fixture, lines};
use insta::assert_snapshot;
use serde_json::Value;

/// A question, a thought, a call and an answer.
fn talk() -> Talk {
    Talk::new("mill")
        .user("How does the mill turn?")
        .thinks("Wind or water.")
        .calls("toolu_1", "Read", &serde_json::json!({"file_path": "/mill/wheel.txt"}), "     1\twater", &Value::Null)
        .says("By **water**.")
}

#[tokio::test]
async fn a_page_with_what_is_hidden() {
    let house = House::with(&talk()).await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions/mill/messages").await));
}

#[tokio::test]
async fn the_dev_toggle_adds_and_changes_nothing_else() {
    let house =
        House::with_fixtures(&["transcripts/claude/conversation.jsonl", "transcripts/claude/edits.jsonl"]).await;
    for session in ["conv", "edit"] {
        let path = format!("/v1/sessions/{session}/messages?limit=500");
        let (off, on) = (house.read(&path).await, house.read(&format!("{path}&dev=1")).await);
        let off_messages = off["messages"].as_array().unwrap();
        let on_messages = on["messages"].as_array().unwrap();
        assert!(off_messages.iter().all(|m| on_messages.contains(m)), "{session}");
        assert!(off_messages.iter().all(|m| m["display"] != "dev"), "{session}");
        assert_eq!(on["hidden"], serde_json::json!([]));
        assert_eq!(on["last_seq"], off["last_seq"]);
        // Everything is on the page, or hidden and said, or a call that its cards stand for.
        let only_on: Vec<&Value> = on_messages.iter().filter(|m| !off_messages.contains(m)).collect();
        let hidden = off["hidden"].as_array().unwrap();
        for message in only_on.iter().filter(|m| m["display"] == "dev") {
            assert!(hidden.iter().any(|h| h["seq"] == message["seq"] && h["role"] == message["role"]), "{message}");
        }
        let said = house.read(&format!("/v1/sessions/{session}")).await["hidden_count"].as_u64().unwrap();
        assert_eq!(said as usize, hidden.iter().filter(|h| h["replaced"] == false).count());
    }
}

#[tokio::test]
async fn types_and_roles_narrow_a_page() {
    let house =
        House::with_fixtures(&["transcripts/claude/edits.jsonl", "transcripts/claude/conversation.jsonl"]).await;
    let mut shown = String::new();
    for query in [
        "edit/messages?type=CODE_EDIT",
        "edit/messages?type=CODE_EDIT&dev=1",
        "edit/messages?type=TOOL_CALL&role=assistant&dev=1",
        "edit/messages?type=NO_SUCH_TYPE",
        "conv/messages?role=user",
        "conv/messages?role=model&dev=1",
        "conv/messages?role=model",
        "conv/messages?role=user&role=assistant&type=TEXT&type=FILE",
    ] {
        let page = house.read(&format!("/v1/sessions/{query}")).await;
        shown += &format!("{query}\n  {}\n", lines(&page).join("\n  "));
        assert_eq!(page["hidden"], serde_json::json!([]), "a filtered page says nothing of what is between");
    }
    assert_snapshot!(shown);
}

#[tokio::test]
async fn one_message_with_its_records() {
    let house = House::with(&talk()).await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions/mill/messages/mill-0001").await));
    let by_seq = house.read("/v1/sessions/mill/messages/1").await;
    assert_eq!(by_seq, house.read("/v1/sessions/mill/messages/mill-0001").await);
}

/// The records of a message are the bytes of the file. Together the records are every line of the file.
#[tokio::test]
async fn records_are_the_bytes_of_the_file() {
    let claude = ["conversation", "edits", "todos", "tools", "questions", "commands", "compaction_and_errors"];
    let codex = ["old", "rollout-2026-01-10T09-00-00-5e55a0de-0000-4000-8000-00000000c001"];
    let names =
        claude.map(|name| format!("claude/{name}")).into_iter().chain(codex.map(|name| format!("codex/{name}")));
    for name in names {
        let name = format!("transcripts/{name}.jsonl");
        let house = House::with_fixtures(&[&name]).await;
        let bytes = std::fs::read(fixture(&name)).unwrap();
        let listed = house.read("/v1/sessions").await;
        let session = listed["sessions"][0]["id"].as_str().unwrap().to_owned();
        let page = house.read(&format!("/v1/sessions/{session}/messages?dev=1&limit=500")).await;
        let mut records = 0;
        for message in page["messages"].as_array().unwrap() {
            let detail = house.read(&format!("/v1/sessions/{session}/messages/{}", message["seq"])).await;
            assert_eq!(&detail["entry"], message);
            for record in detail["records"].as_array().unwrap() {
                let (offset, len) =
                    (record["offset"].as_u64().unwrap() as usize, record["len"].as_u64().unwrap() as usize);
                assert_eq!(
                    record["text"].as_str().unwrap().as_bytes(),
                    &bytes[offset..offset + len],
                    "{name} {message}"
                );
                assert_eq!(record["cut"], false);
                assert_eq!(record["path"].as_str().unwrap(), fixture(&name).to_str().unwrap());
                records += 1;
            }
        }
        assert!(records >= page["messages"].as_array().unwrap().len(), "{name}: every message has a record");
    }
}

#[tokio::test]
async fn a_long_record_is_cut_and_says_so() {
    let house = House::with(&Talk::new("long").user(&"grain ".repeat(400_000))).await;
    let detail = house.read("/v1/sessions/long/messages/1").await;
    let record = &detail["records"][0];
    assert_eq!(record["cut"], true);
    assert_eq!(record["text"].as_str().unwrap().len(), 1 << 20);
    assert!(record["len"].as_u64().unwrap() > 2_400_000);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_and_kept() {
    let house = House::new().await;
    let mut bytes = Talk::new("noise").user("Before").text().into_bytes();
    bytes.extend(b"caf\xe9 \x00 not json\n");
    house.import(&[house.write("noise.jsonl", &bytes)]).await;
    let page = house.read("/v1/sessions/noise/messages?dev=1").await;
    let note = page["messages"].as_array().unwrap().last().unwrap();
    let detail = house.read(&format!("/v1/sessions/noise/messages/{}", note["seq"])).await;
    assert_snapshot!(house.json(&detail));
}

#[tokio::test]
async fn what_is_not_there() {
    let house = House::with(&talk()).await;
    let mut shown = String::new();
    for path in [
        "/v1/sessions/nobody/messages",
        "/v1/sessions/mill/messages/99",
        "/v1/sessions/mill/messages/nothing",
        "/v1/sessions/mill/messages/0",
        "/v1/sessions/mill/messages/-1",
        "/v1/sessions/nobody/messages/1",
        "/v1/sessions/nobody",
        "/v1/sessions/nobody/children",
        "/v1/sessions/nobody/todos",
        "/v1/sessions/nobody/changes",
        "/v1/imports/99",
    ] {
        let answer = house.get(path).await;
        shown += &format!("{path}: {} {}\n", answer.status, answer.body["title"]);
    }
    assert_snapshot!(shown);
}
