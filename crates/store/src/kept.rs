//! Sessions as `SQLite`'s last transaction left them, for the next one that posts to them: a session's row is wide, and reading
//! it again costs as much as writing a message.
//!
//! They are given from one transaction to the next. Whoever begins a transaction takes them, and only live writes, which know
//! what becomes of sessions, give them on: after any other one there are none. `PostgreSQL` has other servers that write.

use crate::write::SessionRow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions that are kept at most.
const MOST: usize = 512;

/// Sessions of one workspace by their ids.
#[derive(Debug)]
pub(crate) struct Kept {
    workspace: String,
    rows: HashMap<String, Arc<SessionRow>>,
}

impl Kept {
    pub(crate) fn none(workspace: &str) -> Self {
        Self { workspace: workspace.to_owned(), rows: HashMap::new() }
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<SessionRow>> {
        self.rows.get(id).map(Arc::clone)
    }

    pub(crate) fn put(&mut self, row: Arc<SessionRow>) {
        if self.rows.len() >= MOST && !self.rows.contains_key(&row.id) {
            self.rows.clear();
        }
        self.rows.insert(row.id.clone(), row);
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
    }
}

/// Which transaction it is, and what the one before left.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    number: u64,
    left: Option<Kept>,
}

/// A transaction's turn.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    number: u64,
    left: Option<Kept>,
}

impl Turns {
    /// Of a transaction that has begun: it is the only one.
    pub(crate) fn begin(self: &Arc<Self>) -> Turn {
        let mut state = self.lock();
        state.number += 1;
        Turn { turns: Arc::clone(self), number: state.number, left: state.left.take() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Of a transaction that only reads.
    pub(crate) fn of_nobody() -> Self {
        Arc::<Turns>::default().begin()
    }

    /// What the transaction before left of a workspace's sessions.
    pub(crate) fn take(&mut self, workspace: &str) -> Kept {
        let left = self.left.take().filter(|kept| kept.workspace == workspace);
        left.unwrap_or_else(|| Kept::none(workspace))
    }

    /// After the commit. Another transaction may have begun since, and changed them.
    pub(crate) fn leave(self, kept: Kept) {
        let mut state = self.turns.lock();
        if state.number == self.number {
            state.left = Some(kept);
        }
    }
}
