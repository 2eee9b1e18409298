//! Styled lines, fitted into a width.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Where a line that is too long ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// After a word, where there is one.
    Words,
    /// Where the width ends.
    Anywhere,
}

struct Cluster {
    text: String,
    width: usize,
    style: Style,
}

/// Fits a line into a width, behind `first` and, where it goes on, `next`; both take as many columns.
pub fn wrap(
    spans: &[Span<'static>],
    width: usize,
    how: Break,
    (first, next): (&Span<'static>, &Span<'static>),
) -> Vec<Line<'static>> {
    let room = width.saturating_sub(first.content.width()).max(1);
    let clusters: Vec<Cluster> = spans
        .iter()
        .flat_map(|span| {
            span.content.graphemes(true).map(|text| Cluster {
                text: text.to_owned(),
                width: text.width(),
                style: span.style,
            })
        })
        .collect();
    let mut lines = Vec::new();
    let mut rest = clusters.as_slice();
    loop {
        let mark = if lines.is_empty() { first } else { next };
        let end = fits(rest, room, how);
        let (row, after) = rest.split_at(end);
        lines.push(joined(mark, row));
        rest = after;
        if rest.is_empty() {
            return lines;
        }
    }
}

/// How many clusters stand in one row, at least one.
fn fits(rest: &[Cluster], room: usize, how: Break) -> usize {
    let mut taken = 0;
    let fit = rest.iter().take_while(|cluster| {
        taken += cluster.width;
        taken <= room
    });
    let fit = fit.count();
    if fit == rest.len() || how == Break::Anywhere {
        return fit.max(1).min(rest.len());
    }
    let row = rest.get(..fit).unwrap_or_default();
    // A row after a break doesn't begin with a space: that one is at the end of the previous row, out of sight.
    let space = row.iter().rposition(|cluster| cluster.text == " ").filter(|at| *at > 0);
    space.map_or(fit, |at| at + 1).max(1)
}

fn joined(mark: &Span<'static>, row: &[Cluster]) -> Line<'static> {
    let mut spans = vec![mark.clone()];
    for cluster in row {
        match spans.last_mut() {
            Some(last) if last.style == cluster.style && !last.content.is_empty() => {
                last.content.to_mut().push_str(&cluster.text);
            }
            _ => spans.push(Span::styled(cluster.text.clone(), cluster.style)),
        }
    }
    Line::from(spans)
}

/// The text, cut to so many columns; what is cut shows as `…`.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 1;
    for cluster in text.graphemes(true) {
        taken += cluster.width();
        if taken > width {
            break;
        }
        out.push_str(cluster);
    }
    out.push('…');
    out
}

/// The text, cut or filled up to so many columns.
pub fn column(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}
