//! Stored messages as the API gives them.

use api::messages::Entry;
use model::routing::Mark;
use store::StoredMessage;

/// Returns a message as people and programs read it.
pub(crate) fn entry(stored: StoredMessage) -> Entry {
    let entry = Entry { copied: stored.copied, ..Entry::of(stored.message, stored.display) };
    match stored.outcome {
        Some(outcome) => entry.with_outcome(outcome),
        None => entry,
    }
}

/// A message as an agent reads it: without the mention that called it.
pub(crate) fn for_agent(mut stored: StoredMessage) -> Entry {
    if let Some(text) = Mark::of(&stored.message.draft).text {
        stored.message.draft.content = text;
    }
    entry(stored)
}
