//! One measure over time, as columns.

use super::bucket::{Bucket, unit};
use super::tables::tokens_in_words;
use crate::chart::{self, Axis, Label, Point, Series, Unit};
use crate::figures;
use crate::part::Part;
use api::stats::Figures;
use model::message_type::chart::{ChartKind, Table};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Messages,
    Tokens,
    ToolCalls,
    Sessions,
    Cost,
}

impl Measure {
    pub const ALL: [Self; 5] = [Self::Messages, Self::Tokens, Self::Cost, Self::ToolCalls, Self::Sessions];

    fn name(self) -> &'static str {
        match self {
            Self::Messages => "Messages",
            Self::Tokens => "Tokens",
            Self::ToolCalls => "Tool calls",
            Self::Sessions => "Active sessions",
            Self::Cost => "Cost",
        }
    }

    pub fn of(self, figures: &Figures) -> f64 {
        match self {
            Self::Messages => figures.messages as f64,
            Self::Tokens => figures.usage.total() as f64,
            Self::ToolCalls => figures.tool_calls as f64,
            Self::Sessions => figures.sessions as f64,
            Self::Cost => figures.cost_usd.unwrap_or(0.0),
        }
    }

    /// In the table, and on hover.
    fn words(self, figures: &Figures) -> String {
        match self {
            Self::Messages => figures::count(figures.messages),
            Self::Tokens => format!("{} ({})", figures::count(figures.usage.total()), tokens_in_words(figures.usage)),
            Self::ToolCalls => figures::count(figures.tool_calls),
            Self::Sessions => figures::count(figures.sessions),
            Self::Cost => figures::dollars(figures.cost_usd.unwrap_or(0.0)),
        }
    }
}

/// A column for each bucket.
pub fn chart(measure: Measure, buckets: &[Bucket]) -> Part {
    let year = |bucket: Option<&Bucket>| bucket.map(|bucket| bucket.from.year());
    let years = year(buckets.first()) != year(buckets.last());
    let labels = buckets.iter().map(|bucket| Label { long: bucket.label(), short: bucket.short(years) });
    let points = buckets.iter().enumerate().map(|(at, bucket)| Point {
        at: at as f64,
        value: Some(measure.of(&bucket.figures)),
        words: measure.words(&bucket.figures),
    });
    let points: Vec<Point> = points.collect();
    // The newest first, and none without anything.
    let some = buckets.iter().filter(|bucket| measure.of(&bucket.figures) > 0.0).rev();
    let rows = some.map(|bucket| vec![bucket.label(), measure.words(&bucket.figures)]).collect();
    let head = vec!["When".to_owned(), measure.name().to_owned()];
    chart::view(&chart::Chart {
        kind: ChartKind::Bar,
        title: measure.name().to_owned(),
        note: unit(buckets).to_owned(),
        unit: if measure == Measure::Cost { Unit::Dollars } else { Unit::Whole },
        axis: Axis::Categories(labels.collect()),
        series: vec![Series { name: measure.name().to_owned(), points }],
        table: Table { head, rows },
        csv: None,
    })
}
