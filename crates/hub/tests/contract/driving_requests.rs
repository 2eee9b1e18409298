//! Requests of a driven agent: a person is shown all of each, whatever the transcript says.
#![cfg(unix)]

use crate::channel_side::{OtherSide, add, open};
use crate::driving::{asked, file, house, owner, started, written};
use crate::support::{House, Talk, in_time};
use api::Method::{Get, Post};
use hub::{Consent, Root};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

/// Speaks as Gemini CLI does: a request has all changes in its content, and the transcript tells of the call when the
/// tool ran.
const GEMINI: &str = r#"#!/bin/sh
while read -r line; do
  rest=${line#*'"id":'}; id=${rest%%[,\}]*}
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":1}}' ;;
    *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"sessionId":"gemini-1"}}' ;;
    *'"session/prompt"'*)
      prompt=$id
      printf '{"jsonrpc":"2.0","id":70,"method":"session/request_permission","params":' > "$CLAUDE_CONFIG_DIR/request"
      cat "$CLAUDE_CONFIG_DIR/params" >> "$CLAUDE_CONFIG_DIR/request"
      printf '}\n' >> "$CLAUDE_CONFIG_DIR/request"
      cat "$CLAUDE_CONFIG_DIR/request" ;;
    *'"id":70'*)
      printf '%s\n' "$line" >> "$CLAUDE_CONFIG_DIR/answers"
      echo '{"jsonrpc":"2.0","id":'"$prompt"',"result":{"stopReason":"end_turn"}}' ;;
  esac
done
"#;

/// A house in which Gemini CLI asks this at each prompt.
async fn gemini(call: &Value) -> House {
    let mut house = house().await;
    let agent = house.write("bin/gemini", GEMINI);
    std::fs::set_permissions(agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let option = |id: &str, name: &str, kind: &str| json!({"optionId": id, "name": name, "kind": kind});
    let options = json!([
        option("proceed_always", "Allow All Edits", "allow_always"),
        option("proceed_once", "Allow", "allow_once"),
        option("cancel", "Reject", "reject_once"),
    ]);
    let params = json!({"sessionId": "gemini-1", "options": options, "toolCall": call});
    house.write("params", params.to_string());
    let gemini = agents::agent("gemini").unwrap();
    let root =
        Root { path: house.path("sessions"), consent: Consent::Asked, agent: gemini.name, folder: gemini.folders[0] };
    house.renew(|settings| settings.roots.push(root)).await;
    open(&mut house).await;
    house
}

async fn entry(house: &House, session: &str, card: &str) -> Value {
    house.read(&format!("/v1/sessions/{session}/messages/{card}")).await["entry"].clone()
}

#[tokio::test]
async fn all_changes_that_a_request_carries_are_on_the_card_in_its_hash_and_in_channels() {
    let diff = |path: &str, old: Option<&str>, new: &str, kind: &str| json!({"type": "diff", "path": path, "oldText": old, "newText": new, "_meta": {"kind": kind}});
    let reason = json!({"type": "content", "content": {"type": "text", "text": "Renames the fish"}});
    let content = |fish: &str| {
        json!([
            diff("/work/pond.txt", Some("one\ncarp\n"), &format!("one\n{fish}\n"), "modify"),
            diff("/work/new.txt", None, "new\n", "add"),
            diff("/work/old.txt", Some("old\n"), "", "delete"),
            reason,
        ])
    };
    let call = |fish: &str| {
        json!({"toolCallId": "replace-1", "status": "pending", "title": "pond.txt: carp => koi", "kind": "edit",
            "content": content(fish), "locations": [{"path": "/work/pond.txt"}, {"path": "/work/lake.txt"}]})
    };
    let house = gemini(&call("koi")).await;
    let side = OtherSide::start().await;
    add(&house, &side, "discord", "discord", json!({})).await;
    let session = started(&house, json!({"agent": "gemini", "prompt": "Rename it"})).await;
    let (card, shown) = asked(&house, &session).await;
    let found = entry(&house, &session, &card).await;
    let change = |path: &str, old: Option<&str>, new: Option<&str>, scope: &str| {
        let mut edit = json!({"file_path": path});
        old.inspect(|old| edit["old_content"] = json!(old));
        new.inspect(|new| edit["new_content"] = json!(new));
        json!({"edits": [edit], "edit_info": [{"state": "proposed", "scope": scope}]})
    };
    let calls = json!([{
        "message_id": card, "seq": found["seq"], "tool_name": "edit", "input": {},
        "changes": [
            change("/work/pond.txt", Some("one\ncarp\n"), Some("one\nkoi\n"), "fragment"),
            change("/work/new.txt", None, Some("new\n"), "file"),
            change("/work/old.txt", Some("old\n"), None, "file"),
        ],
        "paths": ["/work/lake.txt"], "texts": ["Renames the fish"],
    }]);
    assert_eq!(found["calls"], calls);
    assert_eq!((&found["shown_sha256"], shown.is_string()), (&shown, true));
    let payload = &found["metadata"]["payload"];
    assert_eq!((&payload["title"], &payload["kind"]), (&json!("pond.txt: carp => koi"), &json!("permission")));

    // The list of what waits shows the same, and so does a channel.
    let waiting = house.read("/v1/asks").await;
    assert_eq!((&waiting["asks"][0]["entry"]["calls"], &waiting["asks"][0]["entry"]["shown_sha256"]), (&calls, &shown));
    let texts = OtherSide::texts(&side.came("discord", 2).await);
    let lines = [
        "🔐 pond.txt: carp => koi",
        "1. Allow All Edits (allows always)",
        "2. Allow",
        "3. Reject",
        "Answer with a number",
        "edit",
        "path: /work/lake.txt",
        "Renames the fish",
        "Edit /work/pond.txt (+1 -1)",
        " one",
        "-carp",
        "+koi",
        "",
        "Create /work/new.txt (+1 -0)",
        "+new",
        "",
        "Delete /work/old.txt (+0 -1)",
        "-old",
        "",
    ];
    let told = texts.last().unwrap();
    assert!(told.starts_with(&lines.join("\n")), "{told}");

    // Another change has another hash: a decision on what somebody saw doesn't hold for it.
    let other = gemini(&call("pike")).await;
    let session_of_other = started(&other, json!({"agent": "gemini", "prompt": "Rename it"})).await;
    let (other_card, other_shown) = asked(&other, &session_of_other).await;
    assert_ne!(other_shown, shown);
    let path = format!("/v1/sessions/{session_of_other}/messages/{other_card}/decision");
    let late = owner(&other, Post, &path, json!({"selected": ["proceed_once"], "shown_sha256": shown})).await;
    assert_eq!((late.status, &late.body["code"]), (412, &json!("changed")));

    let path = format!("/v1/sessions/{session}/messages/{card}/decision");
    let decided = owner(&house, Post, &path, json!({"selected": ["proceed_once"], "shown_sha256": shown})).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    let answer: Value = serde_json::from_str(&written(&house, "answers", 1).await[0]).unwrap();
    assert_eq!(answer["result"], json!({"outcome": {"outcome": "selected", "optionId": "proceed_once"}}));
}

/// One line of a large file changes: the card shows it with the lines around it.
#[tokio::test]
async fn a_change_of_a_large_file_is_shown_as_far_as_it_changes() {
    let old: String = (1..=9000).map(|n| format!("line {n} of the file that is large\n")).collect();
    let new = old.replace("line 4500 of", "line 4500, the one of");
    let content = json!([{"type": "diff", "path": "/work/large.txt", "oldText": old, "newText": new}]);
    let call = json!({"toolCallId": "c", "title": "Edit large.txt", "kind": "edit", "content": content});
    let house = gemini(&call).await;
    let session = started(&house, json!({"agent": "gemini", "prompt": "Edit it"})).await;
    let (card, shown) = asked(&house, &session).await;
    let found = entry(&house, &session, &card).await;
    let change = &found["calls"][0]["changes"][0];
    let text = |key: &str| change["edits"][0][key].as_str().unwrap().lines().count();
    assert_eq!((text("old_content"), text("new_content")), (17, 17));
    assert_eq!((&change["edit_info"][0]["start_line"], shown.is_string()), (&json!(4492), true));
}

#[tokio::test]
async fn a_transcript_that_tells_of_the_call_later_changes_nothing() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Ask twice"})).await;
    let path = format!("/v1/sessions/{session}/messages");
    let cards = async || -> Vec<Value> {
        let page = house.read(&path).await;
        let messages = page["messages"].as_array().unwrap().iter();
        messages.filter(|message| message["message_type"] == "APPROVAL").cloned().collect()
    };
    let before = in_time(async {
        loop {
            let found = cards().await;
            if found.len() == 2 {
                return found;
            }
        }
    })
    .await;
    let own = house.read(&format!("/v1/sessions/{session}")).await["session"]["agent_session_id"].clone();
    let input = json!({"command": "touch z"});
    let called = json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": input}]);
    let message = json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": called});
    let talk = Talk::new(own.as_str().unwrap()).user("Ask twice").message("assistant", message, json!({}));
    house.import(&[house.write("own.jsonl", talk.text())]).await;
    let call = house.read(&path).await["messages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|m| m["message_type"] == "TOOL_CALL")
        .cloned();
    let call = call.unwrap();
    for (card, mut before) in cards().await.into_iter().zip(before) {
        // The link leads to the call, and all else is as it was.
        (before["calls"][0]["message_id"], before["calls"][0]["seq"]) = (call["id"].clone(), call["seq"].clone());
        assert_eq!((&card["calls"], &card["shown_sha256"]), (&before["calls"], &before["shown_sha256"]));
        assert_ne!(card["calls"][0]["input"], input);
    }
}

/// Requests that nobody could decide any more aren't shown: the agent is told at once.
#[tokio::test]
async fn an_agent_asks_a_hundred_things_at_a_time() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "flood"})).await;
    let answers = written(&house, "answers", 20).await;
    let told = "100 requests wait for a person already: ask again when some are decided";
    assert!(answers.iter().all(|line| line.contains(r#""behavior":"deny""#) && line.contains(told)), "{answers:?}");
    let open = async || {
        let path = format!("/v1/sessions/{session}/messages?type=APPROVAL&limit=500");
        owner(&house, Get, &path, Value::Null).await.body["messages"].as_array().unwrap().len()
    };
    in_time(async { while open().await < 100 {} }).await;
    assert_eq!((open().await, file(&house, "answers").len()), (100, 20));
    let agent = owner(&house, Get, &format!("/v1/sessions/{session}/agent"), Value::Null).await.body;
    let notices: Vec<_> = agent["notices"].as_array().unwrap().iter().map(|notice| notice["text"].clone()).collect();
    assert_eq!(notices, ["The agent asks for more than 100 things at once: the others are refused"]);
}
