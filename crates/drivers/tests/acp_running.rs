//! The Agent Client Protocol on a process that plays an agent, good and bad ones. What both sides say is read from the
//! transcript, and so are its messages.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use agents::Change;
use drivers::programs::any_acp;
use drivers::{Command, Event, Exit, Handle, Launch, Limits, Log, Opening, Outcome, Prompt, Reason, State, start};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// A running agent in a folder of its own.
struct Run {
    above: tempfile::TempDir,
    handle: Handle,
    events: Receiver<Event>,
}

/// The first steps of an agent that has begun and takes a prompt.
const BEGINS: &str = r#"read
say {"id":1,"result":{"protocolVersion":1}}
read
say {"id":2,"result":{"sessionId":"s"}}
read"#;

impl Run {
    async fn new(script: &str, limits: Limits) -> Self {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("session");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("note"), "one\ntwo\n").unwrap();
        std::fs::write(above.path().join("secret"), "secret").unwrap();
        let launch = Launch {
            program: env!("CARGO_BIN_EXE_scripted-agent").into(),
            arguments: vec![script.into()],
            folder: folder.clone(),
            environment: Vec::new(),
            log: Some(Log { path: above.path().join("log.jsonl"), now: || 1_767_955_200_000 }),
        };
        let opening = Opening { folder: folder.display().to_string(), ..Opening::default() };
        let (handle, events) = start(any_acp(opening), launch, limits).await.unwrap();
        Self { above, handle, events }
    }

    /// A prompt was sent once the agent had begun.
    async fn prompted(script: &str) -> Self {
        let run = Self::new(&format!("{BEGINS}\n{script}"), Limits::default()).await;
        let prompt = Prompt { id: "p".to_owned(), text: "Go".to_owned(), ..Prompt::default() };
        run.handle.send(Command::Prompt(prompt)).await.unwrap();
        run
    }

    /// The events to the end.
    async fn rest(&mut self) -> Vec<Event> {
        let mut rest = Vec::new();
        while let Some(event) = self.events.recv().await {
            rest.push(event);
        }
        rest
    }

    /// Ends the agent once it has had its turn.
    async fn after_turn(&mut self) -> Vec<Event> {
        while let Some(event) = self.events.recv().await {
            if matches!(event, Event::Turn(_)) {
                break;
            }
        }
        self.handle.send(Command::End).await.unwrap();
        self.rest().await
    }

    fn log(&self) -> PathBuf {
        self.above.path().join("log.jsonl")
    }

    /// Returns our answer to the agent's request of this id.
    fn answered(&self, id: &str) -> Value {
        let text = std::fs::read_to_string(self.log()).unwrap();
        let frames = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut answers = frames.filter(|frame| frame["direction"] == "in" && frame["message"]["id"] == id);
        let answer = answers.next().unwrap_or_else(|| panic!("no answer to {id} in {text}"));
        answer["message"].clone()
    }

    /// The messages of the transcript: role, type and content.
    fn messages(&self) -> Vec<(String, String)> {
        let reading = agents::agent("acp").unwrap().reading.unwrap();
        let mut reader = (reading.open)("log.jsonl", None);
        let mut changes = Vec::new();
        reader.push(&std::fs::read(self.log()).unwrap(), &mut changes);
        let shown = changes.into_iter().filter_map(|change| match change {
            Change::Message { draft, .. } if draft.role.to_string() != "system" => Some(draft),
            _ => None,
        });
        shown.map(|draft| (draft.role.to_string(), draft.content)).collect()
    }
}

#[tokio::test]
async fn a_turn_becomes_messages_by_its_transcript() {
    let mut run = Run::prompted(
        r#"say {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}}}
say {"id":3,"result":{"stopReason":"end_turn"}}
wait"#,
    )
    .await;
    let events = run.after_turn().await;
    let ended = Event::Ended(Exit { code: Some(0), reason: Reason::Asked, stderr: String::new() });
    assert_eq!(events, [Event::State(State::Idle), ended]);
    let said = [("user", "Go"), ("assistant", "Done."), ("host", "end turn")];
    assert_eq!(run.messages(), said.map(|(role, text)| (role.to_owned(), text.to_owned())));
}

#[tokio::test]
async fn files_are_served_inside_the_folder_alone() {
    let ask = |id: &str, path: &str| {
        let params = json!({ "sessionId": "s", "path": path, "line": 2 });
        format!("say {}", json!({ "id": id, "method": "fs/read_text_file", "params": params }))
    };
    let write = json!({ "id": "w", "method": "fs/write_text_file", "params": {
        "sessionId": "s", "path": "../secret", "content": "x",
    } });
    let lines = [
        ask("in", "note"),
        "read".to_owned(),
        ask("up", "../secret"),
        "read".to_owned(),
        ask("away", "/etc/hostname"),
        "read".to_owned(),
        ask("new", "not yet"),
        "read".to_owned(),
        format!("say {write}"),
        "read".to_owned(),
        r#"say {"id":3,"result":{"stopReason":"end_turn"}}"#.to_owned(),
        "wait".to_owned(),
    ];
    let mut run = Run::prompted(&lines.join("\n")).await;
    run.after_turn().await;
    assert_eq!(run.answered("in")["result"], json!({ "content": "two\n" }));
    for (id, path) in [("up", "../secret"), ("away", "/etc/hostname"), ("w", "../secret")] {
        let folder = run.above.path().join("session").canonicalize().unwrap();
        let words = format!("`{path}` is outside of the session's folder `{}`", folder.display());
        assert_eq!(run.answered(id)["error"], json!({ "code": -32000, "message": words }));
    }
    // A missing file has a code of its own: the agent is about to create it.
    assert_eq!(run.answered("new")["error"]["code"], json!(-32002));
    assert_eq!(std::fs::read_to_string(run.above.path().join("secret")).unwrap(), "secret");
}

#[cfg(unix)]
#[tokio::test]
async fn commands_run_inside_the_folder_alone() {
    let ask = |id: &str, method: &str, mut params: Value| {
        params["sessionId"] = json!("s");
        format!("say {}\nread", json!({ "id": id, "method": format!("terminal/{method}"), "params": params }))
    };
    let one = json!({ "terminalId": "terminal-1" });
    let lines = [
        ask("run", "create", json!({ "command": "/bin/cat", "args": ["note"], "outputByteLimit": 4 })),
        ask("wait", "wait_for_exit", one.clone()),
        ask("out", "output", one.clone()),
        ask("end", "release", one.clone()),
        ask("gone", "output", one),
        ask("away", "create", json!({ "command": "/bin/ls", "args": ["."], "cwd": ".." })),
        ask("none", "create", json!({ "command": "/no/such/program", "args": ["."] })),
        r#"say {"id":3,"result":{"stopReason":"end_turn"}}"#.to_owned(),
        "wait".to_owned(),
    ];
    let mut run = Run::prompted(&lines.join("\n")).await;
    run.after_turn().await;
    assert_eq!(run.answered("run")["result"], json!({ "terminalId": "terminal-1" }));
    let exit = json!({ "exitCode": 0, "signal": null });
    assert_eq!(run.answered("wait")["result"], exit);
    let output = json!({ "output": "two\n", "truncated": true, "exitStatus": exit });
    assert_eq!(run.answered("out")["result"], output);
    assert_eq!(run.answered("end")["result"], json!({}));
    let refused = |id: &str| run.answered(id)["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(refused("gone"), "`terminalId`: there is no terminal `terminal-1`");
    assert!(refused("away").starts_with("`..` is outside of the session's folder"), "{}", refused("away"));
    assert!(refused("none").starts_with("`/no/such/program` can't be run"), "{}", refused("none"));
}

#[tokio::test]
async fn an_agent_that_dies_leaves_no_request_open() {
    let ask = json!({ "id": 0, "method": "session/request_permission", "params": {
        "sessionId": "s", "toolCall": { "toolCallId": "c" }, "options": [],
    } });
    let mut run = Run::prompted(&format!("say {ask}\nerr no memory\nhalf {{\"id\":3,\nexit 9")).await;
    let events = run.rest().await;
    let half = Event::Notice("The agent ended in the middle of a line of 8 bytes".to_owned());
    let ended = Event::Ended(Exit { code: Some(9), reason: Reason::Itself, stderr: "no memory\n".to_owned() });
    assert!(events.contains(&Event::State(State::Waiting)), "{events:?}");
    assert_eq!(events[events.len() - 3..], [half, Event::Withdrawn { request: "0".to_owned() }, ended]);
}

#[tokio::test]
async fn an_agent_that_never_begins_is_ended() {
    let short = Duration::from_millis(50);
    let mut run = Run::new("read\nhang", Limits { silence: short, grace: short, ..Limits::default() }).await;
    let events = run.rest().await;
    let Some(Event::Ended(exit)) = events.last() else { panic!("{events:?}") };
    assert_eq!((exit.code, exit.reason), (None, Reason::Silent));
}

#[tokio::test]
async fn a_flood_is_taken_and_reported_a_few_times() {
    let mut run =
        Run::prompted("flood 2000\nbig 1000000\nsay {\"id\":3,\"result\":{\"stopReason\":\"refusal\"}}\nwait").await;
    let (mut notices, mut outcome) = (0, None);
    while let Some(event) = run.events.recv().await {
        match event {
            Event::Notice(_) => notices += 1,
            Event::Turn(turn) => {
                outcome = Some(turn.outcome);
                break;
            }
            _ => {}
        }
    }
    assert_eq!((notices, outcome), (20, Some(Outcome::Failed)));
    run.handle.send(Command::End).await.unwrap();
    run.rest().await;
}
