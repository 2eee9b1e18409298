//! CHART: series of numbers, shown as a chart with a data table.

mod check;
mod point;
mod table;

pub use point::{Coordinate, Point};
pub use table::Table;

use super::{Mismatch, Payload, strict};
use crate::{Draft, Role, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

words! {
    /// The kind of chart.
    ChartKind {
        /// A line for each series.
        Line = "line",
        /// Bars that begin at zero. Those of the same `x` are side by side.
        Bar = "bar",
        /// A line for each series, with the area down to zero filled.
        Area = "area",
        /// A dot for each point.
        Scatter = "scatter",
        /// Slices of a pie: the points of a single series, or several series with one point each.
        Pie = "pie",
    }
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// The kind of chart.
    pub chart: ChartKind,
    /// The title, at most 200 characters.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 200)))]
    pub title: String,
    /// The horizontal axis: an array of values, for each of which each series has a point; or the name of the axis, if
    /// points have an `x` of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<Axis>,
    /// At most 24 series with 20,000 points in total. An empty chart shows `No data`.
    #[serde(deserialize_with = "strict::objects")]
    #[cfg_attr(feature = "schema", schemars(length(max = 24)))]
    pub series: Vec<Series>,
    /// The unit of the numbers: `ms`, `boats`. At most 40 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = 40)))]
    pub unit: Option<String>,
}

/// A series of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The name, at most 200 characters.
    pub name: String,
    /// Numbers, or pairs `[x, y]`; all points of a chart have the same form. Null instead of a number is a gap.
    pub points: Vec<Point>,
}

/// The horizontal axis of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Axis {
    /// The name of the axis, at most 200 characters.
    Name(String),
    /// The values, each at most 200 characters.
    Values(Vec<Coordinate>),
}

impl Chart {
    /// Returns the values of `x` that all series share. `None` if points have their own.
    pub fn values(&self) -> Option<&[Coordinate]> {
        match &self.x {
            Some(Axis::Values(values)) => Some(values),
            Some(Axis::Name(_)) | None => None,
        }
    }

    /// Returns the number of points, including gaps.
    pub fn points(&self) -> usize {
        self.series.iter().map(|series| series.points.len()).sum()
    }

    /// Returns the unit. `None` if it is blank.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref().map(str::trim).filter(|unit| !unit.is_empty())
    }
}

impl Payload for Chart {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        match names.as_slice() {
            [] => format!("{}: {} chart without data", self.title, self.chart),
            names => format!("{}: {} chart of {}", self.title, self.chart, names.join(", ")),
        }
    }

    fn to_markdown(&self) -> String {
        let unit = self.unit().map_or(String::new(), |unit| format!(", in {unit}"));
        let head = format!("**{}** ({} chart{unit})", text::one_line(&self.title, usize::MAX), self.chart);
        match self.table().to_markdown() {
            table if table.is_empty() => format!("{head}\n\nNo data"),
            table => format!("{head}\n\n{table}"),
        }
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
        draft.payload().into_iter().for_each(|payload| text.push_shown_strings(payload));
    }

    fn example() -> Self {
        let series = |name: &str, points: [u32; 4]| Series {
            name: name.to_owned(),
            points: points.map(|point| Point::Value(Some(Number::from(point)))).to_vec(),
        };
        let values = ["Mon", "Tue", "Wed", "Thu"].map(|day| Coordinate::Text(day.to_owned()));
        Self {
            chart: ChartKind::Bar,
            title: "Crashes of the parser".to_owned(),
            x: Some(Axis::Values(values.to_vec())),
            series: vec![series("Before", [12, 9, 14, 11]), series("After", [3, 0, 1, 0])],
            unit: Some("crashes".to_owned()),
        }
    }

    fn check(&self, _extras: &Map<String, Value>) -> Result<(), Mismatch> {
        check::check(self).map_err(|problem| problem.within("/payload"))
    }
}
