//! The todo list of a session as it stands.

use crate::basics::{clock, problem};
use crate::context::{Hub, Scoped};
use crate::may::session;
use crate::redaction::Masking;
use crate::routing::RoutingTable;
use crate::settings::type_settings::CurrentTypeSettings;
use crate::types::TypeTable;
use crate::writing::posting::Treatment;
use crate::writing::{posting, posts};
use api::Problem;
use api::messages::TodoState;
use api::posting::{PostMessage, Posted, TickTodo};
use api::sessions::SessionPath;
use model::message_type::todo::{Todo, TodoItem, TodoProgress};
use model::routing::Place;
use model::todo_state::todo_state;
use model::{MessageType, Role, SessionId};
use serde_json::json;
use store::{MessageQuery, Range, StoredMessage, Stretch, Sums};

/// Messages per read.
const PIECE: u32 = 100;

pub async fn get_todos(scoped: &Scoped, path: &SessionPath) -> Result<TodoState, Problem> {
    let state = state(scoped, path).await?;
    Ok(match &scoped.redactor {
        Some(redactor) => Masking::new(redactor, None).todos(state),
        None => state,
    })
}

async fn state(scoped: &Scoped, path: &SessionPath) -> Result<TodoState, Problem> {
    let hub = &scoped.hub;
    let session = session(scoped, path).await?;
    let earlier = snapshots(hub, &session.id).await?;
    let Some(snapshot) = earlier.last() else { return Ok(TodoState::default()) };
    let mut state = todo_state([&snapshot.message.draft]);
    let mut after = snapshot.message.seq;
    loop {
        let ticks = todos(hub, &session.id, Range::After(after, PIECE)).await?;
        after = ticks.messages.last().map_or(after, |last| last.message.seq);
        // Behind the list that stands may be those of turns that were rewound.
        let told = ticks.messages.iter().filter(|tick| !tick.message.draft.left_behind);
        told.for_each(|tick| state.add(&tick.message.draft));
        if !ticks.more_after {
            break;
        }
    }
    state.time(earlier.iter().map(|s| &s.message.draft));
    Ok(TodoState {
        todos: state.items,
        todo_info: state.info,
        seq: Some(snapshot.message.seq),
        message_id: Some(snapshot.message.draft.id.to_string()),
    })
}

/// The last list that stands, after those before it that are near.
async fn snapshots(hub: &Hub, session: &SessionId) -> Result<Vec<StoredMessage>, Problem> {
    let stands = |s: &StoredMessage| s.message.draft.is_todo_list() && !s.message.draft.left_behind;
    let mut before = i64::MAX;
    loop {
        let Stretch { messages: mut found, more_before, .. } =
            todos(hub, session, Range::Before(before, PIECE)).await?;
        if let Some(at) = found.iter().rposition(stands) {
            found.truncate(at + 1);
            found.retain(stands);
            return Ok(found);
        }
        match found.first() {
            Some(first) if more_before => before = first.message.seq,
            _ => return Ok(Vec::new()),
        }
    }
}

async fn todos(hub: &Hub, session: &SessionId, range: Range) -> Result<Stretch, Problem> {
    let query = MessageQuery { types: vec![MessageType::Todo.to_string()], limit: PIECE, ..MessageQuery::new(range) };
    hub.workspace.stretch(session, &query).await.map_err(problem)
}

/// A tick is a message of its own: it changes no list, and tells the agent.
pub async fn tick_todo(scoped: &Scoped, path: &SessionPath, input: TickTodo) -> Result<Posted, Problem> {
    let state = state(scoped, path).await?;
    let session = session(scoped, path).await?;
    let mut items = state.todos;
    let item = items.iter().find(|item| item.id == input.id);
    let item = item.ok_or_else(|| Problem::field("/id", "the id of an item in the session's todo list"))?;
    let todos = vec![TodoItem { status: input.status, ..item.clone() }];
    let payload = serde_json::to_value(Todo { todos }).map_err(|_| Problem::internal())?;
    let metadata = json!({ "message_type": MessageType::Todo, "payload": payload });
    let message = PostMessage {
        id: input.message_id.map(String::from),
        role: Some(Role::User),
        message_metadata: Some(metadata),
        ..PostMessage::default()
    };
    items.iter_mut().filter(|item| item.id == input.id).for_each(|item| item.status = input.status);
    let progress = TodoProgress::of(&items, &state.todo_info);
    let settings = scoped.hub.state::<CurrentTypeSettings>().get();
    let types = TypeTable::default();
    let rules = scoped.hub.state::<RoutingTable>().rules(&session.id, Place::Own);
    let treatment =
        Treatment { settings: &settings, types: &types, rules: &rules, surface: scoped.surface, is_first: false };
    let mut post = posting::post(&scoped.caller, &treatment, &session.id, message, "", clock::now())?;
    post.sums = Sums { todos: Some(progress), ..Sums::default() };
    posts::write(scoped, post).await
}
