//! Makes a chart from the payload of a CHART: chooses the axis and gives each point its position.

use super::{Axis, Chart, Label, Point, Series, Unit};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use model::message_type::chart::{self, ChartKind, Coordinate};
use model::text::amount;
use serde_json::Number;
use std::collections::HashMap;

/// A day, in seconds.
const DAY: f64 = 86_400.0;

/// Returns the chart of a payload. A value that isn't a number becomes a gap.
pub fn of_message(of: &chart::Chart) -> Chart {
    let unit = of.unit();
    let words = |number: Option<f64>| match (number, unit) {
        (Some(number), Some(unit)) => format!("{} {unit}", amount(number)),
        (Some(number), None) => amount(number),
        (None, _) => String::new(),
    };
    let point = |at: f64, number: Option<&Number>| {
        let value = number.and_then(Number::as_f64);
        Point { at, value, words: words(value) }
    };
    let whole_of_series = of.chart == ChartKind::Pie && of.series.len() > 1;
    let (axis, series) = if whole_of_series {
        let parts = of.series.iter().enumerate();
        let points = parts.map(|(at, part)| point(at as f64, part.points.first().and_then(chart::Point::number)));
        let axis = categories(of.series.iter().map(|series| series.name.clone()));
        (axis, vec![Series { name: String::new(), points: points.collect() }])
    } else {
        let places = Places::of(of);
        let series = of.series.iter().map(|series| {
            let points = series.points.iter().enumerate();
            let mut points: Vec<Point> = points.map(|(at, it)| point(places.at(at, it.x()), it.number())).collect();
            if matches!(places.axis, Axis::Line { .. }) && of.chart != ChartKind::Scatter {
                points.sort_by(|a, b| a.at.total_cmp(&b.at));
            }
            Series { name: series.name.clone(), points }
        });
        let series = series.collect();
        (places.axis, series)
    };
    Chart {
        kind: of.chart,
        title: of.title.clone(),
        note: unit.map_or(String::new(), |unit| format!("in {unit}")),
        unit: unit.map_or(Unit::None, |unit| Unit::Named(unit.to_owned())),
        axis,
        series,
        table: of.table(),
        csv: None,
    }
}

fn categories(names: impl Iterator<Item = String>) -> Axis {
    Axis::Categories(names.map(|long| Label { short: long.clone(), long }).collect())
}

/// The positions of a chart's points on its axis.
struct Places {
    axis: Axis,
    how: How,
}

enum How {
    /// By index in the series.
    Counted,
    /// By the index of their category.
    Named(HashMap<Coordinate, usize>),
    /// By `x`; a point without one has its index, from 1.
    Numbers,
    /// By time, in seconds since 1970.
    Times,
}

impl Places {
    fn of(of: &chart::Chart) -> Self {
        if let Some(values) = of.values() {
            return Self { axis: categories(values.iter().map(Coordinate::to_string)), how: How::Counted };
        }
        let points = || of.series.iter().flat_map(|series| series.points.iter().enumerate());
        let all = |place: fn(usize, Option<&Coordinate>) -> Option<f64>| {
            points().map(|(at, point)| place(at, point.x())).collect::<Option<Vec<f64>>>()
        };
        let in_columns = matches!(of.chart, ChartKind::Bar | ChartKind::Pie);
        let (numbers, times) = (all(number), all(time));
        match (numbers, times) {
            (Some(numbers), _) if !in_columns => Self { axis: line(&numbers, |at, _| amount(at)), how: How::Numbers },
            (None, Some(times)) if !in_columns => Self { axis: line(&times, moment), how: How::Times },
            (numbers, times) => {
                let x = |(at, point): (usize, &chart::Point)| point.x().cloned().unwrap_or_else(|| counted(at));
                let mut names: Vec<(Coordinate, f64)> = Vec::new();
                let mut places: HashMap<Coordinate, usize> = HashMap::new();
                let orders = numbers.or(times).unwrap_or_default();
                for (n, x) in points().map(x).enumerate() {
                    if places.insert(x.clone(), 0).is_none() {
                        names.push((x, orders.get(n).copied().unwrap_or(0.0)));
                    }
                }
                // Numbers and times are sorted; names keep their order.
                names.sort_by(|(_, a), (_, b)| a.total_cmp(b));
                places.extend(names.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)));
                let axis = categories(names.into_iter().map(|(name, _)| name.to_string()));
                Self { axis, how: How::Named(places) }
            }
        }
    }

    fn at(&self, at: usize, x: Option<&Coordinate>) -> f64 {
        let place = match &self.how {
            How::Counted => Some(at as f64),
            How::Named(places) => places.get(x.unwrap_or(&counted(at))).map(|place| *place as f64),
            How::Numbers => number(at, x),
            How::Times => time(at, x),
        };
        place.unwrap_or(0.0)
    }
}

/// Returns the `x` of a point that has none: its index, from 1.
fn counted(at: usize) -> Coordinate {
    Coordinate::Number(Number::from(at + 1))
}

fn number(at: usize, x: Option<&Coordinate>) -> Option<f64> {
    /// Numbers are clamped to this, so that differences stay finite.
    const EDGE: f64 = 1e300;
    match x {
        None => Some((at + 1) as f64),
        Some(Coordinate::Number(number)) => Some(number.as_f64()?.clamp(-EDGE, EDGE)),
        Some(Coordinate::Text(_)) => None,
    }
}

/// Returns seconds since 1970. A time without a time zone is UTC.
fn time(_: usize, x: Option<&Coordinate>) -> Option<f64> {
    let Some(Coordinate::Text(text)) = x else { return None };
    let local = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse::<Timestamp>().ok().or_else(local).map(|at| at.as_microsecond() as f64 / 1e6)
}

/// Returns an axis from the smallest to the largest number, with a tick at each quarter.
fn line(all: &[f64], mark: impl Fn(f64, f64) -> String) -> Axis {
    let from = all.iter().copied().fold(f64::MAX, f64::min);
    let to = all.iter().copied().fold(f64::MIN, f64::max);
    let ticks = match to.partial_cmp(&from) {
        Some(std::cmp::Ordering::Greater) => {
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| mark(from + (to - from) * part, to - from)).to_vec()
        }
        Some(std::cmp::Ordering::Equal) => vec![mark(from, 0.0)],
        _ => Vec::new(),
    };
    Axis::Line { from, to, ticks }
}

/// Formats a time. The shorter the axis (`stretch`, in seconds), the more precise.
fn moment(seconds: f64, stretch: f64) -> String {
    let zoned: Zoned = Timestamp::from_second(seconds as i64).unwrap_or_default().to_zoned(TimeZone::UTC);
    let form = match stretch {
        _ if stretch > 730.0 * DAY => "%b %Y",
        _ if stretch > 300.0 * DAY => "%-d %b %Y",
        _ if stretch > 3.0 * DAY => "%-d %b",
        _ if stretch > DAY => "%-d %b, %H:%M",
        _ if stretch > 300.0 => "%H:%M",
        _ if stretch > 0.0 => "%H:%M:%S",
        _ => "%-d %b %Y, %H:%M",
    };
    zoned.strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Chart};
    use super::of_message;
    use model::Payload as _;
    use model::message_type::chart;
    use serde_json::{Value, json};

    fn drawn(payload: Value) -> Chart {
        of_message(&serde_json::from_value::<chart::Chart>(payload).expect("a chart"))
    }

    /// Returns the axis as text, and the positions of each series' points.
    fn places(chart: &Chart) -> (String, Vec<Vec<f64>>) {
        let axis = match &chart.axis {
            Axis::Categories(labels) => labels.iter().map(|label| label.long.as_str()).collect::<Vec<_>>().join(", "),
            Axis::Line { from, to, ticks } => format!("{from} to {to}: {}", ticks.join(", ")),
        };
        let series = chart.series.iter().map(|series| series.points.iter().map(|point| point.at).collect());
        (axis, series.collect())
    }

    #[test]
    fn points_get_places_on_an_axis() {
        let of = |kind: &str, points: Value| {
            let series = json!([{"name": "a", "points": points}]);
            places(&drawn(json!({"chart": kind, "title": "T", "x": "x", "series": series})))
        };
        let named = |name: &str, places: &[f64]| (name.to_owned(), vec![places.to_vec()]);
        assert_eq!(of("line", json!([[3, 1], [1, 2]])), named("1 to 3: 1, 1.5, 2, 2.5, 3", &[1.0, 3.0]));
        assert_eq!(of("line", json!([5, 6, 7])), named("1 to 3: 1, 1.5, 2, 2.5, 3", &[1.0, 2.0, 3.0]));
        assert_eq!(of("line", json!([[4, 1]])), named("4 to 4: 4", &[4.0]));
        assert_eq!(of("bar", json!([[10, 1], [2, 2], [10, 3]])), named("2, 10", &[1.0, 0.0, 1.0]));
        assert_eq!(of("bar", json!([["b", 1], ["a", 2]])), named("b, a", &[0.0, 1.0]));
        let days = of("line", json!([["2026-11-27", 1], ["2026-11-23T00:00:00Z", 2]]));
        assert_eq!(
            days,
            named(
                "1795392000 to 1795737600: 23 Nov, 24 Nov, 25 Nov, 26 Nov, 27 Nov",
                &[1_795_392_000.0, 1_795_737_600.0]
            )
        );
        assert_eq!(of("line", json!([["2026-11-27", 1], ["later", 2]])), named("2026-11-27, later", &[0.0, 1.0]));
        assert_eq!(of("scatter", json!([])).1, [Vec::<f64>::new()]);
    }

    #[test]
    fn several_series_of_a_pie_are_its_parts() {
        let payload = json!({"chart": "pie", "title": "T", "unit": "lines", "series": [
            {"name": "Rust", "points": [62]}, {"name": "Python", "points": [["x", 38]]},
        ]});
        let chart = drawn(payload);
        assert_eq!(places(&chart), ("Rust, Python".to_owned(), vec![vec![0.0, 1.0]]));
        let words: Vec<&str> = chart.series[0].points.iter().map(|point| point.words.as_str()).collect();
        assert_eq!((words, chart.note.as_str()), (vec!["62 lines", "38 lines"], "in lines"));
        assert_eq!(places(&of_message(&chart::Chart::example())).0, "Mon, Tue, Wed, Thu");
    }
}
