//! TODO: a checklist. From an agent it is a full snapshot, from a person the items that were ticked.

use super::{MessageType, Mismatch, Payload, strict};
use crate::extras::{TodoInfo, TodoInfoState, todo_info};
use crate::{Draft, Provenance, Role, Status, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

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

/// The whole list as it is now, of at least one item. From a person: the boxes that were ticked.
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
    #[cfg_attr(feature = "schema", schemars(extend("x-default" = "pending")))]
    pub status: TodoStatus,
}

/// How far a list has got. A cancelled item is neither done nor open, and no part of the whole: `1/2 done, 1 cancelled`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoProgress {
    /// Items that are completed.
    pub done: usize,
    /// Items that are pending or in progress.
    pub open: usize,
    /// Items that were given up.
    pub cancelled: usize,
}

impl TodoProgress {
    /// Counts the items of a list, given what is said of them by id.
    ///
    /// ```
    /// use model::{message_type::todo::TodoProgress, todo_state::TodoState};
    /// use serde_json::json;
    ///
    /// let item = |id: &str, status: &str| json!({"id": id, "content": "c", "status": status});
    /// let todos = [item("1", "completed"), item("2", "completed"), item("3", "pending")];
    /// let list = json!({"payload": {"todos": todos}, "todo_info": {"2": {"state": "cancelled"}}});
    /// let progress = TodoState::of_metadata(list.as_object().expect("an object")).progress();
    /// assert_eq!(progress, TodoProgress { done: 1, open: 1, cancelled: 1 });
    /// assert_eq!((progress.whole(), progress.percent()), (2, 50));
    /// assert_eq!(progress.to_string(), "1/2 done, 1 cancelled");
    /// ```
    pub fn of(items: &[TodoItem], info: &BTreeMap<String, TodoInfo>) -> Self {
        let mut progress = Self::default();
        for item in items {
            let count = match item.status {
                _ if is_cancelled(item, info) => &mut progress.cancelled,
                TodoStatus::Completed => &mut progress.done,
                TodoStatus::Pending | TodoStatus::InProgress => &mut progress.open,
            };
            *count += 1;
        }
        progress
    }

    /// Returns how many items are done or open.
    pub const fn whole(self) -> usize {
        self.done + self.open
    }

    /// Returns true if there is no item at all.
    pub const fn is_empty(self) -> bool {
        self.whole() + self.cancelled == 0
    }

    /// Returns how many of these are done, in percent. 100 where nothing is open.
    pub const fn percent(self) -> usize {
        if self.open == 0 { 100 } else { self.done * 100 / self.whole() }
    }

    /// Returns `, 1 cancelled`, to be read after the other counts; nothing if none is.
    pub fn besides(self) -> String {
        if self.cancelled == 0 { String::new() } else { format!(", {} cancelled", self.cancelled) }
    }
}

/// `1/2 done, 1 cancelled`.
impl fmt::Display for TodoProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} done{}", self.done, self.whole(), self.besides())
    }
}

/// Returns whether an item is completed in the list only because it was given up.
pub fn is_cancelled(item: &TodoItem, info: &BTreeMap<String, TodoInfo>) -> bool {
    info.get(&item.id).is_some_and(|info| info.state == Some(TodoInfoState::Cancelled))
}

/// Returns a list in one line: how far it has got, and what is worked at: `1/3 done, now: Add a test`.
pub(crate) fn summary(items: &[TodoItem], info: &BTreeMap<String, TodoInfo>) -> String {
    let progress = TodoProgress::of(items, info);
    let mut standing = items.iter().filter(|item| !is_cancelled(item, info));
    match standing.find(|item| item.status == TodoStatus::InProgress) {
        Some(now) => format!("{progress}, now: {}", now.content),
        None => progress.to_string(),
    }
}

/// Returns a list as markdown, a cancelled item without a box.
pub(crate) fn to_markdown(items: &[TodoItem], info: &BTreeMap<String, TodoInfo>) -> String {
    let line = |item: &TodoItem| {
        let content = text::one_line(&item.content, usize::MAX);
        match item.status {
            _ if is_cancelled(item, info) => format!("- ~~{content}~~ (cancelled)"),
            TodoStatus::Pending => format!("- [ ] {content}"),
            TodoStatus::InProgress => format!("- [ ] **{content}**"),
            TodoStatus::Completed => format!("- [x] {content}"),
        }
    };
    items.iter().map(line).collect::<Vec<_>>().join("\n")
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
        summary(&self.todos, &BTreeMap::new())
    }

    fn to_markdown(&self) -> String {
        to_markdown(&self.todos, &BTreeMap::new())
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

impl Draft {
    /// Returns whether it is a snapshot of the agent's to-do list.
    pub fn is_todo_list(&self) -> bool {
        self.role == Role::Assistant && self.message_type() == MessageType::Todo && self.status != Status::Retracted
    }

    /// Returns whether it is a person's tick in the list. An agent's key can pass words on, but it ticks nothing.
    pub fn is_tick(&self) -> bool {
        let by_person = self.role == Role::User && self.provenance != Provenance::Key;
        by_person && self.message_type() == MessageType::Todo && self.status != Status::Retracted
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
