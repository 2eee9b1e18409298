//! History in numbers.

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
    pub to: String,
    pub total: Figures,
    /// Days on which something happened, ascending.
    pub days: Vec<DayFigures>,
    pub projects: Vec<NamedFigures>,
    /// Runs, tokens and cost; runs without a model are left out.
    pub models: Vec<ModelFigures>,
    pub tools: Vec<ToolFigures>,
}
impl Reply for Stats {}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figures {
    /// Sessions in which something was said.
    pub sessions: i64,
    /// As people count them: without system, model and replaced rows.
    pub messages: i64,
    pub tool_calls: i64,
    /// Tokens as the provider counts them.
    pub usage: Usage,
    /// In US dollars, where agents say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DayFigures {
    /// `2026-11-22`.
    pub day: String,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedFigures {
    /// Of a project its key, a path where known; empty where there is none.
    pub name: String,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFigures {
    pub model: String,
    pub runs: i64,
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolFigures {
    pub tool: String,
    pub calls: i64,
    pub failed: i64,
}
