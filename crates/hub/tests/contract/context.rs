//! What a model's context held: the request of a reply, with the messages that its parts are shown as.

use crate::live;
use crate::support::{Answer, House, Talk};
use api::Method::{Get, Post};
use serde_json::{Value, json};

/// Each block in short: role, kind, preview, the `seq` of its message, and whether the request before had it.
fn shown(context: &Value) -> Vec<String> {
    let mut shown = Vec::new();
    for message in context["messages"].as_array().unwrap() {
        for block in message["blocks"].as_array().unwrap() {
            let word = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            let (seq, added) = (&block["seq"], if block["added"] == true { " added" } else { "" });
            let role = message["role"].as_str().unwrap();
            shown.push(format!("{role} {} {seq}{added}: {}", word("kind"), word("preview")));
        }
    }
    shown
}

fn verdict(context: &Value) -> Vec<&str> {
    let reasons = context["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap());
    [context["verdict"].as_str().unwrap()].into_iter().chain(reasons).collect()
}

async fn house() -> House {
    let talk = Talk::new("quarry").user("List the stones").thinks("I look").calls(
        "c1",
        "Bash",
        &json!({"command": "ls"}),
        "basalt",
        &json!({"stdout": "basalt", "stderr": "", "interrupted": false}),
    );
    House::with(&talk.says("Only basalt.").user("And plants?").says("None.")).await
}

#[tokio::test]
async fn a_context_links_each_part_to_its_message() {
    let house = house().await;
    let last = house.read("/v1/sessions/quarry/context").await;
    assert_eq!(
        shown(&last),
        [
            "user text 1: List the stones",
            "assistant thinking 2: I look",
            "assistant tool_use 3: {\"command\":\"ls\"}",
            "user tool_result 3: basalt",
            "assistant text 4 added: Only basalt.",
            "user text 5 added: And plants?",
        ]
    );
    assert_eq!(verdict(&last), ["recorded"]);
    assert_eq!(
        (&last["agent"], &last["reply"]["seq"], &last["change"]["previous"]["seq"]),
        (&json!("claude_code"), &json!(6), &json!(4))
    );
    assert_eq!(last["tokens"]["reported"], 10);
    assert_eq!(last["messages"][0]["blocks"][0]["content"], json!({"type": "text", "text": "List the stones"}));
    let first = house.read("/v1/sessions/quarry/context?at=2&contents=0").await;
    assert_eq!(shown(&first), ["user text 1: List the stones"]);
    assert_eq!((&first["messages"][0]["blocks"][0]["content"], &first["change"]), (&Value::Null, &Value::Null));
    let prompt = house.read("/v1/sessions/quarry/context?at=5").await;
    assert_eq!(prompt["reply"], last["reply"], "a prompt names the request that held it first");
}

#[tokio::test]
async fn a_wrong_question_is_named() {
    let house = house().await;
    let code = |answer: Answer| (answer.status, answer.body["code"].as_str().unwrap_or_default().to_owned());
    assert_eq!(code(house.get("/v1/sessions/quarry/context?at=99").await), (404, "not_found".to_owned()));
    assert_eq!(code(house.get("/v1/sessions/pit/context").await), (404, "not_found".to_owned()));
    assert_eq!(house.get("/v1/sessions/quarry/context?contents=2").await.status, 400);
}

#[tokio::test]
async fn an_agent_of_ones_own_has_what_it_was_given_or_else_its_messages() {
    let talk = live::Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "Fix the lexer"})).await;
    talk.agent(Post, "/messages", json!({"content": "I begin."})).await;
    let stored = talk.owner(Get, "/context", Value::Null).await.body;
    assert_eq!(shown(&stored), ["user text 1: Fix the lexer"]);
    let reason = "The requests of this agent aren't recorded: these are its messages as they are stored here";
    assert_eq!(verdict(&stored)[..2], ["approximate", reason]);
    talk.owner(Post, "/messages", json!({"content": "Now the parser"})).await;
    let run = talk.agent(Post, "/runs", json!({"format": "anthropic"})).await.body;
    assert_eq!(run["prompt"][0]["role"], "user");
    talk.agent(Post, "/messages", json!({"content": "Done."})).await;
    let given = talk.owner(Get, "/context", Value::Null).await.body;
    assert_eq!(shown(&given), ["user text 3: Now the parser"]);
    assert_eq!(verdict(&given)[0], "recorded");
    let agent = talk.agent(Get, "/context", Value::Null).await;
    assert_eq!((agent.status, &agent.body["messages"]), (200, &given["messages"]), "an agent may read its own");
}
