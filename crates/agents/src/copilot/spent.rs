//! Tokens that only the end of the program tells: it has sums for each model, and messages have what the model wrote alone.

use super::Events;
use crate::parts::at::{At, hash};
use crate::parts::obj::Obj;
use model::{Spent, Usage};
use std::collections::HashMap;

/// The token counts so far.
#[derive(Default)]
pub(super) struct Told {
    /// The sums at the last end, by model.
    sums: HashMap<String, Usage>,
    /// Tokens that messages counted since, by model.
    written: HashMap<String, i64>,
    /// Output tokens that messages counted for each request, by a hash of its id: several messages may share it.
    requests: HashMap<u64, i64>,
}

impl Told {
    /// A message counted its request.
    pub fn wrote(&mut self, id: &str, model: Option<&str>, output: i64) {
        let known = self.requests.entry(hash(id)).or_default();
        let more = (output - *known).max(0);
        *known += more;
        *self.written.entry(model.unwrap_or_default().to_owned()).or_default() += more;
    }

    /// Returns the tokens of a model's sum that no message counted.
    fn rest(&mut self, model: &str, sum: Usage, is_only: bool) -> Usage {
        let before = self.sums.insert(model.to_owned(), sum).unwrap_or_default();
        let is_less = sum.input < before.input || sum.output < before.output;
        // A program that was started again may count anew.
        let before = if is_less { Usage::default() } else { before };
        let written = if is_only {
            self.written.drain().map(|(_, output)| output).sum()
        } else {
            self.written.remove(model).unwrap_or_default()
        };
        Usage {
            input: sum.input - before.input,
            output: (sum.output - before.output - written).max(0),
            cache_read: (sum.cache_read - before.cache_read).max(0),
            cache_write: (sum.cache_write - before.cache_write).max(0),
        }
    }
}

impl Events {
    /// The sums of `session.shutdown`.
    pub(super) fn sums(&mut self, at: &At, data: &Obj) {
        let metrics = data.obj("modelMetrics");
        let of_model = |(model, raw): (&str, &str)| Some((model.to_owned(), usage(&Obj::parse(raw)?.obj("usage")?)));
        let sums: Vec<(String, Usage)> = metrics.iter().flat_map(Obj::fields).filter_map(of_model).collect();
        let is_only = sums.len() == 1;
        for (model, sum) in sums {
            let usage = self.told.rest(&model, sum, is_only);
            if usage != Usage::default() {
                let id = format!("{}~{model}", at.id);
                self.log.spent(Spent { id, usage, model: Some(model), ..Spent::default() });
            }
        }
        self.told.written.clear();
    }
}

/// Returns the tokens of a request. Copilot counts cache reads and writes as input.
fn usage(told: &Obj) -> Usage {
    let count = |name: &str| told.int(name).unwrap_or(0).clamp(0, 1 << 40);
    let (cache_read, cache_write) = (count("cacheReadTokens"), count("cacheWriteTokens"));
    let input = (count("inputTokens") - cache_read - cache_write).max(0);
    Usage { input, output: count("outputTokens"), cache_read, cache_write }
}
