//! A run: one turn of an agent, from a prompt to its end.

use crate::{MessageId, Micros, words};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

words! {
    /// Outcome of a run.
    RunOutcome {
        /// It hasn't ended, as far as known.
        Open = "open",
        /// The agent finished its turn.
        Done = "done",
        /// A person stopped it.
        Interrupted = "interrupted",
        /// An error ended it.
        Failed = "failed",
    }
}

/// Tokens as the provider counts them. `input` excludes cached tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Uncached tokens that the model read.
    pub input: i64,
    /// Tokens that the model wrote, including reasoning.
    pub output: i64,
    /// Tokens read from the provider's cache.
    pub cache_read: i64,
    /// Tokens written to the provider's cache.
    pub cache_write: i64,
}

impl Usage {
    /// Returns the sum of all four, at most `i64::MAX`.
    pub fn total(self) -> i64 {
        self.input.saturating_add(self.output).saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Returns all tokens that the model read, including those read from and written to the cache.
    pub fn input_total(self) -> i64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// One turn of an agent. Its usage is the sum over its API messages, each counted once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// The agent's own id of its first prompt.
    pub id: String,
    /// The model of its latest answer; None before the first.
    pub model: Option<String>,
    /// When the prompt was sent.
    pub started_at: Micros,
    /// When the agent finished; None while it is open.
    pub ended_at: Option<Micros>,
    /// Outcome of the run.
    pub outcome: RunOutcome,
    /// Sum of its API messages.
    pub usage: Usage,
    /// Cost in US dollars, if the agent reports it.
    pub cost_usd: Option<f64>,
}

/// Suffixes that readers add to a model's name if a request had a special price, by speed or tier.
pub const TIERS: [&str; 3] = ["-fast", "-batch", "-priority"];

/// Returns a model's name with the suffix of a tier or speed. For the standard and for unknown ones, the plain name.
pub fn of_tier(name: &str, tier: Option<&str>) -> String {
    let suffix = tier.and_then(|tier| TIERS.into_iter().find(|suffix| suffix.get(1..) == Some(tier)));
    format!("{name}{}", suffix.unwrap_or_default())
}

/// One request to a model: tokens, times and messages. Its id is the provider's, which copies of a transcript repeat.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// The provider's id of the answer.
    pub id: String,
    /// The largest usage that the transcript has for it.
    pub usage: Usage,
    /// The part of `usage.cache_write` that is cached for one hour, in tokens.
    pub cache_write_1h: i64,
    /// Cost in US dollars, if the agent reports it.
    pub cost_usd: Option<f64>,
    /// True if the transcript marks this line as copied from another session.
    pub is_copy: bool,
    /// Name of the model; None if the transcript doesn't have it.
    pub model: Option<String>,
    /// Time of the last message that the model read before it answered.
    pub began_at: Option<Micros>,
    /// The time of the last line of the answer.
    pub ended_at: Option<Micros>,
    /// Milliseconds from the request to the first token, if the agent reports it.
    pub first_token_ms: Option<i64>,
    /// Why the model stopped, as the provider reports it.
    pub stop_reason: Option<String>,
    /// Context size of the model in tokens, if the agent reports it.
    pub context: Option<i64>,
    /// The first message of the answer.
    pub message_id: Option<MessageId>,
}
