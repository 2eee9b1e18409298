//! Requests to the model in `ui_messages.json`: tokens, costs and times.

use crate::parts::obj::{Obj, list, string};
use model::{Micros, Spent, Usage};
use std::collections::VecDeque;

/// The requests of a task that no answer was found for yet, the oldest first.
#[derive(Default)]
pub(super) struct Requests(VecDeque<(i64, Spent)>);

impl Requests {
    pub fn of(seen: Option<&[u8]>) -> Self {
        let text = seen.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let entries = list(text.trim()).unwrap_or_default();
        Self(entries.into_iter().filter_map(Obj::parse).filter_map(|entry| request(&entry)).collect())
    }

    /// The request that was answered at this time, in milliseconds: the last one that began before. Without a time, the next one.
    pub fn next(&mut self, ended: Option<i64>) -> Option<Spent> {
        let Some(ended) = ended else { return self.0.pop_front().map(|(_, spent)| spent) };
        let at = self.0.iter().rposition(|(began, _)| *began <= ended)?;
        self.0.remove(at).map(|(_, spent)| spent)
    }

    /// Takes those that are left.
    pub fn left(&mut self) -> Vec<Spent> {
        std::mem::take(&mut self.0).into_iter().map(|(_, spent)| spent).collect()
    }
}

/// A request, if an entry tells of one that took something.
fn request(entry: &Obj) -> Option<(i64, Spent)> {
    if entry.str("say").as_deref() != Some("api_req_started") {
        return None;
    }
    let began = entry.int("ts")?;
    let text = string(entry.raw("text")?)?;
    let told = Obj::parse(&text)?;
    let count = |key: &str| told.int(key).unwrap_or(0).clamp(0, 1 << 40);
    let usage = Usage {
        input: count("tokensIn"),
        output: count("tokensOut"),
        cache_read: count("cacheReads"),
        cache_write: count("cacheWrites"),
    };
    let cost_usd = told.float("cost").filter(|cost| *cost >= 0.0);
    let took = usage.total() > 0 || cost_usd.is_some_and(|cost| cost > 0.0);
    let began_at = Some(Micros(began.saturating_mul(1000)));
    took.then(|| (began, Spent { usage, cost_usd, began_at, ..Spent::default() }))
}

/// Returns the usage that newer versions write into the answer.
pub(super) fn spent_of(message: &Obj) -> Option<Spent> {
    let metrics = message.obj("metrics")?;
    let tokens = metrics.obj("tokens");
    let count = |key: &str| tokens.as_ref().and_then(|tokens| tokens.int(key)).unwrap_or(0).clamp(0, 1 << 40);
    let usage =
        Usage { input: count("prompt"), output: count("completion"), cache_read: count("cached"), ..Usage::default() };
    Some(Spent { usage, cost_usd: metrics.float("cost").filter(|cost| *cost >= 0.0), ..Spent::default() })
}
