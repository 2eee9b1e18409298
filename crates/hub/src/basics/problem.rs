//! Errors of the store as problems: what the caller can mend is said, internals are logged once.

use api::Problem;
use store::StoreError;

/// The problem that a caller gets for an error of the store.
pub fn problem(error: StoreError) -> Problem {
    let (status, code) = match &error {
        StoreError::Newer { .. } => (503, "database_newer"),
        StoreError::Locked => (503, "database_locked"),
        StoreError::Full => (507, "disk_full"),
        StoreError::ReadOnly => (503, "database_read_only"),
        StoreError::Disk(_) => (503, "disk_failed"),
        StoreError::Unreachable(_) => (503, "database_unreachable"),
        StoreError::Damaged(_) => (503, "database_damaged"),
        StoreError::Protected(_) => (503, "read_only"),
        StoreError::DamagedMessage { .. } => (500, "message_damaged"),
        StoreError::LostRecord { .. } => (500, "record_lost"),
        StoreError::DamagedRecord { .. } => (500, "record_damaged"),
        StoreError::DamagedBlob(_) => (500, "blob_damaged"),
        StoreError::Archive(_) => (409, "archive"),
        StoreError::Cursor(_) => return Problem::field("after", "the `next` of an earlier answer"),
        other => {
            tracing::error!(error = %other, "the store failed");
            return Problem::internal();
        }
    };
    if let Some(cause) = std::error::Error::source(&error) {
        tracing::error!(%error, %cause, "the store failed");
    }
    Problem {
        hint: error.advice().map(str::to_owned),
        retry_after: matches!(code, "database_locked" | "database_unreachable").then_some(1),
        ..Problem::new(status, code, capitalised(&error.to_string()))
    }
}

/// The problem of a request that the end of the server cuts off; `hint` says what its caller may do then.
pub fn stopping(hint: &str) -> Problem {
    let problem = Problem::new(503, "stopping", "The server is stopping");
    Problem { retry_after: Some(1), ..problem.hint(hint) }
}

/// For writes whose outcome nobody waits for.
pub(crate) fn report(written: Result<(), StoreError>) {
    if let Err(error) = written {
        tracing::debug!(%error, "a use can't be noted");
    }
}

/// As the sentence that a problem's title is.
fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
