//! The to-do list of a session: the latest snapshot, with the ticks after it.

use crate::{
    Body, Draft, Micros,
    envelope::{TodoInfo, todo_info},
    message_type::todo::{self, Todo, TodoItem, TodoProgress, TodoStatus, is_cancelled},
};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The list as it stands, with what its `status` can't say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TodoState {
    /// In the order of the latest snapshot, each with an id of its own.
    pub items: Vec<TodoItem>,
    /// What three states can't say, by item id.
    pub info: BTreeMap<String, TodoInfo>,
}

impl TodoState {
    /// Returns a list as one message has it, each item with an id of its own.
    pub fn new(todo: Todo, metadata: Option<&Map<String, Value>>) -> Self {
        Self { items: todo.with_unique_ids().todos, info: todo_info(metadata) }
    }

    /// Returns the list of a TODO's envelope. Empty where that can't be read.
    pub fn of_metadata(metadata: &Map<String, Value>) -> Self {
        let todo = metadata.get("payload").and_then(|payload| Todo::deserialize(payload).ok());
        todo.map_or_else(Self::default, |todo| Self::new(todo, Some(metadata)))
    }

    /// Adds what the next message says: a list of the agent replaces all; a person's tick sets the state of the items
    /// that it names and adds none. All other messages are passed over.
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

    /// Returns how far the list has got.
    pub fn progress(&self) -> TodoProgress {
        TodoProgress::of(&self.items, &self.info)
    }

    /// Returns the list in one line: how far it has got, and what is worked at: `1/3 done, now: Add a test`.
    pub fn summary(&self) -> String {
        todo::summary(&self.items, &self.info)
    }

    /// Returns the list as markdown, a cancelled item without a box.
    pub fn to_markdown(&self) -> String {
        todo::to_markdown(&self.items, &self.info)
    }

    /// Sets how long each item took, from when lists said that it was worked at and done; where no list says it
    /// already. Items are told by their words: agents count the ids of each list anew.
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

    /// Returns whether an item is completed in the list only because it was given up.
    pub fn is_cancelled(&self, item: &TodoItem) -> bool {
        is_cancelled(item, &self.info)
    }
}

/// Returns the list that messages make, which come in the order of `seq`, as [`TodoState::add`] folds them.
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
