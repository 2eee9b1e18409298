//! Sessions as the last live write left them, for the next one that posts to them: a session's row is wide, and reading it again
//! costs as much as writing a message.
//!
//! They hold as long as the workspace is where that write left it: whoever changes a session, in this process or on another
//! server, takes a place in the feed or a rid.

use crate::write::SessionRow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions that are kept at most.
const MOST: usize = 512;

/// How far a workspace came: the position of its feed, and its last rid.
pub(crate) type Place = (i64, i64);

/// Sessions of one workspace by their ids.
#[derive(Debug, Default)]
pub(crate) struct Kept(HashMap<String, Arc<SessionRow>>);

impl Kept {
    pub(crate) fn get(&self, id: &str) -> Option<Arc<SessionRow>> {
        self.0.get(id).map(Arc::clone)
    }

    pub(crate) fn put(&mut self, row: Arc<SessionRow>) {
        if self.0.len() >= MOST && !self.0.contains_key(&row.id) {
            self.0.clear();
        }
        self.0.insert(row.id.clone(), row);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Writes that suppose nothing after one that was wrong: where others write too, or ids come again, most would be.
const CAREFUL: u32 = 8;

/// What the last live write left, if nobody took it since.
#[derive(Debug, Default)]
pub(crate) struct Left(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    left: Option<(String, Place, Kept)>,
    /// Writes that are still to suppose nothing.
    careful: u32,
}

impl Left {
    /// For a transaction that found the workspace at `place`.
    pub(crate) fn take(&self, workspace: &str, place: Place) -> Kept {
        let left = self.lock().left.take().filter(|(of, at, _)| of == workspace && *at == place);
        left.map(|(_, _, kept)| kept).unwrap_or_default()
    }

    /// For a write that supposes that the workspace is still there.
    pub(crate) fn take_supposed(&self, workspace: &str) -> Option<(Place, Kept)> {
        self.lock().left.take_if(|(of, ..)| of == workspace).map(|(_, place, kept)| (place, kept))
    }

    /// May the next write suppose something?
    pub(crate) fn may_suppose(&self) -> bool {
        let careful = &mut self.lock().careful;
        *careful = careful.saturating_sub(1);
        *careful == 0
    }

    /// What a write supposed wasn't so.
    pub(crate) fn mistaken(&self) {
        self.lock().careful = CAREFUL;
    }

    /// After the commit of a transaction that left the workspace at `place`.
    pub(crate) fn leave(&self, workspace: &str, place: Place, kept: Kept) {
        self.lock().left = Some((workspace.to_owned(), place, kept));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
