//! Rows of the older chat host and messages, both ways, whatever words they use.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use agents::chat_host::{ChatRow, from_row, to_row};
use model::{Context, Draft, MessageId, Micros, Origin, Part, Provenance, Role, Status};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

fn row(message_type: &str, sender: &str) -> ChatRow {
    ChatRow {
        id: "m-1".to_owned(),
        sender: Some(sender.to_owned()),
        sender_name: Some("Ada".to_owned()),
        content: Some("text".to_owned()),
        timestamp: Some("2026-01-01T00:00:01+00:00".to_owned()),
        is_from_me: Some(1),
        message_type: Some(message_type.to_owned()),
        ..ChatRow::default()
    }
}

#[test]
fn each_pair_of_words_has_its_role() {
    let pairs = [
        ("user", "123@s.example", Role::User, Context::Turn),
        ("user", "tui-user", Role::User, Context::Turn),
        ("user", "system_notice", Role::System, Context::None),
        ("user", "deploy", Role::System, Context::Turn),
        ("assistant", "bot", Role::Assistant, Context::Turn),
        ("assistant", "thinking", Role::Model, Context::None),
        ("assistant", "tool_use", Role::Assistant, Context::Turn),
        ("assistant", "tool_result", Role::Tool, Context::None),
        ("assistant", "result_meta", Role::Host, Context::None),
        ("tool_result", "command_output", Role::Tool, Context::Turn),
        ("system", "system", Role::System, Context::Turn),
        ("host", "host", Role::Host, Context::None),
        // Nobody knows it: no model ever reads it.
        ("security_audit", "security", Role::Host, Context::None),
    ];
    for (message_type, sender, role, context) in pairs {
        let draft = from_row(&row(message_type, sender));
        assert_eq!((draft.role, draft.context, draft.sender.as_str()), (role, context, sender), "{message_type}");
        assert_eq!(draft.created_at, Micros(1_767_225_601_000_000));
    }
}

#[test]
fn a_call_is_shown_as_one() {
    let content = r#"{"tool_name": "Bash", "tool_input": {"command": "ls"}}"#.to_owned();
    let draft = from_row(&ChatRow { content: Some(content), ..row("assistant", "tool_use") });
    assert_eq!(draft.message_type(), "TOOL_CALL");
    assert_eq!(draft.payload().unwrap(), &json!({"tool_name": "Bash", "input": {"command": "ls"}}));
}

#[test]
fn a_message_of_ours_is_a_row_that_the_older_host_reads() {
    let draft = Draft::text(MessageId::parse("a").unwrap(), Role::Model, "claude", "Hm", Micros(1_767_225_601_500_000));
    let row = to_row(&draft);
    let metadata = r#"{"verbatim":{"sender":"claude"}}"#.to_owned();
    let expected = ChatRow {
        id: "a".to_owned(),
        sender: Some("thinking".to_owned()),
        sender_name: None,
        content: Some("Hm".to_owned()),
        timestamp: Some("2026-01-01T00:00:01.500000+00:00".to_owned()),
        is_from_me: Some(1),
        message_type: Some("assistant".to_owned()),
        metadata: Some(metadata),
        more: Map::new(),
    };
    let mut found = row;
    // Absent metadata is a difference to what the row itself has.
    found.metadata =
        found.metadata.map(|text| text.replace(r#","metadata":null"#, "").replace(r#""metadata":null,"#, ""));
    assert_eq!(found, expected);
}

#[test]
fn what_says_all_of_itself_gets_nothing_beside_it() {
    for (role, sender, from_me) in
        [(Role::Assistant, "bot", 1), (Role::User, "49151@s.whatsapp.net", 0), (Role::Host, "host", 1)]
    {
        let draft = Draft {
            context: if role == Role::Host { Context::None } else { Context::Turn },
            ..Draft::text(MessageId::parse("a").unwrap(), role, sender, "Hm", Micros(1_767_225_601_000_000))
        };
        let row = to_row(&draft);
        assert_eq!((row.metadata.clone(), row.is_from_me, row.sender.as_deref()), (None, Some(from_me), Some(sender)));
        assert_eq!(from_row(&row).metadata, None);
    }
    let exited = ChatRow { metadata: Some(r#"{"exit_code":0}"#.to_owned()), ..row("tool_result", "command_output") };
    assert_eq!(from_row(&exited).metadata, json!({"exit_code": 0}).as_object().cloned());
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::from), object(inner).prop_map(Value::Object)]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let key = prop_oneof![
        select(vec!["exit_code", "message_type", "payload", "version", "webhook_url", "messages_row"])
            .prop_map(str::to_owned),
        "[a-z]{1,6}"
    ];
    vec((key, value), 0..4).prop_map(|fields| fields.into_iter().collect())
}

/// Words of all four vocabularies, and ones that nobody knows.
fn word() -> impl Strategy<Value = String> {
    let known = select(vec![
        "user",
        "assistant",
        "system",
        "tool_result",
        "host",
        "bot",
        "thinking",
        "tool_use",
        "result_meta",
        "deploy",
        "system_notice",
        "command_output",
        "tui-user",
        "security_audit",
        "text",
        "file",
        "file_card",
        "buttons",
        "inputs",
        "action",
        "tools",
        "USER",
        "AGENT",
        "TEXT",
        "CODE_EDIT",
    ]);
    prop_oneof![known.prop_map(str::to_owned), "\\PC{0,10}"]
}

fn chat_row() -> impl Strategy<Value = ChatRow> {
    let time = prop_oneof![
        select(vec!["2026-01-01T00:00:01+00:00", "2026-01-01T00:00:01.5Z", "2026-01-01 00:00:01", "later", ""])
            .prop_map(str::to_owned),
        "\\PC{0,10}"
    ];
    let metadata = prop_oneof![object(json_value()).prop_map(|it| Value::Object(it).to_string()), "\\PC{0,12}"];
    let columns = ("\\PC{0,20}", option::of(word()), option::of(word()), option::of("\\PC{0,20}"));
    let more = vec(("more_[a-z]{1,4}", any::<i64>().prop_map(Value::from)), 0..2);
    (columns, option::of(time), option::of(any::<i64>()), option::of(word()), option::of(metadata), more).prop_map(
        |((id, sender, sender_name, content), timestamp, is_from_me, message_type, metadata, more)| ChatRow {
            id,
            sender,
            sender_name,
            content,
            timestamp,
            is_from_me,
            message_type,
            metadata,
            more: more.into_iter().collect(),
        },
    )
}

fn draft() -> impl Strategy<Value = Draft> {
    let role = select(vec![Role::User, Role::Assistant, Role::Model, Role::Tool, Role::System, Role::Host]);
    let status = select(vec![Status::Streaming, Status::Final, Status::Error, Status::Retracted]);
    let context = select(vec![Context::None, Context::Ephemeral, Context::Turn]);
    let part = select(vec![Part::Whole, Part::Derived, Part::Replaced]);
    let words = (word(), option::of(word()), "\\PC{0,20}", option::of("[a-z]{1,6}"));
    let rest = (any::<bool>(), option::of(object(json_value())), -4_000_000_000_000_000_i64..4_000_000_000_000_000);
    ("[a-z0-9~._-]{1,20}", role, status, context, part, words, rest).prop_map(
        |(id, role, status, context, part, (sender, sender_name, content, call_id), (asks, metadata, at))| Draft {
            status,
            context,
            part,
            sender_name,
            requires_user_input: asks,
            metadata,
            run_id: call_id.clone(),
            call_id,
            provenance: Provenance::Reader,
            origin: Origin { cwd: Some("/work".to_owned()), ..Origin::default() },
            ..Draft::text(MessageId::parse(format!("m{id}")).unwrap(), role, &sender, content, Micros(at))
        },
    )
}

proptest! {
    #[test]
    fn a_row_comes_back_as_it_was(row in chat_row()) {
        prop_assert_eq!(to_row(&from_row(&row)), row);
    }

    #[test]
    fn a_message_comes_back_as_it_was(draft in draft()) {
        prop_assert_eq!(from_row(&to_row(&draft)), draft);
    }
}
