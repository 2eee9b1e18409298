//! Agents that the server starts: a script stands in for Claude Code, in the `PATH` of agents.
#![cfg(unix)]

use crate::blobs::put;
use crate::support::{Answer, House, Talk, in_time};
use api::Method::{Get, Patch, Post};
use drivers::environment::Environment;
use hub::driving::Driving;
use hub::{Caller, Consent, Root, Scoped, driving};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;

/// Answers the start, takes prompts, and asks for a permission at each prompt that says so. It notes its arguments and
/// each answer.
pub const AGENT: &str = r#"#!/bin/sh
echo "$@" >> "$CLAUDE_CONFIG_DIR/arguments"
env | grep -v ^VERBATIM_AGENT_RUN= | grep -c VERBATIM >> "$CLAUDE_CONFIG_DIR/secrets"
while read -r line; do
  case "$line" in
    *'"initialize"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"verbatim-1","response":{"models":[]}}}' ;;
    *'"subtype":"interrupt"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"verbatim-2"}}'
      echo '{"type":"result","is_error":true,"subtype":"error_during_execution"}' ;;
    *'"type":"user"'*)
      rest=${line#*'"uuid":"'}; id=${rest%%'"'*}
      printf '%s\n' "$line" >> "$CLAUDE_CONFIG_DIR/prompts"
      echo '{"type":"user","isReplay":true,"uuid":"'"$id"'","message":{"role":"user","content":""}}'
      case "$line" in
        *permission*)
          echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch x"},"permission_suggestions":[]}}' ;;
        *twice*)
          echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"touch x"}}}'
          echo '{"type":"control_request","request_id":"r2","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"touch y"}}}' ;;
        *form*)
          echo '{"type":"control_request","request_id":"r1","request":{"subtype":"elicitation","mcp_server_name":"orchard","message":"Which tree?","mode":"form","requested_schema":{"type":"object","required":["tree"],"properties":{"tree":{"type":"string","title":"Tree","oneOf":[{"const":"apple","title":"An apple tree"},{"const":"pear","title":"A pear tree"}]},"height":{"type":"integer","description":"In metres"},"tools":{"type":"array","title":"Tools","items":{"enum":["saw","ladder"]}},"wet":{"type":"boolean","title":"It rains"}}}}}' ;;
        *flood*)
          i=0
          while [ $i -lt 120 ]; do
            i=$((i+1))
            echo '{"type":"control_request","request_id":"f'$i'","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch '$i'"}}}'
          done ;;
        *slow*) ;;
        *warn*)
          echo 'Old settings'
          echo '{"type":"command_lifecycle","state":"started"}'
          echo '{"type":"result","is_error":false}' ;;
        *write*)
          echo $$ > "$CLAUDE_CONFIG_DIR/process"
          echo '{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1"}}}'
          echo '{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text"}}}'
          echo '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Slow part 0"}}}' ;;
        *leave*)
          setsid sleep 600 > /dev/null 2>&1 &
          echo "$$ $!" >> "$CLAUDE_CONFIG_DIR/left"
          echo '{"type":"result","is_error":false}' ;;
        *die*)
          echo $$ > "$CLAUDE_CONFIG_DIR/process"
          echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch x"}}}' ;;
        *) echo '{"type":"result","is_error":false,"usage":{"input_tokens":1,"output_tokens":2}}' ;;
      esac ;;
    *'"control_response"'*)
      printf '%s\n' "$line" >> "$CLAUDE_CONFIG_DIR/answers"
      echo '{"type":"result","is_error":false}' ;;
  esac
done
"#;

/// A hub with the agent installed, and a folder to work in.
pub async fn house() -> House {
    let mut house = House::with_projects(Consent::Asked).await;
    let agent = house.write("bin/claude", AGENT);
    std::fs::set_permissions(agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(house.path("work")).unwrap();
    let path = format!("{}:/usr/bin:/bin", house.path("bin").display());
    let variables =
        [("PATH", path), ("CLAUDE_CONFIG_DIR", house.path("").display().to_string()), ("VERBATIM_KEY", "x".to_owned())];
    let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    house.renew(|settings| settings.agents = Environment::of(variables, &[])).await;
    house
}

pub async fn owner(house: &House, method: api::Method, path: &str, body: Value) -> Answer {
    house.send(Caller::owner(), method, path, Some(body).filter(|body| !body.is_null())).await
}

fn start(house: &House, more: Value) -> Value {
    let mut body = json!({"agent": "claude", "folder": house.path("work")});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

pub async fn started(house: &House, more: Value) -> String {
    let answer = owner(house, Post, "/v1/agents/sessions", start(house, more)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body["session"].as_str().unwrap().to_owned()
}

/// Waits until the agent is in a state.
pub async fn until(house: &House, session: &str, state: &str) -> Value {
    let mut changes = house.hub.state::<Driving>().changes();
    in_time(async {
        loop {
            let agent = owner(house, Get, &format!("/v1/sessions/{session}/agent"), Value::Null).await;
            // The stored state of an agent follows its end.
            if agent.body["state"] == state {
                return agent.body;
            }
            let _ = tokio::time::timeout(std::time::Duration::from_millis(20), changes.changed()).await;
        }
    })
    .await
}

pub fn file(house: &House, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(house.path(name)).unwrap_or_default();
    // The last line may be in the middle of being written.
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned).collect()
}

/// Waits until the agent has written so many lines.
pub async fn written(house: &House, name: &str, count: usize) -> Vec<String> {
    in_time(async {
        loop {
            let lines = file(house, name);
            if lines.len() >= count {
                return lines;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

pub fn refusal(answer: &Answer) -> (u16, &str, Option<&str>, &str) {
    let word = |name: &str| answer.body[name].as_str();
    (answer.status, word("code").unwrap_or_default(), word("field"), word("title").unwrap_or_default())
}

/// The open approval of a session, once there is one: its id and what was shown of it.
pub async fn asked(house: &House, session: &str) -> (String, Value) {
    until(house, session, "waiting").await;
    let mut pos = house.hub.feed.pos();
    in_time(async {
        loop {
            let page = owner(house, Get, &format!("/v1/sessions/{session}/messages"), Value::Null).await.body;
            let open = page["messages"].as_array().unwrap().iter().find(|m| m["message_type"] == "APPROVAL").cloned();
            if let Some(card) = open {
                return (card["id"].as_str().unwrap().to_owned(), card["shown_sha256"].clone());
            }
            while house.hub.feed.pos() == pos {
                tokio::task::yield_now().await;
            }
            pos = house.hub.feed.pos();
        }
    })
    .await
}

#[tokio::test]
async fn a_prompt_reaches_the_agent_once_and_its_request_is_decided_once() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Ask for a permission", "mode": "plan"})).await;
    let (card, shown) = asked(&house, &session).await;
    let path = format!("/v1/sessions/{session}/messages/{card}/decision");
    let decision = json!({"selected": ["deny"], "text": "Not there.", "shown_sha256": shown});
    let decided = owner(&house, Post, &path, decision.clone()).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    until(&house, &session, "idle").await;
    let expected = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
        "response": {"behavior": "deny",
            "message": "The user doesn't want to proceed with this tool use. Instead, the user said:\nNot there."}}});
    let answers: Vec<Value> = file(&house, "answers").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers, [expected]);

    let late = owner(&house, Post, &path, json!({"selected": ["allow"], "shown_sha256": shown})).await;
    assert_eq!(refusal(&late), (409, "decided", None, "It was already decided, by owner: Deny, Not there."));
    assert_eq!(file(&house, "answers").len(), 1);
    assert_eq!(file(&house, "prompts").len(), 1);
    assert_eq!(file(&house, "secrets"), ["0"]);
    let arguments = file(&house, "arguments");
    assert!(arguments[0].contains("--permission-mode=plan --session-id="), "{arguments:?}");
    // The message has the id that the agent's transcript gives it.
    let page = house.read(&format!("/v1/sessions/{session}/messages")).await;
    let prompt = page["messages"][0]["id"].as_str().unwrap().to_owned();
    assert!(file(&house, "prompts")[0].contains(&prompt));
    // Starting it was consent to read what it writes.
    let folder = house.path("projects").join(hub::discover::coded(&house.path("work").display().to_string()));
    let projects = house.hub.workspace.projects().await.unwrap();
    let agreed: Vec<_> = projects.iter().map(|project| (project.path.clone(), project.following)).collect();
    assert_eq!(agreed, [(folder.display().to_string(), store::Following::Following)]);
}

#[tokio::test]
async fn two_requests_for_one_call_are_decided_by_themselves() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Ask twice"})).await;
    let path = format!("/v1/sessions/{session}/messages");
    let cards = in_time(async {
        loop {
            let page = house.read(&path).await;
            let messages = page["messages"].as_array().unwrap().iter();
            let cards: Vec<Value> = messages.filter(|message| message["message_type"] == "APPROVAL").cloned().collect();
            if cards.len() == 2 {
                return cards;
            }
        }
    })
    .await;
    for card in &cards {
        let option = if card["content"].as_str().unwrap().contains("touch x") { "allow" } else { "deny" };
        let body = json!({"selected": [option], "shown_sha256": card["shown_sha256"]});
        let decided = owner(&house, Post, &format!("{path}/{}/decision", card["id"].as_str().unwrap()), body).await;
        assert_eq!(decided.status, 200, "{}", decided.body);
    }
    let answers = written(&house, "answers", 2).await;
    let told = |line: &String| {
        let response = serde_json::from_str::<Value>(line).unwrap()["response"].clone();
        (response["request_id"].clone(), response["response"]["behavior"].clone())
    };
    let mut told: Vec<(Value, Value)> = answers.iter().map(told).collect();
    told.sort_by_key(|(request, _)| request.to_string());
    assert_eq!(told, [(json!("r1"), json!("allow")), (json!("r2"), json!("deny"))]);
}

/// Returns the prompts that the agent was sent, without ids.
pub fn prompts(house: &House) -> Vec<Value> {
    let line = |line: &String| serde_json::from_str::<Value>(line).unwrap()["message"]["content"].clone();
    file(house, "prompts").iter().map(line).collect()
}

#[tokio::test]
async fn a_prompt_comes_with_what_the_system_said_and_its_transcript_adds_no_message() {
    let house = house().await;
    let session = started(&house, json!({})).await;
    until(&house, &session, "idle").await;
    let path = format!("/v1/sessions/{session}/messages");
    for (role, content) in [("host", "Disk full"), ("system", "Deployed"), ("user", "First"), ("user", "Be slow")] {
        let body = json!({"id": content, "role": role, "sender": role, "content": content});
        let posted = owner(&house, Post, &path, body).await;
        assert_eq!(posted.status == 201, role != "host", "{}", posted.body);
    }
    written(&house, "prompts", 2).await;
    let text = |text: &str| json!({"type": "text", "text": text});
    let first = json!([text("<system>\nDeployed\n</system>"), text("First")]);
    assert_eq!(prompts(&house), [first.clone(), json!("Be slow")]);
    let log = house.read(&format!("/v1/sessions/{session}/context-log")).await;
    let of = |run: &str| -> String {
        let entries = log["entries"].as_array().unwrap().iter().filter(|entry| entry["run"] == run);
        entries.map(|entry| entry["text"].as_str().unwrap()).collect()
    };
    assert_eq!(of("First"), json!([{"role": "user", "content": first}]).to_string());
    assert_eq!(of("Be slow"), "Be slow");

    // The transcript has other ids, and the words of the system in a line of their own.
    let own = house.read(&format!("/v1/sessions/{session}")).await["session"]["agent_session_id"].clone();
    let talk = Talk::new(own.as_str().unwrap()).user("<system>\nDeployed\n</system>").user("First").says("Done.");
    let before = house.read(&path).await["messages"].clone();
    for text in [talk.text(), talk.user("Be slow").text()] {
        house.import(&[house.write("own.jsonl", text)]).await;
    }
    let after = house.read(&path).await["messages"].clone();
    let said = |messages: &Value| -> Vec<(Value, Value)> {
        let messages = messages.as_array().unwrap().iter();
        messages.map(|message| (message["id"].clone(), message["content"].clone())).collect()
    };
    let (after, before) = (said(&after), said(&before));
    assert_eq!(after[..before.len()], before);
    assert_eq!(after[before.len()..].iter().map(|(_, content)| content.clone()).collect::<Vec<_>>(), ["Done."]);
}

#[tokio::test]
async fn pictures_go_with_a_prompt_and_its_transcript_adds_no_message() {
    let house = house().await;
    let session = started(&house, json!({})).await;
    until(&house, &session, "idle").await;
    let scoped = Scoped::new(house.hub.clone(), Caller::owner());
    let mut files = Vec::new();
    let large = "x".repeat((5 << 20) + 1);
    let given =
        [("dot.png", "image/png", "png"), ("notes.txt", "text/plain", "plums"), ("wall.png", "image/png", &large)];
    for (name, mime, bytes) in given {
        let (made, _) = put(&scoped, mime, bytes.to_owned().into()).await.unwrap();
        files.push(json!({"name": name, "mime": mime, "size": made.size, "blob": made.blob, "state": "ready"}));
    }
    files.push(json!({"name": "gone.png", "mime": "image/png", "size": 3, "state": "ready"}));
    let path = format!("/v1/sessions/{session}/messages");
    let metadata = json!({"message_type": "FILE", "payload": {"files": files}});
    let body = json!({"id": "look", "role": "user", "content": "What is it?", "message_metadata": metadata});
    let posted = owner(&house, Post, &path, body).await;
    assert_eq!(posted.status, 201, "{}", posted.body);
    written(&house, "prompts", 1).await;
    let content = json!([
        {"type": "text", "text": "What is it?\ndot.png\nnotes.txt\nwall.png\ngone.png"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}},
    ]);
    assert_eq!(prompts(&house), std::slice::from_ref(&content));
    let agent = house.read(&format!("/v1/sessions/{session}/agent")).await;
    let notices = agent["notices"].as_array().unwrap().iter();
    let notices: Vec<_> = notices.map(|notice| (notice["text"].clone(), notice["current"].clone())).collect();
    let why = [
        ("notes.txt", "it only accepts PNG, JPEG, GIF and WebP images"),
        ("wall.png", "it accepts images of at most 5 MiB"),
        ("gone.png", "the file isn't stored here"),
    ];
    let expected =
        why.map(|(name, why)| format!("The agent was given only the name of {name}, without its content: {why}"));
    assert_eq!(notices, expected.map(|text| (json!(text), json!(true))));

    let own = house.read(&format!("/v1/sessions/{session}")).await["session"]["agent_session_id"].clone();
    let said = json!({"role": "user", "content": content});
    let talk = Talk::new(own.as_str().unwrap()).message("user", said, json!({})).says("A dot.");
    for text in [talk.text(), talk.says("A small one.").text()] {
        house.import(&[house.write("own.jsonl", text)]).await;
        let all = house.read(&path).await["messages"].clone();
        let shown = |message: &Value| (message["message_type"].clone(), message["content"].clone());
        let all: Vec<(Value, Value)> = all.as_array().unwrap().iter().map(shown).collect();
        assert_eq!(all[..2], [(json!("FILE"), json!("What is it?")), (json!("TEXT"), json!("A dot."))]);
    }
}

#[tokio::test]
async fn an_agent_is_interrupted_ended_and_resumed() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Be slow"})).await;
    let tell = async |action: &str| {
        owner(&house, Post, &format!("/v1/sessions/{session}/agent/tell"), json!({ "action": action })).await
    };
    until(&house, &session, "working").await;
    assert_eq!(tell("interrupt").await.status, 200);
    until(&house, &session, "idle").await;
    let idle = tell("interrupt").await;
    assert_eq!(refusal(&idle), (409, "not_now", None, "The agent does nothing that could be interrupted"));
    assert_eq!(tell("end").await.status, 200);
    let ended = until(&house, &session, "ended").await;
    assert_eq!(ended["reason"], Value::Null);
    let gone = tell("interrupt").await;
    assert_eq!(refusal(&gone), (409, "agent_ended", None, "The agent of this session isn't running"));

    let resume = format!("/v1/sessions/{session}/agent/resume");
    let again = owner(&house, Post, &resume, json!({})).await;
    assert_eq!((again.status, &again.body["session"]), (201, &json!(session)), "{}", again.body);
    let twice = owner(&house, Post, &resume, json!({})).await;
    assert_eq!(refusal(&twice), (409, "agent_runs", None, "The agent of this session is already running"));
    let fork = owner(&house, Post, &resume, json!({"fork": true})).await;
    assert_eq!(fork.status, 201);
    assert_ne!(fork.body["session"], json!(session));
    let arguments = file(&house, "arguments");
    let own = house.read(&format!("/v1/sessions/{session}")).await["session"]["agent_session_id"].clone();
    let own = own.as_str().unwrap();
    assert!(arguments[1].ends_with(&format!("--resume={own}")), "{arguments:?}");
    assert!(arguments[2].contains(&format!("--resume={own} --session-id=")), "{arguments:?}");
    assert!(arguments[2].ends_with("--fork-session"), "{arguments:?}");
}

#[tokio::test]
async fn a_session_whose_agent_was_killed_has_failed_at_once() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Please die"})).await;
    asked(&house, &session).await;
    let process = written(&house, "process", 1).await.remove(0);
    assert!(std::process::Command::new("kill").args(["-9", &process]).status().unwrap().success());
    let ended = until(&house, &session, "failed").await;
    assert_eq!(ended["reason"], "The agent was killed");
    let told = "The agent's run failed: The agent was killed";
    let (state, live) = in_time(async {
        loop {
            let found = house.read(&format!("/v1/sessions/{session}/messages")).await;
            let messages = found["messages"].as_array().unwrap();
            let session = house.read(&format!("/v1/sessions/{session}")).await["session"].clone();
            if messages.iter().any(|message| message["content"] == told) && !session["live"].is_null() {
                return (session["state"].clone(), session["live"]["state"].clone());
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!((state, live), (json!("failed"), json!("failed")));
}

/// The part of an answer that the page showed stays, as broken off, and is there once if the transcript has it after
/// all.
#[tokio::test]
async fn what_a_killed_agent_was_writing_is_kept_once() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Please write"})).await;
    let process = written(&house, "process", 1).await.remove(0);
    let path = format!("/v1/sessions/{session}/agent");
    in_time(async { while house.read(&path).await["growing"] != json!([{"text": "Slow part 0"}]) {} }).await;
    assert!(std::process::Command::new("kill").args(["-9", &process]).status().unwrap().success());
    until(&house, &session, "failed").await;
    let said = async || -> Vec<(Value, Value)> {
        let page = house.read(&format!("/v1/sessions/{session}/messages")).await;
        let messages = page["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
        messages.map(|message| (message["content"].clone(), message["status"].clone())).collect()
    };
    assert_eq!(said().await, [(json!("Slow part 0"), json!("error"))]);

    let own = house.read(&format!("/v1/sessions/{session}")).await["session"]["agent_session_id"].clone();
    let talk = Talk::new(own.as_str().unwrap()).user("Please write").says("Slow part 0 and 1");
    house.import(&[house.write("own.jsonl", talk.text())]).await;
    let whole = [(json!("Slow part 0 and 1"), json!("final"))];
    in_time(async {
        loop {
            let said = said().await;
            if said.iter().filter(|(_, status)| status != "retracted").cloned().collect::<Vec<_>>() == whole {
                return;
            }
        }
    })
    .await;
}

/// A command in a session of its own isn't in the agent's process group. When its agent is killed, it ends all the
/// same. An agent that exits by itself may leave a daemon, as in a terminal.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_killed_agent_left_ends_and_what_others_left_goes_on() {
    let house = house().await;
    let kill = |id: &str| std::process::Command::new("kill").args(["-9", id]).status().unwrap().success();
    // One that has ended and that nobody waited for has no arguments any more; one that begins has none yet.
    let runs = |id: &str| std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|arguments| !arguments.is_empty());
    // One after the other, so that the lines are in this order: an agent is idle also before it gets its prompt.
    let killed = started(&house, json!({"prompt": "Please leave one"})).await;
    written(&house, "left", 1).await;
    let ended = started(&house, json!({"prompt": "Please leave another one"})).await;
    let left = written(&house, "left", 2).await;
    let left: Vec<_> = left.iter().map(|line| line.split_once(' ').unwrap()).collect();
    let run = async {
        while !left.iter().all(|(_, command)| runs(command)) {
            tokio::task::yield_now().await;
        }
    };
    in_time(run).await;

    assert!(kill(left[0].0));
    until(&house, &killed, "failed").await;
    let path = format!("/v1/sessions/{ended}/agent/tell");
    assert_eq!(owner(&house, Post, &path, json!({"action": "end"})).await.status, 200);
    until(&house, &ended, "ended").await;
    assert_eq!(left.iter().map(|(_, command)| runs(command)).collect::<Vec<_>>(), [false, true]);
    assert!(kill(left[1].1));
}

#[tokio::test]
async fn what_cannot_be_started_names_its_field() {
    let house = house().await;
    let refused = async |more: Value| {
        let answer = owner(&house, Post, "/v1/agents/sessions", start(&house, more)).await;
        (answer.status, answer.body["field"].clone(), answer.body["title"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(
        refused(json!({"agent": "clippy"})).await,
        (400, json!("/agent"), "`/agent` should be one of `claude`, `codex`, `gemini`, `opencode`, `qwen`, `claude-acp`, `codex-acp`; got `clippy`"
            .to_owned())
    );
    assert_eq!(
        refused(json!({"folder": "work"})).await,
        (400, json!("/folder"), "`/folder` should be the absolute path of a folder".to_owned())
    );
    assert_eq!(
        refused(json!({"folder": house.path("gone")})).await,
        (400, json!("/folder"), "`/folder` should be a folder that exists".to_owned())
    );
    let (status, field, _) = refused(json!({"mode": "yolo"})).await;
    assert_eq!((status, field), (400, json!("/mode")));
    house.write("bin/claude", "#!/bin/sh\necho Please log in >&2\nexit 3\n");
    assert_eq!(refused(json!({})).await, (502, json!("/agent"), "Claude Code didn't begin: Please log in".to_owned()));
    std::fs::remove_file(house.path("bin/claude")).unwrap();
    let (status, field, title) = refused(json!({})).await;
    assert_eq!((status, field), (400, json!("/agent")));
    assert!(title.contains("`claude` isn't in the server's `PATH`"), "{title}");
    let none = owner(&house, Get, "/v1/sessions", Value::Null).await;
    assert_eq!(none.body["sessions"], json!([]));
}

#[tokio::test]
async fn agents_may_not_start_agents() {
    let house = house().await;
    let agent = house.agent("bot").await;
    for (method, path) in [
        (Get, "/v1/agents".to_owned()),
        (Post, "/v1/agents/sessions".to_owned()),
        (Get, "/v1/sessions/x/agent".to_owned()),
        (Patch, "/v1/sessions/x/agent".to_owned()),
        (Post, "/v1/sessions/x/agent/tell".to_owned()),
        (Post, "/v1/sessions/x/agent/resume".to_owned()),
    ] {
        let body = (method != Get).then(|| json!({}));
        assert_eq!(house.send(agent.clone(), method, &path, body).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn a_form_is_filled_in_and_the_agent_gets_what_its_schema_wants() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Show a form"})).await;
    let (card, shown) = asked(&house, &session).await;
    let path = format!("/v1/sessions/{session}/messages/{card}");
    let message = owner(&house, Get, &path, Value::Null).await.body;
    let payload = json!({
        "kind": "form", "title": "Which tree?", "body": "Asked by the MCP server `orchard`", "questions": [], "state": "open",
        "fields": [
            {"id": "tree", "label": "Tree", "type": "select", "required": true, "options": ["An apple tree", "A pear tree"]},
            {"id": "height", "label": "In metres", "type": "number"},
            {"id": "tools/saw", "label": "Tools: saw", "type": "checkbox"},
            {"id": "tools/ladder", "label": "Tools: ladder", "type": "checkbox"},
            {"id": "wet", "label": "It rains", "type": "checkbox"},
        ],
    });
    assert_eq!(message["entry"]["metadata"]["payload"], payload);
    let values = json!({"tree": "A pear tree", "height": 4, "tools/ladder": true});
    let decision = json!({"values": values, "shown_sha256": shown});
    let decided = owner(&house, Post, &format!("{path}/decision"), decision).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    let answer: Value = serde_json::from_str(&written(&house, "answers", 1).await[0]).unwrap();
    let content = json!({"tree": "pear", "height": 4, "tools": ["ladder"], "wet": false});
    assert_eq!(answer["response"]["response"], json!({"action": "accept", "content": content}));
}

#[tokio::test]
async fn a_server_that_starts_leaves_alone_what_others_run() {
    let mut house = house().await;
    house.renew(|settings| settings.server = Some("north".to_owned())).await;
    let session = started(&house, json!({"prompt": "Ask for a permission"})).await;
    let (card, shown) = asked(&house, &session).await;
    let north = house.hub.clone();
    house.renew(|settings| settings.server = Some("south".to_owned())).await;
    driving::mark_interrupted(&house.hub).await.unwrap();
    let path = format!("/v1/sessions/{session}/agent");
    let agent = owner(&house, Get, &path, Value::Null).await.body;
    assert_eq!(
        (&agent["state"], &agent["reason"]),
        (
            &json!("interrupted"),
            &json!("Another server started the agent; resume it here only if that server is gone for good")
        )
    );
    // The card is still open, and the agent goes on.
    house.hub = north;
    let decision = format!("/v1/sessions/{session}/messages/{card}/decision");
    let decided = owner(&house, Post, &decision, json!({"selected": ["allow"], "shown_sha256": shown})).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    until(&house, &session, "idle").await;
    house.renew(|settings| settings.server = Some("north".to_owned())).await;
    driving::mark_interrupted(&house.hub).await.unwrap();
    let agent = owner(&house, Get, &path, Value::Null).await.body;
    assert_eq!(
        (&agent["state"], &agent["reason"]),
        (&json!("ended"), &json!("The server ended while the agent waited for a prompt"))
    );
}

/// Codex's server: at each prompt it asks a question, and notes the answer.
const CODEX: &str = r#"#!/bin/sh
while read -r line; do
  rest=${line#*'"id":'}; id=${rest%%[,\}]*}
  case "$line" in
    *'"initialize"'*) echo '{"id":'"$id"',"result":{}}' ;;
    *'"model/list"'*) echo '{"id":'"$id"',"result":{"data":[]}}' ;;
    *'"thread/start"'*) echo '{"id":'"$id"',"result":{"thread":{"id":"t"}}}' ;;
    *'"turn/start"'*)
      echo '{"id":'"$id"',"result":{"turn":{"id":"u"}}}'
      echo '{"id":70,"method":"item/tool/requestUserInput","params":{"threadId":"t","itemId":"call","questions":[{"id":"tree","header":"Tree","question":"Which tree?","options":[{"label":"Apple","description":"Sour"},{"label":"Pear","description":"Sweet"}]}]}}' ;;
    *'"id":70'*)
      printf '%s\n' "$line" >> "$CLAUDE_CONFIG_DIR/answers"
      echo '{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed"}}}' ;;
  esac
done
"#;

#[tokio::test]
async fn a_question_of_codex_has_its_choices_and_gets_its_answer() {
    let mut house = house().await;
    let agent = house.write("bin/codex", CODEX);
    std::fs::set_permissions(agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let codex = agents::agent("codex").unwrap();
    let path = house.path("sessions");
    let root = Root { path, consent: Consent::Asked, agent: codex.name, folder: codex.folders[0] };
    house.renew(|settings| settings.roots.push(root)).await;
    let session = started(&house, json!({"agent": "codex", "prompt": "Plant"})).await;
    let (card, shown) = asked(&house, &session).await;
    let path = format!("/v1/sessions/{session}/messages/{card}");
    let asked = house.read(&path).await["entry"]["metadata"]["payload"].clone();
    let options = json!([
        {"id": "1-1", "label": "Apple", "description": "Sour"},
        {"id": "1-2", "label": "Pear", "description": "Sweet"},
    ]);
    let question = json!({"question": "Which tree?", "header": "Tree", "options": options, "multi_select": false, "allow_text": true});
    let open = json!({"kind": "question", "title": "Which tree?", "questions": [question], "state": "open"});
    assert_eq!(asked, open);
    let decision = json!({"selected": ["1-2"], "shown_sha256": shown});
    let decided = owner(&house, Post, &format!("{path}/decision"), decision).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    let answers = written(&house, "answers", 1).await;
    let answer: Value = serde_json::from_str(&answers[0]).unwrap();
    assert_eq!(answer["result"], json!({"answers": {"tree": {"answers": ["Pear"]}}}));
}
