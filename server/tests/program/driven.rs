//! Agents that the server started, and what becomes of them when it ends. A script stands in for Claude Code.

use crate::support::{PATIENCE, Place, Server, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

/// Answers the start and takes prompts. A turn ends at once, unless the prompt says `work`: then it goes on whatever
/// becomes of its input and its output, with a command in a session of its own beside it, and writes both ids. Or it
/// says `write`: then it writes two texts and ends neither.
const AGENT: &str = r#"#!/bin/sh
echo "$$" >> "$CLAUDE_CONFIG_DIR/started"
while read -r line; do
  case "$line" in
    *'"initialize"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"verbatim-1","response":{"models":[]}}}' ;;
    *'"type":"user"'*)
      rest=${line#*'"uuid":"'}; id=${rest%%'"'*}
      echo '{"type":"user","isReplay":true,"uuid":"'"$id"'","message":{"role":"user","content":""}}'
      case "$line" in
        *work*)
          trap '' PIPE HUP
          setsid sleep 600 > /dev/null 2>&1 &
          echo "$$ $!" > "$CLAUDE_CONFIG_DIR/working"
          while :; do sleep 0.05; echo '{"type":"keep_alive"}' 2> /dev/null; done ;;
        *write*)
          echo '{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1"}}}'
          for index in 0 1; do
            echo '{"type":"stream_event","event":{"type":"content_block_start","index":'$index',"content_block":{"type":"text"}}}'
            echo '{"type":"stream_event","event":{"type":"content_block_delta","index":'$index',"delta":{"type":"text_delta","text":"Slow part '$index'"}}}'
          done ;;
        *) echo '{"type":"result","is_error":false}' ;;
      esac ;;
  esac
done
"#;

/// One that was killed and that nobody waited for has no arguments any more.
fn runs(id: &str) -> bool {
    std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|arguments| !arguments.is_empty())
}

fn place() -> Place {
    let place = Place::new();
    let agent = place.write("bin/claude", AGENT);
    std::fs::set_permissions(agent, std::fs::Permissions::from_mode(0o700)).unwrap();
    place.write("claude/projects/none", "");
    place.write("work/none", "");
    place
}

fn serve(place: Place) -> Server {
    let child = program(&place, &["--listen", "127.0.0.1:0"]).spawn().unwrap();
    adopt(place, child)
}

fn program(place: &Place, arguments: &[&str]) -> Command {
    let claude = place.path("claude");
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let mut program = place.program(&["serve", "--no-discover", "--claude-dir", claude.to_str().unwrap()]);
    program.args(arguments).env("PATH", path).env("CLAUDE_CONFIG_DIR", &claude).stdout(Stdio::piped());
    program
}

fn adopt(place: Place, mut child: Child) -> Server {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Server::adopt(place, child, &line)
}

/// Starts a server that takes over, with what it says on standard error.
fn taking_over(server: &Server, wait: &str) -> (Child, impl FnMut() -> String + use<>) {
    let mut program = program(&server.place, &["--take-over", "--agents-wait", wait]);
    let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let line = move || {
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        line
    };
    (child, line)
}

/// Starts a server on the same folder, after the other one ended.
fn again(mut server: Server) -> Server {
    serve(std::mem::replace(&mut server.place, Place::new()))
}

fn start(server: &Server, prompt: &str) -> String {
    let prompt = Some(prompt).filter(|prompt| !prompt.is_empty());
    let body = json!({"agent": "claude", "folder": server.place.path("work"), "prompt": prompt});
    let started = server.with_key("POST", "/v1/agents/sessions", &body.to_string());
    assert_eq!(started.status, 201, "{}", started.text());
    started.json()["session"].as_str().unwrap().to_owned()
}

fn agent(server: &Server, session: &str) -> Value {
    server.with_key("GET", &format!("/v1/sessions/{session}/agent"), "").json()
}

/// Returns the session's state in the list, its agent's state, and the reason why the agent doesn't run.
fn seen(server: &Server, session: &str) -> (Value, Value, Value) {
    let row = server.with_key("GET", &format!("/v1/sessions/{session}"), "").json()["session"].clone();
    let agent = agent(server, session);
    (row["state"].clone(), agent["state"].clone(), agent["reason"].clone())
}

/// It goes on with its pipes gone. The next server ends it before it lets anybody resume the session.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_outlives_its_server_is_ended_by_the_next_one() {
    let mut server = serve(place());
    let session = start(&server, "work");
    let working = server.place.path("claude/working");
    wait_until("it works", || std::fs::read_to_string(&working).is_ok_and(|ids| ids.ends_with('\n')));
    let ids = std::fs::read_to_string(working).unwrap();
    let (process, command) = ids.trim().split_once(' ').unwrap();
    wait_until("its state is stored", || agent(&server, &session)["state"] == "working");
    wait_until("its command has begun", || runs(command));
    server.kill();
    assert!(runs(process) && runs(command), "nobody ended it");

    let server = again(server);
    assert_eq!((runs(process), runs(command)), (false, false));
    let ended = json!("The server ended while the agent ran");
    assert_eq!(seen(&server, &session), (json!("failed"), json!("interrupted"), ended));
    let resumed = server.with_key("POST", &format!("/v1/sessions/{session}/agent/resume"), "{}");
    assert_eq!(resumed.status, 201, "{}", resumed.text());
    let started = std::fs::read_to_string(server.place.path("claude/started")).unwrap();
    let started: Vec<&str> = started.lines().collect();
    assert_eq!((started.len(), started.iter().filter(|id| runs(id)).count()), (2, 1));
}

/// An upgrade paints nothing red: who waited has ended, and who worked says that it was stopped.
#[test]
fn a_restart_is_no_failure_of_agents() {
    for kills in [false, true] {
        let mut server = serve(place());
        let (idle, busy) = (start(&server, ""), start(&server, "work"));
        wait_until("one rests", || agent(&server, &idle)["state"] == "idle");
        wait_until("one works", || agent(&server, &busy)["state"] == "working");
        if kills {
            server.kill();
        } else {
            server.terminate();
            assert!(server.ended(PATIENCE).success());
        }
        let server = again(server);
        let waited = json!("The server ended while the agent waited for a prompt");
        assert_eq!(seen(&server, &idle), (json!("done"), json!("ended"), waited));
        let (state, reason) = if kills {
            ("failed", "The server ended while the agent ran")
        } else {
            ("idle", "The server was stopped while the agent worked")
        };
        assert_eq!(seen(&server, &busy), (json!(state), json!("interrupted"), json!(reason)));
    }
}

#[test]
fn a_take_over_waits_for_agents_at_work() {
    let mut server = serve(place());
    let session = start(&server, "work");
    let works = |server: &Server| agent(server, &session)["state"] == "working";
    wait_until("it works", || works(&server));
    let waiting = "Waiting for 1 agent at work, 600 s at most\n";
    // One that is killed while it waits changes nothing, and the next one is heard.
    for _ in 0..2 {
        let (mut killed, mut line) = taking_over(&server, "600");
        assert_eq!(line(), waiting);
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert!(works(&server));
    }
    let (next, mut line) = taking_over(&server, "600");
    assert_eq!(line(), waiting);
    assert!(works(&server), "it serves meanwhile");
    let ended = server.with_key("POST", &format!("/v1/sessions/{session}/agent/tell"), r#"{"action": "end"}"#);
    assert!(matches!(ended.status, 200 | 202 | 204), "{}", ended.text());
    assert_eq!(line(), "The server before finishes its requests\n");
    assert!(server.ended(PATIENCE).success());
    let next = adopt(std::mem::replace(&mut server.place, Place::new()), next);
    assert_eq!(agent(&next, &session)["state"], "ended");
}

#[test]
fn a_take_over_that_waits_no_longer_says_which_agents_end() {
    let mut server = serve(place());
    let (idle, busy) = (start(&server, ""), start(&server, "work"));
    wait_until("one rests", || agent(&server, &idle)["state"] == "idle");
    wait_until("one works", || agent(&server, &busy)["state"] == "working");
    let (next, mut line) = taking_over(&server, "0");
    assert_eq!(line(), "Ending 1 agent at work: their sessions can be continued\n");
    assert!(server.ended(PATIENCE).success());
    let next = adopt(std::mem::replace(&mut server.place, Place::new()), next);
    let stopped = json!("The server was stopped while the agent worked");
    assert_eq!(seen(&next, &busy), (json!("idle"), json!("interrupted"), stopped));
    let resumed = next.with_key("POST", &format!("/v1/sessions/{busy}/agent/resume"), "{}");
    assert_eq!(resumed.status, 201, "{}", resumed.text());
}

#[test]
fn a_server_that_is_killed_while_it_waits_for_agents_is_followed_by_the_next() {
    let mut server = serve(place());
    let session = start(&server, "work");
    wait_until("it works", || agent(&server, &session)["state"] == "working");
    let (next, mut line) = taking_over(&server, "600");
    assert_eq!(line(), "Waiting for 1 agent at work, 600 s at most\n");
    server.kill();
    let next = adopt(std::mem::replace(&mut server.place, Place::new()), next);
    assert_eq!(next.port, server.port);
    assert_eq!(agent(&next, &session)["state"], "interrupted");
}

/// Returns the agent's messages in a session, each with its status, without those that were retracted.
fn said(server: &Server, session: &str) -> Vec<(Value, Value)> {
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages"), "").json();
    let messages = page["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
    let said = messages.map(|message| (message["content"].clone(), message["status"].clone()));
    said.filter(|(_, status)| status != "retracted").collect()
}

async fn in_time(what: &str, is_so: impl AsyncFn() -> bool) {
    let look = async { while !is_so().await {} };
    assert!(tokio::time::timeout(PATIENCE, look).await.is_ok(), "{what}");
}

/// It is there once after each start, and gives way to what the transcript has.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_was_writing_outlives_a_killed_server() {
    let mut server = serve(place());
    let session = start(&server, "Please write");
    let growing = json!([{"text": "Slow part 0"}, {"text": "Slow part 1"}]);
    wait_until("it writes", || agent(&server, &session)["growing"] == growing);
    let store = store::Store::open(&store::Database::Sqlite(server.place.data().join("verbatim.db"))).await.unwrap();
    let stored = async || {
        let texts = store.workspace("default").growing_texts(None).await.unwrap();
        texts.into_iter().map(|text| text.content).collect::<Vec<_>>()
    };
    in_time("it is stored", async || stored().await == ["Slow part 0", "Slow part 1"]).await;
    let cut = |text: &str| (json!(text), json!("error"));
    for _ in 0..2 {
        server.kill();
        server = again(server);
        assert_eq!(said(&server, &session), [cut("Slow part 0"), cut("Slow part 1")]);
    }

    let row = server.with_key("GET", &format!("/v1/sessions/{session}"), "").json()["session"].clone();
    let own = row["agent_session_id"].as_str().unwrap();
    let work = server.place.path("work").canonicalize().unwrap();
    let folder = hub::discover::coded(work.to_str().unwrap());
    let line = json!({
        "type": "assistant", "sessionId": own, "cwd": work, "version": "2.1.332", "uuid": "a1", "timestamp": "2026-03-01T09:00:00.000Z",
        "message": {"id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "Slow part 0 and more"}]},
    });
    server.place.write(&format!("claude/projects/{folder}/{own}.jsonl"), format!("{line}\n"));
    let whole = [cut("Slow part 1"), (json!("Slow part 0 and more"), json!("final"))];
    wait_until("the transcript is read", || said(&server, &session) == whole);
    in_time("it isn't stored any more", async || stored().await == ["Slow part 1"]).await;
    store.close().await;
}
