//! A run: one turn of an agent, from a prompt to its end.

use crate::{Micros, words};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

words! {
    /// How a run ended.
    RunOutcome {
        Open = "open",
        Done = "done",
        Interrupted = "interrupted",
        Failed = "failed",
    }
}

/// Tokens as the provider counts them. Input excludes what the cache held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    pub input: i64,
    pub output: i64,
    pub cache_read: i64,
    pub cache_write: i64,
}

impl Usage {
    pub fn total(self) -> i64 {
        self.input.saturating_add(self.output).saturating_add(self.cache_read).saturating_add(self.cache_write)
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
    pub model: Option<String>,
    pub started_at: Micros,
    pub ended_at: Option<Micros>,
    pub outcome: RunOutcome,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
}

/// What one message of a model's API cost. Its id is the provider's: a copy of a transcript repeats it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    pub id: String,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
    /// The transcript says that this line was copied from another session.
    pub is_copy: bool,
}
