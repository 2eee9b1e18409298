//! A run: one turn of an agent, from a prompt to its end.

use crate::{Micros, words};
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

/// What one message of a model's API cost. Its id is the provider's: a copy of a transcript repeats it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The provider's id of the message.
    pub id: String,
    /// The largest usage that the transcript states for it.
    pub usage: Usage,
    /// In US dollars, where the agent says it.
    pub cost_usd: Option<f64>,
    /// The transcript says that this line was copied from another session.
    pub is_copy: bool,
}
