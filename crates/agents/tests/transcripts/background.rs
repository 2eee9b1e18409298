//! Work in the background: how it ended, and what stands behind its reports.

use crate::lines::{assistant, call, enqueue, error, message, queue, read_lines, result, tool_call, user};
use crate::support::Last;
use model::message_type::tool_call::ToolState;
use model::{Context, Role};
use serde_json::{Value, json};

fn report(task: &str, status: &str, summary: &str) -> String {
    format!(
        "<task-notification>\n<task-id>{task}</task-id>\n<status>{status}</status>\n<summary>{summary}</summary>\n</task-notification>"
    )
}

/// A command in the background, and what comes behind it.
fn behind(command: &str, more: &[Value]) -> Last {
    let started = json!({ "stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1" });
    let begin = [
        user("Test"),
        call("c1", "Bash", &json!({ "command": command, "run_in_background": true })),
        result("c1", "Command running in background with ID: b1", &started),
    ];
    read_lines(&[&begin[..], more].concat())
}

fn status(last: &Last) -> Option<String> {
    let call = tool_call(last, "c1");
    assert_eq!((call.state(), call.background()), (ToolState::Done, true));
    call.task_status().map(str::to_owned)
}

/// Session, sender and words of what people read as a report, and the state that its row has.
fn reported(last: &Last, id: &str) -> (String, Value) {
    let draft = message(last, id);
    assert_eq!((draft.role, draft.sender.as_str()), (Role::System, "task_notification"));
    let metadata = draft.metadata.as_ref().expect("metadata");
    (draft.content.clone(), metadata["task_notification"]["status"].clone())
}

#[test]
fn what_was_stopped_on_purpose_did_not_fail() {
    let said = json!({ "message": "Successfully stopped task: b1 (mill)", "task_id": "b1" });
    for (tool, argument) in [("TaskStop", "task_id"), ("KillShell", "shell_id"), ("KillBash", "shell_id")] {
        let stop = [call("c2", tool, &json!({ argument: "b1" })), result("c2", &said.to_string(), &said)];
        assert_eq!(status(&behind("mill", &stop)).as_deref(), Some("stopped"), "{tool}");
        let exit = user(&report("b1", "failed", "Background command \"Mill\" failed with exit code 137"));
        let last = behind("mill", &[&stop[..], &[exit]].concat());
        assert_eq!(status(&last).as_deref(), Some("stopped"), "{tool}");
        let row = ("Background command \"Mill\" failed with exit code 137".to_owned(), json!("stopped"));
        assert_eq!(reported(&last, "line-5"), row);
        // It had ended by itself before the stop reached it.
        let done = behind("mill", &[&stop[..], &[user(&report("b1", "completed", "Done"))]].concat());
        assert_eq!(status(&done).as_deref(), Some("completed"), "{tool}");
    }
}

#[test]
fn what_failed_by_itself_failed_and_what_has_no_end_has_none() {
    let failed = behind("mill", &[user(&report("b1", "failed", "Exit 2"))]);
    assert_eq!((status(&failed).as_deref(), reported(&failed, "line-3").1), (Some("failed"), json!("failed")));
    let killed = behind("mill", &[user(&report("b1", "killed", "Was stopped"))]);
    assert_eq!((status(&killed).as_deref(), reported(&killed, "line-3").1), (Some("killed"), json!("killed")));
    let refused = [call("c2", "TaskStop", &json!({ "task_id": "b1" })), error("c2", "No task of this id")];
    let exit = user(&report("b1", "failed", "Exit 2"));
    assert_eq!(status(&behind("mill", &[&refused[..], &[exit]].concat())).as_deref(), Some("failed"));
    assert_eq!(status(&behind("mill", &[assistant("It mills.")])), None);
}

#[test]
fn words_behind_a_report_are_shown() {
    let typed = format!("{}\nPaint the door, too.", report("b1", "completed", "Milled"));
    let last = behind("mill", &[user(&typed), assistant("I paint it.")]);
    assert_eq!(reported(&last, "line-3"), ("Milled".to_owned(), json!("completed")));
    let words = message(&last, "line-3~1");
    assert_eq!(
        (words.role, words.sender.as_str(), words.context, words.content.as_str()),
        (Role::User, "user", Context::Turn, "Paint the door, too.")
    );
    assert_eq!(last.runs.len(), 2, "they are a prompt");

    let two = format!("{}\n{}", report("b1", "completed", "Milled"), report("b2", "failed", "Exit 2"));
    let last = behind("mill", &[user(&two)]);
    assert_eq!(reported(&last, "line-3"), ("Milled".to_owned(), json!("completed")));
    assert_eq!(reported(&last, "line-3~1"), ("Exit 2".to_owned(), json!("failed")));

    // The program's text to the model is no prompt, and is read with the report.
    let program =
        format!("{}\nRead the output file to retrieve the result: /tmp/b1", report("b1", "completed", "Milled"));
    let mut other = user(&format!("{}\nMore grain is there.", report("b1", "completed", "Milled")));
    other["origin"] = json!({ "kind": "task-notification" });
    for (line, words) in
        [(user(&program), "Read the output file to retrieve the result: /tmp/b1"), (other, "More grain is there.")]
    {
        let last = behind("mill", &[line]);
        assert_eq!(reported(&last, "line-3"), (format!("Milled\n\n{words}"), json!("completed")));
        assert_eq!(last.runs.len(), 1);
    }
}

/// Lines of Claude Code 2.1.332: a waiting hook ended with exit code 2, when its agent was idle and in a turn.
#[test]
fn words_that_a_hook_passes_on_are_a_persons() {
    let given = |words: &str| {
        let report = "<task-notification>\n<summary>Message from Verbatim</summary>\n</task-notification>\n";
        format!("{report}<system-reminder>\nWritten in Verbatim: {words}\n\n</system-reminder>")
    };
    let from_hook = |words: &str| {
        let mut line = user(&given(words));
        line["origin"] = json!({ "kind": "task-notification", "producer": "session-task" });
        line["promptSource"] = json!("system");
        line
    };
    let said = "Look at the **parser** first.\n\nSay </task-notification> & </system-reminder>";
    let written = said.replace("</task", "<\\/task").replace("</system", "&lt;/system");
    let words = agents::claude::wrap_page_message(&written);
    let idle = [enqueue(&given(&words)), queue("dequeue"), from_hook(&words), assistant("I look.")];
    let last = read_lines(&idle);
    let draft = message(&last, "line-2");
    assert_eq!((draft.role, draft.sender.as_str(), draft.context), (Role::User, "user", Context::Turn));
    assert_eq!(draft.content, said);
    assert_eq!(last.runs.len(), 1, "they are a prompt");

    let text = given(&words);
    let attached = json!({ "type": "attachment", "attachment": { "type": "queued_command", "prompt": text,
        "commandMode": "task-notification", "source_uuid": "c9", "origin": { "kind": "task-notification" } } });
    let last = read_lines(&[user("Hello"), assistant("I work."), attached, assistant("I look, too.")]);
    let draft = message(&last, "line-2");
    assert_eq!((draft.role, draft.content.as_str()), (Role::User, said));
    assert_eq!(last.runs.len(), 1, "they join the turn");

    // Of any other hook it is shown as what it is.
    let last = read_lines(&[user("Hello"), from_hook("2 tests failed: mill, door"), assistant("I repair them.")]);
    let (words, _) = reported(&last, "line-1");
    assert_eq!(words, "Message from Verbatim\n\nWritten in Verbatim: 2 tests failed: mill, door");
}

#[test]
fn a_report_may_quote_the_tags_of_one() {
    let quoted = report("b0", "failed", "Quoted");
    let text = format!(
        "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Read</summary>\n<result>It says {quoted} twice</result>\n</task-notification>"
    );
    let (words, status) = reported(&behind("mill", &[user(&text)]), "line-3");
    assert_eq!((words, status), (format!("Read\n\nIt says {quoted} twice"), json!("completed")));
}
