//! How the database's work grows with what is stored: it doesn't. Counted in steps of its virtual machine, not in time.

use crate::support::{House, Talk, in_time};
use futures::StreamExt as _;
use hub::feed::{Until, stream};
use serde_json::json;
use std::io::Write as _;
use std::path::PathBuf;

/// Turns of a session in which an agent thinks, runs a command, edits a file, starts a sub-agent and answers.
fn worked(session: &str, turns: usize) -> Talk {
    (0..turns).fold(Talk::new(session).at_once(), |talk, turn| {
        let call = |name: &str| format!("toolu_{session}_{turn}_{name}");
        let edit = json!({"file_path": "/home/ada/mill/a.rs", "old_string": "one", "new_string": "two"});
        let hunk = json!({"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+two"]});
        let edited = json!({"filePath": "/home/ada/mill/a.rs", "oldString": "one", "newString": "two", "originalFile": "one\n",
            "structuredPatch": [hunk], "userModified": false, "replaceAll": false});
        talk.user(&format!("Look at part {turn} of {session}"))
            .thinks(&format!("Part {turn} of {session} turns with the wind"))
            .calls(&call("run"), "Bash", &json!({"command": "ls"}), "sails", &json!({"stdout": "sails", "stderr": ""}))
            .calls(&call("edit"), "Edit", &edit, "The file was updated", &edited)
            .calls(&call("task"), "Task", &json!({"prompt": "Count", "subagent_type": "counter"}), "Four", &json!({}))
            .says(&format!("Part {turn} of {session} is whole"))
    })
}

/// Writes sessions, and those of their sub-agents. Returns their files.
fn written(house: &House, names: &[String]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in names {
        files.push(house.write(&format!("sessions/{name}.jsonl"), worked(name, 10).text()));
        // In the folder of its session, whose id its lines have.
        let agent = format!("{name}-agent");
        let file = format!("sessions/{name}/subagents/agent-{agent}.jsonl");
        let started = json!({"agentType": "counter", "toolUseId": format!("toolu_{name}_0_task")});
        house.write(&file.replace(".jsonl", ".meta.json"), started.to_string());
        let lines =
            Talk::new(&agent).at_once().user(&format!("Count {agent}")).says(&format!("Four in {agent}")).text();
        let of_session = format!("\"sessionId\":\"{name}\",\"agentId\":\"{agent}\"");
        let lines = lines.replace(&format!("\"sessionId\":\"{agent}\""), &of_session);
        files.push(house.write(&file, lines.replace("\"isSidechain\":false", "\"isSidechain\":true")));
    }
    files
}

#[tokio::test]
async fn an_import_is_no_more_work_beside_many_sessions() {
    let house = House::counting().await;
    let names = |of: &str, count: usize| (0..count).map(|n| format!("{of}{n:03}")).collect::<Vec<_>>();
    let import = async |files: Vec<PathBuf>| {
        let job = house.import(&files).await;
        assert_eq!((&job["failed"], &job["files_done"]), (&json!([]), &json!(files.len())));
    };
    // The index of words merges its pieces now and then: some are there before, and many sessions share what that
    // takes.
    import(written(&house, &names("before", 16))).await;
    let first = house.steps(import(written(&house, &names("first", 16)))).await;
    import(written(&house, &names("between", 100))).await;
    let last = house.steps(import(written(&house, &names("later", 16)))).await;
    assert!(last < first + first / 10, "{first} steps at first, {last} beside 132 sessions");
}

/// The work of one line that is appended to a followed file and told to who listens.
async fn appended(house: &House, file: &str, session: &str, talk: &Talk) -> u64 {
    let path = house.path(file);
    let id = house.read(&format!("/v1/sessions/{session}")).await["session"]["id"].as_str().unwrap().to_owned();
    let mut events =
        Box::pin(stream(house.hub.clone(), house.hub.feed.pos(), Some(id), store::Sight::All, Until::Shutdown));
    let mut append = async |talk: &Talk| {
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(talk.last_line().as_bytes()).unwrap();
        in_time(events.next()).await.unwrap();
    };
    // The first one reads the file from its beginning.
    let first = talk.clone().says("It grows");
    append(&first).await;
    house.steps(append(&first.says("It goes on growing"))).await
}

#[tokio::test]
async fn an_append_is_no_more_work_in_a_long_session() {
    let house = House::counting().await;
    let file = |name: &str| format!("projects/-home-ada-mill/{name}.jsonl");
    let requests = (0..300).fold(Talk::new("run").at_once().user("Grind"), |talk, n| talk.says(&format!("Sack {n}")));
    let talks = [worked("short", 2), worked("long", 200), requests];
    for talk in &talks {
        house.write(&file(&talk.session), talk.text());
    }
    house.follow().await;
    let mut steps = Vec::new();
    for talk in &talks {
        steps.push(appended(&house, &file(&talk.session), &talk.session, talk).await);
    }
    let [short, long, run] = steps[..] else { panic!("{steps:?}") };
    assert!(
        long.max(run) < short + short / 10,
        "{short} steps; {long} in a session of 200 turns, {run} in a run of 300 requests"
    );
}
