//! How much work reading is: what tests compare in place of time.

use crate::{Store, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the steps of `SQLite`'s virtual machine: a few for each row that a statement looks at.
#[derive(Debug, Clone, Default)]
pub struct ReadSteps(Arc<AtomicU64>);

impl ReadSteps {
    /// Steps since the last call.
    pub fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Store {
    /// Counts the steps of everything that is read from now on. `PostgreSQL` has no such figure: None.
    pub async fn count_read_steps(&self) -> Result<Option<ReadSteps>, StoreError> {
        let Self::Sqlite(pools) = self else { return Ok(None) };
        let steps = ReadSteps::default();
        let mut readers = Vec::new();
        for _ in 0..pools.readers.size() {
            let mut reader = pools.readers.acquire().await?;
            let counted = Arc::clone(&steps.0);
            reader.lock_handle().await?.set_progress_handler(1, move || {
                counted.fetch_add(1, Ordering::Relaxed);
                true
            });
            readers.push(reader);
        }
        Ok(Some(steps))
    }
}
