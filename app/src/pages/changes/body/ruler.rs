//! The overview at the right edge of a long file: where lines were removed and added.

use crate::html::Html;
use diff::Layout;
use std::fmt::Write;

/// Files of fewer rows are seen as a whole.
const MIN_ROWS: usize = 60;
/// Stripes at most.
const STRIPES: usize = 150;

/// Two gradients beside each other. A click goes there.
pub fn ruler_html(html: &mut Html, layouts: &[Layout<'_>]) {
    let rows: usize = layouts.iter().map(Layout::len).sum();
    if rows < MIN_ROWS {
        return;
    }
    let stripes: Vec<(bool, bool)> =
        layouts.iter().flat_map(|layout| layout.overview((STRIPES * layout.len()).div_ceil(rows))).collect();
    let removed = gradient(stripes.iter().map(|stripe| stripe.0), "var(--rule-del)");
    let added = gradient(stripes.iter().map(|stripe| stripe.1), "var(--rule-add)");
    html.tag("<div class=\"rule\"><div class=\"ruler\" aria-hidden=\"true\" title=\"Overview: click to go there\"");
    html.attr("style", &format!("background-image:{removed},{added}")).tag("></div></div>");
}

fn gradient(stripes: impl ExactSizeIterator<Item = bool>, colour: &str) -> String {
    let share = 100.0 / stripes.len().max(1) as f64;
    let stripes: Vec<bool> = stripes.collect();
    let mut out = String::from("linear-gradient(");
    let mut at = 0;
    for same in stripes.chunk_by(|a, b| a == b) {
        let colour = if same[0] { colour } else { "#0000" };
        let comma = if at == 0 { "" } else { "," };
        let (from, to) = (at as f64 * share, (at + same.len()) as f64 * share);
        let _ = write!(out, "{comma}{colour} {from:.1}% {to:.1}%");
        at += same.len();
    }
    out.push(')');
    out
}
