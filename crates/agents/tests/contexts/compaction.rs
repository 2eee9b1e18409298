use crate::claude::{assistant, call, result, text, user, with};
use crate::{File, shape, verdict};
use model::model_context::ContextPart as Part;
use serde_json::{Value, json};

fn boundary(id: &str, before: &str, metadata: Value) -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "uuid": id, "parentUuid": null, "logicalParentUuid": before,
        "compactMetadata": metadata})
}

fn summary(id: &str, parent: &str, words: &str) -> Value {
    with(user(id, Some(parent), json!(words)), json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true}))
}

fn beginning() -> Vec<Value> {
    vec![
        user("u1", None, json!("First")),
        assistant("a1", "u1", "m1", call("c1", "one")),
        user("r1", Some("a1"), result("c1", "1")),
        assistant("a2", "r1", "m2", text("Done with one.")),
    ]
}

fn claude(lines: impl IntoIterator<Item = Value>) -> File {
    File::of("claude_code", lines)
}

#[test]
fn a_summary_stands_for_what_was_before_it() {
    let file = claude(beginning().into_iter().chain([
        boundary("b1", "a2", json!({"trigger": "auto"})),
        summary("s1", "b1", "Summary of one"),
        user("u2", Some("s1"), json!("Second")),
        assistant("a3", "u2", "m3", text("Yes.")),
    ]));
    let context = file.last();
    assert_eq!(shape(&context), ["user: text Summary of one | text Second"]);
    assert_eq!(verdict(&context), ["recorded"]);
    assert_eq!(context.messages[0].blocks[0].part, Part::Summary);
    let change = context.change.expect("a request before");
    assert_eq!(change.previous.id.as_deref(), Some("m2"));
    assert_eq!((change.kept, change.added), (0, 2));
    assert!(change.dropped.iter().all(|dropped| dropped.compacted));
    assert_eq!(change.dropped.len(), 3);
}

#[test]
fn what_a_compaction_kept_stands_behind_its_summary() {
    let kept = json!({"preservedMessages": {"anchorUuid": "s1", "uuids": ["a2", "h1"]}});
    let segment = json!({"preservedSegment": {"headUuid": "a2", "anchorUuid": "s1", "tailUuid": "h1"}});
    for metadata in [kept, segment] {
        let context = claude(beginning().into_iter().chain([
            json!({"type": "system", "subtype": "stop_hook_summary", "uuid": "h1", "parentUuid": "a2"}),
            boundary("b1", "h1", metadata),
            summary("s1", "b1", "Summary of one"),
            // The next line stands behind what was kept, as if nothing had happened.
            user("u2", Some("h1"), json!("Second")),
            assistant("a3", "u2", "m3", text("Yes.")),
        ]))
        .last();
        assert_eq!(
            shape(&context),
            ["user: text Summary of one", "assistant: text Done with one.", "user: text Second"]
        );
        assert_eq!(verdict(&context), ["recorded"]);
    }
    let lost = claude(beginning().into_iter().chain([
        boundary("b1", "a2", json!({"preservedMessages": {"anchorUuid": "s1", "uuids": ["x1", "x2"]}})),
        summary("s1", "b1", "Summary"),
        user("u2", Some("s1"), json!("Second")),
        assistant("a3", "u2", "m3", text("Yes.")),
    ]))
    .last();
    assert_eq!(verdict(&lost), ["approximate", "A compaction kept messages that aren't in the records"]);
}

#[test]
fn of_two_compactions_in_a_row_the_last_one_counts() {
    let context = claude(beginning().into_iter().chain([
        boundary("b1", "a2", json!({})),
        summary("s1", "b1", "Summary"),
        boundary("b2", "s1", json!({})),
        summary("s2", "b2", "Shorter summary"),
        user("u2", Some("s2"), json!("Second")),
        assistant("a3", "u2", "m3", text("Yes.")),
    ]))
    .last();
    assert_eq!(shape(&context), ["user: text Shorter summary | text Second"]);
    assert_eq!(context.change.expect("a request before").previous.id.as_deref(), Some("m2"));
}

#[test]
fn a_summary_whose_compaction_is_gone_still_ends_the_branch() {
    let context = claude(beginning().into_iter().chain([
        summary("s1", "b1", "Summary of one"),
        user("u2", Some("s1"), json!("Second")),
        assistant("a3", "u2", "m3", text("Yes.")),
    ]))
    .last();
    assert_eq!(shape(&context), ["user: text Summary of one | text Second"]);
    let reason = "A summary stands without the line of its compaction: what was kept beside it isn't known";
    assert_eq!(verdict(&context), ["approximate", reason]);
}

#[test]
fn results_that_were_cleared_are_sent_without_their_content() {
    let cleared = json!({"type": "system", "subtype": "microcompact_boundary", "uuid": "k1", "parentUuid": "a2",
        "microcompactMetadata": {"compactedToolIds": ["c1"]}});
    let file = claude(beginning().into_iter().chain([
        cleared,
        user("u2", Some("k1"), json!("Second")),
        assistant("a3", "u2", "m3", text("Yes.")),
    ]));
    assert_eq!(shape(&file.at(3))[2], "user: tool_result c1 1");
    let context = file.last();
    assert_eq!(shape(&context)[2], "user: tool_result c1 [Old tool result content cleared]");
    let dropped = context.change.expect("a request before").dropped;
    assert_eq!(dropped.iter().map(|it| (it.compacted, it.block.preview.as_str())).collect::<Vec<_>>(), [(true, "1")]);
}
