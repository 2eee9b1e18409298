//! TODO: a checklist. A message of an agent is a complete snapshot; one of a person has the ticked items.

use super::{MessageType, Mismatch, Payload, strict};
use crate::extras::{TodoInfo, TodoInfoState, todo_info};
use crate::{Draft, Provenance, Role, Status, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

words! {
    /// State of an item. Further states are in the envelope's `todo_info`.
    TodoStatus {
        /// Not started.
        Pending = "pending",
        /// In progress.
        InProgress = "in_progress",
        /// Completed, or cancelled if `todo_info` has the state `cancelled`.
        Completed = "completed",
    }
}

/// The whole list as it is now, of at least one item. From a person: the items that were ticked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// Items, in display order.
    #[serde(deserialize_with = "strict::some_objects")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub todos: Vec<TodoItem>,
}

/// One item of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TodoItem {
    /// Id of the item in ticks and in `todo_info`. If several items share it, the last is meant. Another list can reuse
    /// ids.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub id: String,
    /// Description of the task.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub content: String,
    /// State of the item.
    #[cfg_attr(feature = "schema", schemars(extend("x-default" = "pending")))]
    pub status: TodoStatus,
}

/// Progress of a list. Cancelled items aren't part of the total: `1/2 done, 1 cancelled`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoProgress {
    /// Number of completed items.
    pub done: usize,
    /// Number of pending items and items in progress.
    pub open: usize,
    /// Number of cancelled items.
    pub cancelled: usize,
}

impl TodoProgress {
    /// Counts the items of a list, with their infos by id.
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

    /// Returns the number of items that are done or open.
    pub const fn whole(self) -> usize {
        self.done + self.open
    }

    /// Returns true if there is no item at all.
    pub const fn is_empty(self) -> bool {
        self.whole() + self.cancelled == 0
    }

    /// Returns the percentage of completed items; 100 if none is open.
    pub const fn percent(self) -> usize {
        if self.open == 0 { 100 } else { self.done * 100 / self.whole() }
    }

    /// Returns `, 1 cancelled`, to append to other counts; empty if none is.
    pub fn besides(self) -> String {
        if self.cancelled == 0 { String::new() } else { format!(", {} cancelled", self.cancelled) }
    }
}

/// Formats as `1/2 done, 1 cancelled`.
impl fmt::Display for TodoProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} done{}", self.done, self.whole(), self.besides())
    }
}

/// Returns true if an item is `completed` only because it was cancelled.
pub fn is_cancelled(item: &TodoItem, info: &BTreeMap<String, TodoInfo>) -> bool {
    info.get(&item.id).is_some_and(|info| info.state == Some(TodoInfoState::Cancelled))
}

/// Returns a summary of a list: progress and current item, `1/3 done, now: Add a test`.
pub(crate) fn summary(items: &[TodoItem], info: &BTreeMap<String, TodoInfo>) -> String {
    let progress = TodoProgress::of(items, info);
    let mut standing = items.iter().filter(|item| !is_cancelled(item, info));
    match standing.find(|item| item.status == TodoStatus::InProgress) {
        Some(now) => format!("{progress}, now: {}", now.content),
        None => progress.to_string(),
    }
}

/// Returns a list as markdown. Cancelled items have no box.
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
    /// Returns the list with unique ids. Of items that share an id the last keeps it, because infos mean the last one;
    /// the others get `id~2`, `id~3`, from the end.
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

    /// Returns a tick as text for a model, one line per item: `Ticked: item`, `Unticked: item`.
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
    /// Returns true for a snapshot of the agent's todo list.
    pub fn is_todo_list(&self) -> bool {
        self.role == Role::Assistant && self.message_type() == MessageType::Todo && self.status != Status::Retracted
    }

    /// Returns true for a person's tick. Messages that an agent's key passes on aren't ticks.
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
