//! What the newest list changed of the one before it.

use super::super::Card;
use crate::figures::counted;
use crate::icon::{Glyph, Icon};
use leptos::prelude::*;
use model::{
    Body,
    message_type::todo::{Todo, TodoItem, TodoStatus},
};
use std::collections::{HashMap, HashSet};

/// Changes that are listed; the rest is counted.
const MAX: usize = 30;

/// How an item differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Added,
    Removed,
    Became(TodoStatus),
    Reworded,
}

/// A line that unfolds to the changes. None on the first list, and where nothing changed.
pub(super) fn since(card: &Card, todo: &Todo) -> Option<AnyView> {
    let before = card.options.previous_todo.as_ref()?;
    if card.options.newest_todo != Some(card.entry.message.seq) {
        return None;
    }
    let Body::Todo(before) = Body::of(&before.message.draft) else { return None };
    let changes = compare(&before, todo);
    if changes.is_empty() {
        return None;
    }
    let count = |wanted: Change| changes.iter().filter(|(change, _)| *change == wanted).count();
    let mut words = format!("{} since the update before", counted(changes.len() as i64, "change"));
    let (added, removed) = (count(Change::Added), count(Change::Removed));
    if added + removed > 0 {
        words.push_str(&format!(" (+{added} \u{2212}{removed})"));
    }
    let left = changes.len().saturating_sub(MAX);
    let rows: Vec<_> = changes.iter().take(MAX).map(|(change, words)| row(*change, words)).collect();
    Some(
        view! {
            <details class="aside">
                <summary>{words}</summary>
                <ul class="todos" role="list">
                    {rows}
                    {(left > 0).then(|| view! { <li>{format!("{left} more")}</li> })}
                </ul>
            </details>
        }
        .into_any(),
    )
}

fn row(change: Change, words: &str) -> AnyView {
    let (glyph, word) = match change {
        Change::Added => (Glyph::Plus, "Added"),
        Change::Removed => (Glyph::X, "Removed"),
        Change::Reworded => (Glyph::Edit, "Reworded"),
        Change::Became(TodoStatus::Completed) => (Glyph::Done, "Done"),
        Change::Became(TodoStatus::InProgress) => (Glyph::Half, "Begun"),
        Change::Became(TodoStatus::Pending) => (Glyph::Idle, "Open again"),
    };
    view! { <li><Icon glyph /><span>{words.to_owned()}</span><span class="cap">{word}</span></li> }.into_any()
}

/// An item is the same one by its words, else by its id: agents that give none get ids from list and place.
fn compare<'t>(before: &'t Todo, after: &'t Todo) -> Vec<(Change, &'t str)> {
    let words: HashMap<&str, &TodoItem> = before.todos.iter().map(|item| (item.content.as_str(), item)).collect();
    let ids: HashMap<&str, &TodoItem> = before.todos.iter().map(|item| (item.id.as_str(), item)).collect();
    let still: HashSet<&str> = after.todos.iter().map(|item| item.content.as_str()).collect();
    let mut kept = HashSet::new();
    let mut changes = Vec::new();
    for item in &after.todos {
        let by_id = || ids.get(item.id.as_str()).filter(|was| !still.contains(was.content.as_str()));
        let was = words.get(item.content.as_str()).or_else(by_id);
        kept.extend(was.map(|was| was.content.as_str()));
        let change = match was {
            None => Some(Change::Added),
            Some(was) if was.status != item.status => Some(Change::Became(item.status)),
            Some(was) if was.content != item.content => Some(Change::Reworded),
            Some(_) => None,
        };
        changes.extend(change.map(|change| (change, item.content.as_str())));
    }
    let gone = before.todos.iter().filter(|item| !kept.contains(item.content.as_str()));
    changes.extend(gone.map(|item| (Change::Removed, item.content.as_str())));
    changes
}

#[cfg(test)]
mod tests {
    use super::{Change, compare};
    use model::message_type::todo::{Todo, TodoStatus};
    use serde_json::json;

    #[test]
    fn added_removed_moved_on() {
        let list = |items: &[(&str, &str, &str)]| -> Todo {
            let todos: Vec<_> = items
                .iter()
                .map(|(id, content, status)| json!({"id": id, "content": content, "status": status}))
                .collect();
            serde_json::from_value(json!({ "todos": todos })).expect("a list")
        };
        let before = list(&[("1", "read", "in_progress"), ("2", "write", "pending"), ("3", "ship", "pending")]);
        let after = list(&[("1", "read", "completed"), ("2", "write it", "pending"), ("4", "tell", "pending")]);
        assert_eq!(
            compare(&before, &after),
            [
                (Change::Became(TodoStatus::Completed), "read"),
                (Change::Reworded, "write it"),
                (Change::Added, "tell"),
                (Change::Removed, "ship"),
            ]
        );
    }
}
