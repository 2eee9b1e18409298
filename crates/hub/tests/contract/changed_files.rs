//! The files that all sessions changed: lists of them, and the search by path.

use crate::support::{House, Talk};
use api::Method;
use api::keys::Scope;
use hub::Caller;
use serde_json::{Value, json};

/// A result of a tool that edits a file.
fn edit(path: &str, old: &str, new: &str) -> (Value, Value) {
    let input = json!({"file_path": path, "old_string": old, "new_string": new});
    let lines: Vec<String> =
        std::iter::once(format!("-{old}")).chain(new.lines().map(|line| format!("+{line}"))).collect();
    let hunk = json!({"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": new.lines().count(), "lines": lines});
    let result = json!({"filePath": path, "oldString": old, "newString": new, "originalFile": format!("{old}\n"),
        "structuredPatch": [hunk]});
    (input, result)
}

fn talk(session: &str, folder: &str, at: i64, path: &str) -> Talk {
    let (input, result) = edit(&format!("{folder}/{path}"), "a", "b\nc");
    Talk::new(session)
        .of(folder, "main")
        .at(at)
        .user(&format!("Change {path}"))
        .calls(&format!("toolu_{session}"), "Edit", &input, "changed", &result)
        .says("Changed.")
}

async fn house() -> House {
    let house = House::new().await;
    let hour = 60 * 60;
    let talks = [
        talk("mill", "/home/ada/mill", 0, "src/derive-ipns.ts"),
        talk("bakery", "/home/ada/bakery", 6 * hour, "src/oven.rs"),
        talk("later", "/home/ada/mill", 6 * hour + 60, "src/derive-ipns.ts"),
        // Its words are those of the path.
        Talk::new("talk").at(7 * hour).user("What does derive ipns ts mean?").says("Nothing."),
    ];
    let files: Vec<_> = talks.iter().map(|talk| house.write(&format!("{}.jsonl", talk.session), talk.text())).collect();
    house.import(&files).await;
    house
}

/// One line per change, newest first.
fn lines(page: &Value) -> Vec<String> {
    let edits = page["edits"].as_array().unwrap().iter();
    let line = |edit: &Value| {
        let text = |field: &str| edit[field].as_str().unwrap_or_default().to_owned();
        format!("{} {} +{} -{} {}", text("change"), text("path"), edit["added"], edit["removed"], text("session_title"))
    };
    edits.map(line).collect()
}

const OLD: &str = "Modified /home/ada/mill/src/derive-ipns.ts +2 -1 Change src/derive-ipns.ts";
const OVEN: &str = "Modified /home/ada/bakery/src/oven.rs +2 -1 Change src/oven.rs";

#[tokio::test]
async fn what_was_changed_is_listed_newest_first() {
    let house = house().await;
    let all = house.read("/v1/files").await;
    assert_eq!(lines(&all), [OLD, OVEN, OLD]);
    let first = &all["edits"][2];
    let at = first["changed_at"].as_i64().unwrap();
    assert_eq!(
        (&first["project"], &first["agent"], &first["seq"], at),
        (&json!("/home/ada/mill"), &json!("claude_code"), &json!(3), 1_772_355_601_000_000)
    );
    // Where it is a day later in the afternoon.
    let day = house.read("/v1/files?since=2026-03-02&until=2026-03-02&zone=Pacific/Auckland").await;
    assert_eq!(lines(&day), [OLD, OVEN]);
    assert_eq!(lines(&house.read("/v1/files?project=/home/ada/bakery").await), [OVEN]);
    assert_eq!(lines(&house.read("/v1/files?agent=codex").await), Vec::<String>::new());
    let page = house.read("/v1/files?limit=2").await;
    assert_eq!(lines(&page), [OLD, OVEN]);
    let next = page["next"].as_str().unwrap();
    let rest = house.read(&format!("/v1/files?limit=2&after={next}")).await;
    assert_eq!((lines(&rest), &rest["next"]), (vec![OLD.to_owned()], &Value::Null));
}

#[tokio::test]
async fn a_file_is_found_by_a_part_of_its_path() {
    let house = house().await;
    for part in ["derive-ipns.ts", "DERIVE-ipns", "src/derive", "ipns", "derive-ipns.t"] {
        assert_eq!(lines(&house.read(&format!("/v1/files?path={part}")).await), [OLD, OLD], "{part}");
    }
    assert_eq!(lines(&house.read("/v1/files?path=oven%25.rs").await), Vec::<String>::new());
    for bad in ["path=%20%20.", "path=-", "limit=0", "limit=2001", "since=tomorrow", "after=x"] {
        let answer = house.get(&format!("/v1/files?{bad}")).await;
        assert_eq!(answer.status, 400, "{bad}: {}", answer.body);
    }
}

#[tokio::test]
async fn search_finds_edits_by_path_and_each_hit_says_its_file() {
    let house = house().await;
    let found = house.read("/v1/search?file=derive-ipns.ts").await;
    let hits: Vec<_> =
        found["hits"].as_array().unwrap().iter().map(|hit| (&hit["session_title"], &hit["files"])).collect();
    let title = json!("Change src/derive-ipns.ts");
    let files = json!(["/home/ada/mill/src/derive-ipns.ts"]);
    assert_eq!(hits, [(&title, &files), (&title, &files)]);
    // With words as well.
    assert_eq!(house.read("/v1/search?q=oven&file=derive-ipns.ts").await["total"], 0);
    let words = house.read("/v1/search?q=derive%20ipns%20ts&role=user").await;
    assert!(words["hits"].as_array().unwrap().iter().all(|hit| hit["files"] == json!([])), "{words}");
    assert_eq!(house.get("/v1/search?q=").await.status, 400);
}

#[tokio::test]
async fn changes_follow_their_messages() {
    let house = House::new().await;
    let agent = house.agent("bot").await;
    let send = async |method, path: &str, body: Value| {
        let answer = house.send(agent.clone(), method, path, Some(body)).await;
        assert!(answer.status < 300, "{path}: {}", answer.body);
    };
    let edit = |path: &str| {
        json!({"message_type": "CODE_EDIT", "payload": {"edits": [
            {"file_path": path, "old_content": "a\n", "new_content": "b\n"},
            {"file_path": "new.rs", "old_content": null, "new_content": "x\ny\n"},
            {"file_path": path, "old_content": "c\n", "new_content": "d\ne\n"},
        ]}})
    };
    send(Method::Post, "/v1/sessions", json!({"id": "s", "agent": "bot", "title": "Wheel"})).await;
    send(Method::Post, "/v1/sessions/s/messages", json!({"id": "m", "message_metadata": edit("wheel.rs")})).await;
    let listed = async || lines(&house.read("/v1/files").await);
    assert_eq!(listed().await, ["Added new.rs +2 -0 Wheel", "Modified wheel.rs +3 -2 Wheel"]);
    send(Method::Patch, "/v1/sessions/s/messages/m", json!({"message_metadata": edit("axle.rs")})).await;
    assert_eq!(listed().await, ["Added new.rs +2 -0 Wheel", "Modified axle.rs +3 -2 Wheel"]);
    // Agents read what is theirs; the list is of all sessions.
    let own = house.send(agent.clone(), Method::Get, "/v1/files", None).await;
    assert_eq!((own.status, &own.body["code"]), (403, &json!("scope_missing")));
    let reader = house.agent_with("reader", &[Scope::Read, Scope::ReadAll]).await;
    assert_eq!(house.send(reader, Method::Get, "/v1/files", None).await.status, 200);
    let deleted = house.send(Caller::owner(), Method::Delete, "/v1/sessions/s", None).await;
    assert_eq!((deleted.status, listed().await), (200, Vec::new()));
    assert_eq!(house.post("/v1/sessions/s/restore", json!({})).await.status, 200);
    assert_eq!(listed().await.len(), 2);
    let retracted = house.send(agent, Method::Delete, "/v1/sessions/s/messages/m", None).await;
    assert_eq!((retracted.status, listed().await), (200, Vec::new()));
}
