//! TODO: a checklist. From an agent it is a full snapshot, from a person the items that were ticked.

use super::{Mismatch, Payload, strict};
use crate::{Draft, Role, envelope::todo_info, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

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
    /// Names the item in ticks and in `todo_info`. Unique in its list; another list may number anew.
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
    /// Returns a JSON pointer into the payload to the first id that an earlier item has too: a tick names its item by
    /// that.
    pub fn ambiguous(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        self.todos.iter().position(|item| !seen.insert(&item.id)).map(|index| format!("/todos/{index}/id"))
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
