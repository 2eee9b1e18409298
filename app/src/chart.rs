//! Renders line, bar, area, scatter and pie charts as SVG on the server, each with a scale, a legend and a data table.
//! The statistics page and CHART messages use them.
//!
//! [`view()`] renders a [`Chart`]; [`of_message`] makes one from the payload of a CHART. There is no script. The SVG is
//! stretched to the width of its place, so axis labels are HTML beside it. `style/common/chart.css` has the colours and
//! dashes.

mod marks;
mod of_message;
mod pie;
mod sample;
mod scale;

pub use of_message::of_message;
pub use scale::Unit;

use crate::figures::count;
use crate::html::Html;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::small_icon;
use crate::visible;
use leptos::prelude::*;
use model::message_type::chart::{ChartKind, Table};
use model::text::clip;
use scale::Scale;

/// Maximum number of rows in the data table.
const ROWS: usize = 50;
/// Maximum length of a name on an axis or in the table, in characters. Its tooltip has all of it.
const LABEL: usize = 60;
/// Up to this number of categories, each has its own label on the axis.
const EACH: usize = 8;

/// A chart, ready to be rendered.
#[derive(Debug, Clone)]
pub struct Chart {
    pub kind: ChartKind,
    pub title: String,
    /// Follows the title: `per day`, `in ms`.
    pub note: String,
    pub unit: Unit,
    pub axis: Axis,
    /// All series share the axis. A pie has one series, whose points are its slices.
    pub series: Vec<Series>,
    /// The data table below the chart, folded at first.
    pub table: Table,
    /// URL and file name of the CSV download.
    pub csv: Option<(String, String)>,
}

/// The horizontal axis.
#[derive(Debug, Clone)]
pub enum Axis {
    /// A point's `at` is the index of its category.
    Categories(Vec<Label>),
    /// A point's `at` is a number from `from` to `to`. `ticks` are the labels, evenly spaced.
    Line { from: f64, to: f64, ticks: Vec<String> },
}

/// The label of a category.
#[derive(Debug, Clone)]
pub struct Label {
    pub long: String,
    /// Used on the axis.
    pub short: String,
}

#[derive(Debug, Clone, Default)]
pub struct Series {
    pub name: String,
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub at: f64,
    /// `None` leaves a gap.
    pub value: Option<f64>,
    /// The value with its unit, as the tooltip shows it.
    pub words: String,
}

impl Chart {
    /// Returns all values, without gaps.
    fn values(&self) -> impl Iterator<Item = f64> {
        self.series.iter().flat_map(|series| &series.points).filter_map(|point| point.value)
    }

    /// Returns the position of `at` on the axis, from 0 (left) to 1 (right).
    fn place(&self, at: f64) -> f64 {
        match &self.axis {
            Axis::Categories(labels) => (at + 0.5) / labels.len().max(1) as f64,
            Axis::Line { from, to, .. } if to > from => (at - from) / (to - from),
            Axis::Line { .. } => 0.5,
        }
    }

    /// Returns the name of the point's category. Empty on a numeric axis.
    fn name_at(&self, point: &Point) -> &str {
        match &self.axis {
            Axis::Categories(labels) => labels.get(point.at as usize).map_or("", |label| label.long.as_str()),
            Axis::Line { .. } => "",
        }
    }
}

/// Renders a chart with its legend and its data table.
pub fn view(chart: &Chart) -> Part {
    let (thinned, note) = sample::thin(chart);
    let chart = &thinned;
    let note_of_title = (!chart.note.is_empty()).then(|| format!(" {}", chart.note));
    let drawing = if chart.values().next().is_none() {
        part! { <p class="no-data">"No data"</p> }
    } else if chart.kind == ChartKind::Pie {
        pie::pie(chart)
    } else {
        plot(chart)
    };
    part! {
        <figure class="chart" data-chart=chart.kind.as_str() aria-label=visible::line(&chart.title)>
            <figcaption>{visible::html(&chart.title).into_view()}{note_of_title.map(|note| part! { <span class="cap">{visible::html(&note).into_view()}</span> })}</figcaption>
            {drawing}
            {(chart.kind != ChartKind::Pie).then(|| legend(chart))}
            {note.map(|note| part! { <p class="cap">{note}</p> })}
            {numbers(chart)}
        </figure>
    }
}

fn plot(chart: &Chart) -> Part {
    let scale = Scale::of(chart);
    let ticks: Vec<_> = scale.ticks(&chart.unit).into_iter().map(|tick| part! { <span>{tick}</span> }).collect();
    let (class, ends) = ends(&chart.axis);
    let words = in_words(chart);
    part! {
        <div class="plot">
            <div class="scale" aria-hidden="true">{ticks}</div>
            {marks::svg(chart, &scale, &words).into_view()}
            <div class=class aria-hidden="true">{ends}</div>
        </div>
    }
}

/// Returns the accessible name of the SVG: `Bar chart, 2 series, 8 points, from 0 to 56 boats`.
fn in_words(chart: &Chart) -> String {
    let points = chart.series.iter().map(|series| series.points.len()).sum::<usize>();
    let by_value = |a: &&Point, b: &&Point| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0));
    let known = || chart.series.iter().flat_map(|series| &series.points).filter(|point| point.value.is_some());
    let (least, most) = (known().min_by(by_value), known().max_by(by_value));
    let range =
        least.zip(most).map_or(String::new(), |(least, most)| format!(", from {} to {}", least.words, most.words));
    let mut kind = chart.kind.as_str().to_owned();
    kind[..1].make_ascii_uppercase();
    let series = match chart.series.len() {
        1 => String::new(),
        n => format!("{n} series, "),
    };
    let noun = if points == 1 { "point" } else { "points" };
    visible::line(&format!("{kind} chart, {series}{} {noun}{range}", count(points as i64)))
}

/// Returns the class and the labels of the horizontal axis: one for each category if there are few. Otherwise the
/// first, the last and one or three in between; narrow charts hide two of three.
fn ends(axis: &Axis) -> (&'static str, Vec<Part>) {
    let named = |label: &Label, class: Option<&'static str>| {
        let (short, long) = (visible::line(&clip(&label.short, LABEL)), visible::line(&label.long));
        part! { <span class=class title=long>{short}</span> }
    };
    let labels = match axis {
        Axis::Categories(labels) => labels,
        Axis::Line { ticks, .. } => {
            let middle = |at: usize| (ticks.len() == 5 && at % 2 == 1).then_some("hide-mid");
            let tick = |(at, tick): (usize, &String)| part! { <span class=middle(at)>{tick.clone()}</span> };
            return ("ends", ticks.iter().enumerate().map(tick).collect());
        }
    };
    if labels.len() <= EACH {
        return ("ends each", labels.iter().map(|label| named(label, None)).collect());
    }
    let last = labels.len() - 1;
    let at = if last < 12 { vec![0, last / 2, last] } else { vec![0, last / 4, last / 2, last * 3 / 4, last] };
    let quarters = at.len() == 5;
    let some = at.into_iter().enumerate().filter_map(|(index, at)| Some((index, labels.get(at)?)));
    let some = some.map(|(index, label)| named(label, (quarters && index % 2 == 1).then_some("hide-mid")));
    ("ends", some.collect())
}

/// Renders the legend. `None` for a single series.
fn legend(chart: &Chart) -> Option<Part> {
    let one = |(at, series): (usize, &Series)| {
        let name = visible::line(&series.name);
        part! { <li>{swatch(at).into_view()}<span class="cut" title=name.clone()>{name.clone()}</span></li> }
    };
    let names: Vec<_> = chart.series.iter().enumerate().map(one).collect();
    (names.len() > 1).then(|| part! { <ul class="legend" role="list">{names}</ul> })
}

/// Renders the sample of a series' colour and dash that the legend shows.
fn swatch(series: usize) -> Html {
    let mut html = Html::new();
    html.tag("<svg viewBox=\"0 0 22 10\" aria-hidden=\"true\"").attr("class", &format!("swatch {}", class(series)));
    html.tag("><rect width=\"22\" height=\"10\"/><path d=\"M0 5h22\"/></svg>");
    html
}

/// Returns the CSS class of a series. There are eight, used in turn.
fn class(series: usize) -> String {
    format!("s{}", series % 8)
}

fn numbers(chart: &Chart) -> Option<Part> {
    let table = &chart.table;
    if table.rows.is_empty() {
        return None;
    }
    let cell = |text: &String| part! { <td class="num end">{text.clone()}</td> };
    let row = |row: &Vec<String>| {
        let (name, values) = row.split_first()?;
        let values: Vec<_> = values.iter().map(cell).collect();
        let (short, long) = (visible::line(&clip(name, LABEL)), visible::line(name));
        Some(part! { <tr><th scope="row" title=long>{short}</th>{values}</tr> })
    };
    let rows: Vec<_> = table.rows.iter().take(ROWS).filter_map(row).collect();
    let head = |(at, name): (usize, &String)| {
        let (short, long) = (visible::line(&clip(name, LABEL)), visible::line(name));
        part! { <th scope="col" class=(at > 0).then_some("end") title=long>{short}</th> }
    };
    let head: Vec<_> = table.head.iter().enumerate().map(head).collect();
    let left = table.rows.len().saturating_sub(ROWS);
    let left = (left > 0).then(|| part! { <p class="cap">{format!("… and {} more rows", count(left as i64))}</p> });
    let csv = chart.csv.clone().map(|(address, name)| {
        part! { <a class="btn quiet tiny" href=address download=name>"Download CSV"</a> }
    });
    let label = format!("{}: data", visible::line(&chart.title));
    Some(part! {
        <details class="numbers"><summary class="btn quiet tiny">{small_icon(Glyph::TABLE)}"As a table"</summary>
            <div class="table-wrap" tabindex="0" role="region" aria-label=label><table class="table compact">
                <thead><tr>{head}</tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
            {left}{csv}
        </details>
    })
}
