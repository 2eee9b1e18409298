//! Questions of agents other than Claude Code: one APPROVAL with its answer, in the words of each.

use crate::readers::read;
use crate::support::Last;
use model::Body;
use model::message_type::approval::Approval;
use serde_json::{Value, json};

/// The questions of a session, in order: whether a person is waited for, the content, the state, what was chosen and typed.
#[track_caller]
fn asked(agent: &str, path: &str, lines: &[Value]) -> Value {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let last = read(agent, path, [text.as_bytes()]);
    for end in 1..text.len() {
        let (head, tail) = text.as_bytes().split_at(end);
        assert!(read(agent, path, [head, tail]) == last, "{agent}, cut at {end}");
    }
    approvals(&last).into()
}

fn approvals(last: &Last) -> Vec<Value> {
    let of = |(draft, approval): (&model::Draft, Approval)| {
        let decision =
            approval.decision.unwrap_or_else(|| model::message_type::approval::Decision::new(approval.state));
        json!([draft.requires_user_input, draft.content, approval.state, decision.selected, decision.text])
    };
    let approval = |draft| match Body::of(draft) {
        Body::Approval(approval) => Some((draft, approval)),
        _ => None,
    };
    last.messages.iter().filter_map(|(_, draft, _)| approval(draft)).map(of).collect()
}

fn questions() -> Value {
    json!({ "questions": [
        { "id": "tree", "question": "Which tree?", "header": "Tree", "options": [
            { "label": "Apple", "description": "Sour" }, { "label": "Pear", "description": "Sweet" }] },
        { "id": "when", "question": "When?", "header": "Time", "options": [{ "label": "Now", "description": "At once" }] },
    ] })
}

fn answered() -> Value {
    json!([[false, "Which tree? Pear\nWhen? at dusk", "answered", ["1-2"], "at dusk"]])
}

fn open() -> Value {
    json!([[true, "Which tree?\nWhen?", "open", [], null]])
}

#[test]
fn gemini_cli() {
    let head = json!({ "sessionId": "5e55a0de-0000-4000-8000-0000000d0009", "projectHash": "7e", "startTime": "2026-01-15T20:33:27.000Z", "lastUpdated": "2026-01-15T20:33:27.000Z", "kind": "main" });
    let said = json!({ "id": "b1", "timestamp": "2026-01-15T20:33:34.000Z", "type": "user", "content": [{ "text": "Plant" }] });
    let reply = |call: Value| json!({ "id": "b2", "timestamp": "2026-01-15T20:33:48.000Z", "type": "gemini", "content": "", "toolCalls": [call] });
    let asking = json!({ "id": "c1", "name": "ask_user", "args": questions(), "status": "executing", "timestamp": "2026-01-15T20:34:02.000Z" });
    let given = json!([{ "functionResponse": { "id": "c1", "name": "ask_user", "response": { "output": "{\"answers\":{\"0\":\"Pear\",\"1\":\"at dusk\"}}" } } }]);
    let done = json!({ "id": "c1", "name": "ask_user", "args": questions(), "status": "success", "result": given,
        "resultDisplay": "**User answered:**\n  Tree → Pear\n  Time → at dusk", "timestamp": "2026-01-15T20:35:02.000Z" });
    let path = "chats/session-2026-01-15T20-33-5e55a0de.jsonl";
    assert_eq!(asked("gemini", path, &[head.clone(), said.clone(), reply(asking.clone())]), open());
    assert_eq!(asked("gemini", path, &[head, said, reply(asking), reply(done)]), answered());
}

#[test]
fn qwen_code() {
    let line = |kind: &str, n: u8, rest: Value| {
        let mut line = json!({ "uuid": format!("5e55a0de-0000-4000-8000-0000000e009{n}"), "sessionId": "5e55a0de-0000-4000-8000-00000000e009",
            "timestamp": format!("2026-08-17T12:00:0{n}.000Z"), "type": kind, "cwd": "/work/pond", "version": "0.21.13" });
        line.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        line
    };
    let said = line("user", 1, json!({ "message": { "role": "user", "parts": [{ "text": "Plant" }] } }));
    let call = json!({ "functionCall": { "id": "c1", "name": "ask_user_question", "args": questions() } });
    let call = line("assistant", 2, json!({ "message": { "role": "model", "parts": [call] } }));
    let result = |text: &str, display: Value| {
        let response =
            json!({ "functionResponse": { "id": "c1", "name": "ask_user_question", "response": { "output": text } } });
        line(
            "tool_result",
            3,
            json!({ "toolCallResult": { "callId": "c1", "status": "success", "resultDisplay": display },
            "message": { "role": "user", "parts": [response] } }),
        )
    };
    let text = "User has provided the following answers:\n\n**Tree**: Pear\n**Time**: at dusk";
    let given = json!([{ "question": "Which tree?", "answer": "Pear" }, { "question": "When?", "answer": "at dusk" }]);
    let newer = result(text, json!({ "type": "ask_user_question_answers", "text": text, "answers": given }));
    let path = "chats/5e55a0de-0000-4000-8000-00000000e009.jsonl";
    assert_eq!(asked("qwen", path, &[said.clone(), call.clone(), newer]), answered());
    assert_eq!(asked("qwen", path, &[said.clone(), call.clone(), result(text, json!(text))]), answered());
    let declined = "User declined to answer the questions.";
    let nobody = json!([[false, "Which tree?\nWhen?", "cancelled", [], null]]);
    assert_eq!(asked("qwen", path, &[said, call, result(declined, json!(declined))]), nobody);
}

#[test]
fn codex() {
    let line = |n: u8, kind: &str, payload: Value| json!({ "timestamp": format!("2026-01-10T09:00:0{n}.000Z"), "type": kind, "payload": payload });
    let meta = line(
        1,
        "session_meta",
        json!({ "id": "5e55a0de-0000-4000-8000-00000000c009", "timestamp": "2026-01-10T09:00:00.000Z", "cwd": "/home/ada/garden", "cli_version": "0.169.0", "source": "cli" }),
    );
    let call = json!({ "type": "function_call", "name": "request_user_input", "call_id": "call_1", "arguments": questions().to_string() });
    let call = line(2, "response_item", call);
    let given = json!({ "answers": { "tree": { "answers": ["Pear"] }, "when": { "answers": ["at dusk"] } } });
    let given = line(
        3,
        "response_item",
        json!({ "type": "function_call_output", "call_id": "call_1", "output": given.to_string() }),
    );
    let path = "sessions/2026/01/10/rollout-2026-01-10T09-00-00-5e55a0de-0000-4000-8000-00000000c009.jsonl";
    assert_eq!(asked("codex", path, &[meta.clone(), call.clone()]), open());
    assert_eq!(asked("codex", path, &[meta, call, given]), answered());
}

#[test]
fn copilot_cli_and_factory_droid() {
    let event = |n: u8, kind: &str, data: Value| json!({ "type": kind, "data": data, "id": format!("e{n}"), "timestamp": format!("2026-06-25T10:00:0{n}.000Z"), "parentId": format!("e{}", n - 1) });
    let start = event(
        1,
        "session.start",
        json!({ "sessionId": "5e55a0de-0000-4000-8000-0000000000f9", "version": 1, "copilotVersion": "1.0.64" }),
    );
    let input = json!({ "question": "Mow it?", "choices": ["Yes", "Later"], "allow_freeform": true });
    let call =
        event(2, "tool.execution_start", json!({ "toolCallId": "c1", "toolName": "ask_user", "arguments": input }));
    let done = event(
        3,
        "tool.execution_complete",
        json!({ "toolCallId": "c1", "success": true, "result": { "content": "User selected: Later" } }),
    );
    let path = "session-state/5e55a0de-0000-4000-8000-0000000000f9/events.jsonl";
    assert_eq!(
        asked("copilot", path, &[start, call, done]),
        json!([[false, "Mow it? Later", "answered", ["1-2"], null]])
    );

    let message = |n: u8, role: &str, block: Value| json!({ "type": "message", "id": format!("m{n}"), "timestamp": format!("2026-02-03T08:00:0{n}.000Z"), "message": { "role": role, "content": [block] } });
    let start = json!({ "type": "session_start", "id": "5e55a0de-0000-4000-8000-0000000000fa", "title": "Plant", "cwd": "/work/garden" });
    let plan = message(
        1,
        "assistant",
        json!({ "type": "tool_use", "id": "t1", "name": "ExitSpecMode", "input": { "plan": "# Beans\n\n- sow" } }),
    );
    let taken = message(
        2,
        "user",
        json!({ "type": "tool_result", "tool_use_id": "t1", "content": "The user approved the plan" }),
    );
    let path = "sessions/5e55a0de-0000-4000-8000-0000000000fa.jsonl";
    assert_eq!(
        asked("droid", path, &[start, plan, taken]),
        json!([[false, "# Beans\n\n- sow", "allowed_once", [], null]])
    );
}

#[test]
fn opencode() {
    let part = |state: Value| {
        let info = json!({ "id": "ses_5e55ask", "directory": "/work/shed", "title": "Plant", "version": "1.2.26", "time": { "created": 1_773_543_142_000_i64, "updated": 1_773_543_209_500_i64 } });
        let message = json!({ "role": "assistant", "id": "msg_5e55a1", "sessionID": "ses_5e55ask", "time": { "created": 1_773_543_164_500_i64 }, "modelID": "m", "providerID": "p" });
        let part = json!({ "type": "tool", "id": "prt_1", "callID": "call_1", "tool": "question", "state": state, "sessionID": "ses_5e55ask", "messageID": "msg_5e55a1" });
        json!({ "info": info, "messages": [{ "info": message, "parts": [part] }] })
    };
    let read =
        |state: Value| Value::from(approvals(&read("opencode", "export.json", [part(state).to_string().as_bytes()])));
    let time = json!({ "start": 1_773_543_165_000_i64, "end": 1_773_543_169_000_i64 });
    assert_eq!(
        read(json!({ "status": "running", "input": questions(), "time": { "start": 1_773_543_165_000_i64 } })),
        open()
    );
    let words = "User has answered your questions: \"Which tree?\"=\"Pear\", \"When?\"=\"at dusk\". You can now continue with the user's answers in mind.";
    let mut done = json!({ "status": "completed", "input": questions(), "output": words, "title": "Asked 2 questions", "time": time,
        "metadata": { "answers": [["Pear"], ["at dusk"]] } });
    assert_eq!(read(done.clone()), answered());
    done["metadata"] = json!({});
    assert_eq!(read(done), answered());
    let dismissed =
        json!({ "status": "error", "input": questions(), "error": "The user dismissed this question", "time": time });
    assert_eq!(read(dismissed), json!([[false, "Which tree?\nWhen?", "cancelled", [], null]]));
}
