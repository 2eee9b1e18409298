//! Cards of tool calls: their heads, the steps of a sub-agent, and calls without anything to show.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod gallery;

use api::messages::Entry;
use app::message_renderer::{render_article, step};
use app::transcript::{Child, Detail, TranscriptOptions};
use model::{Role, SessionState, Status};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The folder that messages of the gallery are from.
const FOLDER: &str = "/home/mara/lantern";

fn options() -> TranscriptOptions {
    let mut options = TranscriptOptions::new(gallery::session(), 99, gallery::NOW);
    options.detail = Detail::Unfolded;
    options
}

fn call(name: &str, payload: Value) -> Entry {
    let metadata = json!({ "message_type": "TOOL_CALL", "version": 1, "payload": payload });
    gallery::entry(name, Role::Assistant, "bot", "", metadata)
}

fn draw(name: &str, payload: Value) -> String {
    render_article(&call(name, payload), &options())
}

fn words(html: &str) -> String {
    let words = html.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text);
    words.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join(" | ")
}

fn between<'h>(html: &'h str, from: &str, to: &str) -> &'h str {
    let (_, rest) = html.split_once(from).unwrap_or_else(|| panic!("{from} in {html}"));
    rest.split_once(to).map_or(rest, |(inside, _)| inside)
}

fn head(html: &str) -> &str {
    between(html, "<summary", "</summary>")
}

#[test]
fn the_head_of_a_tool_is_told_from_its_folder() {
    let said = |command: &str| {
        words(head(&draw(
            &command.replace(char::is_control, " "),
            json!({"tool_name": "Bash", "input": {"command": command}, "output": "x"}),
        )))
    };
    let run = |command: &str| format!("Bash | {command}");
    assert_eq!(said(&format!("cat {FOLDER}/docs/plan.md | head")), run("cat docs/plan.md | head"));
    assert_eq!(said(&format!("(diff {FOLDER}/a --to={FOLDER}/b)")), run("(diff a --to=b)"));
    assert_eq!(said(&format!("cd {FOLDER} && git diff --stat")), run("git diff --stat"));
    let commit = "git commit -m \"$(cat <<'EOF'\nMend the lock\n\nIt was held for ever.\nEOF\n)\" && git push";
    assert_eq!(
        said(commit),
        run("git commit -m &quot;Mend the lock It was held for ever.&quot; && git push")
            .replace(" && ", " &amp;&amp; ")
    );
    let search = |path: &str| json!({"tool_name": "Grep", "input": {"pattern": "lock", "path": path}, "output": "x"});
    assert_eq!(words(head(&draw("everywhere", search(FOLDER)))), "Grep | lock");
    assert_eq!(words(head(&draw("search", search(&format!("{FOLDER}/src"))))), "Grep | lock in src");
    // Text that isn't a path in it stays.
    for other in
        [format!("ls {FOLDER}/"), format!("cat /mnt{FOLDER}/a"), format!("cat {FOLDER}s/a"), format!("rm {FOLDER}/ x")]
    {
        assert_eq!(said(&other), run(&other));
    }
    let command = format!("cat {FOLDER}/plan.md");
    let html = draw("short", json!({"tool_name": "Bash", "input": {"command": command}, "output": "x"}));
    assert!(head(&html).contains(&format!("title=\"{command}\"")), "{html}");
    assert!(html.contains(&format!("$ {command}</pre>")), "{html}");
}

#[test]
fn a_target_of_a_tool_that_may_be_cut_is_read_on_hover() {
    let title = format!("Summaries should be stored {}", "again and ".repeat(30));
    let html = draw("long", json!({"tool_name": "mcp__board__create_issue", "input": {"title": title, "team": "ENT"}}));
    assert!(head(&html).contains(&format!("title=\"{}\"", title.trim())), "{html}");
    let html =
        draw("brief", json!({"tool_name": "mcp__board__create_issue", "input": {"title": "Mow", "team": "ENT"}}));
    assert!(!between(head(&html), "class=\"target", ">").contains("title="), "{html}");
}

#[test]
fn steps_of_a_sub_agent_are_told_as_tools_are() {
    let mut child = gallery::children().get("call-agent").cloned().expect("a child");
    child.session.state = SessionState::Lost;
    let path = format!("{FOLDER}/src/session.rs");
    let edit = json!({"message_type": "CODE_EDIT", "version": 1, "payload": {"edits": [{"file_path": path, "old_content": "a", "new_content": "b"}]}});
    let steps = [
        gallery::entry("s0", Role::Assistant, "bot", "Now the tests", Value::Null),
        call("s1", json!({"tool_name": "Bash", "input": {"command": format!("cat {path}")}, "output": "x"})),
        call("s2", json!({"tool_name": "Grep", "input": {"pattern": "lock"}, "error": "no such folder"})),
        call("s3", json!({"tool_name": "Read", "input": {"file_path": path}, "output": "x"})),
        call("s4", json!({"tool_name": "TaskUpdate", "input": {"taskId": "1"}, "output": "x"})),
        gallery::entry("s5", Role::Assistant, "bot", "", edit),
    ];
    child.steps = steps.into_iter().map(step).collect();
    let children = HashMap::from([("call-agent".to_owned(), Child { ..child })]);
    let known = TranscriptOptions { children: Arc::new(children), ..options() };
    let mut agent =
        call("agent", json!({"tool_name": "Task", "input": {"subagent_type": "reviewer", "description": "Look"}}));
    agent.message.draft.call_id = Some("call-agent".to_owned());
    let html = render_article(&agent, &known);
    let steps: Vec<String> = between(&html, "class=\"steps", "</ul>").split("<li").skip(2).map(words).collect();
    assert_eq!(
        steps,
        [
            "Now the tests",
            "Bash | cat src/session.rs",
            "Grep | lock | Failed: no such folder",
            "Read | src/ | session.rs",
            "TaskUpdate | 1",
            "Edit | src/ | session.rs",
        ]
    );
    // The head has the last step in the same words.
    assert!(words(head(&html)).starts_with("Task | Look | Edit src/session.rs | "), "{html}");
}

#[test]
fn a_tool_call_without_anything_to_show_says_why() {
    let note = |name: &str, streams: bool, payload: Value, rests: bool| {
        let mut entry = call(name, payload);
        if streams {
            entry.message.draft.status = Status::Streaming;
        }
        let html = render_article(&entry, &TranscriptOptions { rests, ..options() });
        words(between(&html, "</summary>", "<footer"))
    };
    let run = json!({"tool_name": "Bash", "input": {"command": "make"}});
    assert_eq!(note("n1", true, run.clone(), false), "No output yet");
    assert_eq!(note("n2", true, json!({"tool_name": "Bash", "input": {}}), false), "Its input is still being written");
    assert_eq!(note("n3", false, run.clone(), true), "No answer was recorded");
    // The input of a call is something to show.
    let long = json!({"tool_name": "Bash", "input": {"command": "make", "timeout": 5000}});
    assert!(!note("n4", false, long, false).contains("No output"));
}

#[test]
fn an_output_of_a_tool_that_was_saved_elsewhere_is_shown_from_its_beginning() {
    let lines = (1..=79).fold(String::new(), |all, n| format!("{all}line {n} of a long output\n"));
    let saved = |name: &str, size: Value| {
        let payload = json!({
            "tool_name": "Bash", "input": {"command": "make"}, "output": lines, "persisted_path": "/tmp/out.txt",
            "persisted_size": size,
        });
        draw(name, payload)
    };
    let html = saved("p1", json!(36_454));
    assert!(html.contains(">line 1 of a long output\n") && !html.contains("line 79 of a long output"), "{html}");
    assert!(words(between(&html, "<footer", "</footer>")).starts_with("First 2.0 KB of 37 KB | "), "{html}");
    assert!(words(&saved("p2", Value::Null)).contains("| First 2.0 KB | "));
    // All of it is here as well.
    assert!(words(&saved("p3", json!(lines.len()))).contains("| 79 lines, 2.0 KB | "));
}
