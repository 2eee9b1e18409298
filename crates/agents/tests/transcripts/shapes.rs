//! Shapes of records that only some versions or some models write, a document each.

use crate::readers::read;
use crate::support::Last;
use model::Draft;
use model::message_type::Body;
use model::message_type::todo::TodoProgress;
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
    let counts = last.sessions.values().map(|facts| facts.todos).collect::<Vec<_>>();
    assert_eq!(
        (counts, calls(&last)[0].0),
        (vec![Some(TodoProgress { done: 1, open: 1, cancelled: 0 })], ToolKind::Think)
    );
    let last = read_document("gemini", "chats/session-x.json", &call(json!("Failed to update task.")));
    assert!(!said(&last).iter().any(|line| line.contains("TODO")));
}

/// Copilot CLI keeps its to-dos in a table. A statement that failed, or that is about another table, changes nothing.
#[test]
fn to_dos_that_are_kept_by_sql_are_a_list() {
    let event = |n: usize, kind: &str, data: Value| {
        let time = format!("2026-11-02T08:00:{n:02}.000Z");
        format!(
            "{}\n",
            json!({ "type": kind, "data": data, "id": format!("event-{n}"), "timestamp": time, "parentId": null })
        )
    };
    let sql = |n: usize, query: &str, success: bool| {
        let call = json!({ "toolCallId": format!("call-{n}"), "toolName": "sql", "arguments": { "query": query } });
        let result = json!({ "toolCallId": format!("call-{n}"), "success": success, "result": { "content": "1 row" } });
        event(n, "tool.execution_start", call) + &event(n + 1, "tool.execution_complete", result)
    };
    let text = event(0, "session.start", json!({ "sessionId": "s1" }))
        + &sql(
            1,
            "INSERT INTO todos (id, title, description, status) VALUES\n('mow', 'Mow the lawn; all of it', 'It''s long', \
             'pending'),\n('rake', 'Rake', NULL, 'in_progress'); -- first\nINSERT INTO todo_deps (todo_id, depends_on) VALUES ('rake', 'mow');",
            true,
        )
        + &sql(3, "UPDATE todos SET status = 'done', updated_at = datetime('now') WHERE id = 'mow'", true)
        + &sql(5, "SELECT * FROM todos", true)
        + &sql(7, "DELETE FROM todos", false)
        + &sql(9, "update \"todos\" set status='done' where id in ('rake', 'none')", true)
        + &sql(11, "INSERT OR REPLACE INTO todos (id, title) VALUES ('rest', 'Rest')", true)
        + &sql(13, "DELETE FROM todos WHERE status = 'done'", true);
    let last = read("copilot", "s1/events.jsonl", [text.as_bytes()]);
    assert_eq!(read("copilot", "s1/events.jsonl", text.as_bytes().chunks(5)), last, "in pieces");
    let list = |draft: &Draft| {
        let todos = draft.metadata.as_ref()?.get("payload")?.get("todos")?.as_array()?.clone();
        let text = |todo: &Value, key: &str| todo[key].as_str().unwrap_or_default().to_owned();
        let todo = |todo: &Value| format!("{} {} {}", text(todo, "id"), text(todo, "status"), text(todo, "content"));
        Some((draft.content.clone(), todos.iter().map(todo).collect::<Vec<_>>()))
    };
    let found: Vec<_> = last.messages.iter().filter_map(|(_, draft, _)| list(draft)).collect();
    let (mow, rake) = ("mow completed Mow the lawn; all of it", "rake completed Rake");
    let expected: [(&str, &[&str]); 5] = [
        ("0/2 done, now: Rake", &["mow pending Mow the lawn; all of it", "rake in_progress Rake"]),
        ("1/2 done, now: Rake", &[mow, "rake in_progress Rake"]),
        ("2/2 done", &[mow, rake]),
        ("2/3 done", &[mow, rake, "rest pending Rest"]),
        ("0/1 done", &["rest pending Rest"]),
    ];
    let held: Vec<_> =
        found.iter().map(|(content, todos)| (content.as_str(), todos.iter().map(String::as_str).collect())).collect();
    let expected: Vec<(&str, Vec<&str>)> = expected.iter().map(|(content, todos)| (*content, todos.to_vec())).collect();
    assert_eq!(held, expected);
}

/// An answer that Aider gives itself, since a person said `all` before, isn't a person's.
#[test]
fn a_question_that_aider_repeats_is_no_prompt() {
    let question = "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: all";
    let text = format!(
        "\n# aider chat started at 2026-01-01 10:00:00\n\n#### Mow the lawn\n\n> lawn.md  \n> {question}  \n> rake.md  \n\
         #### {question}\n> {question}  \n\nMown.\n"
    );
    let last = read("aider", "garden/.aider.chat.history.md", [text.as_bytes()]);
    let of = |kind: &str| said(&last).into_iter().filter(|line| line.contains(kind)).collect::<Vec<_>>();
    assert_eq!(of("user user"), ["user user TEXT Mow the lawn"]);
    let asked = "assistant bot APPROVAL Add file to the chat? (allowed)";
    assert_eq!(of("APPROVAL"), [asked, asked]);
    assert_eq!(last.runs.len(), 1);
    assert_eq!(crate::support::lost(&last, text.len()), Vec::<usize>::new());
}

/// Before February 2026, Cursor wrote plain text.
#[test]
fn plain_text_of_cursor_is_a_transcript() {
    let text = "user:\n<open_files>\nbeds.md\n</open_files>\n<user_query>\nWater the beds\nassistant:\n</user_query>\n\n\
        assistant:\n[Thinking] Which are dry?\nThe north one.\n\nI look.\n[Tool call] Read\n  path: beds.md\n  note: a\nb\n\
        [Tool result] Read\nnorth: dry\nuser: ada\n\nassistant:\nAll **beds** are wet.\n[Tool call] Shell\n  command: ls\n\n\
        user:\nThanks\n";
    let agents::Recognised::Agent(agent) = agents::recognise(text.as_bytes(), b"") else { panic!("it is Cursor's") };
    assert_eq!(
        (agent.name, agent.reading.map(|reading| reading.version)),
        ("cursor", agents::agent("cursor").and_then(|agent| Some(agent.reading?.version)))
    );
    let path = "projects/garden/agent-transcripts/5e55a0de.txt";
    let read = |size: usize| {
        let reading = agent.reading.expect("a reader");
        crate::support::drive(&mut *(reading.open)(path, None), text.as_bytes().chunks(size))
    };
    let last = read(text.len());
    for size in 1..20 {
        assert_eq!(read(size), last, "{size} bytes at a time");
    }
    assert_eq!(crate::support::lost(&last, text.len()), Vec::<usize>::new());
    let shown: Vec<String> =
        said(&last).into_iter().filter(|line| !line.ends_with("A message without content")).collect();
    assert_eq!(
        shown,
        [
            "system context TEXT <open_files>\nbeds.md\n</open_files>",
            "user user TEXT Water the beds\nassistant:",
            "model thinking TEXT Which are dry?\nThe north one.",
            "assistant bot TEXT I look.",
            "assistant bot TOOL_CALL Using tool: Read - `beds.md`",
            "assistant bot TEXT All **beds** are wet.",
            "assistant bot TOOL_CALL Using tool: Shell - `ls`",
            "user user TEXT Thanks",
        ]
    );
    assert!(last.sessions.contains_key("5e55a0de"), "{:?}", last.sessions.keys());
    assert_eq!(
        calls(&last).iter().map(|(_, state)| *state).collect::<Vec<_>>(),
        [ToolState::Done, ToolState::Orphaned]
    );
    let nobody = |text: &str| assert!(!matches!(agents::recognise(text.as_bytes(), b""), agents::Recognised::Agent(_)));
    nobody("user:\n  name: ada\n");
    nobody("# Notes\nuser:\nassistant:\n");
}
