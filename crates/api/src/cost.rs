//! What models cost, request by request, and how much may be spent.

use crate::endpoint::{Input, Reply};
use model::{Micros, RunOutcome, Usage};
use serde::{Deserialize, Serialize};

/// What tokens cost. Agents' own figures come first; the rest is computed from the price table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// US dollars of all tokens whose price is known; absent where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Of these, dollars that the price table gives; absent where agents said all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_usd: Option<f64>,
    /// Tokens without a price, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<UnpricedTokens>,
}

/// Tokens whose price isn't known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnpricedTokens {
    /// All of them, read and written.
    pub tokens: i64,
    /// Why, for people.
    pub reason: String,
}

/// How full the context of a session was at its last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextMeter {
    /// Tokens that the model read and wrote.
    pub used: i64,
    /// Tokens that fit: as the agent says, else as the price table does.
    pub limit: i64,
    /// Requests until it is full if it grows as it did since the last compaction; absent where it doesn't grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_left: Option<i64>,
}

/// Which requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RequestsQuery {
    /// Only requests after the one with this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// With `to`: only those whose answers begin with a message from this `seq` on; all of them if `limit` is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// The last such `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// How many at most, 1 to 1,000; 200 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for RequestsQuery {}

/// Requests of a session to models, by time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requests {
    /// By number.
    pub requests: Vec<ModelRequest>,
    /// `after` of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}
impl Reply for Requests {}

/// The runs of a session, from a prompt to its end, with what each took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Runs {
    /// By their beginning.
    pub runs: Vec<RunCost>,
}
impl Reply for Runs {}

/// What a run took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCost {
    /// The agent's own id of it: `run_id` of its requests.
    pub id: String,
    /// The model of its latest answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When the prompt was sent.
    pub started_at: Micros,
    /// When the agent finished; absent while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Requests to models.
    pub requests: i64,
    /// `seq` of the first message of its first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Sum over its requests.
    pub usage: Usage,
    /// What it cost: as the agent says, else the sum of its requests.
    pub cost: Cost,
    /// It counts in another session, from which it was copied.
    pub is_copy: bool,
}

/// A request to a model, as far as the transcript tells of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelRequest {
    /// From 1, by time.
    pub number: i64,
    /// The provider's id of the answer, or one that the reader made.
    pub id: String,
    /// The agent's own id of its run.
    pub run_id: String,
    /// The first message of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// `seq` of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// As the transcript names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The time of what the model read last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Micros>,
    /// The time of the last line of the answer.
    pub ended_at: Micros,
    /// Milliseconds to the first token, where the agent says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<i64>,
    /// Why the model stopped, in the provider's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// Of `usage.cache_write`, tokens in a cache that lasts an hour.
    pub cache_write_1h: i64,
    /// What it cost. Absent where the agent says only what its whole run did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The largest input of the model in tokens, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<i64>,
    /// It counts in another session, whose transcript has it as well.
    pub is_copy: bool,
}

/// The tools that a session called, most calls first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionTools {
    /// By calls.
    pub tools: Vec<ToolTimes>,
}
impl Reply for SessionTools {}

/// The calls of a tool in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolTimes {
    /// As the agent calls it.
    pub tool: String,
    /// How often it was called. What was copied from another session is a call of that one.
    pub calls: i64,
    /// How many of these calls failed.
    pub failed: i64,
    /// Milliseconds that half of the calls with a known duration took at most; absent where none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    /// Milliseconds of all calls whose duration is known.
    pub total_ms: i64,
}

/// In which time zone days and months begin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BudgetsQuery {
    /// Like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}
impl Input for BudgetsQuery {}

/// What may be spent, and what was. Budgets warn; they stop nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budgets {
    /// Of this day; absent without a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<Budget>,
    /// Of this month; absent without a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<Budget>,
}
impl Reply for Budgets {}

/// A budget and what was spent of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// Its first day, `2026-11-01`.
    pub from: String,
    /// US dollars.
    pub limit_usd: f64,
    /// What was spent.
    pub spent: Cost,
    /// How it stands.
    pub state: BudgetState,
}

/// How a budget stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BudgetState {
    /// Less than 80 % was spent.
    Ok,
    /// At least 80 % was spent.
    Near,
    /// All of it was spent, or more.
    Over,
}
