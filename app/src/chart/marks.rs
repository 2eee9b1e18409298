//! Draws lines, bars, areas and dots in a viewBox of 1,000 by 100, which is stretched to the chart's size. Strokes keep
//! their width.

use super::scale::Scale;
use super::{Axis, Chart, Point, Series, class};
use crate::html::Html;
use model::message_type::chart::ChartKind;
use std::fmt::Write as _;

const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 100.0;
/// Share of a category's width that its bars fill.
const BARS: f64 = 0.8;
/// Maximum number of points for which a line has dots with tooltips.
const DOTS: usize = 60;

/// Renders the SVG; `words` is its accessible name.
pub fn svg(chart: &Chart, scale: &Scale, words: &str) -> Html {
    let mut svg = Html::new();
    svg.tag("<svg viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" role=\"img\"")
        .attr("aria-label", words)
        .tag(">");
    for value in scale.steps() {
        let y = number(y(scale, value).clamp(0.5, HEIGHT - 0.5));
        svg.tag("<line x1=\"0\" x2=\"1000\"").attr("y1", &y).attr("y2", &y);
        if value.abs() < f64::EPSILON && scale.from < 0.0 {
            svg.attr("class", "zero");
        }
        svg.tag("/>");
    }
    match chart.kind {
        ChartKind::Bar => bars(&mut svg, chart, scale),
        ChartKind::Scatter => dots(&mut svg, chart, scale, true),
        _ => {
            lines(&mut svg, chart, scale);
            dots(&mut svg, chart, scale, false);
        }
    }
    svg.tag("</svg>");
    svg
}

/// Draws the bars. Each category has a tooltip with its values; the data table has the same values for keyboards and
/// screen readers.
fn bars(svg: &mut Html, chart: &Chart, scale: &Scale) {
    let Axis::Categories(labels) = &chart.axis else { return };
    let step = WIDTH / labels.len().max(1) as f64;
    let width = step * BARS / chart.series.len().max(1) as f64;
    let zero = y(scale, 0.0);
    for (at, label) in labels.iter().enumerate() {
        let left = at as f64 * step;
        let here = |series: &Series| series.points.iter().find(|point| point.at as usize == at).cloned();
        let points: Vec<_> = chart.series.iter().map(here).collect();
        let named = chart.series.iter().zip(&points).filter_map(|(series, point)| Some((series, point.as_ref()?)));
        let said: Vec<String> =
            named.filter(|(_, point)| point.value.is_some()).map(|(s, p)| said(chart, s, p)).collect();
        svg.tag("<g><title>")
            .text(&crate::visible::line(&format!("{}: {}", label.long, said.join(", "))))
            .tag("</title>");
        svg.tag("<rect class=\"hover\" y=\"0\" height=\"100\"")
            .attr("x", &number(left))
            .attr("width", &number(step))
            .tag("/>");
        for (series, value) in points.iter().enumerate().filter_map(|(n, point)| Some((n, point.as_ref()?.value?))) {
            let top = y(scale, value);
            // A bar other than 0 is always visible.
            let tall = if value == 0.0 { 0.0 } else { (top - zero).abs().max(1.0) };
            let x = left + step * (1.0 - BARS) / 2.0 + width * series as f64;
            svg.tag("<rect").attr("class", &format!("chart-bar {}", class(series))).attr("x", &number(x));
            svg.attr("width", &number(width)).attr("y", &number(if value < 0.0 { zero } else { zero - tall }));
            svg.attr("height", &number(tall)).tag("/>");
        }
        svg.tag("</g>");
    }
}

/// Draws a line for each series, interrupted at gaps. Areas are filled down to zero, or to the lower end of the scale.
fn lines(svg: &mut Html, chart: &Chart, scale: &Scale) {
    let ground = number(y(scale, 0.0));
    for (number_of, series) in chart.series.iter().enumerate() {
        let (mut line, mut area) = (String::new(), String::new());
        for stretch in series.points.split(|point| point.value.is_none()).filter(|stretch| !stretch.is_empty()) {
            let places: Vec<_> =
                stretch.iter().filter_map(|point| Some((x(chart, point), y(scale, point.value?)))).collect();
            for (at, (x, y)) in places.iter().enumerate() {
                // Writing to a string doesn't fail.
                let _ = write!(line, "{}{} {}", if at == 0 { 'M' } else { 'L' }, number(*x), number(*y));
            }
            if let (Some((first, _)), Some((last, _))) = (places.first(), places.last()) {
                let _ = write!(area, "M{} {ground}", number(*first));
                for (x, y) in &places {
                    let _ = write!(area, "L{} {}", number(*x), number(*y));
                }
                let _ = write!(area, "L{} {ground}Z", number(*last));
            }
        }
        let class = class(number_of);
        if chart.kind == ChartKind::Area {
            svg.tag("<path").attr("class", &format!("area {class}")).attr("d", &area).tag("/>");
        }
        svg.tag("<path").attr("class", &format!("line {class}")).attr("d", &line).tag("/>");
    }
}

/// Draws points as zero-length lines with round caps, which stay round when the SVG is stretched. Unless `all` is set,
/// lines with many points have dots at isolated points only.
fn dots(svg: &mut Html, chart: &Chart, scale: &Scale, all: bool) {
    let few = chart.values().count() <= DOTS;
    for (number_of, series) in chart.series.iter().enumerate() {
        let class = format!("dot {}", class(number_of));
        for (at, point) in series.points.iter().enumerate() {
            let is_gap =
                |at: Option<usize>| at.and_then(|at| series.points.get(at)).is_none_or(|it| it.value.is_none());
            let alone = is_gap(at.checked_sub(1)) && is_gap(Some(at + 1));
            let Some(value) = point.value.filter(|_| all || few || alone) else { continue };
            let place = format!("M{} {}h0", number(x(chart, point)), number(y(scale, value)));
            svg.tag("<path").attr("class", &class).attr("d", &place).tag(">");
            if few {
                let at = chart.name_at(point);
                let colon = if at.is_empty() { "" } else { ": " };
                svg.tag("<title>")
                    .text(&crate::visible::line(&format!("{at}{colon}{}", said(chart, series, point))))
                    .tag("</title>");
            }
            svg.tag("</path>");
        }
    }
}

/// Returns the tooltip of a value: `Before 51 boats`, or the value alone if there is one series.
fn said(chart: &Chart, series: &Series, point: &Point) -> String {
    if chart.series.len() > 1 { format!("{} {}", series.name, point.words) } else { point.words.clone() }
}

fn x(chart: &Chart, point: &Point) -> f64 {
    chart.place(point.at) * WIDTH
}

fn y(scale: &Scale, value: f64) -> f64 {
    (1.0 - scale.height(value)) * HEIGHT
}

/// Formats a coordinate. Two decimals are precise to a tenth of a pixel.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix(".00").map_or_else(|| text.clone(), str::to_owned)
}
