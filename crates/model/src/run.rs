//! A run: one turn of an agent, from a prompt to its end.

use crate::{MessageId, Micros, words};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

words! {
    /// How a run ended.
    RunOutcome {
        /// It hasn't ended, as far as is known.
        Open = "open",
        /// The agent finished its turn.
        Done = "done",
        /// A person stopped it.
        Interrupted = "interrupted",
        /// An error ended it.
        Failed = "failed",
    }
}

/// Tokens as the provider counts them. Input excludes what the cache held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens read by the model that no cache held.
    pub input: i64,
    /// Tokens written by the model, reasoning included.
    pub output: i64,
    /// Tokens read from the provider's cache.
    pub cache_read: i64,
    /// Tokens written into the provider's cache.
    pub cache_write: i64,
}

impl Usage {
    /// Returns the sum of all four, at most `i64::MAX`.
    pub fn total(self) -> i64 {
        self.input.saturating_add(self.output).saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Returns the tokens that the model read, from the cache and into it as well.
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
    /// The agent's own id of the prompt that began it.
    pub id: String,
    /// The model of its latest answer; None before the first.
    pub model: Option<String>,
    /// When the prompt was sent.
    pub started_at: Micros,
    /// When the agent finished; None while it is open.
    pub ended_at: Option<Micros>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Sum over its API messages.
    pub usage: Usage,
    /// In US dollars, where the agent says it.
    pub cost_usd: Option<f64>,
}

/// What readers put behind the name of a model where a request had another price than the standard one: its speed, or its tier.
pub const TIERS: [&str; 3] = ["-fast", "-batch", "-priority"];

/// Returns a model's name for a request of a tier or a speed; of the standard one, and of an unknown one, it is the plain name.
pub fn of_tier(name: &str, tier: Option<&str>) -> String {
    let suffix = tier.and_then(|tier| TIERS.into_iter().find(|suffix| suffix.get(1..) == Some(tier)));
    format!("{name}{}", suffix.unwrap_or_default())
}

/// One request to a model: what it took, when, and which messages came of it. Its id is the provider's: a copy of a transcript
/// repeats it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// The provider's id of the answer.
    pub id: String,
    /// The largest usage that the transcript states for it.
    pub usage: Usage,
    /// Of `usage.cache_write`, tokens written into a cache that lasts an hour.
    pub cache_write_1h: i64,
    /// In US dollars, where the agent says it.
    pub cost_usd: Option<f64>,
    /// The transcript says that this line was copied from another session.
    pub is_copy: bool,
    /// The model that answered; None where the transcript doesn't say it.
    pub model: Option<String>,
    /// The time of what the model read last before it answered.
    pub began_at: Option<Micros>,
    /// The time of the last line of the answer.
    pub ended_at: Option<Micros>,
    /// Milliseconds from the request to the first token, where the agent says it.
    pub first_token_ms: Option<i64>,
    /// Why the model stopped, in the provider's word.
    pub stop_reason: Option<String>,
    /// The largest input of the model in tokens, where the agent says it.
    pub context: Option<i64>,
    /// The first message of the answer.
    pub message_id: Option<MessageId>,
}
