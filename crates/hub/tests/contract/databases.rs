//! Databases of an agent: each session of one is a document of its own.

use crate::support::{House, fixture};
use serde_json::{Value, json};

/// Titles and parents of all sessions below one.
async fn sessions(house: &House) -> Vec<(String, Value)> {
    let list = house.read("/v1/sessions").await;
    let mut found = Vec::new();
    for session in list["sessions"].as_array().unwrap() {
        found.push((session["title"].as_str().unwrap().to_owned(), session["child_count"].clone()));
    }
    found
}

async fn messages(house: &House) -> Vec<String> {
    let list = house.read("/v1/sessions/ses_garden1/messages").await;
    let line = |entry: &Value| {
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text("role"), text("sender"), text("content"))
    };
    list["messages"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn sessions_of_a_database_are_imported_and_followed_without_doubles() {
    let house = House::new().await;
    let database = house.write("opencode.db", std::fs::read(fixture("databases/opencode.db")).unwrap());
    let job = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(2), &json!([])));
    assert_eq!(sessions(&house).await, [("Water the beds".to_owned(), json!(1))]);
    let before = messages(&house).await;
    insta::assert_snapshot!(before.join("\n"));

    let again = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&again["sessions"], &again["messages"]), (&json!(2), &json!(0)));
    // Its write-ahead files stand for the database.
    let ahead = house.write("opencode.db-shm", "");
    let named = house.import(std::slice::from_ref(&ahead)).await;
    assert_eq!((&named["sessions"], &named["messages"], &named["failed"]), (&json!(2), &json!(0), &json!([])));
    std::fs::remove_file(ahead).unwrap();

    std::fs::write(&database, std::fs::read(fixture("databases/opencode_later.db")).unwrap()).unwrap();
    let grown = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&grown["messages"], &grown["failed"]), (&json!(1), &json!([])));
    let after = messages(&house).await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.last().map(String::as_str), Some("assistant bot All **beds** are wet."));
    // The imported source is a document, in which the texts of the rows are as they were.
    let detail = house.read("/v1/sessions/ses_garden1").await;
    let path = detail["sources"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("opencode.db/ses_garden1.json"), "{path}");
    assert_eq!(house.path("opencode.db").metadata().unwrap().len(), 10_240, "nothing was written to it");
    let beside = std::fs::read_dir(house.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let beside: Vec<_> = beside.filter(|name| name.to_string_lossy().starts_with("opencode.db-")).collect();
    assert_eq!(beside, Vec::<std::ffi::OsString>::new());
}

/// Crush keeps its database in the folder of its project, and a sub-agent's session beside those of people.
#[tokio::test]
async fn sessions_of_crush_are_imported_with_their_sub_agents() {
    const SESSION: &str = "/v1/sessions/5e55a0de-0000-4000-8000-00000000cc01";
    let house = House::new().await;
    let database = house.write("garden/.crush/crush.db", std::fs::read(fixture("databases/crush.db")).unwrap());
    let job = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(2), &json!([])));
    let again = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&again["sessions"], &again["messages"], &again["failed"]), (&json!(2), &json!(0), &json!([])));

    assert_eq!(sessions(&house).await, [("Water the garden beds".to_owned(), json!(1))]);
    let detail = house.read(SESSION).await;
    let session = &detail["session"];
    let told = ["agent", "model", "lines_added", "lines_removed", "todos_open", "todos_done"].map(|key| &session[key]);
    let (added, removed, open, done) = (json!(2), json!(1), json!(2), json!(0));
    assert_eq!(told, [&json!("crush"), &json!("glm-5"), &added, &removed, &open, &done]);
    let folder = house.path("garden").canonicalize().unwrap();
    assert_eq!(session["project"].as_str(), folder.to_str());
    // The cost in Crush's row includes its sub-agent's.
    assert_eq!((&detail["cost"]["usd"], &detail["cost_with_sub_agents"]["usd"]), (&json!(0.375), &json!(0.5)));
    let children = house.read(&format!("{SESSION}/children")).await;
    let child = &children["sessions"][0];
    assert_eq!(
        (&child["title"], &child["call_id"], &child["message_count"]),
        (&json!("Count beds"), &json!("call_5e55a0de00000000000000a9"), &json!(2))
    );
    let document = detail["sources"][0]["path"].as_str().unwrap();
    assert!(document.ends_with("crush.db/5e55a0de-0000-4000-8000-00000000cc01.json"), "{document}");
}

#[tokio::test]
async fn sessions_of_goose_are_one_with_those_of_its_older_files() {
    let house = House::new().await;
    let files = [
        house.write("goose/sessions/sessions.db", std::fs::read(fixture("databases/goose.db")).unwrap()),
        house.write("old/20260921_1.json", std::fs::read(fixture("transcripts/goose/20260921_1.json")).unwrap()),
        house.write(
            "goose/sessions/20250921_120000.jsonl",
            std::fs::read(fixture("transcripts/goose/20250921_120000.jsonl")).unwrap(),
        ),
    ];
    let job = house.import(&files).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(2), &json!([])), "a document is the session that it is of");
    let again = house.import(&files).await;
    assert_eq!((&again["messages"], &again["failed"]), (&json!(0), &json!([])));
    let mut titles: Vec<String> = sessions(&house).await.into_iter().map(|(title, _)| title).collect();
    titles.sort();
    assert_eq!(titles, ["Mow the whole lawn", "Sow grass"]);
    let session = &house.read("/v1/sessions/20260921_1-20260921133320").await["session"];
    let told = ["agent", "project", "model", "todos_open", "todos_done"].map(|key| session[key].clone());
    assert_eq!(told, [json!("goose"), json!("/home/ada/lawn"), json!("glm-5"), json!(1), json!(1)]);
    assert_eq!((&session["usage"]["input"], &session["usage"]["output"]), (&json!(2000), &json!(100)));
}

/// A chat of Cursor's command line has a database of its own.
#[tokio::test]
async fn chats_of_cursor_are_imported_and_grow_without_doubles() {
    const ID: &str = "5e55a0de-0000-4000-8000-0000000000c7";
    let house = House::new().await;
    let place = format!(".cursor/chats/0d265392dfc786bc1af0df28bb21fea3/{ID}/store.db");
    let database = house.write(&place, std::fs::read(fixture("databases/cursor_chat.db")).unwrap());
    let job = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(1), &json!([])));
    let detail = house.read(&format!("/v1/sessions/{ID}")).await;
    let session = &detail["session"];
    let told = ["agent", "model", "project", "title", "lines_added", "lines_removed", "todos_open", "created_at"]
        .map(|key| session[key].clone());
    let (project, title) = (json!("/home/ada/my garden"), json!("Water two beds"));
    let began = json!(1_790_000_000_000_000_i64);
    assert_eq!(told, [json!("cursor"), json!("glm-5"), project, title, json!(1), json!(1), json!(2), began]);
    let said = async || {
        let list = house.read(&format!("/v1/sessions/{ID}/messages?limit=100")).await;
        let line = |entry: &Value| {
            let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
            let state = entry["metadata"]["payload"]["state"].as_str().unwrap_or_default();
            format!("{} {} {} {state}", text("role"), text("sender"), text("content")).trim_end().to_owned()
        };
        list["messages"].as_array().unwrap().iter().map(line).collect::<Vec<_>>()
    };
    let before = said().await;
    insta::assert_snapshot!(before.join("\n"));

    let again = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&again["messages"], &again["failed"]), (&json!(0), &json!([])));
    std::fs::write(&database, std::fs::read(fixture("databases/cursor_chat_later.db")).unwrap()).unwrap();
    let grown = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&grown["messages"], &grown["failed"]), (&json!(1), &json!([])));
    let after = said().await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.last().map(String::as_str), Some("assistant bot Now it is wet."));

    // Its transcript has the same id: the chat isn't there twice.
    let line = json!({ "role": "user", "message": { "content": [{ "type": "text", "text": "Water the beds" }] } });
    let transcript =
        house.write(&format!(".cursor/projects/home-ada/agent-transcripts/{ID}/{ID}.jsonl"), format!("{line}\n"));
    let both = house.import(&[transcript]).await;
    assert_eq!((&both["messages"], &both["failed"]), (&json!(0), &json!([])));
    assert_eq!(said().await, after);
    assert_eq!(sessions(&house).await, [("Water two beds".to_owned(), json!(0))]);
}

/// A chat whose transcript was read first stays as that has it, and one in which nothing was said is no session.
#[tokio::test]
async fn a_chat_of_cursor_that_was_read_from_its_transcript_stays() {
    const ID: &str = "5e55a0de-0000-4000-8000-0000000000c7";
    let house = House::new().await;
    let line = json!({ "role": "user", "message": { "content": [{ "type": "text", "text": "Water the beds" }] } });
    let transcript =
        house.write(&format!(".cursor/projects/home-ada/agent-transcripts/{ID}/{ID}.jsonl"), format!("{line}\n"));
    house.import(&[transcript]).await;
    let bytes = std::fs::read(fixture("databases/cursor_chat.db")).unwrap();
    let database = house.write(&format!(".cursor/chats/0d26/{ID}/store.db"), bytes);
    let job = house.import(&[database]).await;
    assert_eq!((&job["messages"], &job["failed"]), (&json!(0), &json!([])));
    assert_eq!(sessions(&house).await, [("Water the beds".to_owned(), json!(0))]);
    assert_eq!(house.read(&format!("/v1/sessions/{ID}")).await["session"]["message_count"], 1);
}

/// The file of a task's display has the tokens and costs of its requests.
#[tokio::test]
async fn tasks_of_cline_are_imported_with_what_lies_beside_them() {
    let house = House::new().await;
    let task = "Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1790000000001";
    let talk = std::fs::read(fixture("transcripts/cline/tasks/1790000000001/api_conversation_history.json")).unwrap();
    let request =
        |ts: i64, told: Value| json!({"ts": ts, "type": "say", "say": "api_req_started", "text": told.to_string()});
    let began = 1_790_000_000_000;
    let seen = json!([
        {"ts": began, "type": "say", "say": "text", "text": "Weed the beds"},
        request(began + 100, json!({"tokensIn": 100, "tokensOut": 10, "cacheWrites": 40, "cacheReads": 0, "cost": 0.25})),
        request(began + 5_100, json!({"tokensIn": 20, "tokensOut": 30, "cacheReads": 140, "cost": 0.5})),
        request(began + 30_000, json!({"tokensIn": 50, "tokensOut": 0, "cost": 0.125, "cancelReason": "user_cancelled"})),
    ]);
    house.write(&format!("{task}/ui_messages.json"), seen.to_string());
    house.write(&format!("{task}/task_metadata.json"), "{}");
    house.write(&format!("{task}/api_conversation_history.json"), talk);
    let job = house.import(&[house.path("Code")]).await;
    assert_eq!((&job["sessions"], &job["failed"], &job["files"]), (&json!(1), &json!([]), &json!(1)));
    // A file beside it means the task.
    for beside in ["ui_messages.json", "task_metadata.json"] {
        let named = house.import(&[house.path(&format!("{task}/{beside}"))]).await;
        assert_eq!((&named["sessions"], &named["messages"], &named["failed"]), (&json!(1), &json!(0), &json!([])));
    }
    let detail = house.read("/v1/sessions/1790000000001").await;
    let session = &detail["session"];
    let told = ["agent", "project", "title", "todos_open", "todos_done"].map(|key| session[key].clone());
    assert_eq!(told, [json!("cline"), json!("/home/ada/garden"), json!("Weed the beds"), json!(1), json!(1)]);
    let usage = json!({"input": 170, "output": 40, "cache_read": 140, "cache_write": 40});
    assert_eq!((&session["usage"], &detail["cost"]["usd"]), (&usage, &json!(0.875)));
}

#[tokio::test]
async fn other_databases_are_refused_by_name() {
    let house = House::new().await;
    let mut bytes = std::fs::read(fixture("databases/opencode.db")).unwrap();
    bytes.truncate(2000);
    let torn = house.write("torn.db", bytes);
    let job = house.import(std::slice::from_ref(&torn)).await;
    let reason = job["failed"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("can't be read as a database: "), "{reason}");
    assert_eq!(sessions(&house).await, []);
}

/// A database in which a table is a view that has no end.
#[tokio::test]
async fn a_database_with_an_endless_view_is_refused() {
    let house = House::new().await;
    let database = house.write("opencode.db", std::fs::read(fixture("databases/endless.db")).unwrap());
    let job = house.import(std::slice::from_ref(&database)).await;
    assert_eq!(job["failed"][0]["reason"], "isn't read: `part` must be a table without generated columns");
    assert_eq!(sessions(&house).await, []);
}
