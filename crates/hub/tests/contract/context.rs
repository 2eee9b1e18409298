//! A model's context: the request of a reply, with the messages that its parts are shown as.

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
    let reason = "The requests of this agent aren't recorded. These are its messages as stored here";
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

/// A rollout of Codex: its lines are numbered from `first` on.
fn rollout(meta: &Value, first: usize, said: &[(&str, &str)]) -> String {
    let line = |index: usize, kind: &str, payload: &Value| {
        let number = first + index;
        json!({"timestamp": format!("2026-03-01T09:00:{number:02}.000Z"), "ordinal": number, "type": kind, "payload": payload})
            .to_string()
    };
    let item = |(index, (role, text)): (usize, &(&str, &str))| {
        let kind = if *role == "assistant" { "output_text" } else { "input_text" };
        let content = json!([{"type": kind, "text": text}]);
        line(index + 1, "response_item", &json!({"type": "message", "role": role, "content": content}))
    };
    let head = line(0, "session_meta", meta);
    [head].into_iter().chain(said.iter().enumerate().map(item)).collect::<Vec<_>>().join("\n") + "\n"
}

#[tokio::test]
async fn a_fork_of_codex_holds_what_was_said_in_the_session_that_it_goes_on_from() {
    const ORIGIN: &str = "019ed99c-0000-7000-8000-000000000001";
    const FORK: &str = "019ed99c-0000-7000-8000-000000000002";
    let house = House::new().await;
    let meta = |id: &str| json!({"id": id, "timestamp": "2026-03-01T09:00:00.000Z", "cwd": "/home/ada/quarry", "cli_version": "0.169.0"});
    let mut forked = meta(FORK);
    forked["forked_from_id"] = json!(ORIGIN);
    forked["forked_from_ordinal_exclusive"] = json!(3);
    let origin =
        [("user", "List the stones"), ("assistant", "Basalt."), ("user", "Not in the fork"), ("assistant", "No.")];
    let fork = [("user", "And plants?"), ("assistant", "None.")];
    let path = |id: &str| format!("rollout-2026-03-01T09-00-00-{id}.jsonl");
    house.import(&[house.write(&path(FORK), rollout(&forked, 3, &fork))]).await;
    let alone = house.read(&format!("/v1/sessions/{FORK}/context")).await;
    assert_eq!(shown(&alone).len(), 1);
    let reason = "The session goes on from another one, whose lines aren't in the records";
    assert_eq!(verdict(&alone)[..2], ["approximate", reason]);
    house.import(&[house.write(&path(ORIGIN), rollout(&meta(ORIGIN), 0, &origin))]).await;
    let whole = house.read(&format!("/v1/sessions/{FORK}/context")).await;
    let previews: Vec<&Value> =
        whole["messages"].as_array().unwrap().iter().map(|of| &of["blocks"][0]["preview"]).collect();
    assert_eq!(previews, ["List the stones", "Basalt.", "And plants?"]);
    assert_eq!(whole["verdict"], "recorded");
}

/// A line of Claude Code: its id, the one before it, its second, who says it, and what.
fn said(id: &str, parent: Option<&str>, second: u32, role: &str, text: &str) -> Value {
    let mut message = json!({"role": role, "content": [{"type": "text", "text": text}]});
    if role == "assistant" {
        let usage = json!({"input_tokens": 90, "output_tokens": 5});
        message.as_object_mut().unwrap().extend([
            ("id".to_owned(), json!(format!("msg_{id}"))),
            ("model".to_owned(), json!("claude-opus-4-6")),
            ("usage".to_owned(), usage),
        ]);
    }
    json!({"type": role, "uuid": id, "parentUuid": parent, "sessionId": "pit", "isSidechain": false, "version": "2.1.50",
        "timestamp": format!("2026-03-01T09:00:{second:02}.000Z"), "message": message})
}

fn compaction(id: &str, before: &str) -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "uuid": id, "parentUuid": null, "logicalParentUuid": before,
        "sessionId": "pit", "isSidechain": false, "version": "2.1.50", "timestamp": "2026-03-01T09:00:30.000Z",
        "content": "Conversation compacted", "compactMetadata": {"trigger": "manual", "preTokens": 90}})
}

fn summary(id: &str, parent: &str, text: &str) -> Value {
    let mut line = said(id, Some(parent), 31, "user", text);
    line["isCompactSummary"] = json!(true);
    line
}

/// The context of the last reply of a file, in short; and the house that it was imported in.
async fn of_file(text: &str) -> (House, Vec<String>, Value) {
    let house = House::new().await;
    house.import(&[house.write("pit.jsonl", text)]).await;
    let context = house.read("/v1/sessions/pit/context").await;
    let previews = context["messages"].as_array().unwrap().iter().flat_map(|of| of["blocks"].as_array().unwrap());
    let previews = previews.map(|block| block["preview"].as_str().unwrap().to_owned()).collect();
    (house, previews, context)
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

#[tokio::test]
async fn what_a_broken_transcript_cannot_tell_is_said() {
    let prompt = || said("u1", None, 1, "user", "Dig");
    let reply = || said("a1", Some("u1"), 2, "assistant", "Dug.");
    // A line that names one before it which isn't there.
    let lost = said("u2", Some("gone"), 3, "user", "Deeper");
    let last = || said("a2", Some("u2"), 4, "assistant", "Deep.");
    let (_, previews, context) = of_file(&file(&[prompt(), reply(), lost, last()])).await;
    assert_eq!(previews, ["Dig", "Dug.", "Deeper"]);
    let words = "A line names one before it that isn't in the records; the line read before it stands in its place";
    assert_eq!(verdict(&context), ["approximate", words]);
    // The beginning is gone.
    let (_, previews, context) = of_file(&file(&[said("u1", Some("gone"), 1, "user", "Dig"), reply()])).await;
    assert_eq!(previews, ["Dig"]);
    let words = "The records begin in the middle of the conversation: what came before isn't known";
    assert_eq!(verdict(&context), ["approximate", words]);
    // A torn line.
    let next = said("u2", Some("a1"), 3, "user", "Deeper");
    let torn = file(&[prompt(), reply()]) + "{\"type\":\"user\",\"uuid\":\"t1\",\"mess\n" + &file(&[next, last()]);
    let (_, _, context) = of_file(&torn).await;
    let words = "Lines that can't be read stand among these: 1. What they held isn't known";
    assert_eq!(verdict(&context), ["approximate", words]);
    // Two compactions in a row: the last one counts.
    let twice = [
        prompt(),
        reply(),
        compaction("b1", "a1"),
        summary("s1", "b1", "It was dug"),
        compaction("b2", "s1"),
        summary("s2", "b2", "All was dug"),
        said("u2", Some("s2"), 32, "user", "Deeper"),
        said("a2", Some("u2"), 33, "assistant", "Deep."),
    ];
    let (_, previews, context) = of_file(&file(&twice)).await;
    assert_eq!((previews, verdict(&context)), (vec!["All was dug".to_owned(), "Deeper".to_owned()], vec!["recorded"]));
    let dropped = context["change"]["dropped"].as_array().unwrap();
    assert_eq!(dropped.iter().map(|block| &block["compacted"]).collect::<Vec<_>>(), [true]);
}

#[tokio::test]
async fn a_reply_without_usage_or_with_an_unknown_model_has_no_figures_but_a_reason() {
    let mut bare = said("a1", Some("u1"), 2, "assistant", "Dug.");
    bare["message"].as_object_mut().unwrap().remove("usage");
    let (house, _, context) = of_file(&file(&[said("u1", None, 1, "user", "Dig"), bare])).await;
    let words = "No tokens were reported for this request, so how many are unexplained isn't known";
    assert_eq!(verdict(&context), ["recorded", words]);
    assert_eq!(context["tokens"]["unexplained"], Value::Null);
    assert_eq!(house.read("/v1/sessions/pit/requests").await["requests"], json!([]));
    let mut unknown = said("a1", Some("u1"), 2, "assistant", "Dug.");
    unknown["message"]["model"] = json!("mill-9");
    let (house, previews, context) = of_file(&file(&[said("u1", None, 1, "user", "Dig"), unknown])).await;
    assert_eq!((previews, &context["reply"]["model"]), (vec!["Dig".to_owned()], &json!("mill-9")));
    let request = house.read("/v1/sessions/pit/requests").await["requests"][0].clone();
    assert_eq!(request["usage"]["input"], 90);
    assert_eq!(request["cost"]["usd"], Value::Null);
    assert_eq!(request["cost"]["unpriced"][0]["reason"], "No cost: `mill-9` isn't in the price table");
}

#[tokio::test]
async fn clocks_that_go_back_change_no_order() {
    let lines = [
        said("u1", None, 50, "user", "Dig"),
        said("a1", Some("u1"), 40, "assistant", "Dug."),
        said("u2", Some("a1"), 30, "user", "Deeper"),
        said("a2", Some("u2"), 20, "assistant", "Deep."),
    ];
    let (house, previews, context) = of_file(&file(&lines)).await;
    assert_eq!(previews, ["Dig", "Dug.", "Deeper"]);
    assert_eq!((verdict(&context), &context["change"]["previous"]["seq"]), (vec!["recorded"], &json!(2)));
    let waterfall = house.read("/v1/sessions/pit/waterfall").await;
    let spans = waterfall["requests"].as_array().unwrap().iter().flat_map(|of| of["spans"].as_array().unwrap());
    let is_back = |span: &Value| span["ended_at"].as_i64() < span["began_at"].as_i64();
    assert!(!spans.clone().any(is_back), "{waterfall}");
}
