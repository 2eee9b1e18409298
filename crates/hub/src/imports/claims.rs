//! One reader per file: an import and a follower of the same file would write its bytes twice.

use crate::context::TopicState;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

#[derive(Clone, Default)]
pub struct Claims(Arc<Inner>);

#[derive(Default)]
struct Inner {
    files: Mutex<Files>,
    missed: Notify,
}

#[derive(Default)]
struct Files {
    /// Each with whether it changed meanwhile.
    held: HashMap<PathBuf, bool>,
    /// Those that changed while they were held, and aren't any more.
    missed: Vec<PathBuf>,
}

/// Ends when it is dropped.
pub struct Claim {
    claims: Claims,
    path: PathBuf,
}

impl TopicState for Claims {}

impl Claims {
    /// None while somebody else holds the file.
    pub fn claim(&self, path: &Path) -> Option<Claim> {
        let mut files = self.files();
        if files.held.contains_key(path) {
            return None;
        }
        files.held.insert(path.to_owned(), false);
        Some(Claim { claims: self.clone(), path: path.to_owned() })
    }

    /// Like [`Self::claim`], for a file that has changed: its holder may have read its end already, so it is
    /// [`Claims::missed`] then.
    pub fn claim_changed(&self, path: &Path) -> Option<Claim> {
        let claim = self.claim(path);
        if claim.is_none()
            && let Some(changed) = self.files().held.get_mut(path)
        {
            *changed = true;
        }
        claim
    }

    /// Has a file read that changed: now, or when nobody holds it any more.
    pub fn note_changed(&self, path: &Path) {
        let mut files = self.files();
        if let Some(changed) = files.held.get_mut(path) {
            *changed = true;
        } else if !files.missed.iter().any(|missed| missed == path) {
            files.missed.push(path.to_owned());
            self.0.missed.notify_one();
        }
    }

    /// Waits for files that changed while somebody held them, until nobody does.
    pub async fn missed(&self) -> Vec<PathBuf> {
        loop {
            let missed = std::mem::take(&mut self.files().missed);
            if !missed.is_empty() {
                return missed;
            }
            self.0.missed.notified().await;
        }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut files = self.claims.files();
        if files.held.remove(&self.path) == Some(true) {
            files.missed.push(std::mem::take(&mut self.path));
            self.claims.0.missed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Claims;
    use std::path::Path;

    #[tokio::test]
    async fn a_file_that_changed_while_it_was_held_is_missed_once() {
        let claims = Claims::default();
        let (grown, still) = (Path::new("/grown"), Path::new("/still"));
        let held = (claims.claim(grown), claims.claim(still));
        assert!(held.0.is_some() && claims.claim_changed(grown).is_none() && claims.claim(still).is_none());
        drop(held);
        assert_eq!(claims.missed().await, [grown]);
        assert!(claims.claim_changed(grown).is_some());
    }
}
