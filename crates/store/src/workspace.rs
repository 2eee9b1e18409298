//! The handle on one workspace. Its methods lie in the files of their subjects.

use crate::Store;
use std::sync::Arc;

/// One workspace of a store. Clones share the store.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(crate) store: Store,
    pub(crate) id: Arc<str>,
}

impl Workspace {
    pub fn id(&self) -> &str {
        &self.id
    }
}
