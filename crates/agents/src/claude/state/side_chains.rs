//! Which session a line of a sub-agent belongs to.

use std::collections::HashMap;

/// Side chains inside the file: which session a line's children belong to.
#[derive(Default)]
pub(crate) struct SideChains {
    pub by_uuid: HashMap<u64, usize>,
    pub last: Option<usize>,
    /// Task calls that have their side chain.
    pub taken: Vec<String>,
}

impl SideChains {
    /// A line stands for another one, of which it is a copy.
    pub fn alias(&mut self, copy: u64, first: u64) {
        if let Some(session) = self.by_uuid.get(&first).copied() {
            self.by_uuid.insert(copy, session);
        }
    }
}
