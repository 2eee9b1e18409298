//! Draws pie charts, with a legend that lists the shares.

use super::{Chart, class, swatch};
use crate::html::Html;
use crate::part::{Part, part};
use crate::visible;
use leptos::prelude::*;
use std::f64::consts::TAU;

/// A slice: its name, its value with its unit, and its share of the total, from 0 to 1.
struct Slice {
    name: String,
    words: String,
    share: f64,
}

pub fn pie(chart: &Chart) -> Part {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    // Values are divided by the largest first: their sum may be too large for a number.
    let largest = points().filter_map(|point| point.value).fold(0.0, f64::max);
    let of_largest = |value: Option<f64>| if largest > 0.0 { value.unwrap_or(0.0).max(0.0) / largest } else { 0.0 };
    let whole: f64 = points().map(|point| of_largest(point.value)).sum();
    if whole <= 0.0 {
        return part! { <p class="no-data">"No value is greater than 0"</p> };
    }
    let slices: Vec<Slice> = points()
        .map(|point| Slice {
            name: visible::line(chart.name_at(point)),
            words: visible::line(&point.words),
            share: of_largest(point.value) / whole,
        })
        .collect();
    let rows: Vec<_> = slices
        .iter()
        .enumerate()
        .map(|(at, slice)| {
            part! {
                <li>{swatch(at).into_view()}<span class="cut" title=slice.name.clone()>{slice.name.clone()}</span>
                    <b class="num">{percent(slice.share)}</b><span class="num mut">{slice.words.clone()}</span></li>
            }
        })
        .collect();
    part! { <div class="pie">{svg(&slices).into_view()}<ul class="legend" role="list">{rows}</ul></div> }
}

/// Renders the SVG. It is hidden from screen readers, since the legend has the same values.
fn svg(slices: &[Slice]) -> Html {
    let mut svg = Html::new();
    svg.tag("<svg viewBox=\"-1.02 -1.02 2.04 2.04\" aria-hidden=\"true\">");
    let mut from = 0.0;
    for (at, slice) in slices.iter().enumerate().filter(|(_, slice)| slice.share > 0.0) {
        let to = from + slice.share;
        svg.tag("<path").attr("class", &format!("slice {}", class(at))).attr("d", &sector(from, to)).tag("><title>");
        svg.text(&format!("{}: {}, {}", slice.name, slice.words, percent(slice.share))).tag("</title></path>");
        from = to;
    }
    svg.tag("</svg>");
    svg
}

/// Returns the path of a slice between two shares, clockwise from the top. An SVG arc can't end where it begins, so a
/// full circle is two halves.
fn sector(from: f64, to: f64) -> String {
    let place = |share: f64| {
        let (sin, cos) = (share * TAU).sin_cos();
        format!("{sin:.4} {:.4}", -cos)
    };
    if to - from > 0.9999 {
        return "M0 -1A1 1 0 0 1 0 1A1 1 0 0 1 0 -1Z".to_owned();
    }
    let large = u8::from(to - from > 0.5);
    format!("M0 0L{}A1 1 0 {large} 1 {}Z", place(from), place(to))
}

/// Formats a share: `62 %`. A share other than 0 is never `0 %` but `< 1 %`.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        _ if share > 0.0 && percent < 1.0 => "< 1 %".to_owned(),
        _ if share < 1.0 && percent > 99.0 => "> 99 %".to_owned(),
        _ => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::{percent, sector};

    #[test]
    fn shares_and_sectors() {
        assert_eq!([0.0, 0.001, 0.615, 0.9999, 1.0].map(percent), ["0 %", "< 1 %", "62 %", "> 99 %", "100 %"]);
        assert_eq!(sector(0.0, 0.25), "M0 0L0.0000 -1.0000A1 1 0 0 1 1.0000 -0.0000Z");
        assert_eq!(sector(0.25, 1.0), "M0 0L1.0000 -0.0000A1 1 0 1 1 -0.0000 -1.0000Z");
    }
}
