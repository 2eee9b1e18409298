//! One reader per file: an import and a follower of the same file would write its bytes twice.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Default)]
pub struct Claims(Arc<Mutex<HashSet<PathBuf>>>);

/// Ends when it is dropped.
pub struct Claim {
    claims: Claims,
    path: PathBuf,
}

impl Claims {
    /// None while somebody else holds the file.
    pub fn claim(&self, path: &Path) -> Option<Claim> {
        let added = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        added.then(|| Claim { claims: self.clone(), path: path.to_owned() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}
