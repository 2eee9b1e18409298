//! The content of a request for permission.

use super::{Talk, choice, update};
use drivers::{Ask, Choice, Content};
use serde_json::{Value, json};

#[test]
fn a_request_tells_what_is_known_of_its_call() {
    let asked = |updates: &[Value], call: Value| {
        let mut talk = Talk::working("one");
        for said in updates {
            talk.hears(update(said.clone()));
        }
        let params = json!({ "sessionId": "s", "toolCall": call, "options": [] });
        talk.hears(json!({ "id": 0, "method": "session/request_permission", "params": params }));
        talk.asked()
    };
    let begun = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "kind": "execute", "rawInput": {},
        "_meta": { "claudeCode": { "toolName": "Bash" } },
    });
    let more = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": { "command": "ls" } });
    let known = asked(&[begun, more], json!({ "toolCallId": "c", "content": [] }));
    assert_eq!((known.tool_name.as_str(), Value::Object(known.input)), ("Bash", json!({ "command": "ls" })));
    let command = asked(&[], json!({ "toolCallId": "c", "kind": "execute", "title": "ls -l" }));
    assert_eq!((command.tool_name.as_str(), Value::Object(command.input)), ("execute", json!({ "command": "ls -l" })));
    // Words that come with the request, or after the change, don't take it back.
    let diff = json!({ "type": "diff", "path": "/work/a", "oldText": "carp\n", "newText": "koi\n" });
    let text = |text: &str| json!({ "type": "content", "content": { "type": "text", "text": text } });
    let begun = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "kind": "edit", "content": [diff] });
    let more = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "content": [text("Checked")] });
    let change = || Content::Change {
        path: "/work/a".to_owned(),
        old: Some("carp\n".to_owned()),
        new: Some("koi\n".to_owned()),
    };
    let words = |words: &str| Content::Text(words.to_owned());
    let known = asked(&[begun.clone(), more.clone()], json!({ "toolCallId": "c", "content": [text("Outside")] }));
    assert_eq!(known.content, [change(), words("Outside")]);
    let known = asked(&[begun.clone(), more], json!({ "toolCallId": "c" }));
    assert_eq!(known.content, [change(), words("Checked")]);
    // Another change takes its place.
    let other = json!({ "type": "diff", "path": "/work/b", "oldText": null, "newText": "b" });
    let known = asked(&[begun], json!({ "toolCallId": "c", "content": [other] }));
    assert_eq!(known.content, [Content::Change { path: "/work/b".to_owned(), old: None, new: Some("b".to_owned()) }]);
}

/// As Gemini CLI asks, with some more of what the protocol allows.
#[test]
fn a_request_shows_all_that_it_carries() {
    let diff = |path: &str, old: Option<&str>, new: &str, kind: &str| json!({ "type": "diff", "path": path, "oldText": old, "newText": new, "_meta": { "kind": kind } });
    let link =
        json!({ "type": "content", "content": { "type": "resource_link", "name": "plan", "uri": "file:///plan" } });
    let terminal = json!({ "type": "terminal", "terminalId": "t1" });
    let paths = json!({ "type": "diff", "changes": [{ "path": "/work/g" }] });
    let call = json!({
        "toolCallId": "replace-1", "status": "pending", "title": "pond.txt: carp => koi", "kind": "edit",
        "content": [
            diff("/work/pond.txt", Some("one\ncarp\n"), "one\nkoi\n", "modify"),
            diff("/work/new.txt", None, "new\n", "add"),
            diff("/work/old.txt", Some("old\n"), "", "delete"),
            link, terminal, paths,
        ],
        "locations": [{ "path": "/work/pond.txt" }, { "path": "/work/lake.txt", "line": 3 }, { "path": "/etc" }],
        "rawInput": { "instruction": "Rename" }, "sandbox": "none",
    });
    let option = json!({ "optionId": "proceed_once", "name": "Allow", "kind": "allow_once" });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": [option], "scope": "everything" });
    let mut talk = Talk::working("one");
    talk.hears(json!({ "id": 0, "method": "session/request_permission", "params": params }));
    let change = |path: &str, old: Option<&str>, new: Option<&str>| {
        let (path, old, new) = (path.to_owned(), old.map(str::to_owned), new.map(str::to_owned));
        Content::Change { path, old, new }
    };
    let expected = Ask {
        request: "0".to_owned(),
        call_id: Some("replace-1".to_owned()),
        tool_name: "edit".to_owned(),
        input: json!({ "instruction": "Rename" }).as_object().unwrap().clone(),
        content: vec![
            change("/work/pond.txt", Some("one\ncarp\n"), Some("one\nkoi\n")),
            change("/work/new.txt", None, Some("new\n")),
            change("/work/old.txt", Some("old\n"), None),
            Content::Text(link.to_string()),
            Content::Text(terminal.to_string()),
            Content::Text(paths.to_string()),
            Content::Text("scope: \"everything\"".to_owned()),
            Content::Text("sandbox: \"none\"".to_owned()),
        ],
        paths: vec!["/work/lake.txt:3".to_owned(), "/etc".to_owned()],
        title: Some("pond.txt: carp => koi".to_owned()),
        options: vec![Choice { kind: Some("allow_once".to_owned()), ..choice("proceed_once", "Allow") }],
        ..Ask::default()
    };
    assert_eq!(talk.asked(), expected);
}
