//! The text of each kind of message in other channels.

use model::{
    Body, Context, Draft, MessageId, Micros, Part, Payload, Provenance, Role, Status,
    markdown::{generated, is_made_from_payload, said_besides, to_markdown},
    message_type::{
        action::Action,
        approval::{Approval, ApprovalState, Decision},
        code_edit::{CodeEdit, Edit},
        error::Error,
        file::File,
        todo::{Todo, TodoItem, TodoStatus},
        tool_call::ToolCall,
    },
    policy::{BotIdentity, ChannelView, Verbosity, channel_text, should_embed},
};
use serde_json::{Map, Value, json};
use std::fmt::Write;

fn draft(role: Role, sender: &str, content: &str) -> Draft {
    let text = Draft::text(MessageId::parse("m").expect("an id"), role, sender, content, Micros(0));
    Draft { provenance: if role == Role::User { Provenance::Person } else { Provenance::Reader }, ..text }
}

fn typed(role: Role, body: impl Into<Body>, extras: &Value) -> Draft {
    let extras = extras.as_object().cloned().unwrap_or_default();
    let metadata = body.into().envelope(extras).expect("valid");
    Draft { metadata: Some(metadata), sender_name: Some("Ada".to_owned()), ..draft(role, "bot", "") }
}

fn legacy(draft: Draft, metadata: &Value) -> Draft {
    Draft { metadata: metadata.as_object().cloned(), ..draft }
}

fn edit(path: &str, old: Option<&str>, new: Option<&str>) -> Edit {
    let own = |text: &str| text.to_owned();
    Edit { file_path: own(path), old_content: old.map(own), new_content: new.map(own), language: None }
}

fn bash(result: ToolCall) -> ToolCall {
    let input = Map::from_iter([("command".to_owned(), json!("make test"))]);
    ToolCall { tool_name: "Bash".to_owned(), input, ..result }
}

#[test]
fn texts() {
    let item = TodoItem { id: "1".to_owned(), content: "Add a test".to_owned(), status: TodoStatus::Completed };
    let decided = Approval {
        state: ApprovalState::AllowedOnce,
        decision: Some(Decision {
            selected: vec!["allow_once".to_owned()],
            ..Decision::new(ApprovalState::AllowedOnce)
        }),
        ..Approval::example()
    };
    let decided_by = |by: &str, via: Option<&str>| Approval {
        decision: decided.decision.clone().map(|decision| Decision {
            by: Some(by.to_owned()),
            via: via.map(str::to_owned),
            ..decision
        }),
        ..decided.clone()
    };
    let (by_ada, by_owner) = (decided_by("Ada", Some("matrix")), decided_by("owner", None));
    let edits =
        CodeEdit { edits: vec![edit("a.rs", Some("1\n2\n3\n"), Some("1\nX\n3\n4\n")), edit("b.rs", None, Some("x"))] };
    let infos = json!({"edit_info": [{"state": "applied", "scope": "file"}, {"state": "failed", "scope": "file"}]});
    let call = |output: Value| bash(ToolCall { output: Some(output), ..ToolCall::default() });
    let failed = bash(ToolCall { error: Some("Exit code 2".to_owned()), ..ToolCall::default() });
    let unknown = json!({"message_type": "HOLOGRAM", "payload": {"x": 1}});
    let cases = [
        ("person", draft(Role::User, "tui-user", "go on")),
        ("control word", legacy(draft(Role::User, "tui-user", "reset"), &json!({"consumed": true}))),
        ("upload", typed(Role::User, File::example(), &json!({}))),
        ("reply", typed(Role::User, Action::example(), &json!({}))),
        ("tick", typed(Role::User, Todo { todos: vec![item] }, &json!({}))),
        ("answer", draft(Role::Assistant, "bot", "Done")),
        ("tool call, running", typed(Role::Assistant, bash(ToolCall::default()), &json!({}))),
        ("tool call, done", typed(Role::Assistant, call(json!("ok")), &json!({}))),
        ("tool call, failed", typed(Role::Assistant, failed.clone(), &json!({}))),
        (
            "tool call behind its cards",
            Draft { part: Part::Replaced, ..typed(Role::Assistant, call(json!("ok")), &json!({})) },
        ),
        ("diff", typed(Role::Assistant, edits, &infos)),
        ("checklist", typed(Role::Assistant, Todo::example(), &json!({}))),
        ("command, good", legacy(draft(Role::Tool, "command_output", "3 passed"), &json!({"exit_code": 0}))),
        ("command, bad", legacy(draft(Role::Tool, "command_output", "1 failed"), &json!({"exit_code": 101}))),
        ("command, unsaid", draft(Role::Tool, "command_output", "hm")),
        ("command as a tool call", typed(Role::Tool, failed, &json!({}))),
        ("system", draft(Role::System, "system", "the branch changed")),
        ("per-run notice", Draft { context: Context::Ephemeral, ..draft(Role::System, "system_notice", "dirty tree") }),
        ("task", legacy(draft(Role::System, "cron", "Check the build"), &json!({"task": true}))),
        (
            "scheduled prompt",
            Draft {
                provenance: Provenance::Ourselves,
                ..legacy(draft(Role::User, "scheduled_task", "Run the tests"), &json!({"task": true}))
            },
        ),
        ("host", draft(Role::Host, "host", "restarted")),
        ("audit", draft(Role::Host, "security", "a key was used")),
        ("question, open", typed(Role::Assistant, Approval::example(), &json!({}))),
        ("question, decided", typed(Role::Assistant, decided, &json!({}))),
        ("question, decided by Ada", typed(Role::Assistant, by_ada, &json!({}))),
        ("question, decided by the owner", typed(Role::Assistant, by_owner, &json!({}))),
        ("error", typed(Role::Assistant, Error::example(), &json!({}))),
        (
            "error, streaming",
            Draft { status: Status::Streaming, ..typed(Role::Assistant, Error::example(), &json!({})) },
        ),
        ("unknown", legacy(draft(Role::Assistant, "bot", "a hologram of a cat"), &unknown)),
        ("unknown, reasoning", legacy(draft(Role::Model, "thinking", "a cat"), &unknown)),
        ("reasoning", draft(Role::Model, "thinking", "maybe a cache")),
        ("run footer", draft(Role::Host, "result_meta", "0.12 USD · 3.4s · 5 turns")),
        ("passed on", Draft { provenance: Provenance::Key, ..draft(Role::User, "web", "go on") }),
        ("retracted", Draft { status: Status::Retracted, ..draft(Role::User, "web", "secret") }),
    ];
    let quiet = ChannelView { verbosity: Verbosity::Normal, bot_identity: BotIdentity::Hidden };
    let verbose = ChannelView { verbosity: Verbosity::Verbose, bot_identity: BotIdentity::Shown };
    let mut text = String::new();
    for (name, draft) in &cases {
        let (normal, all) = (channel_text(draft, quiet), channel_text(draft, verbose));
        writeln!(text, "=== {name}\n{}", normal.as_deref().unwrap_or("(nothing)")).expect("written");
        if all != normal {
            writeln!(text, "--- verbose, identity shown\n{}", all.as_deref().unwrap_or("(nothing)")).expect("written");
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn long_output_keeps_both_ends() {
    let output = format!("{}{}{}", "a".repeat(2000), "b".repeat(1501), "c".repeat(500));
    let call = bash(ToolCall { output: Some(json!(output)), ..ToolCall::default() });
    let view = ChannelView { verbosity: Verbosity::Normal, bot_identity: BotIdentity::Hidden };
    let text = channel_text(&typed(Role::Assistant, call, &json!({})), view).expect("a text");
    let (head, tail) = ("a".repeat(2000), "c".repeat(500));
    assert_eq!(text, format!("🔧 Bash: make test\n📋 {head}\n… 1501 characters left out …\n{tail}"));
}

#[test]
fn a_long_thought_keeps_both_ends_and_a_long_task_its_beginning() {
    let view = ChannelView { verbosity: Verbosity::Verbose, bot_identity: BotIdentity::Hidden };
    let thought = draft(Role::Model, "thinking", &format!("{}{}", "a".repeat(3000), "c".repeat(1001)));
    let (head, tail) = ("a".repeat(2000), "c".repeat(500));
    let text = channel_text(&thought, view);
    assert_eq!(text.as_deref(), Some(&*format!("💭 {head}\n… 1501 characters left out …\n{tail}")));
    let task = |chars: usize| {
        let task = legacy(draft(Role::System, "cron", &"t".repeat(chars)), &json!({"task": true}));
        channel_text(&task, view)
    };
    assert_eq!(task(500), Some(format!("» [Scheduled Task] {}", "t".repeat(500))));
    assert_eq!(task(501), Some(format!("» [Scheduled Task] {}…", "t".repeat(499))));
}

#[test]
fn a_row_may_ask_to_be_remembered_or_forgotten() {
    let asks = |role, embed: &str| should_embed(&legacy(draft(role, "x", "text"), &json!({"embed": embed})));
    assert!(!asks(Role::User, "never"));
    assert!(asks(Role::Assistant, "always"));
    assert!(!asks(Role::Host, "always"), "never means never");
    assert!(!asks(Role::Model, "always"), "never means never");
    let retracted = Draft { status: Status::Retracted, ..draft(Role::User, "x", "text") };
    assert!(!should_embed(&legacy(retracted, &json!({"embed": "always"}))));
}

/// Beyond 256 KiB, an edit's markdown isn't written for its content.
#[test]
fn the_content_of_a_long_edit_is_what_its_markdown_begins_with() {
    let long = "lorem ipsum\n".repeat(60_000);
    let part = "lorem\nipsum\n".repeat(100);
    for edits in [
        vec![edit("a.rs", None, Some(&long)), edit("b.rs", None, Some("at the end"))],
        vec![edit("a.rs", Some(&long), Some("x")), edit("b.rs", Some("1\n"), Some("1\nat the end\n"))],
        (0..600).map(|n| edit("a.rs", Some(&part), Some(if n == 599 { "at the end" } else { "x" }))).collect(),
    ] {
        let mut draft = typed(Role::Assistant, CodeEdit { edits }, &json!({}));
        draft.provenance = Provenance::Key;
        let body = Body::of(&draft);
        let whole = to_markdown(&draft);
        draft.content = generated(&draft, &body);
        assert!(draft.content.len() == 256 << 10 && whole.starts_with(&draft.content));
        for (content, besides) in [(&*draft.content, None), ("at the end", None), ("by hand", Some("by hand"))] {
            let draft = Draft { content: content.to_owned(), ..draft.clone() };
            assert_eq!(said_besides(&draft, &body), besides);
            assert_eq!(is_made_from_payload(&draft, &body), besides.is_none());
            assert!(to_markdown(&draft) == besides.map(|words| format!("{words}\n\n")).unwrap_or_default() + &whole);
        }
    }
}
