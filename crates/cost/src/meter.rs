//! How full a context is, and how long it will last.

/// A context as of a session's last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meter {
    /// Tokens that the model read and wrote: what the next request begins with.
    pub used: i64,
    /// Tokens that fit.
    pub limit: i64,
    /// Requests until it is full if it goes on as it did lately; None where it doesn't grow.
    pub requests_left: Option<i64>,
}

/// Requests that a forecast looks back on.
const LATELY: usize = 10;

/// Measures a context by the sizes of its requests in tokens, oldest first, and the limit. None without a request or a
/// limit. A compaction makes the context smaller by a third at least. Requests before it say nothing about the growth.
pub fn measure(sizes: &[i64], limit: Option<i64>) -> Option<Meter> {
    let limit = limit.filter(|limit| *limit > 0)?;
    let used = *sizes.last()?;
    let compacted = sizes
        .windows(2)
        .rposition(|pair| matches!(pair, [before, after] if after.saturating_mul(3) < before.saturating_mul(2)));
    let since = sizes.get(compacted.map_or(0, |at| at + 1)..).unwrap_or_default();
    let lately = since.get(since.len().saturating_sub(LATELY)..).unwrap_or_default();
    let steps = lately.len().saturating_sub(1) as i64;
    let grown = used.saturating_sub(lately.first().copied().unwrap_or(used));
    let requests_left = (steps > 0 && grown > 0).then(|| (limit - used).max(0).saturating_mul(steps) / grown);
    Some(Meter { used, limit, requests_left })
}
