//! Unfinished work of an agent: its session works, and after a minute of silence it is lost.

use crate::live::Talk;
use api::Api as _;
use api::Method::{Delete, Get, Patch, Post};
use api::posting::PostMessage;
use api::sessions::SessionPath;
use hub::{Caller, Scoped};
use model::{Micros, SessionId};
use serde_json::{Value, json};

fn call(payload: &Value) -> Value {
    let mut metadata =
        json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "make"}}});
    metadata["payload"].as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
    metadata
}

fn runs() -> Value {
    call(&json!({}))
}

impl Talk {
    /// The state now, and after a minute in which nobody says anything.
    async fn states(&self) -> String {
        let minute = Micros(hub::clock::now().0 + 61 * Micros::SECOND);
        let later = self.house.hub.workspace.session(&SessionId::parse("s1").unwrap(), minute).await.unwrap().unwrap();
        format!("{} {}", self.state().await.as_str().unwrap(), later.state)
    }

    async fn entry(&self, id: &str) -> Value {
        self.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"].clone()
    }
}

#[tokio::test]
async fn an_agent_that_falls_silent_over_its_work_is_lost() {
    let talk = Talk::new().await;
    let post = async |body: Value| {
        assert_eq!(talk.agent(Post, "/messages", body).await.status, 201);
        talk.states().await
    };
    assert_eq!(post(json!({"content": "I begin"})).await, "working idle");
    // It never said that it would give signs of life.
    assert_eq!(post(json!({"id": "c1", "message_metadata": runs()})).await, "working quiet");
    assert_eq!(talk.agent(Post, "/heartbeat", json!({})).await.status, 200);
    assert_eq!(talk.states().await, "working lost");
    talk.agent(Patch, "/messages/c1", json!({"message_metadata": call(&json!({"output": "ok"}))})).await;
    assert_eq!(talk.states().await, "working idle");
    assert_eq!(post(json!({"message_metadata": runs()})).await, "working lost");
    assert_eq!(post(json!({"role": "model", "content": "Hm."})).await, "working lost", "a thought is no answer");
    assert_eq!(post(json!({"content": "It builds"})).await, "working idle");
    assert_eq!(post(json!({"id": "t1", "status": "streaming"})).await, "working lost");
    assert_eq!(post(json!({"content": "Beside it"})).await, "working lost");
    talk.agent(Patch, "/messages/t1", json!({"append": "Done", "status": "final"})).await;
    assert_eq!(talk.states().await, "working idle");
    assert_eq!(post(json!({"id": "t2", "status": "streaming"})).await, "working lost");
    talk.agent(Delete, "/messages/t2", Value::Null).await;
    assert_eq!(talk.states().await, "working idle");
    assert_eq!(post(json!({"id": "c2", "message_metadata": runs()})).await, "working lost");
    let made = json!({"agent": "nightly-bot", "id": "s1"});
    assert_eq!(talk.house.send(talk.agent.clone(), Post, "/v1/sessions", Some(made)).await.status, 200);
    assert_eq!(talk.states().await, "working idle", "it came anew");
    assert_eq!(post(json!({"id": "c3", "message_metadata": runs()})).await, "working lost");
    talk.agent(Post, "/end", json!({})).await;
    assert_eq!(talk.states().await, "done done");
}

/// Who never tells results isn't missed for them.
#[tokio::test]
async fn a_call_whose_result_nobody_tells_is_over_at_once() {
    let talk = Talk::new().await;
    let scoped = Scoped { tells_results: false, ..Scoped::new(talk.house.hub.clone(), talk.agent.clone()) };
    let message = PostMessage { id: Some("c1".to_owned()), message_metadata: Some(runs()), ..PostMessage::default() };
    let path = || SessionPath { session: "s1".to_owned() };
    scoped.post_message(path(), message).await.unwrap();
    assert_eq!(talk.states().await, "working idle");
    talk.agent(Patch, "/messages/c1", json!({"requires_user_input": true})).await;
    talk.owner(Post, "/messages", json!({"content": "Yes"})).await;
    assert_eq!(talk.states().await, "working idle", "nor does an update begin it");
}

#[tokio::test]
async fn a_result_may_be_a_message_of_its_own() {
    let talk = Talk::new().await;
    for id in ["c1", "c2", "c3", "c4"] {
        let call = json!({"id": id, "call_id": format!("call-{id}"), "message_metadata": runs()});
        talk.agent(Post, "/messages", call).await;
    }
    let code = |code: i64| json!({"message_type": "TEXT", "payload": {"exit_code": code}});
    for result in [
        json!({"content": "built", "call_id": "call-c1"}),
        json!({"content": "no such target", "call_id": "call-c2", "message_metadata": code(2)}),
        json!({"content": "killed", "call_id": "c3", "status": "error"}),
    ] {
        let mut result = result;
        result["role"] = json!("tool");
        assert_eq!(talk.agent(Post, "/messages", result).await.status, 201);
    }
    let mut seen = Vec::new();
    for id in ["c1", "c2", "c3", "c4"] {
        let entry = talk.entry(id).await;
        seen.push(format!("{} {} {}", entry["outcome"], entry["summary"].as_str().unwrap(), entry["revision"]));
    }
    let expected = [
        r#""done" Bash: make 1"#,
        r#""failed" Bash: make (failed) 1"#,
        r#""failed" Bash: make (failed) 1"#,
        "null Bash: make (running) 1",
    ];
    assert_eq!(seen, expected);
    assert_eq!(talk.states().await, "working quiet", "one runs");
    talk.agent(Post, "/messages", json!({"role": "tool", "content": "x", "call_id": "call-c4"})).await;
    assert_eq!(talk.states().await, "working idle");
    let own = json!({"message_metadata": call(&json!({"error": "of its own"}))});
    talk.agent(Patch, "/messages/c4", own).await;
    assert_eq!(talk.entry("c4").await["outcome"], Value::Null, "what the call says itself counts more");
    let page = talk.owner(Get, "/messages?from=1&to=2", Value::Null).await.body;
    assert_eq!(page["messages"][0]["outcome"], "done");
}

/// A named answer closes the question that it names, plain words whatever is asked.
#[tokio::test]
async fn each_question_needs_its_answer() {
    let talk = Talk::new().await;
    for id in ["q1", "q2", "q3"] {
        talk.agent(Post, "/messages", json!({"id": id, "content": id, "requires_user_input": true})).await;
    }
    let seen = async || {
        let asks = talk.house.send(Caller::owner(), Get, "/v1/asks", None).await.body;
        format!("{} {}", talk.state().await.as_str().unwrap(), asks["asks"][0]["entry"]["id"])
    };
    let answer = async |to: &str| talk.owner(Post, "/messages", json!({"content": "Yes", "reply_to": to})).await.status;
    assert_eq!(answer("q3").await, 201);
    assert_eq!(seen().await, r#"needs_you "q2""#);
    assert_eq!(answer("q3").await, 409, "it is answered");
    assert_eq!(answer("q1").await, 201);
    assert_eq!(seen().await, r#"needs_you "q2""#);
    talk.agent(Patch, "/messages/q3", json!({"content": "q3, as it was asked"})).await;
    assert_eq!(seen().await, r#"needs_you "q2""#);
    assert_eq!(answer("q2").await, 201);
    assert_eq!(seen().await, "working null");
    for id in ["q4", "q5"] {
        talk.agent(Post, "/messages", json!({"id": id, "content": id, "requires_user_input": true})).await;
    }
    talk.owner(Post, "/messages", json!({"content": "Both, please"})).await;
    assert_eq!(seen().await, "working null");
}
