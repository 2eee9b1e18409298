//! Searches of the web, of which two lines tell: an event with the id of the call, and an item that has none.

use super::said::Half;
use crate::parts::obj::Obj;
use serde_json::Value;
use std::collections::VecDeque;

/// Searches whose other half may still come.
#[derive(Default)]
pub(super) struct Searches(VecDeque<Search>);

struct Search {
    call_id: String,
    half: Half,
    action: Option<Value>,
    query: Option<String>,
}

impl Searches {
    /// More than these are never open at once.
    const MOST: usize = 32;

    /// The call that the other half of a search began. Without one, this half is kept, with the id of the call that it begins.
    pub fn join(&mut self, half: Half, line: &Obj, call_id: &str) -> Option<String> {
        let action = line.obj("action");
        let query = line.filled("query").or_else(|| action?.filled("query"));
        let search = Search { call_id: call_id.to_owned(), half, action: line.value("action"), query };
        if let Some(at) = self.0.iter().position(|other| other.half != half && other.is_same(&search)) {
            return self.0.remove(at).map(|other| other.call_id);
        }
        self.0.truncate(Self::MOST - 1);
        self.0.push_front(search);
        None
    }
}

impl Search {
    /// Whether two halves have the same query, and the same action where both tell one.
    fn is_same(&self, other: &Self) -> bool {
        let same_action = match (&self.action, &other.action) {
            (Some(action), Some(other)) => action == other,
            _ => self.query.is_some(),
        };
        same_action && self.query == other.query
    }
}
