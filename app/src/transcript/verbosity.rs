//! How much of the work between two prompts is shown. The dev toggle is another thing: it shows what is hidden, with
//! all that the record says of it.

use crate::message::view_options::Verbosity;
use api::messages::{Display, Entry, HiddenRow, MessagePage};
use model::{MessageType, Role, Status};

/// The page as a reader at this level sees it: what isn't shown becomes a hidden row, which is counted.
pub(super) fn project(mut page: MessagePage, verbosity: Verbosity) -> MessagePage {
    let shown = |entry: &Entry| is_shown(entry, verbosity) && !is_empty(entry);
    let (messages, hidden): (Vec<Entry>, Vec<Entry>) = page.messages.into_iter().partition(shown);
    page.messages = messages;
    page.hidden.extend(hidden.into_iter().map(HiddenRow::from));
    page.hidden.sort_by_key(|row| row.seq);
    page
}

/// The page without what the dev toggle hides. The counts of a filter say how much that is.
pub(super) fn without_hidden(mut page: MessagePage, verbosity: Verbosity) -> MessagePage {
    page.messages.retain(|entry| is_shown(entry, verbosity));
    page
}

fn is_shown(entry: &Entry, verbosity: Verbosity) -> bool {
    let thinks = entry.message.draft.role == Role::Model && verbosity.shows_thinking();
    entry.display != Display::Dev || thinks
}

/// A text without a word, as agents leave it before they think or use a tool.
pub(super) fn is_empty(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    let of_agent = matches!(draft.role, Role::Assistant | Role::Model);
    let plain = draft.metadata.as_ref().is_none_or(|metadata| !metadata.contains_key("message_type"));
    let wordless = draft.content.trim().is_empty() && entry.message_type == MessageType::Text && plain;
    of_agent && wordless && draft.status == Status::Final && entry.display != Display::Dev
}
