//! Thins out charts with more points than can be told apart, and says how many are drawn.

use super::{Axis, Chart, Label, Point, Series};
use crate::figures::count;
use model::message_type::chart::ChartKind;

/// Maximum number of points of a line. The lowest and the highest of each stretch are kept, so that no peak is lost.
const LINE: usize = 600;
/// Maximum number of points of a scatter chart.
const DOTS: usize = 2_000;
/// Maximum number of categories of a bar chart.
const BARS: usize = 120;
/// Maximum number of slices of a pie. The smallest are merged.
const PARTS: usize = 12;

/// Returns the chart with the points that are drawn, and a note if these aren't all.
pub fn thin(chart: &Chart) -> (Chart, Option<String>) {
    let thinned = match chart.kind {
        ChartKind::Bar => bars(chart),
        ChartKind::Pie => parts(chart),
        ChartKind::Scatter => each(chart, |points, longest| every(points, longest.div_ceil(DOTS))),
        ChartKind::Line | ChartKind::Area => each(chart, |points, _| extremes(points)),
    };
    let points = |chart: &Chart| chart.series.iter().map(|series| series.points.len()).sum::<usize>();
    let (all, drawn) = (points(chart), points(&thinned));
    if all == drawn {
        return (chart.clone(), None);
    }
    let number = |n: usize| count(n as i64);
    let note = match chart.kind {
        ChartKind::Pie => {
            format!("The {} smallest values are combined; the table has all of them", number(all + 1 - drawn))
        }
        _ => format!("{} of {} points are drawn; the table has all of them", number(drawn), number(all)),
    };
    (thinned, Some(note))
}

fn each(chart: &Chart, thin: impl Fn(&[Point], usize) -> Vec<Point>) -> Chart {
    let longest = chart.series.iter().map(|series| series.points.len()).sum();
    let series = chart.series.iter().map(|series| Series { points: thin(&series.points, longest), ..series.clone() });
    Chart { series: series.collect(), ..chart.clone() }
}

fn every(points: &[Point], step: usize) -> Vec<Point> {
    points.iter().step_by(step.max(1)).cloned().collect()
}

/// Returns the lowest and the highest point of each stretch, in order.
fn extremes(points: &[Point]) -> Vec<Point> {
    if points.len() <= LINE {
        return points.to_vec();
    }
    let value = |point: &&Point| point.value.unwrap_or(0.0);
    let stretch = |points: &[Point]| {
        let known = || points.iter().enumerate().filter(|(_, point)| point.value.is_some());
        let least = known().min_by(|(_, a), (_, b)| value(a).total_cmp(&value(b)));
        let most = known().max_by(|(_, a), (_, b)| value(a).total_cmp(&value(b)));
        let (Some((low, _)), Some((high, _))) = (least, most) else { return points.iter().take(1).cloned().collect() };
        let mut both = vec![low.min(high), low.max(high)];
        both.dedup();
        both.iter().filter_map(|at| points.get(*at)).cloned().collect::<Vec<_>>()
    };
    points.chunks(points.len().div_ceil(LINE / 2)).flat_map(stretch).collect()
}

/// Keeps every nth category.
fn bars(chart: &Chart) -> Chart {
    let Axis::Categories(labels) = &chart.axis else { return chart.clone() };
    if labels.len() <= BARS {
        return chart.clone();
    }
    let step = labels.len().div_ceil(BARS);
    let stays = |point: &&Point| (point.at as usize).is_multiple_of(step);
    let moved = |point: &Point| Point { at: (point.at as usize / step) as f64, ..point.clone() };
    let series = chart
        .series
        .iter()
        .map(|series| Series { points: series.points.iter().filter(stays).map(moved).collect(), ..series.clone() });
    let series = series.collect();
    Chart { series, axis: Axis::Categories(labels.iter().step_by(step).cloned().collect()), ..chart.clone() }
}

/// Keeps the largest slices in order, and adds one for the rest.
fn parts(chart: &Chart) -> Chart {
    let (Axis::Categories(labels), [series]) = (&chart.axis, chart.series.as_slice()) else { return chart.clone() };
    if series.points.len() <= PARTS {
        return chart.clone();
    }
    let value = |point: &Point| point.value.unwrap_or(0.0);
    let mut by_size: Vec<&Point> = series.points.iter().collect();
    by_size.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let (large, small) = by_size.split_at(PARTS - 1);
    let rest: f64 = small.iter().map(|point| value(point)).sum();
    let mut large = large.to_vec();
    large.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut names: Vec<Label> = large.iter().filter_map(|point| labels.get(point.at as usize)).cloned().collect();
    names.push(Label { long: "The rest".to_owned(), short: "The rest".to_owned() });
    let last = Point { at: 0.0, value: Some(rest), words: model::text::amount(rest) };
    let points = large.into_iter().cloned().chain([last]).enumerate();
    let points = points.map(|(at, point)| Point { at: at as f64, ..point }).collect();
    let series = vec![Series { points, ..series.clone() }];
    Chart { series, axis: Axis::Categories(names), ..chart.clone() }
}
