//! Errors of the store as problems: what the caller can mend is said, internals are logged once.

use api::Problem;
use store::StoreError;

/// The problem that a caller gets for an error of the store.
pub fn problem(error: StoreError) -> Problem {
    match error {
        StoreError::Newer { .. } => Problem::new(503, "database_newer", error.to_string())
            .hint("Update Verbatim, or start it with another `--data-dir`"),
        StoreError::Locked => {
            Problem { retry_after: Some(1), ..Problem::new(503, "database_locked", error.to_string()) }
        }
        StoreError::Full => Problem::new(507, "disk_full", error.to_string())
            .hint("Free some space: nothing that was stored is lost, and the import goes on where it stopped"),
        StoreError::Cursor(_) => Problem::field("after", "the `next` of an earlier answer"),
        other => {
            tracing::error!(error = %other, "the store failed");
            Problem::internal()
        }
    }
}
