//! Records that agents write twice, or together with something else: each is one message, and belongs where it was
//! first.

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
fn files_that_a_prompt_of_qwen_code_names_are_no_words_of_the_person() {
    let texts =
        ["Weed @beds.txt", "\n--- Content from referenced files ---", "\nContent from beds.txt:\n", "Two beds\n"];
    let parts: Vec<Value> =
        texts.into_iter().chain(["\n--- End of content ---"]).map(|text| json!({ "text": text })).collect();
    let line = json!({
        "uuid": "5e55-u1", "sessionId": "5e55-weed", "timestamp": "2026-01-01T00:00:01Z", "type": "user", "cwd": "/m",
        "message": { "role": "user", "parts": parts },
    });
    let last = read("qwen", "chats/5e55-weed.jsonl", [format!("{line}\n").as_bytes()]);
    let said: Vec<_> =
        last.messages.iter().map(|(_, draft, _)| (draft.sender.as_str(), draft.content.as_str())).collect();
    let files = "--- Content from referenced files ---\nContent from beds.txt:\nTwo beds\n\n--- End of content ---";
    assert_eq!(said, [("user", "Weed @beds.txt"), ("referenced_files", files)]);
    assert_eq!(last.sessions["5e55-weed"].first_prompt.as_deref(), Some("Weed @beds.txt"));
}

#[test]
fn what_sub_agents_say_in_a_printed_stream_of_claude_code_is_theirs() {
    let line = |kind: &str, uuid: &str, call: Option<&str>, content: Value| {
        json!({
            "type": kind, "uuid": uuid, "session_id": "5e55-hoe", "parent_tool_use_id": call,
            "timestamp": "2026-01-01T00:00:01Z", "message": { "id": uuid, "role": kind, "content": content },
        })
    };
    let input = json!({ "description": "Hoe", "prompt": "Hoe the beds", "subagent_type": "general-purpose" });
    let task = json!([{ "type": "tool_use", "id": "c1", "name": "Agent", "input": input }]);
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "c1", "content": "Hoed" }]);
    let lines = [
        json!({ "type": "system", "subtype": "init", "session_id": "5e55-hoe", "uuid": "5e55-u0", "cwd": "/m" }),
        line("assistant", "5e55-u1", None, task),
        line("user", "5e55-u2", Some("c1"), text("Hoe the beds")),
        line("assistant", "5e55-u3", Some("c1"), text("Two are hoed")),
        line("user", "5e55-u4", None, result),
        line("assistant", "5e55-u5", None, text("All done")),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let last = read("claude_code", "printed.jsonl", [text.as_bytes()]);
    let said =
        |session: &str, id: &str| last.messages.iter().any(|(of, draft, _)| of == session && draft.id.as_str() == id);
    let child = last.sessions.iter().find(|(_, facts)| facts.call_id.as_deref() == Some("c1")).expect("a sub-agent");
    let main = child.1.parent.as_deref().expect("its parent");
    assert_eq!(last.sessions.len(), 2);
    assert!(["5e55-u2", "5e55-u3"].into_iter().all(|id| said(child.0, id)));
    assert!(["c1", "5e55-u5"].into_iter().all(|id| said(main, id)));
    assert_eq!(last.sessions[main].first_prompt, None);
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
