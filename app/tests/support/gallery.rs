//! One message of every type in every state, for the snapshots and the gallery.

#![expect(clippy::needless_pass_by_value, clippy::format_collect, reason = "made-up values read best where they stand")]

use api::messages::Entry;
use app::transcript::Child;
use model::{Draft, Message, MessageId, Micros, Part, Provenance, Role, Session, SessionId, Status};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

pub const NOW: Micros = Micros(1_930_000_000_000_000);

pub fn session() -> SessionId {
    SessionId::parse("0190-demo").expect("an id")
}

/// The session that the sub-agent's call started.
pub fn children() -> Arc<HashMap<String, Child>> {
    let session: Session = serde_json::from_value(json!({
        "id": "0190-child", "agent": "claude_code", "agent_session_id": null, "parent": "0190-demo", "forked_from": null,
        "call_id": "call-agent", "title": "Review the lock order", "project": "/home/mara/lantern", "cwd": null,
        "branch": null, "model": null, "version": null, "state": "done", "created_at": NOW.0, "last_activity_at": NOW.0,
        "archived_at": null, "deleted_at": null, "last_seq": 9, "message_count": 9, "lines_added": 0,
        "lines_removed": 0, "todos_open": 0, "todos_done": 0, "child_count": 0,
        "usage": {"input": 900, "output": 400, "cache_read": 47000, "cache_write": 0}, "cost_usd": null,
    }))
    .expect("a session");
    Arc::new(HashMap::from([("call-agent".to_owned(), Child { session, steps: Vec::new() })]))
}

/// A message as the store would hand it out.
pub fn entry(name: &str, role: Role, sender: &str, content: &str, metadata: Value) -> Entry {
    let id = MessageId::parse(name).expect("an id");
    let mut draft = Draft::text(id, role, sender, content, Micros(NOW.0 - 5 * 60 * Micros::SECOND));
    draft.metadata = metadata.as_object().cloned();
    draft.origin.cwd = Some("/home/mara/lantern".to_owned());
    draft.provenance = Provenance::Reader;
    entry_of(draft)
}

pub fn entry_of(draft: Draft) -> Entry {
    let session_id = session();
    Entry::made_up(Message { session_id, seq: 1, revision: 1, draft, records: Vec::new(), received_at: NOW })
}

fn text(name: &str, role: Role, sender: &str, content: &str) -> Entry {
    entry(name, role, sender, content, Value::Null)
}

fn typed(name: &str, role: Role, message_type: &str, payload: Value, extras: Value) -> Entry {
    let mut metadata = json!({ "message_type": message_type, "version": 1, "payload": payload });
    if let (Some(map), Some(more)) = (metadata.as_object_mut(), extras.as_object()) {
        map.extend(more.clone());
    }
    entry(name, role, "bot", "", metadata)
}

fn call(name: &str, payload: Value) -> Entry {
    let mut entry = typed(name, Role::Assistant, "TOOL_CALL", payload, Value::Null);
    entry.message.draft.call_id = Some(name.to_owned());
    entry
}

fn edit(name: &str, edits: Value, info: Value) -> Entry {
    typed(name, Role::Assistant, "CODE_EDIT", json!({ "edits": edits }), json!({ "edit_info": info }))
}

/// All of them, in the order of a session, numbered from 1.
pub fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(voices());
    all.extend(calls());
    all.extend(edits());
    all.extend(lists());
    all.extend(others());
    all.extend(details());
    all.push(text("notice", Role::Assistant, "bot", "<host>Restarting the guide camera, back in a minute</host>"));
    for (seq, entry) in all.iter_mut().enumerate() {
        entry.message.seq = seq as i64 + 1;
    }
    all
}

fn voices() -> Vec<Entry> {
    let mut writing = text(
        "writing",
        Role::Assistant,
        "bot",
        "Locally nothing is lost. For staging the script first removes the old build, which is why",
    );
    writing.message.draft.status = Status::Streaming;
    let mut retracted = text("retracted", Role::Assistant, "bot", "An answer that was taken back");
    retracted.message.draft.status = Status::Retracted;
    let long: String = (1..=40).map(|n| format!("Line {n} of a long prompt\n")).collect();
    vec![
        text(
            "host",
            Role::Host,
            "host",
            "Verbatim follows this session live. 184 messages were imported from its transcript",
        ),
        text(
            "system-1",
            Role::System,
            "meta",
            "# Project instructions\n\nRun `cargo fmt` before you say that you are done.",
        ),
        text(
            "system-2",
            Role::System,
            "system_reminder",
            "The working tree is a worktree of `main`.\n<env>linux</env>",
        ),
        text(
            "user",
            Role::User,
            "user",
            "About one login in 200 ends on the login page again, right after it succeeded.\nPlease find out why and fix it, with a test that fails before the fix. See https://example.org/issues/12.",
        ),
        typed(
            "upload",
            Role::User,
            "FILE",
            json!({"files": [
            {"name": "two-tabs.png", "mime": "image/png", "size": 212_000, "blob": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "state": "ready"},
            {"name": "server.log", "mime": "text/plain", "size": 1_800_000, "state": "ready"}]}),
            Value::Null,
        ),
        text(
            "thought",
            Role::Model,
            "thinking",
            "Two tabs, same cookie jar, so the same refresh token. If tab A rotates it first, tab B presents the old one.",
        ),
        entry("redacted", Role::Model, "thinking", "", json!({"redacted": true})),
        text(
            "answer",
            Role::Assistant,
            "bot",
            "I will look at how a refresh token is rotated.\n\n# Why the second tab is logged out\n\nBoth tabs hold the same token; the second one presents one that is *no longer current*, and `RefreshGate::refresh` takes that for theft:\n\n1. The row is read **without a lock**.\n2. There is no memory of the previous token[^1].\n3. The web client starts ~~two~~ one refresh per tab.\n\n- [x] found\n- [ ] fixed\n\n| Case | Today | After the fix |\n|---|---|--:|\n| Same token within 10 s | family revoked | same pair |\n| Older token | family revoked | family revoked |\n\n> Theft detection stays.\n\n```rust\n/// How long the previous token still works.\nconst GRACE: Duration = Duration::from_secs(10);\n```\n\nSee [the file](src/refresh.rs:12), [the RFC](https://example.org/rfc) and ![a chart](https://example.org/chart.png).\n\n[^1]: It would be enough to keep one.\n\n---\n\n## Next\n\n<i class=x>HTML</i> is shown as text.",
        ),
        entry("aborted", Role::Assistant, "bot", "The next step would be", json!({"aborted": true})),
        entry("command", Role::User, "user", "/review src", json!({"command": {"name": "/review", "args": "src"}})),
        entry(
            "command-output",
            Role::Tool,
            "command_output",
            "Reviewed 3 files",
            json!({"command_output": {"stream": "stdout"}}),
        ),
        entry("shell", Role::User, "user", "! git status", json!({"command": {"shell": "git status --short"}})),
        entry(
            "shell-output",
            Role::Tool,
            "command_output",
            "",
            json!({"command_output": {"stdout": " M src/refresh.rs\n?? tests/refresh_race.rs", "stderr": ""}}),
        ),
        entry(
            "shell-error",
            Role::Tool,
            "command_output",
            "",
            json!({"command_output": {"stdout": "", "stderr": "fatal: not a git repository"}}),
        ),
        entry("stray", Role::Tool, "tool_result", "permission denied", json!({"is_error": true})),
        entry(
            "interrupted",
            Role::User,
            "user",
            "[Request interrupted by user for tool use]",
            json!({"interrupted": "tool_use"}),
        ),
        entry(
            "notification",
            Role::System,
            "task_notification",
            "Build finished\n\nAll 41 tests passed.",
            json!({"task_notification": {"status": "completed", "task_id": "b1"}}),
        ),
        entry(
            "boundary",
            Role::System,
            "compact_boundary",
            "Conversation compacted",
            json!({"compact": {"trigger": "auto", "preTokens": 142_000}}),
        ),
        text(
            "summary",
            Role::System,
            "compact_summary",
            "This session is continued from an earlier one. Two tabs refresh with one token; the second is taken for theft. Fix: a grace period of ten seconds and a row lock.",
        ),
        entry(
            "footer",
            Role::Host,
            "result_meta",
            "4 min 12 s",
            json!({"duration_ms": 252_000, "tokens": {"input": 3_200, "output": 4_900, "cache_read": 58_000, "cache_write": 0}, "cost_usd": 0.31}),
        ),
        text("long", Role::User, "user", &long),
        retracted,
        writing,
    ]
}

fn calls() -> Vec<Entry> {
    let terminal = "\u{1b}[2m   Compiling\u{1b}[0m lantern-auth v0.14.2\n\u{1b}[32;1m    Finished\u{1b}[0m `test` profile in 6.41s\n\nrunning 2 tests\ntest older_token_still_revokes_the_family ... \u{1b}[32mok\u{1b}[0m\ntest second_refresh_gets_the_same_pair ... \u{1b}[31mFAILED\u{1b}[0m\n\n\u{1b}[31;1merror\u{1b}[0m: called `Result::unwrap()` on an `Err` value: \u{1b}[33mReused\u{1b}[0m\n\ntest result: \u{1b}[31mFAILED\u{1b}[0m. 1 passed; 1 failed";
    let log: String = (1..=200).map(|n| format!("line {n} of the log\n")).collect();
    let read = |name: &str, path: &str, lines: i64| {
        call(
            name,
            json!({"tool_name": "Read", "input": {"file_path": path}, "output": "1\tuse std::fmt;\n2\t", "state": "done", "duration_ms": 120, "result": {"file": {"numLines": lines}}}),
        )
    };
    vec![
        call(
            "search-1",
            json!({"tool_name": "Grep", "input": {"pattern": "revoke(", "path": "/home/mara/lantern/src"}, "output": "src/refresh.rs:44\nsrc/session.rs:12", "state": "done", "duration_ms": 300, "result": {"numMatches": 14}}),
        ),
        read("read-1", "/home/mara/lantern/src/refresh.rs", 212),
        read("read-2", "/home/mara/lantern/src/session.rs", 141),
        call(
            "run-failed",
            json!({"tool_name": "Bash", "input": {"command": "cargo test -p lantern-auth refresh_race", "description": "Run the new test"}, "error": terminal, "state": "failed", "exit_code": 101, "duration_ms": 8_200}),
        ),
        read("read-alone", "/home/mara/lantern/web/src/lib/auth-client.ts", 164),
        call(
            "run-done",
            json!({"tool_name": "Bash", "input": {"command": "cargo test -p lantern-auth", "description": "Run all tests"}, "output": log, "state": "done", "exit_code": 0, "duration_ms": 11_600}),
        ),
        call(
            "run-empty",
            json!({"tool_name": "Bash", "input": {"command": "mkdir -p target/stress"}, "output": "", "state": "done", "duration_ms": 40}),
        ),
        call(
            "denied",
            json!({"tool_name": "WebFetch", "input": {"url": "https://internal.example/metrics", "prompt": "Read the figures"}, "error": "The user doesn't want to proceed with this tool use.", "state": "denied", "denied_reason": "Use the exported figures instead"}),
        ),
        call(
            "cancelled",
            json!({"tool_name": "Bash", "input": {"command": "sleep 600"}, "error": "Sibling tool call errored", "state": "cancelled"}),
        ),
        call("orphaned", json!({"tool_name": "Bash", "input": {"command": "./deploy.sh"}, "state": "orphaned"})),
        call(
            "running",
            json!({"tool_name": "Bash", "input": {"command": "./scripts/stress.sh local --logins 1200"}, "state": "running", "progress": {"message": "740 of 1,200 logins"}}),
        ),
        call(
            "call-agent",
            json!({"tool_name": "Agent", "input": {"description": "Check the lock order", "subagent_type": "Reviewer", "prompt": "Read session.rs and look at the order of locks."}, "output": [{"type": "text", "text": "The order is **family, then session** everywhere but in `rotate`."}], "state": "done", "duration_ms": 80_000, "result": {"totalToolUseCount": 9}}),
        ),
        call(
            "mcp",
            json!({"tool_name": "mcp__tracker__create_issue", "input": {"title": "Login race", "labels": ["bug", "auth"], "options": {"notify": true}}, "output": "{\"number\": 12, \"url\": \"https://example.org/issues/12\", \"labels\": [\"bug\", \"auth\"]}", "state": "done", "duration_ms": 640}),
        ),
        call(
            "read-failed",
            json!({"tool_name": "Read", "input": {"file_path": "/home/mara/lantern/src/missing.rs"}, "error": "File does not exist.", "state": "failed", "duration_ms": 3}),
        ),
    ]
}

fn edits() -> Vec<Entry> {
    let old = "    pub async fn refresh(&self, token: &RefreshToken) -> Result<Pair, AuthError> {\n        let claims = self.keys.verify(token)?;\n        let row = self.store.find(claims.family).await?;\n        if row.current != token.id() {\n            self.store.revoke(claims.family).await?;\n            return Err(AuthError::Reused);\n        }\n        let pair = self.keys.issue(claims.subject, claims.family);\n";
    let new = "    pub async fn refresh(&self, token: &RefreshToken) -> Result<Pair, AuthError> {\n        let claims = self.keys.verify(token)?;\n        let row = self.store.lock(claims.family).await?;\n        if row.current != token.id() {\n            if row.previous == token.id() && row.rotated_at.elapsed() < GRACE {\n                return Ok(row.pair.clone());\n            }\n            row.revoke().await?;\n            return Err(AuthError::reused(claims.family));\n        }\n        let pair = self.keys.issue(claims.subject, claims.family);\n";
    let created: String = (1..=46).map(|n| format!("assert_eq!(tab({n}), Ok(\"pair {n}\"));\n")).collect();
    let many: String = (1..=500).map(|n| format!("value_{n} = {n}\n")).collect();
    let one = |path: &str| json!([{ "file_path": path, "old_content": "const wait = 10;\n", "new_content": "const wait = 20;\n" }]);
    let state = |state: &str| json!([{ "state": state, "scope": "fragment" }]);
    vec![
        edit(
            "modified",
            json!([{"file_path": "/home/mara/lantern/crates/auth/src/refresh.rs", "old_content": old, "new_content": new, "language": "rust"}]),
            json!([{"state": "applied", "scope": "fragment", "start_line": 42}]),
        ),
        edit(
            "created",
            json!([{"file_path": "/home/mara/lantern/crates/auth/tests/refresh_race.rs", "new_content": created}]),
            json!([{"state": "applied", "scope": "file"}]),
        ),
        edit(
            "deleted",
            json!([{"file_path": "notes.txt", "old_content": "one\ntwo\n"}]),
            json!([{"state": "applied", "scope": "file"}]),
        ),
        edit(
            "failed",
            one("/home/mara/lantern/web/src/lib/auth-client.ts"),
            json!([{"state": "failed", "scope": "fragment", "start_line": 88}]),
        ),
        edit("rejected", one("web/src/main.ts"), state("rejected")),
        edit("proposed", one("web/src/main.ts"), state("proposed")),
        edit("reverted", one("web/src/main.ts"), state("reverted")),
        edit(
            "large",
            json!([{"file_path": "values.py", "new_content": many}]),
            json!([{"state": "applied", "scope": "file"}]),
        ),
        edit(
            "lock",
            json!([{"file_path": "Cargo.lock", "old_content": "a\n", "new_content": "b\n"}]),
            state("applied"),
        ),
        edit(
            "patch",
            json!([{"file_path": "src/patched.rs"}]),
            json!([{"state": "partly_applied", "scope": "fragment", "patch": "@@ -1,2 +1,2 @@\n-old line\n+new line\n context"}]),
        ),
    ]
}

fn lists() -> Vec<Entry> {
    let items = json!([
        {"id": "1", "content": "Reproduce the race with two tabs", "status": "completed"},
        {"id": "2", "content": "Keep the previous token valid for a grace period", "status": "in_progress"},
        {"id": "3", "content": "Share one refresh per browser", "status": "pending"},
        {"id": "4", "content": "Change the cookie format", "status": "completed"},
        {"id": "5", "content": "Deploy to staging", "status": "pending"}
    ]);
    let info = json!({"todo_info": {"1": {"started_at": 1_000_000, "ended_at": 73_000_000}, "3": {"priority": "high"}, "4": {"state": "cancelled"}, "5": {"state": "blocked"}}});
    let old = json!([{"id": "1", "content": "Reproduce the race", "status": "pending"}]);
    let mut tick = typed(
        "tick",
        Role::User,
        "TODO",
        json!({"todos": [{"id": "3", "content": "Share one refresh per browser", "status": "completed"}]}),
        Value::Null,
    );
    "web".clone_into(&mut tick.message.draft.sender);
    vec![
        typed("superseded", Role::Assistant, "TODO", json!({"todos": old}), Value::Null),
        tick,
        typed("todo", Role::Assistant, "TODO", json!({"todos": items}), info),
    ]
}

fn others() -> Vec<Entry> {
    let options = json!([{"id": "1", "label": "Family, then session", "description": "Matches the order in rotate"}, {"id": "2", "label": "Session, then family"}]);
    let question = json!({"question": "Which row shall be locked first?", "header": "Lock order", "options": options});
    let ask = |name: &str, more: Value| {
        let mut payload = json!({"kind": "question", "title": "Which row shall be locked first?", "questions": [question.clone()], "state": "open"});
        if let (Some(map), Some(more)) = (payload.as_object_mut(), more.as_object()) {
            map.extend(more.clone());
        }
        typed(name, Role::Assistant, "APPROVAL", payload, Value::Null)
    };
    let mut replaced = call("replaced", json!({"tool_name": "TodoWrite", "input": {}, "output": "ok"}));
    replaced.message.draft.part = Part::Replaced;
    vec![
        ask("asked", json!({})),
        ask(
            "answered",
            json!({"state": "answered", "decision": {"state": "answered", "selected": ["1"], "by": "Mara", "via": "terminal"}}),
        ),
        typed(
            "permission",
            Role::Assistant,
            "APPROVAL",
            json!({"kind": "permission", "title": "Run a command", "body": "```sh\nrm -rf target/stress && ./scripts/stress.sh staging\n```", "risk": "high", "state": "open"}),
            Value::Null,
        ),
        typed(
            "allowed",
            Role::Assistant,
            "APPROVAL",
            json!({"kind": "permission", "title": "./scripts/stress.sh local", "state": "allowed_once", "decision": {"state": "allowed_once", "by": "Mara"}}),
            Value::Null,
        ),
        typed(
            "plan",
            Role::Assistant,
            "APPROVAL",
            json!({"kind": "plan", "title": "Fix the race", "body": "# Fix the race\n\n1. Lock the row\n2. Keep the previous token", "state": "denied", "decision": {"state": "denied", "text": "Keep the cookie format"}}),
            Value::Null,
        ),
        ask("expired", json!({"state": "expired"})),
        typed(
            "action",
            Role::User,
            "ACTION",
            json!({"reply_to": "asked", "selected": ["Family, then session"]}),
            Value::Null,
        ),
        typed(
            "error",
            Role::Assistant,
            "ERROR",
            json!({"error_type": "rate_limit", "message": "The provider asked to wait", "retryable": true}),
            json!({"retry_attempt": 2, "max_retries": 5}),
        ),
        typed(
            "error-trace",
            Role::Assistant,
            "ERROR",
            json!({"error_type": "TypeError", "message": "x is not a function", "frames": [{"file": "src/client.rs", "line": 112, "function": "send", "code": "self.http.execute(request)"}], "retryable": false}),
            Value::Null,
        ),
        entry(
            "unknown",
            Role::Assistant,
            "bot",
            "2,000 logins in 41 s, 0 lost, p95 84 ms",
            json!({"message_type": "acme.loadtest/report", "version": 1, "payload": {"target": "staging", "p95_ms": 84, "lost": 0, "windows": [1, 2, 3]}}),
        ),
        entry(
            "invalid",
            Role::Assistant,
            "bot",
            "A list that doesn't fit",
            json!({"message_type": "TODO", "version": 1, "payload": {"todos": 5}}),
        ),
        replaced,
        text("empty", Role::Assistant, "bot", ""),
    ]
}

/// States of which the first of their kind above has another one.
fn details() -> Vec<Entry> {
    vec![
        text(
            "pasted",
            Role::User,
            "user",
            "This is what it says:\n\n> check\n- const wait = 10;\n+ const wait = 20;\n  run();\n\n```sh\nnpm run check\n```\n1. Why *two* minutes? See `src/wait.ts`",
        ),
        call(
            "denied-in-words",
            json!({"tool_name": "Bash", "input": {"command": "git push", "timeout": 120_000, "run_in_background": false}, "error": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nTest this first", "state": "denied", "denied_reason": "Test this first"}),
        ),
        call(
            "run-long-input",
            json!({"tool_name": "Bash", "input": {"command": (1..=30).map(|n| format!("echo {n}")).collect::<Vec<_>>().join("\n"), "description": "Say numbers", "timeout": 60_000}, "error": "Exit code 2\nno more", "state": "failed", "exit_code": 2}),
        ),
        call(
            "mcp-prose",
            json!({"tool_name": "mcp__tracker__create_issue", "input": {"title": "Login race", "description": format!("## Why\n\nTwo tabs.\n\n{}", (1..=20).map(|n| format!("- step {n}\n")).collect::<String>())}, "output": "{\"number\": 12}", "state": "failed"}),
        ),
        typed(
            "refused",
            Role::Assistant,
            "APPROVAL",
            json!({"kind": "permission", "title": "Edit refresh.rs", "state": "denied", "decision": {"state": "denied", "text": "Hang on, I'll get you\n- a log\n- a token"}}),
            Value::Null,
        ),
        typed(
            "refused-wordless",
            Role::Assistant,
            "APPROVAL",
            json!({"kind": "permission", "title": "Edit refresh.rs", "state": "denied", "decision": {"state": "denied"}}),
            Value::Null,
        ),
    ]
}
