//! Errors of the store as problems: what the caller can mend is said, internals are logged once.

use api::{Problem, ProblemCode};
use store::StoreError;

/// The problem that a caller gets for an error of the store.
pub fn problem(error: StoreError) -> Problem {
    let code = match &error {
        StoreError::Newer { .. } => ProblemCode::DatabaseNewer,
        StoreError::Locked | StoreError::TextErased => ProblemCode::DatabaseLocked,
        StoreError::Full => ProblemCode::DiskFull,
        StoreError::ReadOnly => ProblemCode::DatabaseReadOnly,
        StoreError::Disk(_) => ProblemCode::DiskFailed,
        StoreError::Unreachable(_) => ProblemCode::DatabaseUnreachable,
        StoreError::Damaged(_) => ProblemCode::DatabaseDamaged,
        StoreError::Protected(_) => ProblemCode::ReadOnly,
        StoreError::DamagedMessage { .. } => ProblemCode::MessageDamaged,
        StoreError::LostRecord { .. } => ProblemCode::RecordLost,
        StoreError::DamagedRecord { .. } => ProblemCode::RecordDamaged,
        StoreError::DamagedBlob(_) => ProblemCode::BlobDamaged,
        StoreError::Archive(_) => ProblemCode::Archive,
        StoreError::Cursor(_) => return Problem::field("after", "`next` of an earlier reply"),
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
        retry_after: matches!(code, ProblemCode::DatabaseLocked | ProblemCode::DatabaseUnreachable).then_some(1),
        ..Problem::new(code, capitalised(&error.to_string()))
    }
}

/// The problem of a request that the end of the server cuts off; `hint` says what its caller may do then.
pub fn stopping(hint: &str) -> Problem {
    let problem = Problem::new(ProblemCode::Stopping, "The server is stopping");
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
