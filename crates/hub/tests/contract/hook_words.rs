//! What people write for an agent in its own terminal, where a hook waits for it.

use crate::hooks::{Mill, call, event};
use crate::support::{Answer, House, Talk, in_time, lines, send_to};
use api::Method::{Patch, Post};
use hub::Caller;
use hub::driving::Driving;
use serde_json::{Value, json};

const AGENT: &str = "/v1/sessions/mill/agent";
const MESSAGES: &str = "/v1/sessions/mill/messages";
const ENDS: (u16, &str) = (200, r#"{"waits":false}"#);

fn talk() -> Talk {
    Talk::new("mill").user("Grind").says("It is ground.")
}

async fn mill() -> Mill {
    let mill = Mill::new().await;
    mill.house.import(&[mill.house.write("mill.jsonl", talk().text())]).await;
    mill
}

/// A request of a hook: its first one, after a turn, unless the fields say more.
async fn waits(house: &House, hooks: &Caller, seconds: u32, hook: &str, more: Value) -> Answer {
    let mut body = json!({"session_id": "mill", "hook_event_name": "Stop", "hook": hook, "is_new": true});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    house.send(hooks.clone(), Post, &format!("/v1/hooks/claude_code/words/{seconds}"), Some(body)).await
}

impl Mill {
    async fn waits(&self, hook: &str) -> Answer {
        in_time(waits(&self.house, &self.hooks, 600, hook, json!({}))).await
    }

    /// Starts a hook, and returns once the server has it.
    async fn begin(&self, hook: &'static str) -> tokio::task::JoinHandle<Answer> {
        let before = self.state().await;
        let mut changes = self.house.hub.state::<Driving>().changes();
        let (hub, hooks) = (self.house.hub.clone(), self.hooks.clone());
        let request = json!({"session_id": "mill", "hook_event_name": "Stop", "hook": hook, "is_new": true});
        let waiting =
            tokio::spawn(
                async move { send_to(&hub, hooks, Post, "/v1/hooks/claude_code/words/600", Some(request)).await },
            );
        in_time(async {
            while self.state().await == before {
                changes.changed().await.unwrap();
            }
        })
        .await;
        waiting
    }

    async fn state(&self) -> Value {
        self.house.get(AGENT).await.body["state"].clone()
    }

    async fn writes(&self, id: &str, text: &str) {
        let posted = self.house.post(MESSAGES, json!({"id": id, "role": "user", "content": text})).await;
        assert_eq!(posted.status, 201, "{}", posted.body);
    }
}

fn shown(answer: &Answer) -> (u16, String) {
    (answer.status, answer.body.to_string())
}

fn words(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["words"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn words_reach_the_terminal_once_and_are_one_message_with_its_transcript() {
    let mill = mill().await;
    let waiting = mill.begin("h1").await;
    assert_eq!(mill.state().await, "terminal");
    mill.writes("m1", "Grind **finer**, please.").await;
    let answer = in_time(waiting).await.unwrap();
    assert_eq!(words(&answer), (200, "Grind **finer**, please."));
    assert_eq!(mill.state().await, "terminal_busy", "they begin a turn");
    let session = mill.house.read("/v1/sessions/mill").await["session"].clone();
    assert_eq!(session["live"]["reason"], "Works on a message from Verbatim");

    let given = agents::claude::wrap_page_message("Grind **finer**, please.");
    let line = format!(
        "<task-notification>\n<summary>Message from Verbatim</summary>\n</task-notification>\n<system-reminder>\nWritten: {given}\n\n</system-reminder>"
    );
    let more = talk().user(&line).says("It is finer.").text();
    mill.house.import(&[mill.house.write("mill.jsonl", more)]).await;
    let page = mill.house.read(MESSAGES).await;
    let said = lines(&page);
    assert_eq!(said.iter().filter(|line| line.contains("finer**")).count(), 1, "{said:#?}");
    assert!(said.iter().all(|line| !line.contains("task-notification")), "{said:#?}");
    let own = page["messages"].as_array().unwrap().iter().find(|message| message["id"] == "m1").unwrap();
    assert_eq!((&own["role"], &own["content"]), (&json!("user"), &json!("Grind **finer**, please.")));
}

#[tokio::test]
async fn words_wait_for_the_end_of_the_turn_and_can_be_taken_back() {
    let mill = mill().await;
    let waiting = mill.begin("h1").await;
    mill.report(event("UserPromptSubmit", json!({"prompt": "Grind on"}))).await;
    assert_eq!(mill.state().await, "terminal_busy");
    mill.writes("m1", "Never mind").await;
    mill.writes("m2", "Then sweep.").await;
    mill.report(call("PreToolUse", "toolu_1", "ls")).await;
    let agent = mill.house.read(AGENT).await;
    assert_eq!(agent["waiting"], json!([{"id": "m1", "text": "Never mind"}, {"id": "m2", "text": "Then sweep."}]));
    assert!(!waiting.is_finished());
    let path = format!("{MESSAGES}/m1");
    let back = mill.house.send(Caller::owner(), Patch, &path, Some(json!({"status": "retracted"}))).await;
    assert_eq!(back.status, 200, "{}", back.body);
    mill.report(event("Stop", json!({}))).await;
    assert_eq!(words(&in_time(waiting).await.unwrap()), (200, "Then sweep."));
    assert_eq!(mill.house.read(AGENT).await["waiting"], Value::Null);
}

#[tokio::test]
async fn one_hook_of_a_session_waits_the_newest() {
    let mill = mill().await;
    let first = mill.begin("h1").await;
    let second = async {
        let answer = mill.waits("h2").await;
        assert_eq!(words(&answer), (200, "Sweep."));
    };
    let words = async {
        assert_eq!(shown(&in_time(first).await.unwrap()), (ENDS.0, ENDS.1.to_owned()));
        let late = waits(&mill.house, &mill.hooks, 600, "h1", json!({"is_new": false})).await;
        assert_eq!(shown(&late), (ENDS.0, ENDS.1.to_owned()), "it doesn't come back");
        mill.writes("m1", "Sweep.").await;
    };
    in_time(async { tokio::join!(second, words) }).await;
    let third = mill.begin("h3").await;
    mill.report(event("SessionEnd", json!({"reason": "prompt_input_exit"}))).await;
    assert_eq!(shown(&in_time(third).await.unwrap()), (ENDS.0, ENDS.1.to_owned()));
    assert_ne!(mill.state().await, "terminal");
}

#[tokio::test]
async fn a_hook_waits_for_a_session_that_has_no_transcript_yet_and_asks_again() {
    let mill = Mill::new().await;
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let answer = in_time(waits(&mill.house, &mill.hooks, 1, "h1", start)).await;
    assert_eq!(shown(&answer), (200, r#"{"waits":true}"#.to_owned()));
    mill.house.import(&[mill.house.write("mill.jsonl", talk().text())]).await;
    let answer = in_time(waits(&mill.house, &mill.hooks, 1, "h1", json!({"is_new": false}))).await;
    assert_eq!(shown(&answer), (200, r#"{"waits":true}"#.to_owned()));
    let other = mill.house.agent("nightly").await;
    let refused = waits(&mill.house, &other, 1, "h1", json!({})).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let nameless = waits(&mill.house, &mill.hooks, 1, "", json!({})).await;
    assert_eq!((nameless.status, &nameless.body["field"]), (400, &json!("/hook")));
}

/// Words for the terminal answer nothing that the agent asks for.
#[tokio::test]
async fn words_decide_nothing() {
    let mill = mill().await;
    let waiting = mill.begin("h1").await;
    let words = async {
        let card = mill.card().await;
        mill.writes("m1", "Yes, allow it").await;
        let open = mill.message(&card).await;
        assert_eq!(open["metadata"]["payload"]["state"], "open");
        mill.report(event("Stop", json!({}))).await;
    };
    let asked = mill.report(crate::hooks::bash("PermissionRequest", "ls"));
    let (answer, ()) = in_time(async { tokio::join!(asked, words) }).await;
    assert_eq!(shown(&answer), (200, "{}".to_owned()));
    assert_eq!(in_time(waiting).await.unwrap().body["words"], "Yes, allow it");
}
