//! The todo list of a session as it stands.

use super::session;
use crate::{Hub, problem};
use api::Problem;
use api::messages::TodoState;
use api::sessions::SessionPath;
use store::{MessageQuery, Range};

/// Ticks after the latest snapshot that are looked at.
const RECENT: u32 = 100;

pub async fn state(hub: &Hub, path: &SessionPath) -> Result<TodoState, Problem> {
    let session = session(hub, path).await?;
    let query = MessageQuery { types: vec!["TODO".to_owned()], limit: RECENT, ..MessageQuery::new(Range::Last(RECENT)) };
    let stored = hub.workspace.messages(&session.id, &query).await.map_err(problem)?;
    let state = model::todo_state::todo_state(stored.iter().map(|s| &s.message.draft));
    let Some(state) = state else { return Ok(TodoState::default()) };
    let snapshot = stored.iter().find(|s| s.message.draft.id == state.snapshot);
    Ok(TodoState {
        todos: state.todos.iter().filter_map(|t| serde_json::to_value(t).ok()).collect(),
        todo_info: state.todo_info,
        seq: snapshot.map(|s| s.message.seq),
        message_id: Some(state.snapshot.to_string()),
    })
}
