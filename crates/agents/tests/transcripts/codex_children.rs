//! Codex's sub-agents, whose files begin with a copy of their parent's, and what Codex Desktop writes around a person's words.

use crate::support::{Last, drive, lost};
use model::message_type::Body;
use model::message_type::tool_call::ToolCall;
use model::{Context, Role};
use serde_json::{Value, json};

const PARENT: &str = "019f7000-0055-7aaa-8000-000000000001";
const CHILD: &str = "019f7001-0095-7aaa-8000-000000000002";
const FIRST: &str = "019f7000-1000-7aaa-8000-0000000000a1";
const SECOND: &str = "019f7001-2000-7aaa-8000-0000000000a2";

/// Reads lines whole and cut, which gives the same.
fn read(lines: &[Value]) -> Last {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let read = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let reading = agents::agent("codex").and_then(|agent| agent.reading).expect("a reader");
        let pieces: Vec<Vec<u8>> = pieces.map(<[u8]>::to_vec).collect();
        drive(&mut *(reading.open)("rollout-x.jsonl", None), pieces.iter().map(Vec::as_slice))
    };
    let last = read(&mut std::iter::once(text.as_bytes()));
    assert_eq!(read(&mut text.as_bytes().chunks(7)), last);
    assert_eq!(lost(&last, text.len()), Vec::<usize>::new());
    last
}

fn line(time: &str, kind: &str, payload: Value) -> Value {
    json!({ "timestamp": format!("2026-09-14T08:{time}Z"), "type": kind, "payload": payload })
}

fn meta(time: &str, id: &str, more: Value) -> Value {
    let mut payload = json!({ "id": id, "cwd": "/m", "cli_version": "0.152.0", "source": "cli" });
    payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    line(time, "session_meta", payload)
}

/// A turn: a prompt, an answer, and the tokens of all so far.
fn turn(time: &str, id: &str, [prompt, answer]: [&str; 2], [total, last]: [i64; 2]) -> Vec<Value> {
    let of = |n: i64| json!({ "input_tokens": 0, "output_tokens": n, "total_tokens": n });
    let info = json!({ "total_token_usage": of(total), "last_token_usage": of(last) });
    vec![
        line(time, "event_msg", json!({ "type": "task_started", "turn_id": id })),
        line(time, "turn_context", json!({ "turn_id": id, "cwd": "/m", "model": "gpt-5.5" })),
        said(time, "user", &[json!({ "type": "input_text", "text": prompt })]),
        line(time, "event_msg", json!({ "type": "user_message", "message": prompt })),
        said(time, "assistant", &[json!({ "type": "output_text", "text": answer })]),
        line(time, "event_msg", json!({ "type": "token_count", "info": info })),
    ]
}

fn said(time: &str, role: &str, content: &[Value]) -> Value {
    line(time, "response_item", json!({ "type": "message", "role": role, "content": content }))
}

fn child_meta() -> Value {
    let spawn = json!({ "parent_thread_id": PARENT, "depth": 1, "agent_nickname": "Heron", "agent_role": "worker" });
    let more = json!({ "forked_from_id": PARENT, "parent_thread_id": PARENT, "source": { "subagent": { "thread_spawn": spawn } } });
    meta("01:03", CHILD, more)
}

/// Speaker and words of what isn't the program's.
fn words(last: &Last) -> Vec<(Role, &str)> {
    let said = last.messages.iter().map(|(_, draft, _)| (draft.role, draft.content.as_str()));
    said.filter(|(role, _)| !matches!(role, Role::System | Role::Host)).collect()
}

#[test]
fn what_was_copied_from_its_parent_is_no_word_of_a_sub_agent() {
    let survey = ["Survey the pond", "I ask a helper."];
    let reeds = ["Look at the reeds only", "They are dry."];
    // Ids of turns have their time; where they don't, the copies were written at once.
    for (first, second) in [(FIRST, SECOND), ("one", "two")] {
        let copied = turn("01:00.050", first, survey, [100, 100]);
        let own = turn("01:06", second, reeds, [140, 40]);
        for head in [vec![child_meta(), meta("01:00.050", PARENT, json!({}))], vec![child_meta()]] {
            if first == "one" && head.len() == 1 {
                continue;
            }
            let last = read(&[head.clone(), copied.clone(), own.clone()].concat());
            assert_eq!(words(&last), [(Role::User, reeds[0]), (Role::Assistant, reeds[1])]);
            let facts = &last.sessions[CHILD];
            assert_eq!((facts.title.as_deref(), facts.first_prompt.as_deref()), (Some("Heron"), Some(reeds[0])));
            assert_eq!(facts.parent.as_deref(), Some(PARENT));
            let outputs: Vec<i64> = last.runs.iter().map(|(_, run)| run.usage.output).collect();
            assert_eq!(outputs, [40], "{second}");
            let lines = copied.len() + head.len() - 1;
            let marker = format!("{lines} lines of history, copied from session {PARENT}");
            let (_, marked, spans) = last
                .messages
                .iter()
                .find(|(_, draft, _)| draft.sender == "copied_history")
                .expect("one message of all");
            assert_eq!((marked.content.as_str(), marked.context, spans.len()), (marker.as_str(), Context::None, 1));
        }
    }
    // A sub-agent that was given no history has none.
    let last = read(&[vec![child_meta()], turn("01:06", SECOND, reeds, [40, 40])].concat());
    assert_eq!(words(&last), [(Role::User, reeds[0]), (Role::Assistant, reeds[1])]);
    // A person's fork is a conversation of its own, with what came before.
    let fork = meta("01:03", CHILD, json!({ "forked_from_id": PARENT }));
    let last = read(&[vec![fork], turn("01:03", FIRST, survey, [100, 100])].concat());
    assert_eq!(words(&last), [(Role::User, survey[0]), (Role::Assistant, survey[1])]);
}

#[test]
fn the_result_of_a_spawn_names_the_sub_agent() {
    let call = json!({ "type": "function_call", "name": "spawn_agent", "arguments": "{\"message\": \"Look\"}", "call_id": "c1" });
    let output = json!({ "agent_id": CHILD, "nickname": "Heron" }).to_string();
    let lines = [
        meta("00:03", PARENT, json!({})),
        line("00:04", "response_item", call),
        line("00:05", "response_item", json!({ "type": "function_call_output", "call_id": "c1", "output": output })),
    ];
    let last = read(&lines);
    let facts = &last.sessions[CHILD];
    assert_eq!((facts.parent.as_deref(), facts.call_id.as_deref()), (Some(PARENT), Some("c1")));
    assert_eq!(facts.title.as_deref(), Some("Heron"));
    // A call that only reads such an object spawned nobody.
    let mut other = lines.clone();
    other[1]["payload"]["name"] = json!("exec_command");
    assert_eq!(read(&other).sessions.len(), 1);
    let spawned: Option<ToolCall> = last.messages.iter().find_map(|(_, draft, _)| match Body::of(draft) {
        Body::ToolCall(call) => Some(call),
        _ => None,
    });
    assert_eq!(spawned.expect("a call").tool_name, "spawn_agent");
}

#[test]
fn what_codex_desktop_writes_around_a_prompt_is_not_the_persons() {
    let wrapped = "# Files mentioned by the user:\n\n## plan.pdf: /home/mira/plan.pdf\n\n## a.png: /var/folders/x/T/codex-clipboard-1.png\n\n## My request for Codex:\nWhy is the barn red?\n";
    let editor = "# Context from my IDE setup:\n\n## Active file: a.rs\n\n## My request for Codex:\nPaint it\n";
    let own = "How do I write a heading \"## My request for Codex:\" in a file?";
    let block = |text: &str| json!({ "type": "input_text", "text": text });
    let both = |text: &str| {
        [
            said("00:01", "user", &[block(text)]),
            line("00:01", "event_msg", json!({ "type": "user_message", "message": text })),
        ]
    };
    let lines =
        [vec![meta("00:00", PARENT, json!({}))], both(wrapped).to_vec(), both(editor).to_vec(), both(own).to_vec()];
    let last = read(&lines.concat());
    assert_eq!(
        words(&last),
        [(Role::User, "plan.pdf"), (Role::User, "Why is the barn red?"), (Role::User, "Paint it"), (Role::User, own)]
    );
    assert_eq!(last.sessions[PARENT].first_prompt.as_deref(), Some("Why is the barn red?"));
    let files: Vec<_> = last.messages.iter().filter(|(_, draft, _)| draft.message_type() == "FILE").collect();
    let [(_, file, _)] = files.as_slice() else { panic!("{files:?}") };
    assert!(
        matches!(Body::of(file), Body::File(file) if file.files[0].name == "plan.pdf" && file.files[0].blob.is_none())
    );
    let before: Vec<_> = last.messages.iter().filter(|(_, draft, _)| draft.sender == "context").collect();
    assert!(before.iter().all(|(_, draft, _)| (draft.role, draft.context) == (Role::System, Context::Ephemeral)));
    assert_eq!(before.len(), 2);
}
