//! Turns of agents that the server starts: how they end when a person interrupts them, and what was to be known of
//! them.
#![cfg(unix)]

use crate::driving::{AGENT, asked, house, owner, refusal, started, until};
use crate::support::{House, Talk, in_time};
use api::Method::Post;
use drivers::programs::PROGRAMS;
use hub::{Consent, Root};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

/// Codex's server: a turn goes on until it is interrupted.
const CODEX: &str = r#"#!/bin/sh
while read -r line; do
  rest=${line#*'"id":'}; id=${rest%%[,\}]*}
  case "$line" in
    *'"initialize"'*) echo '{"id":'"$id"',"result":{}}' ;;
    *'"model/list"'*) echo '{"id":'"$id"',"result":{"data":[]}}' ;;
    *'"thread/start"'*) echo '{"id":'"$id"',"result":{"thread":{"id":"t"}}}' ;;
    *'"turn/start"'*) echo '{"id":'"$id"',"result":{"turn":{"id":"u"}}}' ;;
    *'"turn/interrupt"'*)
      echo '{"id":'"$id"',"result":{}}'
      echo '{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"interrupted"}}}' ;;
  esac
done
"#;

/// A stand-in that speaks the Agent Client Protocol.
const ACP: &str = r#"#!/bin/sh
while read -r line; do
  rest=${line#*'"id":'}; id=${rest%%[,\}]*}
  case "$line" in
    *'"session/cancel"'*) echo '{"jsonrpc":"2.0","id":'"$prompt"',"result":{"stopReason":"cancelled"}}' ;;
    *'"session/prompt"'*) prompt=$id ;;
    *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"sessionId":"s"}}' ;;
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":1,"agentCapabilities":{}}}' ;;
  esac
done
"#;

/// With all agents installed.
async fn all_agents() -> House {
    let mut house = house().await;
    for program in &PROGRAMS {
        let script = match program.name {
            "claude" => AGENT,
            "codex" => CODEX,
            _ => ACP,
        };
        let agent = house.write(&format!("bin/{}", program.command[0]), script);
        std::fs::set_permissions(agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let roots = ["codex", "gemini", "qwen"].map(|name| {
        let agent = agents::agent(name).unwrap();
        let path = house.path(&format!("{name}-sessions"));
        Root { path, consent: Consent::Asked, agent: agent.name, folder: agent.folders[0] }
    });
    let logs = house.path("logs");
    std::fs::create_dir(&logs).unwrap();
    house
        .renew(|settings| {
            settings.roots.extend(roots);
            settings.transcripts = Some(logs);
        })
        .await;
    house
}

/// Returns the state of the session in the list.
async fn state(house: &House, session: &str) -> Value {
    house.read(&format!("/v1/sessions/{session}")).await["session"]["state"].clone()
}

async fn until_listed(house: &House, session: &str, expected: &str) {
    in_time(async { while state(house, session).await != expected {} }).await;
}

async fn tell(house: &House, session: &str, body: Value) -> crate::support::Answer {
    owner(house, Post, &format!("/v1/sessions/{session}/agent/tell"), body).await
}

#[tokio::test]
async fn a_session_whose_turn_was_interrupted_is_idle_whichever_agent_it_has() {
    let house = all_agents().await;
    for program in &PROGRAMS {
        let session = started(&house, json!({"agent": program.name, "prompt": "Be slow"})).await;
        until(&house, &session, "working").await;
        until_listed(&house, &session, "working").await;
        let told = tell(&house, &session, json!({"action": "interrupt"})).await;
        assert_eq!(told.status, 200, "{}: {}", program.name, told.body);
        until(&house, &session, "idle").await;
        until_listed(&house, &session, "idle").await;
        if program.name == "claude" {
            // It comes later than the interruption, of which it says nothing.
            let own = house.read(&format!("/v1/sessions/{session}")).await["session"]["agent_session_id"].clone();
            let talk =
                Talk::new(own.as_str().unwrap()).user("Be slow").says("I begin").text().replace("2026-", "2030-");
            house.import(&[house.write("own.jsonl", talk)]).await;
            assert_eq!(state(&house, &session).await, "idle");
        }
        assert_eq!(tell(&house, &session, json!({"action": "end"})).await.status, 200);
        until(&house, &session, "ended").await;
    }
}

/// Claude Code need not say that it takes a request back.
#[tokio::test]
async fn an_interrupted_turn_waits_for_nobody() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Ask for a permission"})).await;
    asked(&house, &session).await;
    until_listed(&house, &session, "needs_you").await;
    assert_eq!(tell(&house, &session, json!({"action": "interrupt"})).await.status, 200);
    until(&house, &session, "idle").await;
    until_listed(&house, &session, "idle").await;
}

/// A notice belongs to its turn, until a person dismisses it. What is only unknown is none.
#[tokio::test]
async fn a_notice_is_current_until_the_next_turn_or_until_it_is_dismissed() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Please warn"})).await;
    let notices = async || {
        let agent = house.read(&format!("/v1/sessions/{session}/agent")).await;
        let notices = agent["notices"].as_array().cloned().unwrap_or_default();
        notices.into_iter().map(|notice| (notice["id"].clone(), notice["current"].clone())).collect::<Vec<_>>()
    };
    let until_noted = async |expected: &[(i64, bool)]| {
        let expected: Vec<_> = expected.iter().map(|(id, current)| (json!(id), json!(current))).collect();
        in_time(async { while notices().await != expected {} }).await;
    };
    let say = async |text: &str| {
        let path = format!("/v1/sessions/{session}/messages");
        let posted = owner(&house, Post, &path, json!({"role": "user", "content": text})).await;
        assert_eq!(posted.status, 201);
    };
    let began = hub::clock::now().0;
    until_noted(&[(1, true)]).await;
    let agent = until(&house, &session, "idle").await;
    let notice = &agent["notices"][0];
    assert_eq!(notice["text"], "A line of the agent isn't JSON: Old settings");
    assert!((began - 60_000_000..=hub::clock::now().0).contains(&notice["at"].as_i64().unwrap()), "{notice}");
    say("Go on").await;
    until_noted(&[(1, false)]).await;
    say("Please warn again").await;
    until_noted(&[(1, false), (2, true)]).await;
    until(&house, &session, "idle").await;
    let dismissed = tell(&house, &session, json!({"action": "dismiss", "notice": 2})).await;
    assert_eq!(dismissed.status, 200, "{}", dismissed.body);
    until_noted(&[(1, false), (2, false)]).await;
    let wrong = tell(&house, &session, json!({"action": "interrupt", "notice": 2})).await;
    let title = "`/notice` should be absent, unless `action` is `dismiss`";
    assert_eq!(refusal(&wrong), (400, "invalid_field", Some("/notice"), title));
}
