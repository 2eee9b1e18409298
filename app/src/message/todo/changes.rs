//! Changes of a list compared to the previous one.

use super::super::Card;
use crate::figures::counted;
use crate::icon::{Glyph, Icon};
use leptos::prelude::*;
use model::{
    Body,
    message_type::todo::{TodoItem, TodoStatus},
    text::one_line,
    todo_state::TodoState as Plan,
};
use std::collections::{HashMap, HashSet};

/// Changes that are listed; the rest is counted.
const MAX: usize = 30;
/// Text of a list without changes.
pub(crate) const UNCHANGED: &str = "as before";

/// How an item differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemChange {
    Added,
    Removed,
    Became(TodoStatus),
    Cancelled,
    Reworded,
}

impl ItemChange {
    /// Completed items come first.
    const ALL: [Self; 7] = [
        Self::Became(TodoStatus::Completed),
        Self::Became(TodoStatus::InProgress),
        Self::Became(TodoStatus::Pending),
        Self::Added,
        Self::Reworded,
        Self::Cancelled,
        Self::Removed,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Added => "Added",
            Self::Removed => "Removed",
            Self::Reworded => "Reworded",
            Self::Cancelled => "Cancelled",
            Self::Became(TodoStatus::Completed) => "Done",
            Self::Became(TodoStatus::InProgress) => "Begun",
            Self::Became(TodoStatus::Pending) => "Open again",
        }
    }
}

/// The list that this one took the place of. None if it is the session's first.
fn before(card: &Card) -> Option<Plan> {
    let entry = card.options.todos_before.get(&card.entry.message.seq)?;
    match entry.body() {
        Body::Todo(before) => Some(Plan::new(before.clone(), entry.message.draft.metadata.as_ref())),
        _ => None,
    }
}

/// Returns the changes in one line. None if there are none.
pub(super) fn words(card: &Card, plan: &Plan) -> Option<String> {
    told(before(card).as_ref(), plan)
}

/// The differences between two lists, in a line: `Done: write, Begun: ship`, `Added 7 items`. None if there are none.
pub(crate) fn told(before: Option<&Plan>, after: &Plan) -> Option<String> {
    let none = Plan::default();
    let before = before.unwrap_or(&none);
    if is_another(before, after) {
        return Some(format!("New plan of {}", counted(after.items.len() as i64, "item")));
    }
    let changes = compare(before, after);
    let parts: Vec<String> = ItemChange::ALL
        .into_iter()
        .filter_map(|wanted| {
            let mut of = changes.iter().filter(|(change, _)| *change == wanted);
            let (word, first) = (wanted.word(), of.next()?.1);
            Some(match of.count() {
                0 => format!("{word}: {}", one_line(first, 120)),
                more => format!("{word} {} items", more + 1),
            })
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(" \u{b7} "))
}

/// Has it nothing to do with the one before? Agents that give no ids get them from place, so those say nothing.
fn is_another(before: &Plan, after: &Plan) -> bool {
    let were: HashSet<&str> = before.items.iter().map(|item| item.content.as_str()).collect();
    let reworded = before.items.len() == 1 && before.progress().open > 0;
    let shares = after.items.iter().any(|item| were.contains(item.content.as_str()));
    !were.is_empty() && !after.items.is_empty() && !shares && !reworded
}

/// Returns the changes for the foot of its card: in a line, and a part that unfolds to the details. Nothing for the
/// session's first list, in which everything is new.
pub(super) fn news(card: &Card, plan: &Plan) -> (Option<String>, Option<AnyView>) {
    let Some(before) = &before(card) else { return (None, None) };
    let Some(words) = told(Some(before), plan) else { return (None, None) };
    let changes = compare(before, plan);
    let alone =
        ItemChange::ALL.into_iter().all(|wanted| changes.iter().filter(|(change, _)| *change == wanted).count() < 2);
    if alone || is_another(before, plan) {
        return (Some(words), None);
    }
    let left = changes.len().saturating_sub(MAX);
    let rows: Vec<_> = changes.iter().take(MAX).map(|(change, words)| row(*change, words)).collect();
    let list = view! {
        <details class="aside">
            <summary>{words}</summary>
            <ul class="todos" role="list">
                {rows}
                {(left > 0).then(|| view! { <li>{format!("{left} more")}</li> })}
            </ul>
        </details>
    };
    (None, Some(list.into_any()))
}

fn row(change: ItemChange, words: &str) -> AnyView {
    let glyph = match change {
        ItemChange::Added => Glyph::PLUS,
        ItemChange::Removed => Glyph::X,
        ItemChange::Cancelled => Glyph::CUT,
        ItemChange::Reworded => Glyph::EDIT,
        ItemChange::Became(TodoStatus::Completed) => Glyph::DONE,
        ItemChange::Became(TodoStatus::InProgress) => Glyph::HALF,
        ItemChange::Became(TodoStatus::Pending) => Glyph::IDLE,
    };
    view! { <li><Icon glyph /><span>{words.to_owned()}</span><span class="cap">{change.word()}</span></li> }.into_any()
}

/// An item is the same one by its words, else by its id: agents that give none get ids from list and place.
fn compare<'t>(before: &'t Plan, after: &'t Plan) -> Vec<(ItemChange, &'t str)> {
    let words: HashMap<&str, &TodoItem> = before.items.iter().map(|item| (item.content.as_str(), item)).collect();
    let ids: HashMap<&str, &TodoItem> = before.items.iter().map(|item| (item.id.as_str(), item)).collect();
    let still: HashSet<&str> = after.items.iter().map(|item| item.content.as_str()).collect();
    let mut kept = HashSet::new();
    let mut changes = Vec::new();
    for item in &after.items {
        let by_id = || ids.get(item.id.as_str()).filter(|was| !still.contains(was.content.as_str()));
        let was = words.get(item.content.as_str()).or_else(by_id);
        kept.extend(was.map(|was| was.content.as_str()));
        let change = match was {
            None => Some(ItemChange::Added),
            Some(was) if after.is_cancelled(item) => (!before.is_cancelled(was)).then_some(ItemChange::Cancelled),
            Some(was) if was.status != item.status => Some(ItemChange::Became(item.status)),
            Some(was) if was.content != item.content => Some(ItemChange::Reworded),
            Some(_) => None,
        };
        changes.extend(change.map(|change| (change, item.content.as_str())));
    }
    let gone = before.items.iter().filter(|item| !kept.contains(item.content.as_str()));
    changes.extend(gone.map(|item| (ItemChange::Removed, item.content.as_str())));
    changes
}

#[cfg(test)]
mod tests {
    use super::{ItemChange, compare, told};
    use model::envelope::todo_info;
    use model::message_type::todo::TodoStatus;
    use model::todo_state::TodoState;
    use serde_json::json;

    #[test]
    fn added_removed_moved_on() {
        let list = |items: &[(&str, &str, &str)]| -> TodoState {
            let todos: Vec<_> = items
                .iter()
                .map(|(id, content, status)| json!({"id": id, "content": content, "status": status}))
                .collect();
            TodoState::new(serde_json::from_value(json!({ "todos": todos })).expect("a list"), None)
        };
        let before = list(&[("1", "read", "in_progress"), ("2", "write", "pending"), ("3", "ship", "pending")]);
        let after = list(&[("1", "read", "completed"), ("2", "write it", "pending"), ("4", "tell", "pending")]);
        assert_eq!(
            compare(&before, &after),
            [
                (ItemChange::Became(TodoStatus::Completed), "read"),
                (ItemChange::Reworded, "write it"),
                (ItemChange::Added, "tell"),
                (ItemChange::Removed, "ship"),
            ]
        );
        let words = "Done: read \u{b7} Added: tell \u{b7} Reworded: write it \u{b7} Removed: ship";
        assert_eq!(told(Some(&before), &after).as_deref(), Some(words));
        assert_eq!(told(None, &after).as_deref(), Some("Added 3 items"));
        assert_eq!(told(Some(&after), &after), None);
        let another = list(&[("1", "plan", "in_progress"), ("2", "do", "pending")]);
        assert_eq!(told(Some(&after), &another).as_deref(), Some("New plan of 2 items"));
        let info = json!({"todo_info": {"2": {"state": "cancelled"}}});
        let mut given_up =
            list(&[("1", "read", "completed"), ("2", "write it", "completed"), ("4", "tell", "pending")]);
        given_up.info = todo_info(info.as_object());
        assert_eq!(told(Some(&after), &given_up).as_deref(), Some("Cancelled: write it"));
        assert_eq!(told(Some(&given_up), &given_up), None);
        let (one, reworded) = (list(&[("1", "read", "pending")]), list(&[("1", "read all", "pending")]));
        assert_eq!(told(Some(&one), &reworded).as_deref(), Some("Reworded: read all"));
    }
}
