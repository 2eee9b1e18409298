//! Forms: each protocol asks for them in words of its own, and gets the same answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use drivers::programs::program;
use drivers::{Answer, Ask, AskKind, Command, Driver, Effects, Event, Opening, Refusal};
use serde_json::{Value, json};

/// An agent: its name, what it says until it works, how it asks for the form, and how its answer is found in what it gets.
type Agent = (&'static str, Vec<Value>, Value, fn(&Value) -> &Value);

fn schema() -> Value {
    json!({ "type": "object", "properties": { "tree": { "type": "string" } } })
}

fn agents() -> [Agent; 3] {
    let asks = json!({ "subtype": "elicitation", "mcp_server_name": "orchard", "message": "Which tree?", "requested_schema": schema() });
    let claude = json!({ "type": "control_request", "request_id": "7", "request": asks });
    let begun = json!({ "subtype": "success", "request_id": "verbatim-1", "response": {} });
    let params = json!({ "threadId": "t", "serverName": "orchard", "mode": "form", "message": "Which tree?", "requestedSchema": schema() });
    let codex = json!({ "id": 7, "method": "mcpServer/elicitation/request", "params": params });
    let params = json!({ "sessionId": "s", "mode": "form", "message": "Which tree?", "requestedSchema": schema() });
    let acp = json!({ "id": 7, "method": "elicitation/create", "params": params });
    [
        (
            "claude",
            vec![json!({ "type": "control_response", "response": begun })],
            claude,
            |sent| &sent["response"]["response"],
        ),
        (
            "codex",
            vec![json!({ "id": 1, "result": {} }), json!({ "id": 2, "result": { "thread": { "id": "t" } } })],
            codex,
            |sent| &sent["result"],
        ),
        (
            "claude-acp",
            vec![json!({ "id": 1, "result": {} }), json!({ "id": 2, "result": { "sessionId": "s" } })],
            acp,
            |sent| &sent["result"],
        ),
    ]
}

/// Lets an agent ask for its form. Returns its driver and the request.
fn asked(name: &str, before: &[Value], form: &Value) -> (Box<dyn Driver>, Ask) {
    let opening = Opening { new_id: "n".to_owned(), folder: "/work".to_owned(), ..Opening::default() };
    let mut driver = program(name).unwrap().driver(opening);
    let mut effects = Effects::default();
    driver.begin(&mut effects);
    for line in before {
        driver.line(line.to_string().as_bytes(), &mut effects);
    }
    effects.take_events();
    driver.line(form.to_string().as_bytes(), &mut effects);
    let ask = effects
        .take_events()
        .into_iter()
        .find_map(|event| if let Event::Asked(ask) = event { Some(ask) } else { None });
    (driver, ask.unwrap())
}

#[test]
fn a_form_is_filled_in_declined_or_left() {
    let content = json!({ "tree": "pear" });
    let filled = Answer::Form(content.as_object().unwrap().clone());
    let declined = Answer::Deny { option: None, message: None };
    let answers = [
        (filled, json!({ "action": "accept", "content": content })),
        (declined, json!({ "action": "decline" })),
        (Answer::Cancel, json!({ "action": "cancel" })),
    ];
    for (name, before, form, found) in agents() {
        for (answer, expected) in answers.clone() {
            let (mut driver, ask) = asked(name, &before, &form);
            let known = (ask.kind, ask.title.as_deref(), &ask.input["requestedSchema"]);
            assert_eq!(known, (AskKind::Form, Some("Which tree?"), &schema()), "{name}");
            let mut effects = Effects::default();
            let command = Command::Answer { request: ask.request, answer };
            assert_eq!(driver.command(command.clone(), &mut effects), Ok(()), "{name}");
            assert_eq!(effects.take_sent().iter().map(found).collect::<Vec<_>>(), [&expected], "{name}");
            assert_eq!(driver.command(command, &mut effects), Err(Refusal::NoRequest), "{name}");
        }
    }
}
