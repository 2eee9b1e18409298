//! One measure over time: columns as SVG, a scale beside them, and the numbers as a table underneath.

use super::bucket::{Bucket, unit};
use super::tables::tokens_in_words;
use crate::figures;
use crate::html::Html;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::small_icon;
use api::stats::Figures;
use leptos::prelude::*;

/// Width of a column and its gap, in the drawing's own units; it is stretched to the page.
const STEP: usize = 10;
const GAP: usize = 2;
const HEIGHT: f64 = 100.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Messages,
    Tokens,
    ToolCalls,
    Sessions,
    Cost,
}

impl Measure {
    pub const ALL: [Self; 5] = [Self::Messages, Self::Tokens, Self::ToolCalls, Self::Sessions, Self::Cost];

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

    /// At the scale.
    fn mark(self, value: f64) -> String {
        match self {
            Self::Cost => figures::dollars(value),
            _ if value > 0.0 && value < 1.0 => format!("{value:.1}"),
            _ => figures::tokens(value.round() as i64),
        }
    }
}

pub struct Chart<'a> {
    pub measure: Measure,
    pub buckets: &'a [Bucket],
}

impl Chart<'_> {
    pub fn view(&self) -> Part {
        let measure = self.measure;
        let most = self.buckets.iter().map(|b| measure.of(&b.figures)).fold(0.0, f64::max);
        let top = round_up(most, measure == Measure::Cost);
        let rows: Vec<_> = self
            .buckets
            .iter()
            .filter(|bucket| measure.of(&bucket.figures) > 0.0)
            .rev()
            .map(|b| part! { <tr><th scope="row">{b.label()}</th><td class="num end">{measure.words(&b.figures)}</td></tr> })
            .collect();
        let id = format!("chart-{}", measure.name().to_lowercase().replace(' ', "-"));
        part! {
            <figure class="chart" aria-labelledby=id.clone()>
                <figcaption id=id.clone()>{measure.name()}<span class="cap">" "{unit(self.buckets)}</span></figcaption>
                <div class="plot">
                    <div class="scale" aria-hidden="true"><span>{measure.mark(top)}</span><span>{measure.mark(top / 2.0)}</span><span>"0"</span></div>
                    {self.columns(top).into_view()}
                    <div class="ends" aria-hidden="true">{self.ends()}</div>
                </div>
                <details class="numbers"><summary class="btn quiet tiny">{small_icon(Glyph::TABLE)}"As a table"</summary>
                    <div class="table-wrap"><table class="table compact">
                        <thead><tr><th scope="col">"When"</th><th scope="col" class="end">{measure.name()}</th></tr></thead>
                        <tbody>{rows}</tbody>
                    </table></div>
                </details>
            </figure>
        }
    }

    /// The columns. Each carries its number for the pointer; the table has them for everybody.
    fn columns(&self, top: f64) -> Html {
        let mut svg = Html::new();
        let width = (self.buckets.len() * STEP).to_string();
        svg.tag("<svg preserveAspectRatio=\"none\" aria-hidden=\"true\"").attr("viewBox", &format!("0 0 {width} 100"));
        svg.tag(">");
        for line in ["0.5", "50", "99.5"] {
            svg.tag("<line x1=\"0\"").attr("x2", &width).attr("y1", line).attr("y2", line).tag("/>");
        }
        for (index, bucket) in self.buckets.iter().enumerate() {
            let value = self.measure.of(&bucket.figures);
            let tall = if top > 0.0 { value / top * HEIGHT } else { 0.0 };
            // What is there is seen, however small it is.
            let tall = if value > 0.0 { tall.max(1.0) } else { 0.0 };
            let said = format!("{}: {}", bucket.label(), self.measure.words(&bucket.figures));
            svg.tag("<g><title>").text(&said).tag("</title>");
            let x = index * STEP;
            svg.tag("<rect class=\"hover\" y=\"0\" height=\"100\"").attr("x", &x.to_string());
            svg.attr("width", &STEP.to_string()).tag("/>");
            svg.tag("<rect class=\"amount\"").attr("x", &(x + GAP / 2).to_string());
            svg.attr("width", &(STEP - GAP).to_string()).attr("y", &format!("{:.2}", HEIGHT - tall));
            svg.attr("height", &format!("{tall:.2}")).tag("/></g>");
        }
        svg.tag("</svg>");
        svg
    }

    /// The first day, the last one, and between them one where there is room, or three: narrow charts hide two of those.
    fn ends(&self) -> Vec<Part> {
        let last = self.buckets.len().saturating_sub(1);
        let at = match last {
            0 => vec![0],
            1..6 => vec![0, last],
            6..12 => vec![0, last / 2, last],
            _ => vec![0, last / 4, last / 2, last * 3 / 4, last],
        };
        let quarters = at.len() == 5;
        let year = |at: usize| self.buckets.get(at).map(|bucket| bucket.from.year());
        let years = year(0) != year(last);
        at.into_iter()
            .enumerate()
            .filter_map(|(index, at)| Some((index, self.buckets.get(at)?)))
            .map(|(index, bucket)| {
                let class = (quarters && index % 2 == 1).then_some("hide-mid");
                part! { <span class=class>{bucket.short(years)}</span> }
            })
            .collect()
    }
}

/// The next of 1, 2, 5, 10, 20, ... Whole things are counted in twos at least, so that the middle of the scale is whole.
fn round_up(value: f64, fractions: bool) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let top = [1.0, 2.0, 4.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|n| *n >= value);
    let top = top.unwrap_or(10.0 * power);
    if fractions { top } else { top.max(2.0) }
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn a_scale_ends_with_a_round_number() {
        let tops = [0.0, 1.0, 3.0, 17.0, 41.0, 50.0, 999.0, 1_200_000.0].map(|n| round_up(n, false));
        assert!(
            tops.iter().zip([1.0, 2.0, 4.0, 20.0, 50.0, 50.0, 1000.0, 2_000_000.0]).all(|(a, b)| (a - b).abs() < 1e-6)
        );
        assert!((round_up(0.03, true) - 0.04).abs() < 1e-9);
    }
}
