//! What agents write twice: it is one message, and belongs where it was first.

use crate::readers::read;
use crate::support::lost;
use serde_json::{Value, json};

const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

#[test]
fn a_picture_that_a_tool_gave_back_is_shown_once() {
    let picture = json!({ "inlineData": { "data": PICTURE, "mimeType": "image/png" } });
    let response = json!({ "functionResponse": { "id": "c1", "name": "draw", "response": { "output": "Drawn" } } });
    let results = json!([response, picture]);
    let call = json!({ "id": "c1", "name": "draw", "args": {}, "status": "success", "result": results });
    let history = json!([
        { "id": "h1", "type": "user", "content": [{ "text": "Draw a bed" }] },
        { "id": "h2", "type": "user", "content": results },
    ]);
    let lines = [
        json!({ "sessionId": "5e55-bed", "projectHash": "ab", "startTime": "2026-01-01T00:00:00Z", "kind": "main" }),
        json!({ "id": "m1", "timestamp": "2026-01-01T00:00:01Z", "type": "user", "content": [{ "text": "Draw a bed" }] }),
        json!({ "id": "m2", "timestamp": "2026-01-01T00:00:02Z", "type": "gemini", "content": "", "toolCalls": [call] }),
        json!({ "id": "m3", "timestamp": "2026-01-01T00:00:03Z", "type": "user", "content": results }),
        json!({ "$set": { "messages": history } }),
        // A person may paste the same picture.
        json!({ "id": "m4", "timestamp": "2026-01-01T00:00:04Z", "type": "user", "content": [{ "text": "This?" }, picture] }),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let last = read("gemini", "chats/session-2026-01-01T00-00-5e55.jsonl", [text.as_bytes()]);
    let files = last.messages.iter().filter(|(_, draft, _)| draft.message_type() == "FILE");
    let files: Vec<_> = files.map(|(_, draft, _)| draft.id.as_str().to_owned()).collect();
    assert_eq!(files, ["c1~file~0", "m4~part~1"]);
    assert_eq!(lost(&last, text.len()), Vec::<usize>::new());
}

#[test]
fn a_fork_of_opencode_takes_no_sub_agents_with_it() {
    let session = |id: &str| -> Value {
        let metadata = json!({ "sessionId": "ses_child", "parentSessionId": "ses_first" });
        let input = json!({ "description": "Count", "prompt": "Count the beds", "subagent_type": "general" });
        let state = json!({
            "status": "completed", "input": input, "output": "Two", "title": "Count", "metadata": metadata,
            "time": { "start": 1, "end": 2 },
        });
        let part = json!({ "id": format!("prt_{id}"), "type": "tool", "tool": "task", "callID": "c1", "state": state });
        let info = json!({ "id": format!("msg_{id}"), "role": "assistant", "sessionID": id, "time": { "created": 1 } });
        json!({
            "info": { "id": id, "title": "Beds", "directory": "/m", "time": { "created": 1, "updated": 2 } },
            "messages": [{ "info": info, "parts": [part] }],
        })
    };
    let parent_of_child = |id: &str| {
        let last = read("opencode", &format!("{id}.json"), [session(id).to_string().as_bytes()]);
        last.sessions.get("ses_child").and_then(|facts| facts.parent.clone())
    };
    assert_eq!(parent_of_child("ses_first").as_deref(), Some("ses_first"));
    assert_eq!(parent_of_child("ses_fork"), None);
}
