//! Statistics.

use crate::cost::Cost;
use crate::endpoint::{Input, Reply};
use model::Usage;
use serde::{Deserialize, Serialize};

/// Range and filters of the statistics. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StatsQuery {
    /// First day: `2026-11-01`; 29 days before `to` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Last day, inclusive; today if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Time zone of the days, like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Only sessions of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Only sessions of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
}
impl Input for StatsQuery {}

/// Sums over the days, largest first. Copied messages count only in their original session; deleted sessions don't
/// count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    /// First day.
    pub from: String,
    /// Last day, inclusive.
    pub to: String,
    /// Totals over all days.
    pub total: Figures,
    /// Days with activity, in ascending order.
    pub days: Vec<DayFigures>,
    /// Projects, ordered by messages, then by tokens.
    pub projects: Vec<NamedFigures>,
    /// Runs, tokens and cost by model. Runs without a model aren't included.
    pub models: Vec<ModelFigures>,
    /// Tools, ordered by number of calls.
    pub tools: Vec<ToolFigures>,
}
impl Reply for Stats {}

/// Totals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figures {
    /// Number of sessions with messages.
    pub sessions: i64,
    /// Number of messages that people see by default: without system, model and replaced messages.
    pub messages: i64,
    /// Number of tool calls, without their results.
    pub tool_calls: i64,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// US dollars of all tokens with a known price: as agents report it, otherwise from the price table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The part of `cost_usd` that was computed from the price table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_usd: Option<f64>,
    /// Number of tokens without a known price.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unpriced_tokens: i64,
}

#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Totals of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DayFigures {
    /// The day: `2026-11-22`.
    pub day: String,
    /// Totals of this day.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Totals of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedFigures {
    /// Key of the project, a path if known; empty for none.
    pub name: String,
    /// Totals of this project.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Totals of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFigures {
    /// Model name, as the provider uses it.
    pub model: String,
    /// Number of turns that it answered in.
    pub runs: i64,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// Cost of the tokens.
    pub cost: Cost,
}

/// Totals of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolFigures {
    /// Tool name, as agents use it.
    pub tool: String,
    /// Number of calls.
    pub calls: i64,
    /// Number of failed calls.
    pub failed: i64,
}
