//! The todo list of a session: the latest snapshot, with later ticks.

use crate::{
    Body, Draft, Micros,
    envelope::{TodoInfo, todo_info},
    message_type::todo::{self, Todo, TodoItem, TodoProgress, TodoStatus, is_cancelled},
};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The current list, with further information about its items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TodoState {
    /// Items, in the order of the latest snapshot, with unique ids.
    pub items: Vec<TodoItem>,
    /// Further information by item id.
    pub info: BTreeMap<String, TodoInfo>,
}

impl TodoState {
    /// Makes a list from one message, with unique ids.
    pub fn new(todo: Todo, metadata: Option<&Map<String, Value>>) -> Self {
        Self { items: todo.with_unique_ids().todos, info: todo_info(metadata) }
    }

    /// Makes the list of a TODO's envelope. Empty if it is invalid.
    pub fn of_metadata(metadata: &Map<String, Value>) -> Self {
        let todo = metadata.get("payload").and_then(|payload| Todo::deserialize(payload).ok());
        todo.map_or_else(Self::default, |todo| Self::new(todo, Some(metadata)))
    }

    /// Applies the next message: a list of the agent replaces all; a person's tick sets the state of existing items.
    /// Other messages are ignored.
    pub fn add(&mut self, draft: &Draft) {
        if !draft.is_todo_list() && !draft.is_tick() {
            return;
        }
        let Body::Todo(todo) = Body::of(draft) else { return };
        if draft.is_todo_list() {
            *self = Self::new(todo, draft.metadata.as_ref());
            return;
        }
        for tick in todo.todos {
            for item in self.items.iter_mut().filter(|item| item.id == tick.id) {
                item.status = tick.status;
            }
        }
    }

    /// Returns the progress of the list.
    pub fn progress(&self) -> TodoProgress {
        TodoProgress::of(&self.items, &self.info)
    }

    /// Returns a summary: progress and current item, `1/3 done, now: Add a test`.
    pub fn summary(&self) -> String {
        todo::summary(&self.items, &self.info)
    }

    /// Returns the list as markdown. Cancelled items have no box.
    pub fn to_markdown(&self) -> String {
        todo::to_markdown(&self.items, &self.info)
    }

    /// Sets the duration of each item, from the lists in which it is in progress and completed, unless it is already
    /// set. Items are matched by their text, because agents reuse ids.
    pub fn time<'a>(&mut self, lists: impl IntoIterator<Item = &'a Draft>) {
        let mut times: BTreeMap<String, (Option<Micros>, Option<Micros>)> = BTreeMap::new();
        for draft in lists.into_iter().filter(|draft| draft.created_at.0 > 0) {
            let Body::Todo(todo) = Body::of(draft) else { continue };
            for item in todo.todos {
                let (started, ended) = times.entry(item.content).or_default();
                match item.status {
                    // Begun again, or not at all.
                    TodoStatus::Pending => (*started, *ended) = (None, None),
                    TodoStatus::InProgress => {
                        started.get_or_insert(draft.created_at);
                        *ended = None;
                    }
                    TodoStatus::Completed => *ended = ended.or(started.map(|_| draft.created_at)),
                }
            }
        }
        for item in &self.items {
            let Some((Some(started), ended)) = times.get(&item.content) else { continue };
            let info = self.info.entry(item.id.clone()).or_default();
            if info.started_at.is_none() && info.ended_at.is_none() {
                (info.started_at, info.ended_at) = (Some(*started), *ended);
            }
        }
    }

    /// Returns true if an item is `completed` only because it was cancelled.
    pub fn is_cancelled(&self, item: &TodoItem) -> bool {
        is_cancelled(item, &self.info)
    }
}

/// Returns the list after all messages, which must be in the order of `seq`; see [`TodoState::add`].
pub fn todo_state<'a>(messages: impl IntoIterator<Item = &'a Draft>) -> TodoState {
    let mut state = TodoState::default();
    messages.into_iter().for_each(|draft| state.add(draft));
    state
}

#[cfg(test)]
mod tests {
    use super::todo_state;
    use crate::{Draft, MessageId, Micros, Role};
    use serde_json::{Value, json};

    #[test]
    fn the_lists_of_a_session_tell_how_long_each_item_took() {
        let list = |at: i64, statuses: [&str; 3]| {
            let todos: Vec<Value> = ["Knead", "Bake", "Eat"]
                .iter()
                .zip(statuses)
                .enumerate()
                .map(|(n, (content, status))| json!({"id": n.to_string(), "content": content, "status": status}))
                .collect();
            let metadata = json!({"message_type": "TODO", "version": 1, "payload": {"todos": todos}});
            let id = MessageId::parse(format!("m{at}")).expect("an id");
            let metadata = metadata.as_object().cloned();
            Draft { metadata, ..Draft::text(id, Role::Assistant, "bot", "", Micros(at)) }
        };
        let lists = [
            list(10, ["in_progress", "pending", "pending"]),
            list(30, ["completed", "in_progress", "pending"]),
            list(70, ["completed", "in_progress", "completed"]),
        ];
        let mut state = todo_state(lists.last());
        state.time(&lists);
        let times: Vec<_> = state.info.iter().map(|(id, info)| (&**id, info.started_at, info.ended_at)).collect();
        assert_eq!(times, [("0", Some(Micros(10)), Some(Micros(30))), ("1", Some(Micros(30)), None)]);
    }
}
