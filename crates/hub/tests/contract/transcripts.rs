//! Small transcripts from import to the API: what they cost, what repeats what, and who began whom.

use crate::support::House;
use serde_json::{Value, json};

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Title, and the session that it was forked from, of each session of the list.
async fn listed(house: &House) -> Vec<(String, Value)> {
    let page = house.read("/v1/sessions").await;
    let title = |session: &Value| (session["title"].as_str().unwrap().to_owned(), session["forked_from"].clone());
    let mut all: Vec<_> = page["sessions"].as_array().unwrap().iter().map(title).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// A session of Claude Code with one request of this speed.
fn answered(id: &str, usage: Value) -> String {
    let message = json!({
        "id": format!("msg_{id}"), "role": "assistant", "model": "claude-opus-4-6", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "ok" }], "usage": usage,
    });
    let line = |kind: &str, n: usize, message: Value| {
        json!({
            "type": kind, "uuid": format!("{id}-{n}"), "parentUuid": null, "sessionId": id, "cwd": "/m", "version": "2.1.262",
            "timestamp": format!("2026-09-14T08:00:0{n}.000Z"), "isSidechain": false, "message": message,
        })
    };
    lines(&[line("user", 1, json!({ "role": "user", "content": "Grind" })), line("assistant", 2, message)])
}

#[tokio::test]
async fn a_request_of_another_speed_or_tier_has_not_the_standard_price() {
    let house = House::new().await;
    let usage = |key: &str, value: &str| json!({ "input_tokens": 100_000, "output_tokens": 10_000, key: value });
    let cases = [
        ("standard", usage("speed", "standard")),
        ("fast", usage("speed", "fast")),
        ("batch", usage("service_tier", "batch")),
    ];
    let mut costs = Vec::new();
    for (id, usage) in cases {
        house.import(&[house.write(&format!("{id}.jsonl"), answered(id, usage))]).await;
        let detail = house.read(&format!("/v1/sessions/{id}")).await;
        assert_eq!(detail["session"]["model"], "claude-opus-4-6");
        costs.push((detail["cost"]["usd"].clone(), detail["cost"]["unpriced"].clone()));
    }
    let unpriced =
        json!([{ "tokens": 110_000, "reason": "No cost: `claude-opus-4-6-batch` isn't in the price table" }]);
    assert_eq!(costs, [(json!(0.75), Value::Null), (json!(4.5), Value::Null), (Value::Null, unpriced)]);
}

#[tokio::test]
async fn files_that_begin_with_the_same_hash_have_nothing_to_do_with_each_other() {
    let house = House::new().await;
    for (n, words) in ["Feed the ducks", "Mend the gate", ""].into_iter().enumerate() {
        let id = format!("7c99494a-4ea5-5cb4-8c6c-00000000000{n}");
        let context = json!([{ "id": "d04923d38bb0f6017037e74183378ef4", "timestamp": "2026-09-14T08:00:09.000Z", "type": "user",
            "content": [{ "text": "<session_context>\nThis is the Gemini CLI.\n</session_context>" }] }]);
        let mut all = vec![
            json!({ "sessionId": id, "projectHash": "bb", "startTime": "2026-09-14T08:00:03.000Z", "kind": "main" }),
            json!({ "$set": { "messages": context } }),
        ];
        if !words.is_empty() {
            all.push(json!({ "id": format!("{n}-u"), "timestamp": "2026-09-14T08:00:12.000Z", "type": "user", "content": [{ "text": words }] }));
        }
        let name = format!("gemini/tmp/farm/chats/session-2026-09-14T0{n}-00-7c99494a.jsonl");
        house.import(&[house.write(&name, lines(&all))]).await;
    }
    let titles = ["Feed the ducks", "Mend the gate", "Nothing was said"];
    assert_eq!(listed(&house).await, titles.map(|title| (title.to_owned(), Value::Null)));
}

#[tokio::test]
async fn a_sub_agent_of_codex_hangs_under_the_call_that_began_it() {
    const PARENT: &str = "019f7000-0055-7aaa-8000-000000000001";
    const CHILD: &str = "019f7001-0095-7aaa-8000-000000000002";
    let line = |kind: &str, payload: Value| json!({ "timestamp": "2026-09-14T08:01:00.050Z", "type": kind, "payload": payload });
    let turn = |id: &str, prompt: &str, [total, last]: [i64; 2]| {
        let of = |n: i64| json!({ "input_tokens": 0, "output_tokens": n, "total_tokens": n });
        let info = json!({ "total_token_usage": of(total), "last_token_usage": of(last) });
        [
            line("event_msg", json!({ "type": "task_started", "turn_id": id })),
            line(
                "response_item",
                json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": prompt }] }),
            ),
            line("event_msg", json!({ "type": "token_count", "info": info })),
        ]
    };
    let survey = turn("019f7000-1000-7aaa-8000-0000000000a1", "Survey the pond", [100, 100]);
    let reeds = turn("019f7001-2000-7aaa-8000-0000000000a2", "Look at the reeds", [140, 40]);
    let head = |id: &str, more: Value| {
        let mut payload = json!({ "id": id, "cwd": "/m", "cli_version": "0.152.0" });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line("session_meta", payload)
    };
    let output = json!({ "agent_id": CHILD, "nickname": "Heron" }).to_string();
    let mut parent = vec![head(PARENT, json!({}))];
    parent.extend(survey.clone());
    parent.push(line(
        "response_item",
        json!({ "type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": "c1" }),
    ));
    parent.push(line("response_item", json!({ "type": "function_call_output", "call_id": "c1", "output": output })));
    let spawned = json!({ "subagent": { "thread_spawn": { "parent_thread_id": PARENT, "agent_nickname": "Heron" } } });
    let mut child = vec![head(CHILD, json!({ "forked_from_id": PARENT, "source": spawned })), head(PARENT, json!({}))];
    child.extend(survey);
    child.extend(reeds);
    // Whichever file comes first.
    for order in [[PARENT, CHILD], [CHILD, PARENT]] {
        let house = House::new().await;
        for id in order {
            let text = lines(if id == PARENT { &parent } else { &child });
            house.import(&[house.write(&format!("rollout-2026-09-14T08-00-00-{id}.jsonl"), text)]).await;
        }
        assert_eq!(listed(&house).await, [("Survey the pond".to_owned(), Value::Null)]);
        let detail = house.read(&format!("/v1/sessions/{CHILD}")).await;
        let session = &detail["session"];
        assert_eq!((&session["title"], &session["usage"]["output"]), (&json!("Heron"), &json!(40)));
        let under = house.read(&format!("/v1/sessions/{PARENT}/children")).await;
        assert_eq!(under["sessions"].as_array().map(Vec::len), Some(1), "{under}");
        assert_eq!(under["sessions"][0]["call_id"], "c1", "{under}");
    }
}

#[tokio::test]
async fn worktrees_of_a_repository_are_one_project_in_the_list_the_filter_and_the_statistics() {
    let house = House::new().await;
    let in_folders = |id: &str, folders: [&str; 2]| {
        let line = |n: usize, kind: &str, folder: &str| {
            json!({
                "type": kind, "uuid": format!("{id}-{n}"), "parentUuid": null, "sessionId": id, "cwd": folder, "version": "2.1.262",
                "gitBranch": if n == 1 { "main" } else { "worktree-nest" }, "timestamp": format!("2026-09-14T08:00:0{n}.000Z"),
                "isSidechain": false, "message": { "id": format!("msg_{id}"), "role": kind, "model": "claude-opus-4-6",
                    "content": [{ "type": "text", "text": id }], "usage": { "input_tokens": 1, "output_tokens": 1 } },
            })
        };
        lines(&[line(1, "user", folders[0]), line(2, "assistant", folders[1])])
    };
    let (main, nest) = ("/home/mira/aviary", "/home/mira/aviary/.claude/worktrees/nest");
    let sessions = [
        ("main", [main, main]),
        ("nest", [nest, nest]),
        ("moves", [main, nest]),
        ("seeds", ["/home/mira/aviary-seeds", "/home/mira/aviary-seeds"]),
    ];
    for (id, folders) in sessions {
        house.import(&[house.write(&format!("{id}.jsonl"), in_folders(id, folders))]).await;
    }
    let page = house.read("/v1/sessions?project=/home/mira/aviary").await;
    let told = |session: &Value| json!([session["title"], session["cwd"], session["branch"]]);
    let mut found: Vec<Value> = page["sessions"].as_array().unwrap().iter().map(told).collect();
    found.sort_by_key(ToString::to_string);
    assert_eq!(
        found,
        [
            json!(["main", main, "worktree-nest"]),
            json!(["moves", nest, "worktree-nest"]),
            json!(["nest", nest, "worktree-nest"]),
        ]
    );
    let stats = house.read("/v1/stats?from=2026-09-14&to=2026-09-14").await;
    let projects: Vec<_> = stats["projects"].as_array().unwrap().iter().map(|of| of["name"].clone()).collect();
    assert_eq!(projects, [json!(main), json!("/home/mira/aviary-seeds")]);

    // Worktrees that lie elsewhere name their repository alone.
    let (codex, cursor) = ("/home/mira/.codex/worktrees/4f2a/aviary", "/home/mira/.cursor/worktrees/aviary/perch");
    for (id, folder) in [("codex", codex), ("cursor", cursor)] {
        house.import(&[house.write(&format!("{id}.jsonl"), in_folders(id, [folder, folder]))]).await;
    }
    let all = json!(["codex", "cursor", "main", "moves", "nest"]);
    for project in [main, codex, cursor] {
        let page = house.read(&format!("/v1/sessions?project={project}")).await;
        let mut titles: Vec<_> = page["sessions"].as_array().unwrap().iter().map(|of| of["title"].clone()).collect();
        titles.sort_by_key(ToString::to_string);
        assert_eq!(json!(titles), all, "{project}");
        let facets = json!([{"value": main, "sessions": 5}, {"value": "/home/mira/aviary-seeds", "sessions": 1}]);
        assert_eq!(page["facets"]["projects"], facets);
        let hits = house.read(&format!("/v1/search?q=codex&project={project}")).await;
        assert_eq!(hits["total"], 2, "{hits}");
        let stats = house.read(&format!("/v1/stats?from=2026-09-14&to=2026-09-14&project={project}")).await;
        let only = &stats["projects"][0];
        let told = [&stats["total"]["sessions"], &only["name"], &only["sessions"], &only["messages"]];
        assert_eq!(told, [&json!(5), &json!(main), &json!(5), &json!(10)], "{stats}");
    }
}
