//! Things that are counted once: copies of forked sessions, in any order; lines of edits, in all places; sub-agents,
//! below their calls.

use crate::support::{House, fixture};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The files of a folder, in each of these orders.
fn orders(folder: &str, names: [&str; 4]) -> Vec<Vec<PathBuf>> {
    let files: Vec<PathBuf> = names.iter().map(|name| fixture(folder).join("projects/-c").join(name)).collect();
    let backwards = files.iter().rev().cloned().collect();
    vec![files, backwards]
}

const CANAL: &str = "49d98776-b621-50a6-a1ee-7329d68b7fa8";
const CANAL_FORK: &str = "e7cc34e9-f5c2-5e9a-bfda-d72fcc43e24f";
const WEIR: &str = "d0bbe90e-52a9-5798-a178-b48ef4a05c5d";
const WEIR_FORK: &str = "d0489b10-175c-50cb-b7c1-5e1f110c7dda";

#[tokio::test]
async fn a_fork_counts_what_is_its_own_in_whatever_order_files_come() {
    for files in
        orders("transcripts/counted/forks", ["main.jsonl", "fork.jsonl", "sameuuid.jsonl", "sameuuidfork.jsonl"])
    {
        let house = House::new().await;
        for file in &files {
            house.import(std::slice::from_ref(file)).await;
        }
        for (key, messages, output, cache_read) in
            [(CANAL, 3, 480, 5000), (CANAL_FORK, 2, 20, 0), (WEIR, 3, 480, 5000), (WEIR_FORK, 2, 20, 0)]
        {
            let session = &house.read(&format!("/v1/sessions/{key}")).await["session"];
            let usage = &session["usage"];
            assert_eq!(
                (&session["message_count"], &usage["output"], &usage["cache_read"]),
                (&json!(messages), &json!(output), &json!(cache_read)),
                "{key} of {files:?}"
            );
        }
        let fork = house.read(&format!("/v1/sessions/{CANAL_FORK}")).await;
        let parent = house.read(&format!("/v1/sessions/{CANAL}")).await;
        assert_eq!(fork["forked_from"]["id"], parent["session"]["id"]);
    }
}

const COAST: &str = "a711b8f1-944e-5e2f-a035-13550179b11a";

#[tokio::test]
async fn sub_agents_are_below_the_call_that_started_them() {
    let folder = fixture("transcripts/counted/agents/projects/-c");
    let below = folder.join(COAST).join("subagents");
    let mut files: Vec<PathBuf> = ["agent-a1coast", "agent-a2gulls", "agent-a4swim", "workflows/wf_9/agent-a3shell"]
        .iter()
        .map(|name| below.join(format!("{name}.jsonl")))
        .collect();
    files.push(folder.join(format!("{COAST}.jsonl")));
    for _ in 0..files.len() {
        files.rotate_left(1);
        let house = House::new().await;
        for file in &files {
            house.import(std::slice::from_ref(file)).await;
        }
        let list = house.read("/v1/sessions").await;
        assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{files:?}");
        let children = async |id: &Value| -> Vec<(String, String)> {
            let path = format!("/v1/sessions/{}/children", id.as_str().unwrap());
            let found = house.read(&path).await;
            let of = |child: &Value| {
                (child["agent_session_id"].as_str().unwrap().to_owned(), child["call_id"].as_str().unwrap().to_owned())
            };
            let mut found: Vec<_> = found["sessions"].as_array().unwrap().iter().map(of).collect();
            found.sort();
            found
        };
        let of = |name: &str, call: &str| (format!("{COAST}/{name}"), call.to_owned());
        let main = &list["sessions"][0]["id"];
        let expected = [of("a1coast", "toolu_03tu_s1"), of("a3shell", "wf_9"), of("a4swim", "toolu_03tu_s2")];
        assert_eq!(children(main).await, expected, "{files:?}");
        let coast = house.read(&format!("/v1/sessions/{COAST}/children")).await;
        let coast = coast["sessions"].as_array().unwrap().iter().find(|child| child["call_id"] == "toolu_03tu_s1");
        assert_eq!(children(&coast.unwrap()["id"]).await, [of("a2gulls", "toolu_03tu_n1")], "{files:?}");
    }
}

/// List, panel and transcript count the lines of an edit alike, and as the tool's own patch does.
#[tokio::test]
async fn lines_are_counted_alike_everywhere() {
    let house = House::new().await;
    house.import(&[fixture("transcripts/counted/edits")]).await;
    for (key, added, removed) in [
        ("66666666-6666-4666-8666-666666666666", 2, 2),
        ("66666666-6666-4666-8666-66666666666b", 2, 2),
        ("77777777-7777-4777-8777-777777777777", 1, 0),
        ("77777777-7777-4777-8777-77777777777b", 1, 0),
        ("88888888-8888-4888-8888-888888888888", 2, 2),
        // Five edits of one line each; of one all line ends changed as well.
        ("4315a2ec-6876-5f1b-aa68-5dfbff02be4d", 5, 5),
    ] {
        let session = &house.read(&format!("/v1/sessions/{key}")).await["session"];
        assert_eq!((&session["lines_added"], &session["lines_removed"]), (&json!(added), &json!(removed)), "{key}");
        let changes = house.read(&format!("/v1/sessions/{key}/changes")).await;
        assert_eq!((&changes["added"], &changes["removed"]), (&json!(added), &json!(removed)), "{key}, changes");
        let messages = house.read(&format!("/v1/sessions/{key}/messages?limit=100")).await;
        let said: Vec<&str> = messages["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["message_type"] == "CODE_EDIT")
            .filter_map(|message| message["content"].as_str())
            .collect();
        let count = |mark: char| -> i64 {
            let figures = said.iter().flat_map(|text| text.split(' ')).filter_map(|word| word.strip_prefix(mark));
            figures.map(|figure| figure.parse::<i64>().unwrap()).sum()
        };
        assert_eq!((count('+'), count('-')), (added, removed), "{key}: {said:?}");
    }
}
