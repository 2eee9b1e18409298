//! TODO: a checklist. From an agent it is a full snapshot, from a person the items that were ticked.

use super::{Mismatch, Payload, strict};
use crate::{Draft, Role, extras::todo_info, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

words! {
    /// How far an item has got. What these three can't say is in the envelope's `todo_info`.
    TodoStatus {
        /// Not begun.
        Pending = "pending",
        /// Being worked at.
        InProgress = "in_progress",
        /// Done, or given up if `todo_info` says `cancelled`.
        Completed = "completed",
    }
}

/// At least one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// In the order in which they are shown.
    #[serde(deserialize_with = "strict::some_objects")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub todos: Vec<TodoItem>,
}

/// One item of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TodoItem {
    /// Names the item in ticks and in `todo_info`: of several with the same id the last. Another list may number anew.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub id: String,
    /// What is to be done.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub content: String,
    /// How far it has got.
    pub status: TodoStatus,
}

impl Todo {
    /// Returns the list with an id of its own for each item: of those that share one the last keeps it, as what is said of
    /// an id is meant for the last that bears it; the others get `id~2`, `id~3`, from the end.
    pub fn with_unique_ids(mut self) -> Self {
        let mut taken: HashSet<String> = self.todos.iter().map(|item| item.id.clone()).collect();
        let mut next: HashMap<String, usize> = HashMap::new();
        for item in self.todos.iter_mut().rev() {
            let Some(number) = next.get_mut(&item.id) else {
                next.insert(item.id.clone(), 2);
                continue;
            };
            let mut id = format!("{}~{number}", item.id);
            while !taken.insert(id.clone()) {
                *number += 1;
                id = format!("{}~{number}", item.id);
            }
            *number += 1;
            item.id = id;
        }
        self
    }

    /// Returns how many items are completed.
    pub fn done(&self) -> usize {
        self.todos.iter().filter(|item| item.status == TodoStatus::Completed).count()
    }

    /// Returns a tick as a model reads it, one line for each item: `Ticked: item`, `Unticked: item`.
    pub fn ticked(&self) -> String {
        let lines: Vec<String> = self
            .todos
            .iter()
            .map(|item| {
                let verb = if item.status == TodoStatus::Completed { "Ticked" } else { "Unticked" };
                format!("{verb}: {}", item.content)
            })
            .collect();
        lines.join("\n")
    }
}

impl Payload for Todo {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let progress = format!("{}/{} done", self.done(), self.todos.len());
        match self.todos.iter().find(|item| item.status == TodoStatus::InProgress) {
            Some(now) => format!("{progress}, now: {}", now.content),
            None => progress,
        }
    }

    fn to_markdown(&self) -> String {
        let lines: Vec<String> = self
            .todos
            .iter()
            .map(|item| {
                let content = text::one_line(&item.content, usize::MAX);
                match item.status {
                    TodoStatus::Pending => format!("- [ ] {content}"),
                    TodoStatus::InProgress => format!("- [ ] **{content}**"),
                    TodoStatus::Completed => format!("- [x] {content}"),
                }
            })
            .collect();
        lines.join("\n")
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
        draft.payload().into_iter().for_each(|payload| text.push_shown_strings(payload));
    }

    fn example() -> Self {
        let item =
            |id: &str, content: &str, status| TodoItem { id: id.to_owned(), content: content.to_owned(), status };
        Self {
            todos: vec![
                item("1", "Reproduce the crash", TodoStatus::Completed),
                item("2", "Check the length in `next()`", TodoStatus::InProgress),
                item("3", "Add a test", TodoStatus::Pending),
            ],
        }
    }

    fn check(&self, extras: &Map<String, Value>) -> Result<(), Mismatch> {
        todo_info::check(extras)
    }
}

#[cfg(test)]
mod tests {
    use super::{Todo, TodoItem, TodoStatus};

    #[test]
    fn of_items_with_one_id_the_last_keeps_it() {
        let item = |id: &str| TodoItem { id: id.to_owned(), content: "c".to_owned(), status: TodoStatus::Pending };
        let unique = |ids: &[&str]| {
            let list = Todo { todos: ids.iter().map(|id| item(id)).collect() }.with_unique_ids();
            list.todos.into_iter().map(|item| item.id).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(unique(&["1", "2", "3"]), "1 2 3");
        assert_eq!(unique(&["1", "1", "2", "1"]), "1~3 1~2 2 1");
        assert_eq!(unique(&["a~2", "a", "a", "a"]), "a~2 a~4 a~3 a");
    }
}
