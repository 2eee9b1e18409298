//! Tokens times rates.

use crate::{Prices, names};
use model::Usage;

/// Tokens of one request, or of several with the same rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bill {
    /// The day of the request, `2026-11-22` (UTC).
    pub day: String,
    /// The input of one request in tokens, cached ones included: it selects the rate.
    pub input: i64,
    /// All tokens.
    pub usage: Usage,
    /// The part of `usage.cache_write` that is cached for one hour.
    pub cache_write_1h: i64,
}

impl Bill {
    /// The bill of a single request.
    pub fn of_request(day: String, usage: Usage, cache_write_1h: i64) -> Self {
        Self { day, input: usage.input_total(), usage, cache_write_1h }
    }
}

/// Why tokens have no price.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unpriced {
    /// The transcript doesn't name the model.
    NoModel,
    /// The transcript says what the model wrote and not what it read.
    NoInput,
    /// The name stands for whichever model was the newest.
    Alias(String),
    /// The price table doesn't have the model.
    Unknown(String),
}

impl Unpriced {
    /// The reason, for people.
    pub fn reason(&self) -> String {
        match self {
            Self::NoModel => "No cost: the transcript doesn't name the model".to_owned(),
            Self::NoInput => "No cost: the transcript doesn't say how many tokens the model read".to_owned(),
            Self::Alias(name) => format!("No cost: `{name}` isn't a model's name, and the transcript has no other"),
            Self::Unknown(name) => format!("No cost: `{name}` isn't in the price table"),
        }
    }
}

const MILLION: f64 = 1_000_000.0;

impl Prices {
    /// Returns the cost of a bill's tokens in US dollars.
    pub fn cost(&self, model: Option<&str>, bill: &Bill) -> Result<f64, Unpriced> {
        let name = model.map(str::trim).filter(|name| !name.is_empty()).ok_or(Unpriced::NoModel)?;
        if names::is_synthetic(name) {
            return Ok(0.0);
        }
        let known = self.model(name).and_then(|model| model.rate(&bill.day, bill.input));
        let Some(rate) = known else {
            let name = name.to_owned();
            return Err(if names::is_alias(&name) { Unpriced::Alias(name) } else { Unpriced::Unknown(name) });
        };
        let usage = bill.usage;
        if usage.input_total() == 0 && usage.output > 0 {
            return Err(Unpriced::NoInput);
        }
        let hour = bill.cache_write_1h.clamp(0, usage.cache_write.max(0));
        let write = rate.cache_write.unwrap_or(rate.input);
        let parts = [
            (usage.input, rate.input),
            (usage.output, rate.output),
            (usage.cache_read, rate.cache_read.unwrap_or(rate.input)),
            (usage.cache_write - hour, write),
            (hour, rate.cache_write_1h.unwrap_or(write)),
        ];
        Ok(parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / MILLION)
    }
}
