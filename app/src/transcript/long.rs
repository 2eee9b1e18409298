//! Long messages: a page that holds many holds the beginning of each.

use super::Cut;
use api::messages::MessagePage;
use model::{Body, todo_state::TodoState};
use std::collections::BTreeMap;

/// Bytes from which on a message is long. What a card shows of one before anybody asks for all of it is far less.
const LONG: usize = 256 * 1024;
/// Bytes of a long message that stay.
const KEPT: usize = 64 * 1024;

/// Cuts the long messages of a page, and notes by `seq` how much each had.
pub fn shorten(page: &mut MessagePage, cut: &mut BTreeMap<i64, Cut>) {
    for entry in &mut page.messages {
        let bytes = entry.bytes();
        if bytes > LONG {
            let todos = match entry.body() {
                Body::Todo(todo) => {
                    Some(TodoState::new(todo.clone(), entry.message.draft.metadata.as_ref()).progress())
                }
                _ => None,
            };
            entry.shorten(KEPT);
            if entry.bytes() < bytes {
                cut.insert(entry.message.seq, Cut { bytes: bytes as u64, todos });
            }
        }
    }
}
