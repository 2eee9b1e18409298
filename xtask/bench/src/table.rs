//! Figures as a table on the terminal and as JSON.
use serde_json::{Value, json};

use super::machine::Machine;
use crate::step;

/// A metric that was measured one or more times.
pub struct Figure {
    /// Row of the design's table of budgets; 0 for a metric without a budget.
    row: u8,
    metric: String,
    unit: &'static str,
    values: Vec<f64>,
    budget: Option<Budget>,
}

#[derive(Clone, Copy)]
pub enum Budget {
    /// The median may be this at most.
    AtMost(f64),
    /// The median must be this at least.
    AtLeast(f64),
    /// The median may be the first at most, the slowest hundredth the second.
    Percentiles(f64, f64),
}

impl Figure {
    /// A metric to know, without a budget.
    pub fn plain(metric: impl Into<String>, unit: &'static str, values: Vec<f64>) -> Self {
        Self { row: 0, metric: metric.into(), unit, values, budget: None }
    }

    pub fn budgeted(
        row: u8,
        metric: impl Into<String>,
        unit: &'static str,
        values: Vec<f64>,
        budget: impl Into<Option<Budget>>,
    ) -> Self {
        Self { row, metric: metric.into(), unit, values, budget: budget.into() }
    }

    /// The value that so much of all (0 to 1) doesn't exceed.
    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((part * last as f64).ceil() as usize).copied().unwrap_or(f64::NAN)
    }

    fn median(&self) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[n / 2],
            n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        }
    }

    /// Whether the budget is kept; None without one.
    fn kept(&self) -> Option<bool> {
        Some(match self.budget? {
            Budget::AtMost(most) => self.median() <= most,
            Budget::AtLeast(least) => self.median() >= least,
            Budget::Percentiles(median, slowest) => self.median() <= median && self.quantile(0.99) <= slowest,
        })
    }

    fn line(&self) -> String {
        let budget = match self.budget {
            None => String::new(),
            Some(Budget::AtMost(most)) => format!("<= {}", short(most)),
            Some(Budget::AtLeast(least)) => format!(">= {}", short(least)),
            Some(Budget::Percentiles(median, slowest)) => format!("<= {}, p99 {}", short(median), short(slowest)),
        };
        let verdict = self.kept().map_or("", |kept| if kept { "kept" } else { "OVER" });
        let row = if self.row == 0 { String::new() } else { self.row.to_string() };
        format!(
            "{row:>3}  {:<52} {:>9} {:>9} {:>9} {:<6} {budget:<16} {verdict}",
            self.metric,
            short(self.median()),
            short(self.quantile(0.95)),
            short(self.quantile(0.99)),
            self.unit,
        )
    }

    fn json(&self) -> Value {
        let mut figure = json!({
            "metric": self.metric, "unit": self.unit, "median": self.median(), "p95": self.quantile(0.95),
            "p99": self.quantile(0.99), "values": self.values,
        });
        if self.row > 0 {
            figure["row"] = self.row.into();
        }
        match self.budget {
            None => {}
            Some(Budget::AtMost(most)) => figure["at_most"] = most.into(),
            Some(Budget::AtLeast(least)) => figure["at_least"] = least.into(),
            Some(Budget::Percentiles(median, slowest)) => {
                figure["at_most"] = median.into();
                figure["p99_at_most"] = slowest.into();
            }
        }
        figure
    }
}

/// Prints all figures and gives them as JSON, each with the machine on which they were measured.
pub fn present(figures: &[Figure], machine: &Machine) -> Value {
    step::say(&format!("row  {:<52} {:>9} {:>9} {:>9} {:<6} budget", "metric", "median", "p95", "p99", "unit"));
    for figure in figures {
        step::say(&figure.line());
    }
    step::say(&format!("     {}", machine.line()));
    json!({ "machine": machine.json(), "figures": figures.iter().map(Figure::json).collect::<Vec<_>>() })
}

/// Three digits that count.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
