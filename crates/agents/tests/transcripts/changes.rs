//! Changes of files, as their records tell them: each once, with what the record knows.

use crate::lines::{call, metadata, read_lines, result, user};
use crate::readers::read;
use crate::support::Last;
use model::Status;
use serde_json::{Value, json};

/// The words and the texts of the edits that are shown, in their order.
fn edits(last: &Last) -> Vec<(String, Value)> {
    let shown = last.messages.iter().map(|(_, draft, _)| draft);
    let shown = shown.filter(|draft| draft.message_type() == "CODE_EDIT" && draft.status != Status::Retracted);
    let told = |draft: &model::Draft| {
        let metadata = draft.metadata.as_ref().expect("metadata");
        let moved = metadata["edit_info"][0]["moved_from"].as_str();
        let texts = metadata["payload"]["edits"].as_array().expect("edits").iter();
        let texts: Vec<Value> = texts.map(|edit| json!([edit["old_content"], edit["new_content"]])).collect();
        (format!("{}{}", draft.content, moved.map_or(String::new(), |from| format!(" from {from}"))), json!(texts))
    };
    shown.map(told).collect()
}

fn words(last: &Last) -> Vec<String> {
    edits(last).into_iter().map(|(words, _)| words).collect()
}

/// A patch of Codex, and what was recorded of it.
fn patched(patch: &str, changes: &Value) -> Last {
    let line =
        |kind: &str, payload: Value| json!({ "timestamp": "2026-09-14T08:00:00Z", "type": kind, "payload": payload });
    let patch = format!("*** Begin Patch\n{patch}\n*** End Patch\n");
    let lines = [
        line("session_meta", json!({ "id": "s1", "cwd": "/m" })),
        line(
            "response_item",
            json!({ "type": "custom_tool_call", "call_id": "p1", "name": "apply_patch", "input": patch }),
        ),
        line(
            "event_msg",
            json!({ "type": "patch_apply_end", "call_id": "p1", "success": true, "changes": changes, "status": "completed" }),
        ),
        line(
            "response_item",
            json!({ "type": "custom_tool_call_output", "call_id": "p1", "output": "Exit code: 0\nOutput:\nSuccess." }),
        ),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    read("codex", "rollout-x.jsonl", [text.as_bytes()])
}

#[test]
fn a_patch_of_codex_changes_each_file_once() {
    let moved = patched(
        "*** Update File: wheel.txt\n*** Move to: parts/wheel.txt\n@@\n oak\n-eight\n+ten",
        &json!({ "/m/wheel.txt": { "type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n oak\n-eight\n+ten\n", "move_path": "/m/parts/wheel.txt" } }),
    );
    assert_eq!(words(&moved), ["Edit `/m/parts/wheel.txt` +1 -1 from /m/wheel.txt"]);
    let stays = patched(
        "*** Update File: log.md\n*** Move to: log.md\n@@\n-before\n+after",
        &json!({ "/m/log.md": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-before\n+after\n", "move_path": "/m/log.md" } }),
    );
    assert_eq!(words(&stays), ["Edit `/m/log.md` +1 -1"]);
    let unchanged = patched(
        "*** Update File: sign.txt\n*** Move to: door/sign.txt\n@@\n open",
        &json!({ "/m/sign.txt": { "type": "update", "unified_diff": "", "move_path": "/m/door/sign.txt" } }),
    );
    assert_eq!(words(&unchanged), ["Edit `/m/door/sign.txt` +0 -0 from /m/sign.txt"]);
    let replaced = patched(
        "*** Delete File: flour.md\n*** Add File: flour.md\n+fine\n+coarse",
        &json!({ "/m/flour.md": { "type": "add", "content": "fine\ncoarse\n" } }),
    );
    assert_eq!(words(&replaced), ["Delete `/m/flour.md` +0 -0", "Write `/m/flour.md` +2 -0"]);
    // Two sections of one file are one change of it; one names it in full, and the record has another order.
    let sections = patched(
        "*** Update File: sack.md\n@@\n-a\n+A\n*** Update File: rope.md\n@@\n-r\n+R\n*** Update File: /m/sack.md\n@@\n-z\n+Z",
        &json!({
            "/m/sack.md": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-z\n+Z\n", "move_path": null },
            "/m/rope.md": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-r\n+R\n", "move_path": null },
            "/m/new.md": { "type": "add", "content": "n\n" },
        }),
    );
    assert_eq!(words(&sections), ["Edit `/m/sack.md` +2 -2", "Edit `/m/rope.md` +1 -1", "Write `/m/new.md` +1 -0"]);
}

#[test]
fn what_opencode_knows_of_a_patch_is_said() {
    let file = |path: &str, kind: &str, patch: &str, more: Value| {
        let mut file = json!({ "filePath": path, "type": kind, "patch": patch });
        file.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        file
    };
    let files = json!([
        file("/m/c.txt", "delete", "--- c.txt\n+++ c.txt\n@@ -1,2 +0,0 @@\n-nail\n-screw\n", json!({})),
        file("/m/d.txt", "update", "--- d.txt\n+++ d.txt\n", json!({ "before": "x\n", "after": "x\n" })),
        file("/m/e.txt", "update", "--- e.txt\n+++ e.txt\n", json!({ "additions": 0, "deletions": 0 })),
    ]);
    let state = json!({
        "status": "completed", "input": { "patchText": "*** Begin Patch\n*** Delete File: c.txt\n*** End Patch" },
        "output": "Success", "metadata": { "files": files }, "time": { "start": 1, "end": 2 },
    });
    let part = json!({ "id": "prt_1", "type": "tool", "tool": "apply_patch", "callID": "c1", "state": state });
    let info = json!({ "id": "msg_1", "role": "assistant", "sessionID": "ses_1", "time": { "created": 1 } });
    let session = json!({
        "info": { "id": "ses_1", "title": "Tidy", "directory": "/m", "time": { "created": 1, "updated": 2 } },
        "messages": [{ "info": info, "parts": [part] }],
    });
    let last = read("opencode", "ses_1.json", [session.to_string().as_bytes()]);
    assert_eq!(
        edits(&last),
        [
            ("Delete `/m/c.txt` +0 -2".to_owned(), json!([["nail\nscrew\n", null]])),
            // Equal texts: the card says that nothing changed.
            ("Edit `/m/d.txt` +0 -0".to_owned(), json!([["", ""]])),
            ("Edit `/m/e.txt` +0 -0".to_owned(), json!([["", ""]])),
        ]
    );
}

#[test]
fn edits_in_a_string_are_edits() {
    let both =
        json!([{ "oldText": "two nails", "newText": "four nails" }, { "oldText": "one rope", "newText": "two ropes" }]);
    let call = |id: &str, edits: Value| json!({ "type": "toolCall", "id": id, "name": "edit", "arguments": { "path": "loft.txt", "edits": edits } });
    let result = |id: &str| {
        let text = json!([{ "type": "text", "text": "Done" }]);
        json!({ "role": "toolResult", "content": text, "toolCallId": id, "toolName": "edit", "isError": false })
    };
    let line = |id: &str, message: Value| json!({ "type": "message", "id": id, "parentId": null, "timestamp": "2026-09-14T08:00:06Z", "message": message });
    let lines = [
        json!({ "type": "session", "version": 3, "id": "s1", "timestamp": "2026-09-14T08:00:03Z", "cwd": "/m" }),
        line("x1", json!({ "role": "user", "content": [{ "type": "text", "text": "Mend" }] })),
        line(
            "x2",
            json!({ "role": "assistant", "content": [call("e1", both.clone()), call("e2", json!(both.to_string()))] }),
        ),
        line("x3", result("e1")),
        line("x4", result("e2")),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let last = read("pi", "x_s1.jsonl", [text.as_bytes()]);
    let texts = json!([["two nails", "four nails"], ["one rope", "two ropes"]]);
    let edit = ("Edit `loft.txt` +2 -2".to_owned(), texts);
    assert_eq!(edits(&last), [edit.clone(), edit]);
}

/// A change of a notebook whose cells are `a` and `b`.
fn notebook(input: &Value, result_of: &Value) -> (String, Value) {
    let source = json!(["import math\n", "r = 2\n", "print(r)"]);
    let original = json!({ "cells": [
        { "cell_type": "code", "id": "a", "source": source, "outputs": [] },
        { "cell_type": "code", "source": "drop me", "outputs": [] },
    ] });
    let mut input = input.clone();
    input["notebook_path"] = json!("/m/rings.ipynb");
    let mut told = result_of.clone();
    told["notebook_path"] = input["notebook_path"].clone();
    told["original_file"] = json!(original.to_string());
    let last = read_lines(&[user("Fix"), call("c1", "NotebookEdit", &input), result("c1", "Done", &told)]);
    assert_eq!(metadata(&last, "c1~edit~0")["edit_info"][0]["scope"], "fragment");
    edits(&last).remove(0)
}

#[test]
fn a_cell_of_a_notebook_is_compared_with_what_it_held() {
    let new = "import math\nr = 3\nprint(math.pi * r)";
    let replace = json!({ "cell_id": "a", "new_source": new, "edit_mode": "replace" });
    assert_eq!(
        notebook(&json!({ "cell_id": "a", "new_source": new }), &replace),
        ("Edit `/m/rings.ipynb` +2 -2".to_owned(), json!([["import math\nr = 2\nprint(r)\n", format!("{new}\n")]]))
    );
    let insert = json!({ "cell_id": "c", "new_source": "## New", "edit_mode": "insert" });
    assert_eq!(
        notebook(&json!({ "cell_id": "a", "new_source": "## New", "edit_mode": "insert" }), &insert),
        ("Edit `/m/rings.ipynb` +1 -0".to_owned(), json!([["", "## New\n"]]))
    );
    // A cell without an id is named by its number.
    let delete = json!({ "cell_id": "cell-1", "new_source": "", "edit_mode": "delete" });
    assert_eq!(notebook(&delete, &delete), ("Edit `/m/rings.ipynb` +0 -1".to_owned(), json!([["drop me\n", ""]])));
}
