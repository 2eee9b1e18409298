//! The todo list of a session as it stands.

use super::session;
use crate::{Hub, problem};
use api::Problem;
use api::messages::TodoState;
use api::sessions::SessionPath;
use model::Role;
use model::todo_state::todo_state;
use store::{MessageQuery, Range};

/// Ticks after the latest snapshot that are looked at.
const RECENT: u32 = 100;

pub async fn state(hub: &Hub, path: &SessionPath) -> Result<TodoState, Problem> {
    let session = session(hub, path).await?;
    let query =
        MessageQuery { types: vec!["TODO".to_owned()], limit: RECENT, ..MessageQuery::new(Range::Last(RECENT)) };
    let stored = hub.workspace.messages(&session.id, &query).await.map_err(problem)?;
    let Some(snapshot) = stored.iter().rev().find(|s| s.message.draft.role != Role::User) else {
        return Ok(TodoState::default());
    };
    let state = todo_state(stored.iter().map(|s| &s.message.draft));
    let info = state.info.iter().filter_map(|(id, info)| Some((id.clone(), serde_json::to_value(info).ok()?)));
    Ok(TodoState {
        todos: state.items.iter().filter_map(|item| serde_json::to_value(item).ok()).collect(),
        todo_info: info.collect(),
        seq: Some(snapshot.message.seq),
        message_id: Some(snapshot.message.draft.id.to_string()),
    })
}
