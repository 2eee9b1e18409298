//! Imports: counts, again, grown and rewritten files, and what can't be read.

use crate::support::{House, Talk, fixture, lines};
use hub::Caller;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::PathBuf;

#[tokio::test]
async fn an_import_from_its_start_to_its_end() {
    let house = House::new().await;
    let folder = fixture("browser/projects");
    let started = house.post("/v1/imports", json!({ "paths": [folder] })).await;
    assert!(matches!(started.status, 200 | 202));
    let job = house.finished(started.body["id"].as_u64().unwrap()).await;
    assert_snapshot!(house.json(&job));
    let list = house.send(Caller::owner(), api::Method::Get, "/v1/imports", None).await;
    assert_eq!(list.body["imports"].as_array().unwrap().len(), 1);
    assert_eq!(list.body["imports"][0]["messages"], job["messages"]);
}

#[tokio::test]
async fn importing_again_adds_nothing() {
    let house = House::new().await;
    let folder = [fixture("browser/projects"), fixture("transcripts/claude")];
    let first = house.import(&folder).await;
    let before = house.read("/v1/sessions?limit=500").await;
    let again = house.import(&folder).await;
    assert_eq!(
        (&again["messages"], &again["files"], &again["sessions"]),
        (&json!(0), &first["files"], &first["sessions"])
    );
    assert_eq!(again["bytes_done"], again["bytes"]);
    let after = house.read("/v1/sessions?limit=500").await;
    assert_eq!(after, before, "not even a cursor moves");
}

/// Sessions of several agents side by side: each has its agent, and a spawned one hangs under its caller.
#[tokio::test]
async fn rollouts_are_sessions_of_their_agent() {
    let house = House::new().await;
    let folders = [fixture("transcripts/codex"), fixture("browser/projects")];
    let first = house.import(&folders).await;
    assert_eq!(first["failed"], json!([]));
    let listed = house.read("/v1/sessions?agent=codex").await;
    let mut shown: Vec<String> = listed["sessions"].as_array().unwrap().iter().map(codex_session).collect();
    shown.sort();
    assert_snapshot!(shown.join("\n"));
    let again = house.import(&folders).await;
    assert_eq!((&again["messages"], &again["sessions"]), (&json!(0), &first["sessions"]));
    for source in house.hub.workspace.sources().await.unwrap() {
        let (mut bytes, mut next) = (Vec::new(), Some(0));
        while let Some(offset) = next {
            let chunk = house.hub.workspace.source_chunk(&source.id, offset).await.unwrap().unwrap();
            bytes.extend(chunk.bytes);
            next = chunk.next;
        }
        assert!(bytes == std::fs::read(&source.path).unwrap(), "{} is kept byte for byte", source.path);
    }
    let parent = listed["sessions"].as_array().unwrap().iter().find(|s| s["title"] == "The pond").unwrap();
    let detail = house.read(&format!("/v1/sessions/{}", parent["id"].as_str().unwrap())).await;
    assert_eq!(detail["resume_command"], "cd -- /home/ada/pond && codex resume 5e55a0de-0000-4000-8000-00000000c003");
    let children = house.read(&format!("/v1/sessions/{}/children", parent["id"].as_str().unwrap())).await;
    assert_eq!(children["sessions"][0]["agent_session_id"], "5e55a0de-0000-4000-8000-00000000c004");
}

fn codex_session(session: &Value) -> String {
    let get = |key: &str| session[key].to_string();
    ["agent", "title", "version", "model", "cwd", "message_count", "usage"]
        .map(|key| format!("{key} {}", get(key)))
        .join(", ")
}

/// A file that is named twice, and by its folder too, is read once.
#[tokio::test]
async fn a_file_named_twice_is_read_once() {
    let house = House::new().await;
    let file = house.write("folder/mill.jsonl", Talk::new("mill").user("One").says("Two").text());
    let job = house.import(&[file.clone(), house.path("folder"), file]).await;
    assert_eq!((&job["files"], &job["messages"]), (&json!(1), &json!(2)));
}

#[tokio::test]
async fn a_grown_file_adds_what_is_new() {
    let house = House::new().await;
    let talk = Talk::new("mill").user("One").says("Two");
    let file = house.write("mill.jsonl", talk.text());
    house.import(std::slice::from_ref(&file)).await;
    let before = house.read("/v1/sessions/mill/messages").await;
    let grown = talk.user("Three").says("Four").text();
    std::fs::write(&file, &grown).unwrap();
    assert_eq!(house.import(&[file]).await["messages"], 2);
    let after = house.read("/v1/sessions/mill/messages").await;
    assert_eq!(after["messages"].as_array().unwrap()[..2], before["messages"].as_array().unwrap()[..]);
    assert_eq!(lines(&after).len(), 4);
    let detail = house.read("/v1/sessions/mill").await;
    assert_eq!(detail["sources"][0]["size"], grown.len());
}

/// A file of the same size and time of change isn't opened: what was put into it meanwhile goes unnoticed until it is
/// touched.
#[tokio::test]
async fn an_unchanged_file_is_not_read() {
    let house = House::new().await;
    let file = house.write("mill.jsonl", Talk::new("mill").user("One").says("Two").text());
    let first = house.import(std::slice::from_ref(&file)).await;
    let modified = file.metadata().unwrap().modified().unwrap();
    let touch = |at| std::fs::File::options().write(true).open(&file).unwrap().set_modified(at).unwrap();
    std::fs::write(&file, Talk::new("mill").user("One").says("Six").text()).unwrap();
    touch(modified);
    let again = house.import(std::slice::from_ref(&file)).await;
    for field in ["files", "files_done", "bytes", "bytes_done", "sessions", "failed"] {
        assert_eq!(again[field], first[field], "{field}");
    }
    assert_eq!(again["messages"], 0);
    let said = async || lines(&house.read("/v1/sessions/mill/messages").await);
    assert_eq!(said().await, ["1 user TEXT shown: One", "2 assistant TEXT shown: Two"]);
    touch(modified + std::time::Duration::from_secs(1));
    house.import(std::slice::from_ref(&file)).await;
    assert_eq!(said().await, ["1 user TEXT shown: One", "2 assistant TEXT shown: Six"]);
}

/// A line that was torn at the first import and is whole at the second is a message. The note of it is gone from all
/// but the dev view.
#[tokio::test]
async fn a_torn_line_that_is_whole_later() {
    let house = House::new().await;
    let whole = Talk::new("mill").user("One").says("Two").text();
    let file = house.write("mill.jsonl", &whole[..whole.len() - 40]);
    let torn = house.import(std::slice::from_ref(&file)).await;
    assert_eq!((&torn["notes"], &torn["files"]), (&json!(1), &json!(1)));
    assert_eq!(house.read("/v1/sessions/mill/messages").await["hidden"].as_array().unwrap().len(), 1);
    std::fs::write(&file, &whole).unwrap();
    house.import(std::slice::from_ref(&file)).await;
    let page = house.read("/v1/sessions/mill/messages").await;
    assert_eq!(lines(&page), ["1 user TEXT shown: One", "3 assistant TEXT shown: Two"]);
    assert_eq!(page["hidden"], json!([]));
    let detail = house.read("/v1/sessions/mill").await;
    assert_eq!((&detail["hidden_count"], &detail["session"]["message_count"]), (&json!(0), &json!(2)));
    let dev = house.read("/v1/sessions/mill/messages?dev=1").await;
    assert_eq!(rows(&dev)[1], "2 retracted revision 2: A line that can't be read as JSON");
    // Torn again and whole again: nothing comes back.
    std::fs::write(&file, format!("{whole}{{\"type\":")).unwrap();
    house.import(std::slice::from_ref(&file)).await;
    std::fs::write(&file, format!("{whole}{{\"type\":\n")).unwrap();
    house.import(&[file]).await;
    let dev = house.read("/v1/sessions/mill/messages?dev=1").await;
    assert_eq!(rows(&dev)[3..], ["4 final revision 1: A line that can't be read as JSON"], "it is a bad line for good");
}

/// `seq`, status, revision and content of a page's messages.
fn rows(page: &Value) -> Vec<String> {
    let row = |m: &Value| {
        let (status, content) = (m["status"].as_str().unwrap(), m["content"].as_str().unwrap());
        format!("{} {status} revision {}: {content}", m["seq"], m["revision"])
    };
    page["messages"].as_array().unwrap().iter().map(row).collect()
}

/// Messages that a rewritten file no longer has are retracted; the others keep their place. One that comes back is
/// restored.
#[tokio::test]
async fn a_rewritten_file() {
    let house = House::new().await;
    let talk = Talk::new("mill").user("One").says("Two").user("Three").thinks("Four");
    let file = house.write("mill.jsonl", talk.text());
    house.import(std::slice::from_ref(&file)).await;
    let rewritten = Talk::new("mill").user("One").says("Two, changed").text();
    std::fs::write(&file, &rewritten).unwrap();
    house.import(std::slice::from_ref(&file)).await;
    let mut shown = rows(&house.read("/v1/sessions/mill/messages?dev=1").await).join("\n");
    let detail = house.read("/v1/sessions/mill").await;
    assert_eq!(detail["sources"][0]["size"], rewritten.len());
    assert_eq!(detail["hidden_count"], 0, "no marker counts what is gone");
    let found = async |word: &str| house.read(&format!("/v1/search?q={word}")).await["total"].as_i64().unwrap();
    assert_eq!((found("one").await, found("three").await), (1, 0));
    let records = async |seq: i64| {
        let detail = house.read(&format!("/v1/sessions/mill/messages/{seq}")).await;
        detail["records"].as_array().unwrap().iter().map(|r| r["text"].as_str().unwrap().to_owned()).collect()
    };
    let lines: Vec<String> = rewritten.lines().map(|line| format!("{line}\n")).collect();
    let all: [Vec<String>; 4] = [records(1).await, records(2).await, records(3).await, records(4).await];
    assert_eq!(all, [vec![lines[0].clone()], vec![lines[1].clone()], vec![], vec![]], "bytes of the new file, or none");
    assert_eq!(house.import(std::slice::from_ref(&file)).await["messages"], 0);
    std::fs::write(&file, talk.text()).unwrap();
    house.import(&[file]).await;
    shown += "\n\n";
    shown += &rows(&house.read("/v1/sessions/mill/messages?dev=1").await).join("\n");
    assert_snapshot!(shown);
    assert_eq!(found("three").await, 1);
}

/// Nothing waits for an answer to a question that the file no longer asks; a message that another file holds too stays.
#[tokio::test]
async fn what_a_rewritten_file_asked() {
    let house = House::new().await;
    let input = json!({"questions": [{"question": "Rye or wheat?", "header": "Grain", "multiSelect": false,
        "options": [{"label": "Rye", "description": ""}, {"label": "Wheat", "description": ""}]}]});
    let asked = Talk::new("mill").user("One").asks("toolu_1", &input);
    let file = house.write("mill.jsonl", asked.text());
    let copy = house.write("copy/mill.jsonl", Talk::new("mill").user("One").text());
    house.import(&[file.clone(), copy]).await;
    let state = async || house.read("/v1/sessions/mill").await["session"]["state"].as_str().unwrap().to_owned();
    assert_eq!(state().await, "needs_you");
    std::fs::write(&file, Talk::new("mill").titled("Other").text()).unwrap();
    house.import(&[file]).await;
    assert_ne!(state().await, "needs_you");
    let page = house.read("/v1/sessions/mill/messages").await;
    let status: Vec<&str> =
        page["messages"].as_array().unwrap().iter().map(|m| m["status"].as_str().unwrap()).collect();
    assert_eq!((status[0], &status[1..]), ("final", &["retracted"][..]), "{page}");
}

/// Torn, binary, empty and enormous files: every line is a message or a note, and the session shows the notes.
#[tokio::test]
async fn odd_files() {
    let talk = Talk::new("odd").user("Before");
    let with = |more: &[u8]| [talk.text().as_bytes(), more].concat();
    let files: [(&str, Vec<u8>); 9] = [
        ("empty", Vec::new()),
        ("only line ends", b"\n\n\n".to_vec()),
        ("torn", with(b"{\"type\":\"user\",\"mess")),
        ("binary", (0..=255_u8).cycle().take(5000).collect()),
        ("no object", with(b"[1,2]\n\"text\"\n7\n")),
        ("nul and no UTF-8", with(b"\x00\xff\xfe\n")),
        ("carriage returns", talk.text().replace('\n', "\r\n").into_bytes()),
        ("a line of 2 MB", Talk::new("odd").user(&"x".repeat(2_000_000)).text().into_bytes()),
        ("a torn line of 2 MB", with(format!("{{\"a\":\"{}", "x".repeat(2_000_000)).as_bytes())),
    ];
    let mut shown = String::new();
    for (name, bytes) in files {
        let house = House::new().await;
        let job = house.import(&[house.write("odd.jsonl", bytes)]).await;
        let notes = |m: &Value| m["sender"] == "note";
        let list = house.read("/v1/sessions?q=odd").await;
        let mut visible = 0;
        for session in list["sessions"].as_array().unwrap() {
            let path = format!("/v1/sessions/{}/messages?dev=1&type=TEXT", session["id"].as_str().unwrap());
            visible += house.read(&path).await["messages"].as_array().unwrap().iter().filter(|m| notes(m)).count();
        }
        shown += &format!(
            "{name}: {} sessions, {} messages, {} notes, {visible} of them in the session, failed {}\n",
            job["sessions"], job["messages"], job["notes"], job["failed"][0]["reason"]
        );
    }
    assert_snapshot!(shown);
}

/// An empty file isn't imported; a session of notes alone is listed.
#[tokio::test]
async fn a_session_of_notes_is_listed_and_an_empty_file_refused() {
    let house = House::new().await;
    let empty = house.write("mill.jsonl", "");
    let job = house.import(std::slice::from_ref(&empty)).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(0), &json!([{ "path": empty, "reason": "is empty" }])));
    assert_eq!(house.read("/v1/sessions?q=mill").await["total"], 0);
    let torn = "{\"type\":\"user\",\"sessionId\":\"mill\",\"mess\n";
    let job = house.import(&[house.write("mill.jsonl", torn)]).await;
    assert_eq!((&job["sessions"], &job["notes"], &job["failed"]), (&json!(1), &json!(1), &json!([])));
    let list = house.read("/v1/sessions").await;
    assert_eq!((&list["total"], &list["sessions"][0]["last_seq"]), (&json!(1), &json!(1)));
    house.import(&[house.write("mill.jsonl", Talk::new("mill").user("One").text())]).await;
    assert_eq!(lines(&house.read("/v1/sessions/mill/messages").await), ["2 user TEXT shown: One"]);
}

#[tokio::test]
async fn unreadable_lines_are_notes_in_their_session() {
    let house = House::new().await;
    let talk = Talk::new("mill").user("Before").raw("{\"type\":\"user\",\"mess").raw("not json").says("After");
    house.import(&[house.write("mill.jsonl", talk.text())]).await;
    let page = house.read("/v1/sessions/mill/messages?dev=1").await;
    assert_snapshot!(lines(&page).join("\n"));
    let session = &house.read("/v1/sessions/mill").await["session"];
    assert_eq!((&session["message_count"], &session["last_seq"]), (&json!(2), &json!(4)));
}

/// A record that another one cut off, two on one line, NUL bytes: each whole record is a message of its own bytes.
#[tokio::test]
async fn records_that_share_a_line() {
    let house = House::new().await;
    let file = fixture("transcripts/claude/torn_records.jsonl");
    let job = house.import(std::slice::from_ref(&file)).await;
    assert_eq!((&job["messages"], &job["notes"]), (&json!(8), &json!(2)));
    let page = house.read("/v1/sessions/5c1d5874-7d8e-5d4a-82f7-699fc30e6630/messages?dev=1").await;
    assert_snapshot!(lines(&page).join("\n"));
    let mut bytes = String::new();
    for seq in 1..=8 {
        let detail = house.read(&format!("/v1/sessions/5c1d5874-7d8e-5d4a-82f7-699fc30e6630/messages/{seq}")).await;
        bytes += detail["records"][0]["text"].as_str().unwrap();
    }
    assert_eq!(bytes, std::fs::read_to_string(file).unwrap());
}

/// The note of what was torn at the first import is gone when the line is whole, also where it shares its line.
#[tokio::test]
async fn a_torn_record_behind_another_that_is_whole_later() {
    let house = House::new().await;
    let (first, second) = (Talk::new("mill").user("One").text(), Talk::new("mill").user("One").says("Two").last_line());
    let file = house.write("mill.jsonl", format!("{}{}", first.trim_end(), &second[..40]));
    assert_eq!(house.import(std::slice::from_ref(&file)).await["notes"], 1);
    std::fs::write(&file, format!("{}{second}", first.trim_end())).unwrap();
    house.import(&[file]).await;
    let page = house.read("/v1/sessions/mill/messages").await;
    assert_eq!(lines(&page), ["1 user TEXT shown: One", "3 assistant TEXT shown: Two"]);
    assert_eq!(page["hidden"], json!([]));
}

#[tokio::test]
async fn what_can_not_be_imported() {
    let house = House::new().await;
    std::fs::create_dir(house.path("bare")).unwrap();
    let mut shown = String::new();
    for path in ["missing.jsonl", "bare"] {
        let answer = house.post("/v1/imports", json!({ "paths": [house.path(path)] })).await;
        shown += &format!("{}\n", house.shown(&answer));
    }
    assert_snapshot!(shown);
    assert_eq!(house.read("/v1/imports").await["imports"], json!([]));
}

/// A line that `codex exec` prints.
const CODEX: &str = r#"{"type":"thread.started","thread_id":"019e"}"#;

/// A file is taken or refused by its content, named directly or in a folder, whatever its name and path.
#[tokio::test]
async fn files_are_taken_and_refused_by_their_content() {
    let house = House::new().await;
    let uuid = "projects/-mill/0b7c7d1e-1111-4222-8333-444455556666.jsonl";
    let others = [
        ("notes", "Dear diary\n", "looks like plain text, not like a transcript"),
        (uuid, CODEX, "looks like a stream of Codex events; not readable yet"),
        ("projects/-mill/rollout.jsonl", CODEX, "looks like a stream of Codex events; not readable yet"),
        (
            "state.db",
            "SQLite format 3\0",
            "can't be read as a database: error returned from database: (code: 26) file is not a database",
        ),
    ];
    for (name, text, _) in others {
        house.write(&format!("all/{name}"), text);
    }
    house.write("all/mill.txt", Talk::new("mill").user("One").text());
    house.write("all/bakery", Talk::new("bakery").user("Bake").text());
    // Files that Claude Code keeps beside its transcripts.
    house.write("all/projects/-mill/agent-a.meta.json", "{}");
    house.write("all/projects/-mill/s/tool-results/1.txt", "long");
    // Files that Qwen Code keeps beside its own.
    house.write("all/qwen/chats/mill.meta.json", "{}");
    for name in ["meta.json", "extract-cursor.json"] {
        house.write(&format!("all/qwen/{name}"), "{\n  \"version\": 1\n}\n");
    }
    let failed: Vec<Value> = others
        .iter()
        .map(|(name, _, reason)| json!({ "path": house.path(&format!("all/{name}")), "reason": reason }))
        .collect();
    let by_path = |job: &Value| {
        let mut failed = job["failed"].as_array().unwrap().clone();
        failed.sort_by_key(|failed| failed["path"].to_string());
        failed
    };
    let job = house.import(&[house.path("all")]).await;
    assert_eq!(by_path(&job), failed);
    assert_eq!((&job["files"], &job["sessions"], &job["messages"]), (&json!(6), &json!(2), &json!(2)));
    let named: Vec<PathBuf> = others.iter().map(|(name, ..)| house.path(&format!("all/{name}"))).collect();
    assert_eq!(by_path(&house.import(&named).await), failed);
    let list = house.read("/v1/sessions").await;
    assert_eq!(list["total"], 2, "nothing of them is stored: {list}");
}

/// Runs of a benchmark write large documents of the same name, with what they are at the end: each is a session of its
/// own.
#[tokio::test]
async fn large_documents_of_one_name_are_a_session_each() {
    let house = House::new().await;
    let long = "pond ".repeat(60_000);
    let run = |answer: &str| {
        let said = json!([{ "role": "system", "content": "You dig ponds." }, { "role": "user", "content": "Dig one." },
            { "role": "assistant", "content": answer }, { "role": "user", "content": long }]);
        let info = r#"{"model_stats":{"instance_cost":0.5},"mini_version":"1.1"}"#;
        format!("{{\"info\":{info},\n\"messages\":{said},\n\"trajectory_format\":\"mini-swe-agent-1.1\"}}\n")
    };
    let files =
        [house.write("one/a.traj.json", run("A deep one.")), house.write("two/a.traj.json", run("A wide one."))];
    let job = house.import(&files).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(2), &json!([])));
    for (session, answer) in [("one.a", "A deep one."), ("two.a", "A wide one.")] {
        let detail = house.read(&format!("/v1/sessions/{session}")).await;
        assert_eq!(
            (&detail["session"]["agent"], &detail["session"]["message_count"]),
            (&json!("swe_agent"), &json!(3))
        );
        let said = lines(&house.read(&format!("/v1/sessions/{session}/messages")).await);
        assert_eq!(said[..2], ["2 user TEXT shown: Dig one.".to_owned(), format!("3 assistant TEXT shown: {answer}")]);
    }
}

/// Agents with files of a kind that isn't read are named, by whatever shows whose they are.
#[tokio::test]
async fn what_is_not_read_is_refused_by_the_name_of_its_agent() {
    let house = House::new().await;
    let database = |name: &str| fixture(&format!("databases/{name}.db"));
    let seen =
        r#"[{"ts":1,"type":"say","say":"text","text":"Mow"},{"ts":2,"type":"ask","ask":"followup","text":"How?"}]"#;
    let told = r#"[{"role":"user","content":[{"type":"text","text":"Mow"}]}]"#;
    let files = [
        (database("cursor_store"), "a database of Cursor's chats"),
        (
            house.write("ui_messages.json", seen),
            "what a person saw of a task, without `api_conversation_history.json` beside it, which is read",
        ),
        (house.write("chat.json", told), "a list of chat messages"),
    ];
    for (file, what) in files {
        let job = house.import(std::slice::from_ref(&file)).await;
        let reason = format!("looks like {what}; not readable yet");
        assert_eq!(job["failed"], json!([{ "path": file, "reason": reason }]));
    }
    assert_eq!(house.read("/v1/sessions").await["total"], 0);
}

/// Documents whose id is empty are a session each.
#[tokio::test]
async fn documents_with_an_empty_id_are_a_session_each() {
    let house = House::new().await;
    let write = |folder: &str, words: &str| {
        let turn = json!({ "user": { "content": { "Prompt": { "prompt": words } } } });
        house.write(&format!("{folder}/full.json"), json!({ "conversation_id": "", "history": [turn] }).to_string())
    };
    let files = [write("one", "Mow the lawn"), write("two", "Rake the leaves")];
    let job = house.import(&files).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(2), &json!([])));
    let mut titles = titles(&house).await;
    titles.sort();
    assert_eq!(titles, ["Mow the lawn", "Rake the leaves"]);
}

async fn titles(house: &House) -> Vec<String> {
    let list = house.read("/v1/sessions").await;
    list["sessions"].as_array().unwrap().iter().map(|session| session["title"].as_str().unwrap().to_owned()).collect()
}

/// A session of Pi: lines with ids of a few digits.
fn pi(id: &str, cwd: &str, lines: &[(&str, &str, &str)]) -> String {
    let head =
        json!({ "type": "session", "version": 3, "id": id, "timestamp": "2026-05-12T09:00:00.000Z", "cwd": cwd });
    let line = |(id, time, words): &(&str, &str, &str)| {
        let message = json!({ "role": "user", "content": [{ "type": "text", "text": words }] });
        json!({ "type": "message", "id": id, "parentId": null, "timestamp": format!("2026-05-12T09:00:{time}.000Z"),
            "message": message })
        .to_string()
    };
    [head.to_string()].into_iter().chain(lines.iter().map(line)).map(|line| line + "\n").collect()
}

/// Ids of a few digits are unique in a session: equal ones of two sessions are one message only where all else is
/// equal, too.
#[tokio::test]
async fn short_ids_are_those_of_their_session() {
    let house = House::new().await;
    let (mow, rake) = (("a1", "01", "Mow the lawn"), ("a1", "01", "Rake the leaves"));
    let files = [
        house.write("one.jsonl", pi("s-one", "/work/garden", &[mow])),
        house.write("two.jsonl", pi("s-two", "/work/garden", &[rake])),
        house.write("fork.jsonl", pi("s-fork", "/work/garden", &[mow, ("a2", "09", "Water it")])),
    ];
    house.import(&files).await;
    let count =
        async |session: &str| house.read(&format!("/v1/sessions/{session}")).await["session"]["message_count"].clone();
    assert_eq!((count("s-one").await, count("s-two").await, count("s-fork").await), (json!(1), json!(1), json!(1)));
}

/// A program that writes the form of another one's sessions has sessions of its own, which the other can't resume.
#[tokio::test]
async fn sessions_of_openclaw_are_its_own() {
    let house = House::new().await;
    let words = "Water the beds\n[message_id: 7f3a]";
    let text = pi("s-claw", "/home/ada/garden", &[("a1", "01", words)]);
    house.import(&[house.write(".openclaw/agents/main/sessions/s-claw.jsonl", text)]).await;
    let text = pi("s-claw-2", "/home/ada/.openclaw/workspace", &[("b1", "02", words)]);
    house.import(&[house.write("elsewhere/s-claw-2.jsonl", text)]).await;
    for session in ["s-claw", "s-claw-2"] {
        let detail = house.read(&format!("/v1/sessions/{session}")).await;
        assert_eq!((&detail["session"]["agent"], &detail["resume_command"]), (&json!("openclaw"), &Value::Null));
        assert_eq!(detail["session"]["title"], "Water the beds");
        let said = lines(&house.read(&format!("/v1/sessions/{session}/messages")).await);
        assert_eq!(said.last().map(String::as_str), Some("3 user TEXT shown: Water the beds"));
    }
}

/// One file that fails doesn't stop the others.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_can_not_be_read_is_named() {
    let house = House::new().await;
    let good = house.write("mill.jsonl", Talk::new("mill").user("One").text());
    // The kernel refuses to read it from its beginning, to whoever asks.
    let mut job = house.import(&[PathBuf::from("/proc/self/mem"), good]).await;
    // It is named by where it really is.
    assert_eq!(job["failed"][0]["path"], json!(format!("/proc/{}/mem", std::process::id())));
    job["failed"][0]["path"] = json!("/proc/self/mem");
    assert_snapshot!(house.json(&job));
}
