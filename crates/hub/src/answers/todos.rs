//! The todo list of a session as it stands.

use super::posts;
use super::session;
use crate::posting::{self, count};
use crate::{Scoped, clock, problem};
use api::Problem;
use api::messages::TodoState;
use api::posting::{PostMessage, Posted, TickTodo};
use api::sessions::SessionPath;
use model::Role;
use model::message_type::todo::{Todo, TodoItem, TodoStatus};
use model::todo_state::todo_state;
use serde_json::json;
use store::{MessageQuery, Range, Sums};

/// Ticks after the latest snapshot that are looked at.
const RECENT: u32 = 100;

pub async fn state(scoped: &Scoped, path: &SessionPath) -> Result<TodoState, Problem> {
    let hub = &scoped.hub;
    let session = session(scoped, path).await?;
    let query =
        MessageQuery { types: vec!["TODO".to_owned()], limit: RECENT, ..MessageQuery::new(Range::Last(RECENT)) };
    let stored = hub.workspace.messages(&session.id, &query).await.map_err(problem)?;
    let Some(snapshot) = stored.iter().rev().find(|s| s.message.draft.role != Role::User) else {
        return Ok(TodoState::default());
    };
    let state = todo_state(stored.iter().map(|s| &s.message.draft));
    Ok(TodoState {
        todos: state.items,
        todo_info: state.info,
        seq: Some(snapshot.message.seq),
        message_id: Some(snapshot.message.draft.id.to_string()),
    })
}

/// A tick is a message of its own: it changes no list, and tells the agent.
pub async fn tick(scoped: &Scoped, path: &SessionPath, input: TickTodo) -> Result<Posted, Problem> {
    let state = state(scoped, path).await?;
    let session = session(scoped, path).await?;
    let items = state.todos;
    let item = items.iter().find(|item| item.id == input.id);
    let item = item.ok_or_else(|| Problem::field("/id", "the id of an item of the session's list"))?;
    let todos = vec![TodoItem { status: input.status, ..item.clone() }];
    let payload = serde_json::to_value(Todo { todos }).map_err(|_| Problem::internal())?;
    let metadata = json!({ "message_type": "TODO", "payload": payload });
    let message = PostMessage {
        id: input.message_id.map(String::from),
        role: Some(Role::User),
        message_metadata: Some(metadata),
        ..PostMessage::default()
    };
    let done = |item: &TodoItem| {
        let status = if item.id == input.id { input.status } else { item.status };
        status == TodoStatus::Completed
    };
    let done = items.iter().filter(|item| done(item)).count();
    let mut post = posting::post(&scoped.caller, &session.id, message, "", clock::now())?;
    post.sums = Sums { todos: Some((count(items.len() - done), count(done))), ..Sums::default() };
    posts::write(scoped, post).await
}
