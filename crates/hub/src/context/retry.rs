//! Retries what the database refuses for the moment.

use crate::context::Hub;
use backon::{ExponentialBuilder, Retryable as _};
use std::time::Duration;
use store::StoreError;

/// Pauses grow from the first to the second, each longer by chance, so that many servers don't come back at once.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// Tries for as long as it may help, but not longer than the hub lives.
pub async fn retry_transient<T, F>(hub: &Hub, work: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let pauses = ExponentialBuilder::default().with_min_delay(FIRST).with_max_delay(LONGEST);
    let shutdown = hub.shutdown.clone();
    let sleep = move |pause| {
        let shutdown = shutdown.clone();
        async move { shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.unwrap_or_default() }
    };
    work.retry(pauses.without_max_times().with_jitter())
        .sleep(sleep)
        .when(|error: &StoreError| error.passes() && !hub.shutdown.is_cancelled())
        .notify(|error, pause| tracing::warn!(%error, ?pause, "the database is asked again"))
        .await
}
