//! The context of an agent that was started here and keeps its requests in a database of its own.
#![cfg(unix)]

use crate::driving::{house, owner, started, until};
use crate::support::{House, fixture, in_time};
use api::Method::Post;
use hub::{Consent, Root};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

/// Speaks as `OpenCode` does: what it is asked first takes a call.
const OPENCODE: &str = r#"#!/bin/sh
said() { echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses_garden3","update":'"$1"'}}'; }
while read -r line; do
  rest=${line#*'"id":'}; id=${rest%%[,\}]*}
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":1}}' ;;
    *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"sessionId":"ses_garden3"}}' ;;
    *'"session/prompt"'*roses*)
      said '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"They are wet, too."}}'
      echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"stopReason":"end_turn"}}' ;;
    *'"session/prompt"'*)
      said '{"sessionUpdate":"tool_call","toolCallId":"call-tap-1","title":"bash","kind":"execute","status":"pending","rawInput":{"command":"tap --open"}}'
      said '{"sessionUpdate":"tool_call_update","toolCallId":"call-tap-1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"Wet"}}]}'
      said '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"All **beds** are wet."}}'
      echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"stopReason":"end_turn"}}' ;;
  esac
done
"#;

/// Blocks of a context: role, kind, preview, and the message that shows it.
fn blocks(context: &Value) -> Vec<String> {
    let mut blocks = Vec::new();
    for message in context["messages"].as_array().unwrap() {
        for block in message["blocks"].as_array().unwrap() {
            assert_eq!(block["records"], Value::Null, "its records aren't stored");
            let word = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            let role = message["role"].as_str().unwrap();
            blocks.push(format!("{role} {} {}: {}", word("kind"), block["seq"], word("preview")));
        }
    }
    blocks
}

async fn driven(database: Option<&str>) -> (House, String) {
    let mut house = house().await;
    let agent = house.write("bin/opencode", OPENCODE);
    std::fs::set_permissions(agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    if let Some(database) = database {
        house.write("opencode/opencode.db", std::fs::read(fixture(database)).unwrap());
    }
    let opencode = agents::agent("opencode").unwrap();
    let folder = *opencode.folders.iter().find(|folder| folder.shallow).unwrap();
    let logs = Root { path: house.path("logs"), consent: Consent::All, agent: "acp", folder: agents::LOGS };
    let root = Root { path: house.path("opencode"), consent: Consent::Asked, agent: opencode.name, folder };
    let transcripts = house.path("logs");
    std::fs::create_dir_all(&transcripts).unwrap();
    house
        .renew(|settings| {
            settings.roots.extend([root, logs]);
            settings.transcripts = Some(transcripts);
        })
        .await;
    let session = started(&house, json!({"agent": "opencode", "prompt": "Water the beds"})).await;
    until(&house, &session, "idle").await;
    owner(&house, Post, &format!("/v1/sessions/{session}/messages"), json!({"content": "And the roses?"})).await;
    (house, session)
}

/// Reads the log until it has an answer, and returns the id of the message.
async fn message(house: &House, session: &str, text: &str) -> String {
    in_time(async {
        loop {
            let logs = std::fs::read_dir(house.path("logs")).unwrap().map(|log| log.unwrap().path());
            house.import(&logs.collect::<Vec<_>>()).await;
            let list = house.read(&format!("/v1/sessions/{session}/messages?limit=100")).await;
            let found = list["messages"].as_array().unwrap().iter().find(|message| message["content"] == text);
            if let Some(message) = found {
                return message["id"].as_str().unwrap().to_owned();
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_driven_opencode_has_the_context_that_its_database_holds() {
    let (house, session) = driven(Some("databases/opencode_driven.db")).await;
    let last = message(&house, &session, "They are wet, too.").await;
    let first = message(&house, &session, "All **beds** are wet.").await;
    let context = async |at: &str| house.read(&format!("/v1/sessions/{session}/context{at}")).await;
    let (whole, named) = (context("").await, context(&format!("?at={last}")).await);
    assert_eq!(blocks(&whole), blocks(&named));
    let shown = |context: &Value| {
        let reply = &context["reply"];
        let usage = json!({"model": reply["model"], "usage": reply["usage"], "verdict": context["verdict"], "reasons": context["reasons"]});
        format!("{}\n{}", blocks(context).join("\n"), serde_json::to_string_pretty(&usage).unwrap())
    };
    insta::assert_snapshot!(shown(&whole));
    insta::assert_snapshot!("after_the_call", shown(&context(&format!("?at={first}")).await));
}

/// Without the agent's database, or where it doesn't hold the session, the stored messages are the context.
#[tokio::test]
async fn a_driven_opencode_without_its_session_has_its_messages() {
    for database in [None, Some("databases/opencode.db"), Some("databases/endless.db")] {
        let (house, session) = driven(database).await;
        message(&house, &session, "They are wet, too.").await;
        let context = house.read(&format!("/v1/sessions/{session}/context")).await;
        let reason = "The requests of this agent aren't recorded. These are its messages as stored here";
        assert_eq!((&context["verdict"], &context["reasons"][0]), (&json!("approximate"), &json!(reason)));
    }
}
