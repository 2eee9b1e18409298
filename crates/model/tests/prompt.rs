//! Stored messages as model input, and the to-do list that follows from them.

use model::message_type::todo::TodoProgress;
use model::{
    Context, Draft, Message, MessageId, Micros, Provenance, Role, SessionId, Status,
    message_type::todo::TodoStatus,
    sdk_format::{RunInput, format_for_sdk},
    todo_state::todo_state,
};
use serde_json::{Value, json};

fn draft(role: Role, content: &str, metadata: Value) -> Draft {
    let text = Draft { provenance: Provenance::Reader, ..Draft::text(id(), role, "x", content, Micros(0)) };
    Draft { metadata: metadata.as_object().cloned(), ..text }
}

fn id() -> MessageId {
    MessageId::parse("m").expect("an id")
}

fn stored(seq: i64, draft: Draft) -> Message {
    let session_id = SessionId::parse("s").expect("an id");
    Message { session_id, seq, revision: 1, draft, records: Vec::new(), received_at: Micros(0) }
}

#[test]
fn a_prompt_is_what_may_be_in_it_in_order() {
    let action = json!({"message_type": "ACTION", "version": 1, "payload": {"reply_to": "m", "selected": ["Blue"]}});
    let tick =
        json!({"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "Test", "status": "completed"}]}});
    let file = json!({"message_type": "FILE", "payload": {"files":
        [{"name": "a.png", "mime": "image/png", "size": 1, "state": "ready"}]}});
    let with = |context, draft| Draft { context, ..draft };
    let messages = [
        stored(9, draft(Role::Assistant, "last", json!({"kept": [null, 1.5]}))),
        stored(1, draft(Role::User, "first", json!(null))),
        stored(2, with(Context::Turn, draft(Role::Host, "never, whatever it claims", json!(null)))),
        stored(3, with(Context::None, draft(Role::System, "bookkeeping", json!(null)))),
        stored(4, with(Context::Ephemeral, draft(Role::System, "the tree is dirty", json!(null)))),
        stored(5, Draft { status: Status::Retracted, ..draft(Role::User, "taken back", json!(null)) }),
        stored(6, draft(Role::User, "", action)),
        stored(7, draft(Role::User, "", tick)),
        stored(8, draft(Role::User, "look at this", file)),
    ];
    let input = RunInput::of(&messages);
    let texts: Vec<&str> = input.messages.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(texts, ["first", "Selected: Blue", "Ticked: Test", "look at this\na.png", "last"]);
    assert_eq!(input.system_notices, ["the tree is dirty"]);
    assert_eq!(input.messages[0].metadata, None);
    assert_eq!(input.messages[4].metadata, messages[0].draft.metadata);
    assert_eq!(format_for_sdk(&[]), []);
    assert_eq!(format_for_sdk(&messages[2..3]), []);
}

#[test]
fn a_list_is_its_last_snapshot_with_the_ticks_after_it() {
    let list = |items: &[(&str, &str)], extras: Value| {
        let todos: Vec<Value> =
            items.iter().map(|(id, status)| json!({"id": id, "content": "do it", "status": status})).collect();
        let mut metadata = json!({"message_type": "TODO", "payload": {"todos": todos}});
        metadata.as_object_mut().expect("an object").extend(extras.as_object().cloned().unwrap_or_default());
        metadata
    };
    let none = json!({});
    let info = json!({"todo_info": {"3": {"state": "cancelled", "priority": 7}}});
    let rows = [
        draft(Role::Assistant, "", list(&[("9", "pending")], none.clone())),
        draft(Role::Assistant, "", list(&[("1", "pending"), ("2", "in_progress"), ("3", "completed")], info)),
        draft(Role::User, "not a list", json!(null)),
        draft(Role::User, "", list(&[("1", "completed"), ("unheard of", "completed")], none.clone())),
        Draft { status: Status::Retracted, ..draft(Role::User, "", list(&[("2", "completed")], none.clone())) },
        Draft { provenance: Provenance::Key, ..draft(Role::User, "", list(&[("2", "completed")], none.clone())) },
        draft(Role::Model, "", list(&[("8", "pending")], none.clone())),
        draft(Role::Assistant, "unreadable", list(&[], none)),
    ];
    let state = todo_state(&rows);
    let shown: Vec<(&str, TodoStatus)> = state.items.iter().map(|item| (item.id.as_str(), item.status)).collect();
    assert_eq!(shown, [("1", TodoStatus::Completed), ("2", TodoStatus::InProgress), ("3", TodoStatus::Completed)]);
    assert_eq!(state.progress(), TodoProgress { done: 1, open: 1, cancelled: 1 });
    assert_eq!(state.summary(), "1/2 done, 1 cancelled, now: do it");
    let cancelled: Vec<bool> = state.items.iter().map(|item| state.is_cancelled(item)).collect();
    assert_eq!(cancelled, [false, false, true]);
}
