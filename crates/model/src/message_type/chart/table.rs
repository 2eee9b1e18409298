//! The data of a chart as a table, for pages, markdown and CSV.

use super::{Axis, Chart, ChartKind, Coordinate, Point};
use crate::text::one_line;
use serde_json::Number;
use std::collections::HashMap;

/// Maximum number of rows in markdown. The payload has all of them.
const MARKDOWN_ROWS: usize = 100;

/// The data of a chart. Cells have the numbers as they were written, and are empty for gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The name of the axis, then the name of each series.
    pub head: Vec<String>,
    /// Each row is as long as the head. Rows are sorted if `x` is a number, and keep their order otherwise.
    pub rows: Vec<Vec<String>>,
}

impl Chart {
    /// Returns the data of a chart, with a row for each `x`. If a pie has several series, each series is a row.
    pub fn table(&self) -> Table {
        if self.chart == ChartKind::Pie && self.series.len() > 1 {
            let part = |point: Option<&Point>| cell(point.and_then(Point::number));
            let rows = self.series.iter().map(|series| vec![series.name.clone(), part(series.points.first())]);
            return Table { head: vec!["Part".to_owned(), "Value".to_owned()], rows: rows.collect() };
        }
        let names = self.series.iter().map(|series| series.name.clone());
        let head = std::iter::once(self.x_name().to_owned()).chain(names).collect();
        Table { head, rows: self.rows() }
    }

    /// Returns the title of the first column.
    fn x_name(&self) -> &str {
        let first = self.series.iter().flat_map(|series| &series.points).find_map(Point::x);
        let is_text = |value: Option<&Coordinate>| matches!(value, Some(Coordinate::Text(_)));
        match &self.x {
            Some(Axis::Name(name)) if !name.trim().is_empty() => name,
            Some(Axis::Values(values)) if is_text(values.first()) => "Category",
            _ if is_text(first) => "Category",
            _ => "x",
        }
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let width = self.series.len() + 1;
        if let Some(values) = self.values() {
            let row = |(at, value): (usize, &Coordinate)| {
                let points = self.series.iter().map(|series| cell(series.points.get(at).and_then(Point::number)));
                std::iter::once(value.to_string()).chain(points).collect()
            };
            return values.iter().enumerate().map(row).collect();
        }
        // A series may have several points with the same `x`: its second point is in a second row, and so on.
        let mut places: HashMap<(Coordinate, usize), usize> = HashMap::new();
        let mut rows: Vec<(Coordinate, Vec<String>)> = Vec::new();
        for (column, series) in self.series.iter().enumerate() {
            let mut seen: HashMap<Coordinate, usize> = HashMap::new();
            for (at, point) in series.points.iter().enumerate() {
                let x = point.x().cloned().unwrap_or_else(|| Coordinate::Number(Number::from(at + 1)));
                let times = seen.entry(x.clone()).or_default();
                let place = *places.entry((x.clone(), *times)).or_insert_with(|| {
                    rows.push((x.clone(), vec![String::new(); width]));
                    rows.len() - 1
                });
                *times += 1;
                if let Some((_, row)) = rows.get_mut(place) {
                    row[0] = x.to_string();
                    row[column + 1] = cell(point.number());
                }
            }
        }
        let number = |x: &Coordinate| match x {
            Coordinate::Number(number) => number.as_f64(),
            Coordinate::Text(_) => None,
        };
        rows.sort_by(|(a, _), (b, _)| match (number(a), number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => std::cmp::Ordering::Equal,
        });
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

fn cell(number: Option<&Number>) -> String {
    number.map(Number::to_string).unwrap_or_default()
}

impl Table {
    /// Returns the first 100 rows as a markdown table. Empty if there are none.
    pub fn to_markdown(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().map(|cell| one_line(cell, usize::MAX).replace('\\', "\\\\").replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | "))
        };
        let rule = format!("|---{}|", "|--:".repeat(self.head.len().saturating_sub(1)));
        let shown = self.rows.iter().take(MARKDOWN_ROWS).map(|row| line(row));
        let lines: Vec<String> = [line(&self.head), rule].into_iter().chain(shown).collect();
        match self.rows.len().saturating_sub(MARKDOWN_ROWS) {
            0 => lines.join("\n"),
            left => format!("{}\n\n… and {left} more rows", lines.join("\n")),
        }
    }

    /// Returns the whole table as CSV (RFC 4180). Text that a spreadsheet would treat as a formula has an apostrophe in
    /// front.
    pub fn to_csv(&self) -> String {
        let mut csv = String::new();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| csv_cell(cell)).collect();
            csv.push_str(&cells.join(","));
            csv.push_str("\r\n");
        }
        csv
    }
}

fn csv_cell(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    let is_quoted = cell.contains([',', '"', '\n', '\r']);
    if is_quoted { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::Chart;
    use crate::Payload as _;
    use crate::strict;
    use serde_json::{Value, json};

    fn chart(payload: &Value) -> Chart {
        strict::read(payload.as_object().expect("an object")).expect("a chart")
    }

    #[test]
    fn points_share_the_rows_of_their_x() {
        let payload = json!({"chart": "scatter", "title": "T | U", "x": "day", "unit": "ms", "series": [
            {"name": "a", "points": [[2, 1.5], [1, 4], [2, null]]},
            {"name": "b", "points": [[3, -1], [2, 7]]},
        ]});
        let table = "**T | U** (scatter chart, in ms)\n\n| day | a | b |\n|---|--:|--:|\n\
                     | 1 | 4 |  |\n| 2 | 1.5 | 7 |\n| 2 |  |  |\n| 3 |  | -1 |";
        assert_eq!(chart(&payload).to_markdown(), table);
    }

    #[test]
    fn csv_holds_no_formula_and_loses_nothing() {
        let payload = json!({"chart": "bar", "title": "T", "x": ["=1+1", "a \"b\", c", "-3"], "series": [
            {"name": "@n", "points": [1, null, -2.5]},
        ]});
        let csv = "Category,'@n\r\n'=1+1,1\r\n\"a \"\"b\"\", c\",\r\n-3,-2.5\r\n";
        assert_eq!(chart(&payload).table().to_csv(), csv);
    }

    #[test]
    fn a_long_table_is_cut_and_says_so() {
        let points: Vec<i32> = (0..150).collect();
        let payload = json!({"chart": "line", "title": "T", "series": [{"name": "a", "points": points}]});
        let markdown = chart(&payload).to_markdown();
        assert!(markdown.ends_with("| 100 | 99 |\n\n… and 50 more rows"), "{markdown}");
    }
}
