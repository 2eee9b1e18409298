//! Work that goes on behind a turn that is over, and the sub-agent that asks.

use crate::hooks::{Mill, bash, call, event};
use crate::support::{Talk, in_time};
use serde_json::json;

#[tokio::test]
async fn a_session_rests_once_its_turn_and_all_behind_it_are_over() {
    let mut mill = Mill::new().await;
    mill.house.import(&[mill.house.write("mill.jsonl", Talk::new("mill").user("Grind").text())]).await;
    let agent = |name: &str, id: &str| event(name, json!({"agent_id": id, "agent_type": "Explore"}));
    let by_agent = |name: &str| {
        let mut event = call(name, "toolu_9", "ls");
        event["agent_id"] = json!("a2");
        event
    };
    let task = |id: &str, kind: &str| json!({"id": id, "type": kind, "status": "running"});
    let over = json!({"background_tasks": [task("a1", "local_agent"), task("a2", "local_agent"), task("b1", "local_bash"),
        {"id": "b0", "type": "local_bash", "status": "completed"}]});
    let mut seen = Vec::new();
    for told in [
        event("SessionStart", json!({"source": "startup"})),
        event("UserPromptSubmit", json!({"prompt": "Grind"})),
        agent("SubagentStart", "a1"),
        agent("SubagentStart", "a2"),
        event("Stop", over),
        by_agent("PreToolUse"),
        event("Notification", json!({"notification_type": "idle_prompt"})),
        agent("SubagentStop", "a1"),
        event("Stop", json!({"background_tasks": [task("a2", "local_agent")]})),
        agent("SubagentStop", "a2"),
        call("PreToolUse", "toolu_2", "ls"),
        agent("SubagentStart", "a3"),
        event("Stop", json!({})),
        agent("SubagentStop", "a3"),
    ] {
        mill.report(told).await;
        let session = mill.house.read("/v1/sessions/mill").await["session"].clone();
        seen.push(format!(
            "{}: {}",
            session["state"].as_str().unwrap(),
            session["live"]["reason"].as_str().unwrap_or_default()
        ));
    }
    assert_eq!(
        seen,
        [
            "quiet: ",
            "working: Works on a prompt",
            "working: Works with a sub-agent",
            "working: Works with a sub-agent",
            "idle: Its turn is over, 2 agents and 1 command in the background",
            "idle: Its turn is over, 2 agents and 1 command in the background",
            "idle: Its turn is over, 2 agents and 1 command in the background",
            "idle: Its turn is over, 1 agent and 1 command in the background",
            "idle: Its turn is over, 1 agent in the background",
            "idle: Its turn is over",
            "working: Runs Bash",
            "working: Works with a sub-agent",
            "idle: Its turn is over, 1 agent in the background",
            "idle: Its turn is over",
        ]
    );
    // Another server knows nothing of the sub-agents that started before it.
    mill.house = mill.house.restarted().await;
    mill.report(agent("SubagentStop", "a0")).await;
    let session = mill.house.read("/v1/sessions/mill").await["session"].clone();
    assert_eq!((&session["state"], &session["live"]["reason"]), (&json!("idle"), &json!("Its turn is over")));
}

#[tokio::test]
async fn a_request_names_the_sub_agent_that_asks() {
    let mill = Mill::new().await;
    for (more, name) in [
        (json!({"agent_id": "a1", "agent_type": "Explore"}), "Sub-agent Explore"),
        (json!({"agent_id": "a1"}), "Sub-agent a1"),
    ] {
        let mut asks = bash("PermissionRequest", "ls");
        asks.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let decided = async {
            let card = mill.card().await;
            assert_eq!(card["sender_name"], name);
            assert_eq!(mill.decide(&card, json!({"selected": ["deny"]})).await.status, 200);
        };
        let (answer, ()) = in_time(async { tokio::join!(mill.report(asks), decided) }).await;
        assert_eq!(answer.body["hookSpecificOutput"]["decision"]["behavior"], "deny");
    }
}
