//! Output of commands in cards.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod gallery;

use app::message_renderer::render_article;
use app::transcript::{Detail, TranscriptOptions};
use model::Role;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

fn card(metadata: Value, role: Role) -> String {
    // Drawings are kept by the ids of their messages.
    static CARDS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("printed-{}", CARDS.fetch_add(1, Ordering::Relaxed));
    let options =
        TranscriptOptions { detail: Detail::Unfolded, ..TranscriptOptions::new(gallery::session(), 99, gallery::NOW) };
    render_article(&gallery::entry(&name, role, "bot", "", metadata), &options)
}

fn call(tool: &str, output: &Value) -> String {
    let payload = json!({"tool_name": tool, "input": {"command": "x"}, "output": output});
    card(json!({"message_type": "TOOL_CALL", "payload": payload}), Role::Assistant)
}

/// Returns the content of the terminals in a card.
fn printed(html: &str) -> String {
    let terminals = html.split("<pre tabindex=\"0\" class=\"term\">").skip(1);
    terminals.map(|rest| rest.split("</pre>").next().unwrap_or_default()).collect::<Vec<_>>().join("\n--\n")
}

#[test]
fn an_output_is_what_its_terminal_showed() {
    let bash = |output: &str| printed(&call("Bash", &json!(output)));
    let fetched = "Fetching\n\r  5% █░░░\r 40% ██░░\r100% done    \r\nnext\u{1b}[2K\u{1b}[1G\u{1b}[32m✔\u{1b}[0m \
                   \u{1b}[38;5;208morange\u{1b}[39m \u{1b}]8;;https://example.com\u{1b}\\link words\u{1b}]8;;\u{1b}\\\n\
                   ab\u{8}\u{8}cd\r\nwin line\r\n";
    let shown = "Fetching\n100% done    \n<span class=\"a32\">✔</span> <span class=\"ac\" \
                 style=\"--c:#ff8700\">orange</span> link words\ncd\nwin line";
    assert_eq!(bash(fetched), shown);
    assert_eq!(
        bash("N\u{8}NA\u{8}A\n  _\u{8}b_\u{8}y"),
        "<span class=\"a1\">NA</span>\n  <span class=\"a4\">by</span>"
    );
    // No line of a progress bar of hundreds of frames is counted, and none is cut off.
    let frames: String =
        (0..400).map(|n| format!("\u{1b}[2K\rlayer one {n}\n\u{1b}[2K\rlayer two {n}\n\u{1b}[2A")).collect();
    let docker = call("Bash", &json!(format!("\u{1b}[31mred\nstill\n{frames}\n\ndone")));
    assert_eq!(printed(&docker), "<span class=\"a31\">red\nstill\nlayer one 399\nlayer two 399\ndone</span>");
    assert!(docker.contains("5 lines") && !docker.contains("hidden line"), "{docker}");
}

/// The parser of HTML drops the first line break of a `pre`.
#[test]
fn an_output_keeps_its_blank_lines_and_columns() {
    assert_eq!(
        printed(&call("Bash", &json!("\n\n\tone\ttwo\n  3    spaced   out\n"))),
        "\n\n\n\tone\ttwo\n  3    spaced   out"
    );
    let stdout = "\n     1\tfoo\n     2\t\n     3\tbar\n  a    b     c";
    let said = json!({"command_output": {"stdout": stdout, "stderr": ""}});
    assert_eq!(printed(&card(said, Role::Tool)), format!("\n{stdout}"));
    let read = call("Read", &json!("1\t\n2\tfn main() {}\n"));
    assert!(read.contains("<pre class=\"code\" tabindex=\"0\">\n\nfn"), "{read}");
}

#[test]
fn codes_are_shown_nowhere() {
    let coloured = "\u{1b}[31mred\u{1b}[0m";
    for html in [
        call("Bash", &json!([{"type": "text", "text": coloured}])),
        call("Bash", &json!({"stdout": coloured, "code": 1})),
        call("Bash", &json!(format!("{{\"stdout\": \"\\u001b[31mred\", \"n\": [\"{}\"]}}", "\\u001b[1mred"))),
        call("WebFetch", &json!(format!("# Title\n\n{coloured}"))),
        call("Grep", &json!(format!("src/a.rs:1:{coloured}"))),
        call("mcp__shell__run", &json!(coloured)),
        card(json!({"command_output": {"stdout": coloured, "stderr": coloured}}), Role::Tool),
        card(
            json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {}, "error": coloured, "state": "failed"}}),
            Role::Assistant,
        ),
        card(
            json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {}, "state": "running", "progress": coloured}}),
            Role::Assistant,
        ),
    ] {
        assert!(html.contains("red") && !html.contains("[31m") && !html.contains("U+001B"), "{html}");
    }
}

#[test]
fn a_file_is_called_by_its_name_on_every_system() {
    for (path, folder, name) in [
        ("/srv/pump-house/scripts/a/very/long/folder/run.sh", "/srv/pump-house/scripts/a/very/long/folder/", "run.sh"),
        (r"C:\Users\mira\pump-house\scripts\run.ps1", r"C:\Users\mira\pump-house\scripts\", "run.ps1"),
        (r"\\server\share\run.ps1", r"\\server\share\", "run.ps1"),
    ] {
        let parts = format!("<span>{folder}</span><b>{name}</b>");
        let payload = json!({"tool_name": "Read", "input": {"file_path": path}, "output": "1\ta"});
        let read = card(json!({"message_type": "TOOL_CALL", "payload": payload}), Role::Assistant);
        let edits = json!({"edits": [{"file_path": path, "new_content": "x\n"}]});
        let edit = card(json!({"message_type": "CODE_EDIT", "payload": edits}), Role::Assistant);
        let payload = json!({"tool_name": "Grep", "input": {"pattern": "a"}, "output": format!("{path}:7:a")});
        let found = card(json!({"message_type": "TOOL_CALL", "payload": payload}), Role::Assistant);
        for html in [read, edit, found] {
            assert!(html.contains(&parts), "{html}");
        }
    }
}
