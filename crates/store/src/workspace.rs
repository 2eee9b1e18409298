//! The handle on one workspace. Its methods lie in the files of their subjects.

use crate::Store;
use model::Micros;
use model::audit::{Actor, Event, Note};
use std::sync::Arc;

/// One workspace of a store. Clones share the store.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(crate) store: Store,
    pub(crate) id: Arc<str>,
    signature: Option<Arc<(Actor, Micros)>>,
}

impl Store {
    /// The handle on a workspace; `default` where nobody chose one.
    pub fn workspace(&self, id: &str) -> Workspace {
        Workspace::new(self.clone(), id)
    }
}

impl Workspace {
    pub(crate) fn new(store: Store, id: &str) -> Self {
        Self { store, id: id.into(), signature: None }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns a handle whose writes of keys, log-ins, folders and preferences, and whose deletions, make entries in
    /// the audit log: by `who`, at `at`. Other handles make none.
    pub fn signed(&self, who: Actor, at: Micros) -> Self {
        Self { signature: Some(Arc::new((who, at))), ..self.clone() }
    }

    /// Entries for events, if the handle is signed.
    pub(crate) fn notes(&self, events: impl IntoIterator<Item = Event>) -> Vec<Note> {
        let Some((who, at)) = self.signature.as_deref() else { return Vec::new() };
        events.into_iter().map(|what| Note { at: *at, who: who.clone(), what }).collect()
    }
}
