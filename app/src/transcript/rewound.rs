//! Turns that a person left behind by rewinding the conversation: one line, which unfolds to them. With dev on as well,
//! since they are no part of the conversation that goes on below them.

use api::messages::{HiddenRow, LeftBehind, MessagePage};

/// The page with what was left behind among what is hidden.
pub(super) fn project(mut page: MessagePage) -> MessagePage {
    if !page.messages.iter().any(|entry| entry.message.draft.left_behind) {
        return page;
    }
    let shown: Vec<(i64, bool)> =
        page.messages.iter().map(|entry| (entry.message.seq, entry.message.draft.left_behind)).collect();
    for row in page.hidden.iter_mut().filter(|row| row.left_behind.is_none()) {
        // A turn begins with a prompt, which is shown: what is hidden is part of the turn above it.
        let before = shown.partition_point(|(seq, _)| *seq < row.seq).checked_sub(1).and_then(|at| shown.get(at));
        row.left_behind = before.filter(|(_, left)| *left).map(|_| LeftBehind::Part);
    }
    let (left, messages) = page.messages.into_iter().partition(|entry| entry.message.draft.left_behind);
    page.messages = messages;
    page.hidden.extend(Vec::into_iter(left).map(HiddenRow::from));
    page.hidden.sort_by_key(|row| row.seq);
    page
}

/// The page as it was before the conversation was rewound.
pub(super) fn undone(mut page: MessagePage) -> MessagePage {
    for entry in &mut page.messages {
        entry.message.draft.left_behind = false;
    }
    page
}
