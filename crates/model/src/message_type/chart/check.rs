//! Checks what the schema can't express: limits, and that all points of a chart have the same form.

use super::{Axis, Chart, ChartKind, Coordinate, Point};
use crate::message_type::Mismatch;

const MAX_SERIES: usize = 24;
/// Maximum number of points in all series together.
const MAX_POINTS: usize = 20_000;
/// Maximum length of the title, of a name, and of a value of `x`, in characters.
const MAX_LABEL: usize = 200;
const MAX_UNIT: usize = 40;

/// Checks a chart. Pointers are relative to the payload.
pub fn check(chart: &Chart) -> Result<(), Mismatch> {
    bounds(chart)?;
    match chart.values() {
        Some(values) => of_values(chart, values.len())?,
        None => of_one_form(chart)?,
    }
    if chart.chart == ChartKind::Pie { parts(chart) } else { Ok(()) }
}

fn bounds(chart: &Chart) -> Result<(), Mismatch> {
    short("/title", &chart.title, MAX_LABEL)?;
    short("/unit", chart.unit.as_deref().unwrap_or_default(), MAX_UNIT)?;
    match &chart.x {
        Some(Axis::Name(name)) => short("/x", name, MAX_LABEL)?,
        Some(Axis::Values(values)) => {
            for (at, value) in values.iter().enumerate() {
                coordinate(&format!("/x/{at}"), value)?;
            }
        }
        None => {}
    }
    let series = chart.series.len();
    if series > MAX_SERIES {
        return Err(Mismatch::new("/series", format!("at most {MAX_SERIES} series; got {series}")));
    }
    let points = chart.points().max(chart.values().map_or(0, <[Coordinate]>::len));
    if points > MAX_POINTS {
        return Err(Mismatch::new("/series", format!("at most {MAX_POINTS} points in all; got {points}")));
    }
    for (number, series) in chart.series.iter().enumerate() {
        short(&format!("/series/{number}/name"), &series.name, MAX_LABEL)?;
        for (at, point) in series.points.iter().enumerate() {
            if let Some(x) = point.x() {
                coordinate(&format!("/series/{number}/points/{at}/0"), x)?;
            }
        }
    }
    Ok(())
}

fn coordinate(pointer: &str, value: &Coordinate) -> Result<(), Mismatch> {
    match value {
        Coordinate::Text(text) => short(pointer, text, MAX_LABEL),
        Coordinate::Number(_) => Ok(()),
    }
}

fn short(pointer: &str, text: &str, most: usize) -> Result<(), Mismatch> {
    let is_long = text.char_indices().nth(most).is_some();
    if is_long { Err(Mismatch::new(pointer, format!("at most {most} characters"))) } else { Ok(()) }
}

/// Checks that each series has one number for each value of `x`.
fn of_values(chart: &Chart, values: usize) -> Result<(), Mismatch> {
    for (number, series) in chart.series.iter().enumerate() {
        if let Some(at) = series.points.iter().position(|point| point.x().is_some()) {
            let pointer = format!("/series/{number}/points/{at}");
            return Err(Mismatch::new(pointer, "a number or null: `x` lists the values"));
        }
        let points = series.points.len();
        if points != values {
            let expected = format!("as many points as `x` has values: {values}; got {points}");
            return Err(Mismatch::new(format!("/series/{number}/points"), expected));
        }
    }
    Ok(())
}

/// Checks that all points are numbers, pairs with a number, or pairs with a string. The series of a pie may differ.
fn of_one_form(chart: &Chart) -> Result<(), Mismatch> {
    let points = || {
        let series = chart.series.iter().enumerate();
        series.flat_map(|(number, series)| series.points.iter().enumerate().map(move |(at, point)| (number, at, point)))
    };
    let Some((.., first)) = points().next().filter(|_| chart.chart != ChartKind::Pie || chart.series.len() == 1) else {
        return Ok(());
    };
    for (number, at, point) in points() {
        let pointer = format!("/series/{number}/points/{at}");
        let (pointer, expected) = match (first, point) {
            (Point::Value(_), Point::Pair(..)) => (pointer, "a number or null, as the first point is"),
            (Point::Pair(..), Point::Value(_)) => (pointer, "a pair `[x, y]`, as the first point is"),
            (Point::Pair(Coordinate::Number(_), _), Point::Pair(Coordinate::Text(_), _)) => {
                (format!("{pointer}/0"), "a number, as the first `x` is")
            }
            (Point::Pair(Coordinate::Text(_), _), Point::Pair(Coordinate::Number(_), _)) => {
                (format!("{pointer}/0"), "a string, as the first `x` is")
            }
            _ => continue,
        };
        return Err(Mismatch::new(pointer, expected));
    }
    Ok(())
}

fn parts(chart: &Chart) -> Result<(), Mismatch> {
    for (number, series) in chart.series.iter().enumerate() {
        if chart.series.len() > 1 && series.points.len() != 1 {
            let expected = "one point: each of several series is one part of the whole";
            return Err(Mismatch::new(format!("/series/{number}/points"), expected));
        }
        let is_negative = |point: &Point| point.number().and_then(serde_json::Number::as_f64).is_some_and(|y| y < 0.0);
        if let Some(at) = series.points.iter().position(is_negative) {
            let y = if series.points[at].x().is_some() { "/1" } else { "" };
            let pointer = format!("/series/{number}/points/{at}{y}");
            return Err(Mismatch::new(pointer, "a number of at least 0: a part of a whole"));
        }
    }
    Ok(())
}
