//! The session that a request is about, in its span of the log.

use model::SessionId;
use std::cell::Cell;
use tracing::Span;

tokio::task_local! {
    static RECORDED: Cell<bool>;
}

/// Runs a request whose span has a field `session`, which the first session fills that the request names. A name of no
/// session may be any text, and is not logged.
pub async fn with_session<T>(request: impl Future<Output = T>) -> T {
    RECORDED.scope(Cell::new(false), request).await
}

/// Fills the field, unless this is not done within a request, or for its second session.
pub(crate) fn record_session(id: &SessionId) {
    if RECORDED.try_with(|recorded| !recorded.replace(true)).unwrap_or_default() {
        Span::current().record("session", id.as_str());
    }
}
