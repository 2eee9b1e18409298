//! Pictures that go with a prompt: each protocol has a block of its own for them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use drivers::programs::program;
use drivers::{Command, Effects, Event, Opening, Picture, Prompt};
use serde_json::{Value, json};

/// Returns the part at `at` of the line that an agent is sent for a prompt with a picture, and the notices. `begun` are
/// the lines of the agent before.
fn told(name: &str, begun: &[Value], at: &str) -> (Value, Vec<String>) {
    let opening = Opening { new_id: "n".to_owned(), folder: "/work".to_owned(), ..Opening::default() };
    let mut driver = program(name).unwrap().driver(opening);
    let mut effects = Effects::default();
    driver.begin(&mut effects);
    for line in begun {
        driver.line(line.to_string().as_bytes(), &mut effects);
    }
    drop((effects.take_sent(), effects.take_events()));
    let pictures = vec![Picture { mime: "image/png".to_owned(), data: "cG5n".to_owned() }];
    let prompt = Prompt { id: "p".to_owned(), text: "Look".to_owned(), pictures, ..Prompt::default() };
    driver.command(Command::Prompt(prompt), &mut effects).unwrap();
    let sent = effects.take_sent();
    let notice = |event| if let Event::Notice(words) = event { Some(words) } else { None };
    let notices = effects.take_events().into_iter().filter_map(notice).collect();
    (sent.first().and_then(|sent| sent.pointer(at)).cloned().unwrap_or_default(), notices)
}

#[test]
fn a_picture_goes_behind_the_text() {
    let text = json!({ "type": "text", "text": "Look" });
    let begun = json!({ "subtype": "success", "request_id": "verbatim-1", "response": {} });
    let claude = told("claude", &[json!({ "type": "control_response", "response": begun })], "/message/content");
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "cG5n" });
    assert_eq!(claude, (json!([text, { "type": "image", "source": source }]), vec![]));

    let thread = json!({ "id": 2, "result": { "thread": { "id": "t" } } });
    let codex = told("codex", &[json!({ "id": 1, "result": {} }), thread], "/params/input");
    assert_eq!(codex, (json!([text, { "type": "image", "url": "data:image/png;base64,cG5n" }]), vec![]));

    let opened = json!({ "id": 2, "result": { "sessionId": "s" } });
    let can = json!({ "agentCapabilities": { "promptCapabilities": { "image": true } } });
    let acp = told("gemini", &[json!({ "id": 1, "result": can }), opened.clone()], "/params/prompt");
    assert_eq!(acp, (json!([text, { "type": "image", "mimeType": "image/png", "data": "cG5n" }]), vec![]));

    let without = told("gemini", &[json!({ "id": 1, "result": {} }), opened], "/params/prompt");
    let notice = "The agent takes no pictures: it was given their names".to_owned();
    assert_eq!(without, (json!([text]), vec![notice]));
}
