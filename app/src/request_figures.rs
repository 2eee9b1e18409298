//! The figures of a request to a model: tokens, cost and times.

use crate::figures;
use crate::time_text::duration;
use api::cost::ModelRequest;
use model::Usage;

/// Tokens, cost, times and end of a request, each in a few words.
pub fn of(request: &ModelRequest) -> Vec<String> {
    let first = request.first_token_ms.map(|ms| format!("first token {}", duration(ms.saturating_mul(1000))));
    let took = request.began_at.map(|began| request.ended_at.since(began)).filter(|took| *took > 0).map(duration);
    let cost = request.cost.as_ref().map(|cost| match (cost.usd, cost.unpriced.first()) {
        (Some(usd), _) => figures::dollars(usd),
        (None, Some(of)) => of.reason.clone(),
        (None, None) => String::new(),
    });
    let copy = request.is_copy.then(|| "counted in another session".to_owned());
    let stop = request.stop_reason.clone();
    let all = [first, took, Some(input(request.usage)), Some(output(request.usage)), cost, stop, copy];
    all.into_iter().flatten().filter(|words| !words.is_empty()).collect()
}

fn input(usage: Usage) -> String {
    let mut words = format!("in {}", figures::tokens(usage.input_total()));
    let parts = [("from cache", usage.cache_read), ("to cache", usage.cache_write)];
    let parts: Vec<String> =
        parts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{} {what}", figures::tokens(*n))).collect();
    if !parts.is_empty() {
        words.push_str(&format!(" ({})", parts.join(", ")));
    }
    words
}

fn output(usage: Usage) -> String {
    format!("out {}", figures::tokens(usage.output))
}
