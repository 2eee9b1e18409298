//! History in numbers.

use crate::cost::Cost;
use crate::endpoint::{Input, Reply};
use model::Usage;
use serde::{Deserialize, Serialize};

/// Which part of history. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StatsQuery {
    /// First day, `2026-11-01`; 29 days before `to` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Last day, included; today if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The time zone whose days are meant, like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Of any of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Of any of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
}
impl Input for StatsQuery {}

/// Sums over the days, most first. What was copied from another session counts there; deleted sessions don't count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    /// First and last day.
    pub from: String,
    /// The last day, included.
    pub to: String,
    /// Over all days.
    pub total: Figures,
    /// Days on which something happened, ascending.
    pub days: Vec<DayFigures>,
    /// By messages, then by tokens.
    pub projects: Vec<NamedFigures>,
    /// Runs, tokens and cost; runs without a model are left out.
    pub models: Vec<ModelFigures>,
    /// By calls.
    pub tools: Vec<ToolFigures>,
}
impl Reply for Stats {}

/// What happened in a part of history.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figures {
    /// Sessions in which something was said.
    pub sessions: i64,
    /// As people count them: without system, model and replaced rows.
    pub messages: i64,
    /// Each call once, without its result.
    pub tool_calls: i64,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// US dollars of all tokens whose price is known: as agents say, else by the price table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Of these, dollars that the price table gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_usd: Option<f64>,
    /// Tokens without a price.
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

/// The figures of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DayFigures {
    /// `2026-11-22`.
    pub day: String,
    /// Of this day alone.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The figures of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedFigures {
    /// Of a project its key, a path where known; empty where there is none.
    pub name: String,
    /// Of this project alone.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The figures of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFigures {
    /// As the provider names it.
    pub model: String,
    /// Turns that it answered in.
    pub runs: i64,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// What the tokens cost.
    pub cost: Cost,
}

/// The figures of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolFigures {
    /// As agents call it.
    pub tool: String,
    /// How often it was called.
    pub calls: i64,
    /// How many of these calls failed.
    pub failed: i64,
}
