//! Costs of sessions: requests, runs, tools, times, statistics and budgets.

pub mod pricing;
pub mod spending;
pub mod stats;
pub mod waterfall;

pub(crate) use spending::{get_budgets, list_requests, list_runs, list_tools};
pub(crate) use stats::stats;
pub(crate) use waterfall::get_waterfall;
