//! Shapes of records that only some versions or some models write, a document each.

use crate::readers::read;
use crate::support::Last;
use model::Draft;
use model::message_type::Body;
use model::message_type::tool_call::{ToolKind, ToolState};
use serde_json::{Value, json};

fn read_document(agent: &str, path: &str, document: &Value) -> Last {
    let text = document.to_string();
    let last = read(agent, path, [text.as_bytes()]);
    assert_eq!(read(agent, path, text.as_bytes().chunks(5)), last, "in pieces");
    last
}

/// Role, sender, type and content of each message.
fn said(last: &Last) -> Vec<String> {
    let line = |draft: &Draft| format!("{} {} {} {}", draft.role, draft.sender, draft.message_type(), draft.content);
    last.messages.iter().map(|(_, draft, _)| line(draft)).collect()
}

fn calls(last: &Last) -> Vec<(ToolKind, ToolState)> {
    let call = |draft: &Draft| match Body::of(draft) {
        Body::ToolCall(call) => Some((call.kind(), call.state())),
        _ => None,
    };
    last.messages.iter().filter_map(|(_, draft, _)| call(draft)).collect()
}

#[test]
fn a_person_who_interrupts_a_small_agent_speaks_for_themselves() {
    let call = |id: &str| {
        json!({ "role": "assistant", "content": "I mow.", "tool_calls": [
            { "id": id, "type": "function", "function": { "name": "bash", "arguments": "{\"command\":\"mow\"}" } },
        ] })
    };
    let by = |kind: &str, text: &str| json!({ "role": "user", "content": text, "extra": { "interrupt_type": kind } });
    let document = json!({
        "messages": [
            { "role": "system", "content": "You garden." },
            { "role": "user", "content": "Mow" },
            call("c1"),
            by("UserRejection", "Commands not executed: not on a Sunday"),
            { "role": "assistant", "content": "I see." },
            by("FormatError", "No command found"),
            call("c2"),
            { "role": "tool", "tool_call_id": "c2", "content": "<returncode>0</returncode>\n<output>\nmown</output>" },
        ],
        "trajectory_format": "mini-swe-agent-1.1",
    });
    let last = read_document("swe_agent", "mow/mow.traj.json", &document);
    let spoken = said(&last).into_iter().filter(|line| !line.contains("TOOL_CALL")).collect::<Vec<_>>();
    let expected = [
        "system instructions TEXT You garden.",
        "user user TEXT Mow",
        "assistant bot TEXT I mow.",
        "user user TEXT Commands not executed: not on a Sunday",
        "assistant bot TEXT I see.",
        "system format_error TEXT No command found",
        "assistant bot TEXT I mow.",
        "system trajectory_format TEXT trajectory format: mini-swe-agent-1.1",
    ];
    assert_eq!(spoken, expected);
    let states = [(ToolKind::Execute, ToolState::Cancelled), (ToolKind::Execute, ToolState::Done)];
    assert_eq!(calls(&last), states);
}

#[test]
fn a_tool_that_changes_one_task_shows_the_list_that_comes_of_it() {
    let todos =
        json!([{ "description": "Mow", "status": "completed" }, { "description": "Rake", "status": "pending" }]);
    let call = |display: Value| {
        json!({ "sessionId": "5e55a0de-0000-4000-8000-00000000d00a", "projectHash": "x", "messages": [{
            "id": "m1", "timestamp": "2026-05-01T08:00:00Z", "type": "gemini", "content": "", "toolCalls": [{
                "id": "c1", "name": "tracker_update_task", "args": { "id": "1", "status": "closed" }, "status": "success",
                "resultDisplay": display,
                "result": [{ "functionResponse": { "id": "c1", "name": "tracker_update_task",
                    "response": { "output": "Updated task 1. Status: closed" } } }],
            }],
        }] })
    };
    let last = read_document("gemini", "chats/session-x.json", &call(json!({ "todos": todos })));
    assert!(said(&last).iter().any(|line| line.starts_with("assistant bot TODO")), "{:?}", said(&last));
    let counts = last.sessions.values().map(|facts| (facts.todos_open, facts.todos_done)).collect::<Vec<_>>();
    assert_eq!((counts, calls(&last)[0].0), (vec![(Some(1), Some(1))], ToolKind::Think));
    let last = read_document("gemini", "chats/session-x.json", &call(json!("Failed to update task.")));
    assert!(!said(&last).iter().any(|line| line.contains("TODO")));
}
