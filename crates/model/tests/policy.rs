//! The whole policy as text, for reviewers to read.

use model::{
    Context, Draft, MessageId, MessageType, Micros, Part, Provenance, Role,
    policy::{Facts, Memory, Policy, display, facts_of, policy},
};
use serde_json::{Value, json};

const SENDERS: [(Role, &[&str]); 2] = [
    (Role::System, &["channel", "deploy", "peer", "system_notice", "teammate"]),
    (Role::Host, &["result_meta", "security"]),
];

/// Built-in types, and one that nobody knows.
fn types() -> Vec<&'static str> {
    let mut types = MessageType::WORDS.to_vec();
    types.push("HOLOGRAM");
    types
}

fn line(name: &str, policy: &Policy) -> String {
    let Policy { row, context, display, side, look, memory, channel } = policy;
    let cells = format!(
        "{name:32} {:10} {:10} {:7} {:8} {:7} {:15} {row}",
        context.as_str(),
        display.as_str(),
        side.as_str(),
        look.as_str(),
        memory.as_str(),
        channel.as_str(),
    );
    cells + "\n"
}

#[test]
fn grid() {
    let mut grid = format!(
        "{:32} {:10} {:10} {:7} {:8} {:7} {:15} row\n",
        "role / type", "context", "dashboard", "side", "look", "memory", "channel"
    );
    for &role in Role::ALL {
        grid.push('\n');
        for tag in types() {
            let facts = Facts::new(role, tag, "bot");
            grid += &line(&format!("{role} / {tag}"), &policy(&facts));
        }
        for sender in SENDERS.iter().filter(|(of, _)| *of == role).flat_map(|(_, senders)| *senders) {
            let facts = Facts::new(role, "TEXT", sender);
            grid += &line(&format!("{role} / TEXT {sender}"), &policy(&facts));
        }
    }
    grid.push('\n');
    let text = |role| Facts::new(role, "TEXT", "bot");
    let of = |tag| Facts::new(Role::Assistant, tag, "bot");
    let special = [
        ("user / TEXT consumed", Facts { consumed: true, ..text(Role::User) }),
        ("user / TEXT aside", Facts { aside: true, ..text(Role::User) }),
        ("assistant / TOOL_CALL replaced", Facts { part: Part::Replaced, ..of("TOOL_CALL") }),
        ("assistant / CODE_EDIT derived", Facts { part: Part::Derived, ..of("CODE_EDIT") }),
        ("assistant / TODO derived", Facts { part: Part::Derived, ..of("TODO") }),
        ("assistant / APPROVAL answered", Facts { answered: true, ..of("APPROVAL") }),
        ("assistant / APPROVAL der. answ.", Facts { answered: true, part: Part::Derived, ..of("APPROVAL") }),
        ("system / TEXT task_notification", Facts { task: true, sender: "task_notification", ..text(Role::System) }),
        ("tool / TEXT exit code 0", Facts { exit_code: Some(0), ..text(Role::Tool) }),
        ("tool / TEXT exit code 2", Facts { exit_code: Some(2), ..text(Role::Tool) }),
        ("system / TEXT task", Facts { task: true, ..text(Role::System) }),
        ("system / TEXT asked ephemeral", Facts { asked_context: Some(Context::Ephemeral), ..text(Role::System) }),
        ("system / TEXT asked none", Facts { asked_context: Some(Context::None), ..text(Role::System) }),
        ("user / TEXT asked none", Facts { asked_context: Some(Context::None), ..text(Role::User) }),
        ("user / TEXT by a key", Facts { provenance: Provenance::Key, ..text(Role::User) }),
        ("user / TODO by a key", Facts { provenance: Provenance::Key, role: Role::User, ..of("TODO") }),
        (
            "assistant / TEXT host, by a key",
            Facts { provenance: Provenance::Key, sender: "host", ..text(Role::Assistant) },
        ),
        ("host / TEXT asked turn", Facts { asked_context: Some(Context::Turn), ..text(Role::Host) }),
    ];
    for (name, facts) in special {
        grid += &line(name, &policy(&facts));
    }
    insta::assert_snapshot!(grid);
}

/// Every combination of facts, so that no special row lets a host's message through.
#[test]
fn a_host_never_reaches_a_model() {
    for tag in types() {
        for sender in ["bot", "result_meta", "security", "deploy", "system_notice"] {
            for bits in 0..8 {
                for &part in Part::ALL {
                    for asked in [None, Some(Context::Turn), Some(Context::Ephemeral), Some(Context::None)] {
                        let facts = Facts {
                            part,
                            consumed: bits & 1 != 0,
                            answered: bits & 2 != 0,
                            task: bits & 4 != 0,
                            asked_context: asked,
                            ..Facts::new(Role::Host, tag, sender)
                        };
                        let policy = policy(&facts);
                        assert_eq!((policy.context, policy.memory), (Context::None, Memory::Never), "{facts:?}");
                    }
                }
            }
        }
    }
}

/// A writer may lower the context, never raise it; and the stored answer, asked again, stays.
#[test]
fn context_is_only_ever_lowered() {
    for &role in Role::ALL {
        for tag in types() {
            for &asked in Context::ALL {
                let free = policy(&Facts::new(role, tag, "bot")).context;
                let stored = policy(&Facts { asked_context: Some(asked), ..Facts::new(role, tag, "bot") }).context;
                assert_eq!(stored, free.min(asked), "{role} / {tag}, {asked}");
                let again = policy(&Facts { asked_context: Some(stored), ..Facts::new(role, tag, "bot") }).context;
                assert_eq!(again, stored, "{role} / {tag}, {asked}");
            }
        }
    }
}

/// The policy's view of a stored row, by its columns and its metadata.
#[test]
fn rows_of_stored_messages() {
    let stored = |role, sender: &str, context, metadata: Value| {
        let id = MessageId::parse("m").expect("an id");
        let draft = Draft { provenance: Provenance::Reader, ..Draft::text(id, role, sender, "text", Micros(0)) };
        Draft { context, metadata: metadata.as_object().cloned(), ..draft }
    };
    let posted = |role, sender: &str, metadata: Value| Draft {
        provenance: Provenance::Key,
        ..stored(role, sender, Context::Turn, metadata)
    };
    let approval = |state: &str| {
        let payload = json!({"kind": "plan", "title": "x", "state": state});
        stored(Role::Assistant, "bot", Context::Turn, json!({"message_type": "APPROVAL", "payload": payload}))
    };
    let call = json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "x", "exit_code": 3}});
    let rows = [
        approval("open"),
        approval("denied"),
        stored(Role::System, "file-history-snapshot", Context::None, json!(null)),
        stored(Role::System, "cron", Context::Turn, json!({"task": {"id": 1}})),
        stored(Role::System, "cron", Context::Turn, json!({"task": false})),
        stored(Role::User, "web", Context::Turn, json!({"consumed": true})),
        stored(Role::Tool, "command_output", Context::Turn, json!({"exit_code": 0})),
        stored(Role::Tool, "command_output", Context::Turn, call),
        stored(Role::Assistant, "bot", Context::Turn, json!({"message_type": "HOLOGRAM", "payload": [5]})),
        Draft {
            part: Part::Replaced,
            ..stored(Role::Assistant, "bot", Context::Turn, json!({"message_type": "TOOL_CALL"}))
        },
        Draft {
            provenance: Provenance::Ourselves,
            ..stored(Role::User, "scheduled_task", Context::Turn, json!({"task": true}))
        },
        posted(Role::User, "scheduled_task", json!({"task": true})),
        posted(Role::User, "web", json!({"consumed": true})),
        posted(Role::User, "deploy", json!(null)),
        posted(Role::Assistant, "planner", json!({"interrupted": true})),
        posted(Role::Assistant, " Host", json!({"task": true})),
        posted(Role::Tool, "host", json!({"exit_code": 0})),
    ];
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            let Policy { row: name, context, display: place, look, .. } = policy(&facts_of(row));
            assert_eq!(display(row), place);
            format!("{name}: {context}, {place}, {look}")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Approval request: none, shown, buttons",
            "Approval request: turn, shown, buttons",
            "Bookkeeping: none, dev, system",
            "Scheduled task, handoff: turn, shown, plain",
            "Persistent system context: turn, dev, system",
            "Control word: none, shown, dimmed",
            "Command output: turn, shown, success",
            "Command output: turn, shown, failure",
            "Any other pair: turn, shown, plain",
            "Tool call behind its cards: turn, dev, plain",
            "Scheduled prompt: turn, shown, plain",
            "Passed on by an agent: turn, shown, passed_on",
            "Passed on by an agent: turn, shown, passed_on",
            "Passed on by an agent: none, shown, passed_on",
            "Answer: turn, shown, plain",
            "Agent's own notice: none, shown, notice",
            "Command output: none, shown, success",
        ]
    );
}
