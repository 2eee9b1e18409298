//! The to-do list of a session: the latest snapshot, with the ticks after it.

use crate::{
    Body, Draft, Role, Status,
    envelope::{TodoInfo, TodoInfoState, todo_info},
    message_type::todo::{TodoItem, TodoStatus},
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TodoState {
    pub items: Vec<TodoItem>,
    /// What three states can't say, by item id.
    pub info: BTreeMap<String, TodoInfo>,
}

impl TodoState {
    pub fn done(&self) -> usize {
        self.items.iter().filter(|item| item.status == TodoStatus::Completed).count()
    }

    pub fn open(&self) -> usize {
        self.items.len() - self.done()
    }

    /// Completed in the list, but only because it was given up.
    pub fn is_cancelled(&self, item: &TodoItem) -> bool {
        self.info.get(&item.id).is_some_and(|info| info.state == Some(TodoInfoState::Cancelled))
    }
}

/// Folds messages in order of `seq`; all but TODO messages are passed over. A user's TODO is a tick: it sets the state of
/// the items that it names and adds none.
pub fn todo_state<'a>(messages: impl IntoIterator<Item = &'a Draft>) -> TodoState {
    let mut state = TodoState::default();
    for draft in messages {
        if draft.status == Status::Retracted || draft.message_type() != "TODO" {
            continue;
        }
        let Body::Todo(todo) = Body::of(draft) else { continue };
        if draft.role != Role::User {
            state = TodoState { items: todo.todos, info: todo_info(draft.metadata.as_ref()) };
            continue;
        }
        for tick in todo.todos {
            for item in state.items.iter_mut().filter(|item| item.id == tick.id) {
                item.status = tick.status;
            }
        }
    }
    state
}
