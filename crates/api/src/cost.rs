//! Cost of requests to models, and budgets.

use crate::endpoint::{Input, Reply};
use model::{Micros, RunOutcome, Usage};
use serde::{Deserialize, Serialize};

/// Cost of tokens. An agent's own figure is used if there is one; otherwise it is computed from the price table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// US dollars of all tokens with a known price. Absent if no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// The part of `usd` that was computed from the price table. Absent if agents reported all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_usd: Option<f64>,
    /// Tokens without a known price, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<UnpricedTokens>,
}

/// Tokens whose price is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnpricedTokens {
    /// Number of tokens, read and written.
    pub tokens: i64,
    /// Reason, for people.
    pub reason: String,
}

/// How full the context of a session was at its last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextMeter {
    /// Tokens that the model read and wrote.
    pub used: i64,
    /// Size of the context in tokens, as the agent reports it, otherwise from the price table.
    pub limit: i64,
    /// Estimated requests until the context is full, at its growth since the last compaction. Absent if it doesn't
    /// grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_left: Option<i64>,
}

/// Selects requests of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RequestsQuery {
    /// Only requests with a higher `number`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// With `to`: only requests whose answer begins at this `seq` or later. All of them if `limit` is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// With `from`: the last `seq`, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// Limit, 1 to 1,000; 200 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for RequestsQuery {}

/// Requests of a session to models, by time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requests {
    /// Ordered by `number`.
    pub requests: Vec<ModelRequest>,
    /// `after` of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}
impl Reply for Requests {}

/// The runs of a session, with tokens, cost and times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Runs {
    /// Ordered by their start.
    pub runs: Vec<RunCost>,
}
impl Reply for Runs {}

/// A run with its tokens, cost and times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCost {
    /// The agent's own id of the run; the `run_id` of its requests.
    pub id: String,
    /// The model of its latest answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When the prompt was sent.
    pub started_at: Micros,
    /// When the run ended. Absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Number of requests to models.
    pub requests: i64,
    /// `seq` of the first message of its first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Sum of its requests' tokens.
    pub usage: Usage,
    /// Cost as the agent reports it, otherwise the sum of its requests.
    pub cost: Cost,
    /// True if it was copied from another session, which counts it.
    pub is_copy: bool,
}

/// A request to a model, as recorded in the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelRequest {
    /// Position in the session by time, from 1.
    pub number: i64,
    /// The provider's id of the answer, or a generated id.
    pub id: String,
    /// The agent's own id of the run.
    pub run_id: String,
    /// Id of the first message of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// `seq` of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Model name, as in the transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Time of the last message that the model read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Micros>,
    /// Time of the last line of the answer.
    pub ended_at: Micros,
    /// Milliseconds to the first token, if the agent reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<i64>,
    /// Why the model stopped, as the provider reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// The part of `usage.cache_write` that is cached for one hour, in tokens.
    pub cache_write_1h: i64,
    /// Cost of the request. Absent if the agent reports only the cost of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Context size of the model in tokens, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<i64>,
    /// True if it was copied from another session, which counts it.
    pub is_copy: bool,
}

/// The tools that a session called, most calls first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionTools {
    /// Ordered by number of calls.
    pub tools: Vec<ToolTimes>,
}
impl Reply for SessionTools {}

/// The calls of a tool in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolTimes {
    /// Tool name, as the agent uses it.
    pub tool: String,
    /// Number of calls. Calls that were copied from another session count there.
    pub calls: i64,
    /// Number of failed calls.
    pub failed: i64,
    /// Median duration of the calls in milliseconds. Absent if no duration is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    /// Total duration of the calls in milliseconds, where known.
    pub total_ms: i64,
}

/// The time zone of a request for budgets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BudgetsQuery {
    /// Time zone in which days and months begin, for example `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}
impl Input for BudgetsQuery {}

/// Budgets and what was spent. Budgets only warn; they stop nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budgets {
    /// Budget of today. Absent if none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<Budget>,
    /// Budget of this month. Absent if none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<Budget>,
}
impl Reply for Budgets {}

/// A budget and what was spent of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// First day of the period: `2026-11-01`.
    pub from: String,
    /// Limit in US dollars.
    pub limit_usd: f64,
    /// Cost so far in the period.
    pub spent: Cost,
    /// State of the budget.
    pub state: BudgetState,
}

/// State of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BudgetState {
    /// Less than 80 % is spent.
    Ok,
    /// 80 % or more is spent.
    Near,
    /// All of it, or more, is spent.
    Over,
}
