//! Invariants that are pure, on arbitrary messages.

use model::{
    Body, Context, Draft, Message, MessageId, MessageType, Micros, Origin, Part, Provenance, Role, SessionId, Status,
    envelope::{self, edit_info, todo_info},
    markdown::to_markdown,
    policy::{self, BotIdentity, ChannelView, Verbosity, channel_text, should_embed},
    sdk_format::{RunInput, format_for_sdk},
    summary::{self, summary},
    todo_state::todo_state,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        // Words that mean something somewhere.
        select(vec!["pending", "completed", "applied", "open", "denied", "Bash", "a.rs", "1", "allow_once"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![vec(inner.clone(), 0..4).prop_map(Value::from), object(inner).prop_map(Value::Object)]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let keys = vec![
        "edits",
        "file_path",
        "new_content",
        "todos",
        "id",
        "content",
        "status",
        "tool_name",
        "input",
        "output",
        "error",
        "state",
        "kind",
        "title",
        "questions",
        "options",
        "label",
        "files",
        "name",
        "mime",
        "size",
        "message",
        "frames",
        "error_type",
        "selected",
        "approval_id",
        "edit_info",
        "todo_info",
        "consumed",
        "task",
        "embed",
        "exit_code",
    ];
    let key = prop_oneof![3 => select(keys).prop_map(str::to_owned), 1 => "[a-z~/ ]{0,6}".prop_map(String::from)];
    vec((key, value), 0..5).prop_map(Map::from_iter)
}

fn message_type() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(MessageType::WORDS).prop_map(str::to_owned), 1 => "[A-Za-z_]{1,12}".prop_map(String::from)]
}

/// Nothing, a legacy object, or something like an envelope: right, nearly right, or with an example's payload.
fn metadata() -> impl Strategy<Value = Option<Map<String, Value>>> {
    let examples: Vec<Value> = Body::examples().iter().map(|(_, _, body)| body.payload()).collect();
    let payload =
        prop_oneof![1 => select(examples), 3 => object(json_value()).prop_map(Value::Object), 1 => json_value()];
    let envelope = (message_type(), payload, option::of(json_value()), object(json_value())).prop_map(
        |(message_type, payload, version, mut map)| {
            map.insert("message_type".to_owned(), message_type.into());
            map.insert("payload".to_owned(), payload);
            map.extend(version.map(|version| ("version".to_owned(), version)));
            map
        },
    );
    option::of(prop_oneof![1 => object(json_value()), 4 => envelope])
}

fn draft() -> impl Strategy<Value = Draft> {
    let words =
        ((select(Role::ALL), select(Context::ALL), select(Status::ALL)), (select(Part::ALL), select(Provenance::ALL)));
    let sender = select(vec!["bot", "host", "deploy", "system_notice", "result_meta", "security", "tui-user"]);
    (words, sender, "(?s).{0,300}", metadata(), any::<bool>()).prop_map(
        |(((role, context, status), (part, provenance)), sender, content, metadata, asks)| Draft {
            id: MessageId::parse("m").expect("an id"),
            role,
            sender: sender.to_owned(),
            sender_name: None,
            context,
            status,
            requires_user_input: asks,
            content,
            metadata,
            call_id: None,
            reply_to: None,
            run_id: None,
            part,
            provenance,
            left_behind: false,
            created_at: Micros(0),
            origin: Origin::default(),
        },
    )
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    vec((draft(), 0_i64..20), 0..6).prop_map(|drafts| {
        let message = |(draft, seq)| Message {
            session_id: SessionId::parse("s").expect("an id"),
            seq,
            revision: 1,
            draft,
            records: Vec::new(),
            received_at: Micros(0),
        };
        drafts.into_iter().map(message).collect()
    })
}

fn config() -> ProptestConfig {
    // No file of past failures: a failure becomes a named test instead.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) }
}

proptest! {
    #![proptest_config(config())]

    /// Invariant 1: whatever context a row claims to have.
    #[test]
    fn no_host_message_in_any_prompt(messages in messages()) {
        let input = RunInput::of(&messages);
        prop_assert!(input.messages.iter().all(|message| message.role != Role::Host));
        prop_assert_eq!(&input.messages, &format_for_sdk(&messages));
        let given = |context, role: Option<Role>| messages.iter().filter(|message| {
            let draft = &message.draft;
            draft.context == context && draft.status != Status::Retracted && draft.role != Role::Host
                && role.is_none_or(|role| role == draft.role)
        }).count();
        prop_assert_eq!(input.messages.len(), given(Context::Turn, None));
        prop_assert_eq!(input.system_notices.len(), given(Context::Ephemeral, Some(Role::System)));
    }

    /// Invariant 3, on stored rows with any metadata: the rule, unless the row says otherwise.
    #[test]
    fn only_what_people_said_is_remembered(draft in draft()) {
        let said = draft.metadata.as_ref().and_then(|metadata| metadata.get("embed")).and_then(Value::as_str);
        prop_assume!(said.is_none());
        let rule = draft.role == Role::User
            && draft.metadata.as_ref().and_then(|m| m.get("message_type")).is_none_or(|tag| tag == "TEXT")
            && draft.status == Status::Final
            && draft.context == Context::Turn
            && draft.provenance != Provenance::Key;
        prop_assert_eq!(should_embed(&draft), rule);
    }

    /// Invariant 8: what we don't know leaves as it came.
    #[test]
    fn unknown_types_survive(tag in "[A-Z]{1,8}_X", payload in object(json_value()), extras in object(json_value())) {
        let mut map = Map::from_iter([
            ("message_type".to_owned(), json!(tag)),
            ("version".to_owned(), json!(7)),
            ("payload".to_owned(), Value::Object(payload.clone())),
        ]);
        map.extend(extras.into_iter().filter(|(_, value)| !value.is_null()));
        let stored = envelope::normalize(Some(Value::Object(map.clone()))).expect("an unknown type takes any object");
        prop_assert_eq!(stored.as_ref(), Some(&map));
        let parsed = envelope::parse(Some(&Value::Object(map)));
        prop_assert_eq!(parsed.payload, Some(payload));
    }

    /// Invariant 8, for built-in types with values that we don't know: stored rows keep their data.
    #[test]
    fn stored_data_survives_reading(draft in draft()) {
        let text = serde_json::to_string(&draft).expect("JSON");
        prop_assert_eq!(&serde_json::from_str::<Draft>(&text).expect("a draft"), &draft);
        let metadata = draft.metadata.clone();
        match Body::of(&draft) {
            Body::Unknown { payload, message_type } => {
                prop_assert_eq!(message_type.as_str(), draft.message_type());
                let stored = metadata.as_ref().and_then(|map| map.get("payload")).cloned();
                prop_assert_eq!(Value::Object(payload), stored.unwrap_or_else(|| json!({})));
            }
            Body::Invalid { payload, .. } => {
                let map = metadata.unwrap_or_default();
                let whole = Value::Object(map.clone());
                prop_assert!(payload == whole || Some(&payload) == map.get("payload") || !map.contains_key("payload"));
            }
            _ => {}
        }
    }

    #[test]
    fn what_is_normal_stays_normal(metadata in metadata()) {
        if let Ok(first) = envelope::normalize(metadata.map(Value::Object)) {
            let again = envelope::normalize(first.clone().map(Value::Object));
            let with_version = first.map(|mut map| {
                if map.contains_key("message_type") && !map.contains_key("version") {
                    map.insert("version".to_owned(), json!(1));
                }
                map
            });
            prop_assert_eq!(again, Ok(with_version));
        }
    }

    #[test]
    fn refusals_point_into_the_metadata(metadata in metadata()) {
        let whole = metadata.map(Value::Object);
        if let Err(error) = envelope::normalize(whole.clone()) {
            let pointer = &error.problem.pointer;
            let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            let whole = whole.unwrap_or_default();
            // A missing field isn't there to be pointed at, but what should hold it is.
            prop_assert!(whole.pointer(parent).is_some() || parent == "/payload", "{pointer} in {whole}");
        }
    }

    #[test]
    fn reading_never_fails(draft in draft()) {
        let metadata = draft.metadata.as_ref();
        let line = summary(&draft);
        prop_assert!(!line.is_empty() && !line.contains('\n') && line.chars().count() <= summary::MAX_CHARS);
        to_markdown(&draft);
        envelope::parse(metadata.cloned().map(Value::Object).as_ref());
        edit_info(metadata, 0);
        todo_info(metadata);
        todo_state([&draft]);
        for (verbosity, bot_identity) in [(Verbosity::Normal, BotIdentity::Hidden), (Verbosity::Verbose, BotIdentity::Shown)] {
            let text = channel_text(&draft, ChannelView { verbosity, bot_identity });
            let silent = policy::policy(&policy::facts_of(&draft)).channel == policy::Channel::Nothing;
            prop_assert!(!silent || text.is_none());
        }
    }
}

/// Invariant 3 over the full grid.
#[test]
fn should_embed_equals_the_rule() {
    let mut embedded = Vec::new();
    for &role in Role::ALL {
        for tag in MessageType::WORDS.iter().chain(&["HOLOGRAM"]) {
            for &status in Status::ALL {
                for &context in Context::ALL {
                    let text = Draft::text(MessageId::parse("m").expect("an id"), role, "bot", "x", Micros(0));
                    let metadata = Map::from_iter([("message_type".to_owned(), json!(tag))]);
                    let provenance = Provenance::Person;
                    let draft = Draft { status, context, provenance, metadata: Some(metadata), ..text };
                    let passed_on = Draft { provenance: Provenance::Key, ..draft.clone() };
                    assert!(!should_embed(&passed_on), "a key's words are no memory");
                    if should_embed(&draft) {
                        embedded.push(format!("{role} / {tag}, {status}, {context}"));
                    }
                }
            }
        }
    }
    assert_eq!(embedded, ["user / TEXT, final, turn"]);
}
