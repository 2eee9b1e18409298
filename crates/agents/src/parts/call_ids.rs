//! Ids of calls, where a provider may count them anew in each message or session.

use std::collections::HashMap;

/// Characters of an id that no other call has.
const LONG: usize = 20;

/// The ids that calls have here, by those of their provider.
#[derive(Default)]
pub(crate) struct CallIds(HashMap<String, String>);

impl CallIds {
    /// Returns the id of a call that begins in this message.
    pub fn begin(&mut self, message: &str, own: &str) -> String {
        let id = within(message, own);
        self.0.insert(own.to_owned(), id.clone());
        id
    }

    /// Returns the id of the last call that its provider called so.
    pub fn of(&self, own: &str) -> String {
        self.0.get(own).map_or(own, String::as_str).to_owned()
    }
}

/// Returns the id of a call of a message: the provider's own, behind the message's where it is short.
pub(crate) fn within(message: &str, own: &str) -> String {
    if own.len() < LONG { format!("{message}~{own}") } else { own.to_owned() }
}
