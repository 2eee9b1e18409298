//! The text of results, without the tags around it, and the outcome of calls that didn't go well.

use crate::lines::{assistant, call, error, message, metadata, read_lines, result, tool_call, user};
use crate::support::Last;
use model::envelope::{EditInfo, EditState, edit_info};
use model::message_type::todo::TodoProgress;
use model::{Body, Micros, Part, Role, RunOutcome, Status};
use serde_json::{Value, json};

const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

fn edit(id: &str, file: &str) -> Value {
    call(id, "Edit", &json!({ "file_path": file, "old_string": "oats", "new_string": "rye" }))
}

fn info(last: &Last, call_id: &str) -> EditInfo {
    edit_info(message(last, &format!("{call_id}~edit~0")).metadata.as_ref(), 0)
}

#[test]
fn a_failed_edit_says_why() {
    let missing = "<tool_use_error>String to replace not found in file.\nString: oats\n  and more</tool_use_error>";
    let last = read_lines(&[user("Sow"), edit("c1", "/m/a.rs"), error("c1", missing)]);
    let info = info(&last, "c1");
    assert_eq!(info.state, Some(EditState::Failed));
    assert_eq!(info.note.as_deref(), Some("String to replace not found in file."));
    let error = tool_call(&last, "c1").error;
    assert_eq!(error.as_deref(), Some("String to replace not found in file.\nString: oats\n  and more"));
}

#[test]
fn a_list_that_was_refused_never_held() {
    let list = |id: &str, item: &str| {
        call(id, "TodoWrite", &json!({ "todos": [{ "content": item, "status": "completed", "activeForm": item }] }))
    };
    let refused = "<tool_use_error>Error: No such tool available: TodoWrite</tool_use_error>";
    let (first, second) = (list("c1", "Sow"), list("c2", "Mow"));
    let done = result("c1", "Todos have been modified", &json!({}));
    let last = read_lines(&[user("Go"), first, done, second, error("c2", refused)]);
    let state = |id: &str| (message(&last, id).status, message(&last, id).part);
    assert_eq!(state("c1"), (Status::Final, Part::Replaced));
    assert_eq!(state("c1~todo~0"), (Status::Final, Part::Derived));
    assert_eq!(state("c2"), (Status::Final, Part::Whole), "the failure is shown");
    assert_eq!(state("c2~todo~0"), (Status::Retracted, Part::Derived));
    assert_eq!(tool_call(&last, "c2").error.as_deref(), Some("Error: No such tool available: TodoWrite"));
    let alone = read_lines(&[user("Go"), list("c1", "Sow"), error("c1", refused)]);
    let counts = |last: &Last| last.sessions.values().map(|facts| facts.todos).collect::<Vec<_>>();
    let done = |done| vec![Some(TodoProgress { done, ..TodoProgress::default() })];
    assert_eq!((counts(&last), counts(&alone)), (done(1), done(0)));
}

#[test]
fn an_edit_that_went_down_with_another_call_is_no_failure() {
    let sibling = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let with = |other: Value| {
        let bash = call("c0", "Bash", &json!({ "command": "sow" }));
        read_lines(&[user("Sow"), bash, edit("c1", "/m/a.rs"), other, error("c1", sibling)])
    };
    let refused = info(&with(error("c0", REFUSED)), "c1");
    assert_eq!(refused.state, Some(EditState::Rejected));
    assert_eq!(refused.note.as_deref(), Some("another call was denied"));
    let failed = info(&with(error("c0", "Exit code 1")), "c1");
    assert_eq!(failed.state, Some(EditState::Rejected));
    assert_eq!(failed.note.as_deref(), Some("another call failed"));
}

#[test]
fn a_refusal_is_titled_with_what_was_refused() {
    let refused = |tool: &str, input: Value| {
        let said = format!("{REFUSED} To tell you how to proceed, the user said:\nNot yet");
        let last = read_lines(&[user("Sow"), call("c1", tool, &input), error("c1", &said)]);
        let payload = metadata(&last, "c1~approval~0")["payload"].clone();
        assert_eq!(payload["decision"]["text"], "Not yet");
        payload["title"].as_str().expect("a title").to_owned()
    };
    assert_eq!(refused("Write", json!({ "file_path": "/m/README.md", "content": "x" })), "Write README.md");
    assert_eq!(refused("Bash", json!({ "command": "git push", "description": "Push" })), "Run git push");
    assert_eq!(refused("mcp__board__add_card", json!({ "title": "Mow", "description": "x" })), "add card: Mow");
    assert_eq!(refused("Hologram", json!({})), "Use of Hologram");
}

#[test]
fn the_output_of_a_task_is_unwrapped_and_named_by_its_command() {
    let started = json!({ "stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1" });
    let text = "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash</task_type>\n\n\
        <status>completed</status>\n\n<exit_code>2</exit_code>\n\n<output>\n\n> grind\n<b>flour</b>\n\n</output>";
    let task = json!({
        "task_id": "b1", "task_type": "local_bash", "status": "completed", "description": "Grind",
        "output": "> grind\n<b>flour</b>\n", "exitCode": 2,
    });
    let last = read_lines(&[
        user("Grind"),
        call("c1", "Bash", &json!({ "command": "make flour", "run_in_background": true })),
        result("c1", "Command running in background with ID: b1", &started),
        call("c2", "TaskOutput", &json!({ "task_id": "b1", "block": true })),
        result("c2", text, &json!({ "retrieval_status": "success", "task": task })),
        call("c3", "TaskOutput", &json!({ "task_id": "b0" })),
        result(
            "c3",
            "<retrieval_status>timeout</retrieval_status>\n\n<task_id>b0</task_id>\n\n<status>running</status>",
            &json!({}),
        ),
    ]);
    let output = tool_call(&last, "c2");
    assert_eq!(output.output_text().as_deref(), Some("> grind\n<b>flour</b>"));
    assert_eq!((output.exit_code(), output.task_status()), (Some(2), Some("completed")));
    assert_eq!(output.target().as_deref(), Some("make flour"));
    let known = json!({ "task_id": "b1", "task_type": "local_bash", "status": "completed", "description": "Grind" });
    assert_eq!(output.other["result"], json!({ "retrieval_status": "success", "task": known }));
    let waiting = tool_call(&last, "c3");
    assert_eq!((waiting.output_text().as_deref(), waiting.task_status()), (Some(""), Some("running")));
    assert_eq!(waiting.target().as_deref(), Some("b0"));
}

#[test]
fn the_output_of_a_shell_is_unwrapped() {
    let text = "<status>running</status>\n\n<stdout>\n> serve\n</stdout>\n\n<stderr>\nwarm\n</stderr>\n\n<timestamp>2026</timestamp>";
    let killed = r#"{"success":true,"message":"Killed shell: bash_1","shell_id":"bash_1"}"#;
    let last = read_lines(&[
        user("Serve"),
        call("c1", "BashOutput", &json!({ "bash_id": "bash_1" })),
        result(
            "c1",
            text,
            &json!({ "shellId": "bash_1", "command": "pnpm dev", "status": "running", "exitCode": null }),
        ),
        call("c2", "KillBash", &json!({ "shell_id": "bash_1" })),
        result("c2", killed, &json!({ "success": true, "message": "Killed shell: bash_1", "shell_id": "bash_1" })),
    ]);
    let output = tool_call(&last, "c1");
    assert_eq!(output.output_text().as_deref(), Some("> serve\nwarm"));
    assert_eq!((output.target().as_deref(), output.task_status()), (Some("pnpm dev"), Some("running")));
    assert_eq!(tool_call(&last, "c2").output_text().as_deref(), Some("Killed shell: bash_1"));
}

#[test]
fn what_the_program_tells_the_model_is_apart_from_the_output() {
    let text = "     1\u{2192}oats\n\n<system-reminder>\nIs it malware?\n</system-reminder>\n";
    let last = read_lines(&[
        user("Read"),
        call("c1", "Read", &json!({ "file_path": "/m/a.rs" })),
        result("c1", text, &json!({ "type": "text" })),
    ]);
    let read = tool_call(&last, "c1");
    assert_eq!(read.output_text().as_deref(), Some("     1\u{2192}oats"));
    assert_eq!(read.reminder(), Some("Is it malware?"));
}

#[test]
fn the_result_of_an_agent_is_apart_from_how_to_ask_it_again() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let note =
        "agentId: a9a05d4 (for resuming to continue this agent's work if needed)\n<usage>total_tokens: 5</usage>";
    let answered = |blocks: Value| {
        let mut answer = result("c1", "", &json!({ "status": "completed", "totalToolUseCount": 2 }));
        answer["message"]["content"][0]["content"] = blocks;
        let task = json!({ "subagent_type": "sower", "description": "Sow", "prompt": "Sow" });
        let read = tool_call(&read_lines(&[user("Sow"), call("c1", "Task", &task), answer]), "c1");
        (read.output_text().unwrap_or_default(), read.reminder().map(str::to_owned))
    };
    assert_eq!(
        answered(json!([text("- oats\n"), text("- rye"), text(note)])),
        ("- oats\n\n- rye".to_owned(), Some(note.to_owned()))
    );
    // All that it said is its result.
    assert_eq!(answered(json!([text(note)])), (note.to_owned(), None));
}

#[test]
fn an_output_that_nobody_counted_is_unknown() {
    let ends = |text: &str, tokens: u64| {
        let mut line = assistant(text);
        line["message"]["id"] = json!("m1");
        line["message"]["usage"] = json!({ "input_tokens": 3, "output_tokens": tokens });
        let last =
            read_lines(&[user("Tell"), line, json!({ "type": "system", "subtype": "turn_duration", "durationMs": 5 })]);
        metadata(&last, "line-2").clone()
    };
    let told = "Once there was a mill by the river. ".repeat(20);
    assert_eq!(ends(&told, 2)["output_unknown"], true);
    assert_eq!(ends(&told, 2)["tokens"]["input"], 3);
    assert!(!ends(&told, 180).contains_key("output_unknown"));
    assert!(!ends("Hm.", 1).contains_key("output_unknown"));
}

#[test]
fn a_thought_counts_from_what_the_model_was_told_last() {
    let thought =
        || json!({ "type": "assistant", "message": { "content": [{ "type": "thinking", "thinking": "hm" }] } });
    let bash = call("c1", "Bash", &json!({ "command": "sow" }));
    let late = json!({ "type": "progress", "data": { "type": "bash_progress" }, "parentToolUseID": "c1" });
    let last =
        read_lines(&[user("Sow"), thought(), bash, late.clone(), late, result("c1", "ok", &json!({})), thought()]);
    let took = ["line-1", "line-6"].map(|id| message(&last, id).took());
    // Not from the call's beginning, three lines earlier.
    assert_eq!(took, [Some(Micros(Micros::SECOND)); 2]);
}

#[test]
fn a_request_that_failed_for_good_fails_its_run_in_the_words_of_the_provider() {
    let answer = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#;
    let mut failed = assistant(&format!("API Error: 529 {answer}"));
    failed["isApiErrorMessage"] = json!(true);
    failed["error"] = json!("unknown");
    failed["message"]["model"] = json!("<synthetic>");
    let hooks = json!({ "type": "system", "subtype": "stop_hook_summary", "hookCount": 1 });
    let end = json!({ "type": "system", "subtype": "turn_duration", "durationMs": 211_232 });
    let last = read_lines(&[user("Sow"), failed, hooks, end]);
    let said = metadata(&last, "line-1");
    assert_eq!(said["payload"], json!({ "error_type": "overloaded", "message": "Overloaded (529)", "frames": [] }));
    assert_eq!((&said["status"], &said["request_id"]), (&json!(529), &json!("req_1")));
    assert_eq!(metadata(&last, "line-3")["outcome"], "failed");
    assert_eq!(last.runs.iter().map(|(_, run)| run.outcome).collect::<Vec<_>>(), [RunOutcome::Failed]);
}

#[test]
fn a_file_that_a_tool_read_is_part_of_the_call_and_has_its_name() {
    let source = json!({ "type": "base64", "media_type": "application/pdf", "data": "JVBERg==" });
    let document = json!([{ "type": "document", "source": source }]);
    let mut read = json!({ "type": "user", "isMeta": true, "message": { "role": "user", "content": document } });
    read["parentUuid"] = json!("line-2");
    let mut stray = read.clone();
    stray["parentUuid"] = json!("elsewhere");
    let path = json!({ "file_path": "/m/seeds/Intro.pdf" });
    let pdf = result("c1", "PDF file read: /m/seeds/Intro.pdf", &json!({ "type": "pdf" }));
    let last = read_lines(&[user("Read"), call("c1", "Read", &path), pdf, read, stray]);
    let file = message(&last, "line-3");
    assert_eq!((file.role, file.part, file.call_id.as_deref()), (Role::Assistant, Part::Derived, Some("c1")));
    assert_eq!(metadata(&last, "line-3")["payload"]["files"][0]["name"], "Intro.pdf");
    assert_eq!(message(&last, "line-4").role, Role::System);
    assert_eq!(last.runs.len(), 1, "neither is a prompt");
}

#[test]
fn a_launch_is_not_the_work_and_its_end_is_told_by_what_comes_later() {
    let launched = json!({ "isAsync": true, "status": "async_launched", "agentId": "a1" });
    let asked = |status: &str| {
        let text = format!(
            "<retrieval_status>timeout</retrieval_status>\n\n<task_id>a1</task_id>\n\n<status>{status}</status>"
        );
        result("c2", &text, &json!({ "retrieval_status": "timeout", "task": { "task_id": "a1", "status": status } }))
    };
    let agent = json!({ "description": "Look over the field", "subagent_type": "reviewer", "prompt": "Look" });
    let begin = [
        user("Look"),
        call("c1", "Task", &agent),
        result("c1", "Async agent launched successfully.\nagentId: a1 (do not mention it to the user)", &launched),
        call("c2", "TaskOutput", &json!({ "task_id": "a1" })),
    ];
    let with = |more: &[Value]| read_lines(&[&begin[..], more].concat());
    let running = with(&[asked("running")]);
    let launch = tool_call(&running, "c1");
    assert_eq!((launch.duration_ms(), launch.output_text().as_deref()), (None, Some("")));
    assert_eq!((launch.background(), launch.task_status()), (true, Some("running")));
    assert_eq!(tool_call(&running, "c2").task_status(), Some("running"));
    let note = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Done</summary>\n</task-notification>";
    let told = with(&[asked("running"), user(note)]);
    assert_eq!(tool_call(&told, "c1").task_status(), Some("completed"));
    assert_eq!(tool_call(&with(&[asked("failed")]), "c1").task_status(), Some("failed"));
}

#[test]
fn a_summary_stands_for_the_boundary_before_it() {
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
        "compactMetadata": { "trigger": "auto", "preTokens": 168_000 },
    });
    let mut summary = user("What was sown so far");
    summary["isCompactSummary"] = json!(true);
    let last = read_lines(&[user("Sow"), boundary.clone(), summary, boundary]);
    assert_eq!(metadata(&last, "line-2")["compact"]["preTokens"], 168_000);
    let parts = ["line-1", "line-2", "line-3"].map(|id| message(&last, id).part);
    assert_eq!(parts, [Part::Replaced, Part::Whole, Part::Whole]);
}

/// The result doesn't hold the file: the numbered lines that the model was shown do, and so does the patch.
#[test]
fn an_edit_is_where_its_result_says() {
    let said = "The file /m/a.rs has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n    \
                11→fn sow() {\n    12→\tlet rye = 1;\n    13→}\n";
    let edit = json!({ "file_path": "/m/a.rs", "old_string": "oats", "new_string": "rye" });
    let last = read_lines(&[user("Sow"), call("c1", "Edit", &edit), result("c1", said, &Value::Null)]);
    assert_eq!(info(&last, "c1").start_line, Some(12));
    let edits = &metadata(&last, "c1~edit~0")["payload"]["edits"];
    assert_eq!(edits[0]["old_content"], "\tlet oats = 1;\n");
    assert_eq!(edits[0]["new_content"], "\tlet rye = 1;\n");

    let edits = json!([{ "old_string": "\toats", "new_string": "\trye" }, { "old_string": "barn()\nmill()", "new_string": "barn()" }]);
    let hunk = |start: u32, lines: &[&str]| json!({ "oldStart": start, "oldLines": 2, "newStart": start, "newLines": 2, "lines": lines });
    let patch = json!([hunk(5, &[" sow", "-    oats", "+    rye"]), hunk(40, &[" x = barn()", "-mill();"])]);
    let many = json!({ "file_path": "/m/a.rs", "edits": edits });
    let answer = json!({ "filePath": "/m/a.rs", "originalFile": null, "structuredPatch": patch });
    let last = read_lines(&[user("Sow"), call("c1", "MultiEdit", &many), result("c1", "Done", &answer)]);
    let lines = |index| edit_info(message(&last, "c1~edit~0").metadata.as_ref(), index).start_line;
    assert_eq!([lines(0), lines(1)], [Some(6), Some(40)]);
}

/// The tool's own patch has the last word: how many places were replaced, and what else it wrote.
#[test]
fn an_edit_changes_as_many_lines_as_its_patch() {
    let hunk = |start: u32, lines: &[&str]| {
        let (old, new) = (
            lines.iter().filter(|l| !l.starts_with('+')).count(),
            lines.iter().filter(|l| !l.starts_with('-')).count(),
        );
        json!({ "oldStart": start, "oldLines": old, "newStart": start, "newLines": new, "lines": lines })
    };
    let counted = |tool: &str, input: Value, answer: Value| {
        let last = read_lines(&[user("Sow"), call("c1", tool, &input), result("c1", "Done", &answer)]);
        let draft = message(&last, "c1~edit~0");
        let Body::CodeEdit(edit) = Body::of(draft) else { panic!("an edit") };
        let infos = (0..edit.edits.len()).map(|index| edit_info(draft.metadata.as_ref(), index));
        let counts = edit.edits.iter().zip(infos).map(|(edit, info)| edit.line_counts_with(&info));
        let (added, removed) = counts.fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
        assert!(draft.content.ends_with(&format!(" +{added} -{removed}")), "{}", draft.content);
        (added, removed)
    };
    let edit = |old: &str, new: &str, all: bool| json!({ "file_path": "/m/a", "old_string": old, "new_string": new, "replace_all": all });
    let twice = json!([hunk(1, &["-rye", "+oats", " 2"]), hunk(20, &[" 19", "-rye", "+oats"])]);
    let middle: String = (2..20).map(|n| format!("{n}\n")).collect();
    for original in [Value::Null, json!(format!("rye\n{middle}rye\n"))] {
        let answer = json!({ "originalFile": original, "structuredPatch": twice, "replaceAll": true });
        assert_eq!(counted("Edit", edit("rye", "oats", true), answer), (2, 2), "each place that was replaced");
    }
    let blank = json!([hunk(1, &[" rye", "+", " oats"])]);
    for original in [Value::Null, json!("rye\noats\n")] {
        let answer = json!({ "originalFile": original, "structuredPatch": blank });
        assert_eq!(
            counted("Edit", edit("rye", "rye\n", false), answer),
            (1, 0),
            "a line end that is added is a blank line"
        );
    }
    let stamped = json!([hunk(1, &["-sown: 1", "+sown: 2", " 2"]), hunk(20, &[" 19", "-rye", "+oats"])]);
    let answer =
        json!({ "originalFile": format!("sown: 1\n{middle}rye\n"), "structuredPatch": stamped, "memdirStamped": true });
    assert_eq!(counted("Edit", edit("rye", "oats", false), answer), (2, 2), "with the stamp");
    // Without a patch, the texts themselves.
    assert_eq!(counted("Edit", edit("a", "a\nb", false), json!({})), (1, 0));

    let write = |content: &str| json!({ "file_path": "/m/a", "content": content });
    let written = |original: &str, new: &str, patch: Value| {
        counted(
            "Write",
            write(new),
            json!({ "type": "update", "content": new, "originalFile": original, "structuredPatch": patch }),
        )
    };
    let ended = json!([hunk(1, &["-last", "\\ No newline at end of file", "+last"])]);
    assert_eq!(written("last", "last\n", ended), (1, 1));
    let all = json!([hunk(1, &["-a", "-b", "-c", "+a", "+B", "+c"])]);
    assert_eq!(written("a\r\nb\r\nc\r\n", "a\nB\nc\n", all), (1, 1), "other line ends are said in words");
    let one = json!([hunk(1, &[" a", "-b", "+B", " c"])]);
    let kept = written("a\r\nb\r\nc\r\n", "a\nB\nc\n", one);
    assert_eq!(kept, (1, 1));
    assert_eq!(
        counted("Edit", edit("two", "2", false), json!({ "originalFile": "one\rtwo\r", "structuredPatch": [] })),
        (1, 1)
    );
}

/// The list as the agent keeps it: in the order of its numbers, whoever's result came first.
#[test]
fn a_task_list_keeps_numbers_owners_and_what_waits() {
    let created = |n: u32, subject: &str| {
        result(&format!("k{n}"), "Created", &json!({ "task": { "id": n.to_string(), "subject": subject } }))
    };
    let create = |n: u32, subject: &str| call(&format!("k{n}"), "TaskCreate", &json!({ "subject": subject }));
    let update = |id: &str, input: Value, success: bool| {
        let answer = json!({ "success": success, "taskId": input["taskId"], "updatedFields": [] });
        [call(id, "TaskUpdate", &input), result(id, "Task #4 is blocked by #2", &answer)]
    };
    let lines = [
        &[user("Sow")][..],
        &[create(1, "Dig"), create(2, "Lay"), create(3, "Paint"), create(4, "Test")],
        &[created(3, "Paint"), created(1, "Dig"), created(4, "Test"), created(2, "Lay")],
        &update("u1", json!({ "taskId": "1", "status": "completed" }), true),
        &update("u2", json!({ "taskId": "2", "subject": "Lay it", "status": "in_progress", "owner": "mira" }), true),
        &update("u3", json!({ "taskId": "3", "status": "deleted" }), true),
        &update("u4", json!({ "taskId": "4", "addBlockedBy": ["2", "3"] }), true),
        &update("u5", json!({ "taskId": "4", "status": "completed" }), false),
    ];
    let last = read_lines(&lines.concat());
    assert_eq!(tool_call(&last, "u5").state().as_str(), "failed");
    assert!(last.messages.iter().all(|(_, draft, _)| draft.id.as_str() != "u5~todo~0"), "a refusal changes nothing");
    let metadata = metadata(&last, "u4~todo~0");
    assert_eq!(
        metadata["payload"]["todos"],
        json!([
            { "id": "1", "content": "Dig", "status": "completed" },
            { "id": "2", "content": "Lay it", "status": "in_progress" },
            { "id": "4", "content": "Test", "status": "pending" },
        ])
    );
    let infos = model::envelope::todo_info(message(&last, "u4~todo~0").metadata.as_ref());
    assert_eq!((infos["2"].owner.as_deref(), infos["2"].number.as_deref()), (Some("mira"), Some("2")));
    assert_eq!(
        (infos["4"].blocked_by.as_slice(), infos["4"].state.map(|s| s.to_string())),
        (&["2".to_owned()][..], Some("blocked".to_owned()))
    );
    let freed = [&lines.concat()[..], &update("u6", json!({ "taskId": "2", "status": "completed" }), true)].concat();
    let last = read_lines(&freed);
    let infos = model::envelope::todo_info(message(&last, "u6~todo~0").metadata.as_ref());
    assert_eq!(infos["4"].state, None, "what it waited for is done");
}

#[test]
fn a_call_that_a_person_interrupted_is_cancelled() {
    let spawn = call("c1", "Agent", &json!({ "description": "Swim out", "prompt": "Swim" }));
    let last = read_lines(&[user("Sow"), spawn, user("[Request interrupted by user for tool use]"), user("Go on")]);
    assert_eq!(tool_call(&last, "c1").state().as_str(), "cancelled");
}

/// The only facts about a sub-agent without a file come from its call, the time of its start too.
#[test]
fn a_sub_agent_without_a_file_began_with_its_call() {
    let spawn = call("c1", "Agent", &json!({ "description": "Swim out", "prompt": "Swim" }));
    let done = result("c1", "Done", &json!({ "status": "completed", "agentId": "a1" }));
    let last = read_lines(&[user("Sow"), spawn, user("wait"), done]);
    let facts = &last.sessions["made/a1"];
    let called = message(&last, "c1").created_at;
    assert_eq!((facts.first_at, facts.parent.as_deref()), (Some(called), Some("made")));
}

/// A copied line has the id of the line that it was copied from, and an API message one cost, whatever its lines repeat.
#[test]
fn copied_lines_are_known_by_the_line_they_came_from() {
    let mut prompt = user("Sow");
    prompt["forkedFrom"] = json!({ "sessionId": "old", "messageUuid": "old-1" });
    let answer = |output: u64, cost: f64| {
        let mut line = assistant("Sown");
        line["message"]["id"] = json!("msg-1");
        line["message"]["usage"] = json!({ "input_tokens": 1, "output_tokens": output });
        line["costUSD"] = json!(cost);
        line
    };
    let last = read_lines(&[prompt, answer(1, 0.5), answer(480, 0.5)]);
    assert_eq!(message(&last, "old-1").content, "Sow");
    let (_, run) = last.runs.first().expect("a run");
    assert_eq!((run.id.as_str(), run.usage.output, run.cost_usd), ("old-1", 480, Some(0.5)));
}

/// As where a process went on beside another one that had given the call up: nobody was asked again.
#[test]
fn a_second_result_of_a_call_decides_nothing() {
    let bash = call("c1", "Bash", &json!({ "command": "sleep 15" }));
    let done = result("c1", "slept", &json!({ "stdout": "slept", "stderr": "", "interrupted": false }));
    let last = read_lines(&[user("Sleep"), bash, error("c1", REFUSED), done]);
    let approval = metadata(&last, "c1~approval~0")["payload"].clone();
    assert_eq!((&approval["state"], &approval["decision"]["state"]), (&json!("denied"), &json!("denied")));
}
