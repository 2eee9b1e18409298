//! Where a day ends. In the browser it is the reader's day: a row says when it and what stands above it were written,
//! and the island draws the line. On paper and in a file it is a day of UTC, as all times are there.

use super::{Detail, TranscriptOptions};
use crate::clock::Clock;
use crate::html::Html;
use crate::shared::attr;
use model::Micros;

/// Returns the attributes of a row for the time since the previous one.
pub(super) fn between(before: Option<Micros>, at: Micros, options: &TranscriptOptions) -> Html {
    let mut html = Html::new();
    let Some(before) = before.filter(|before| *before < at) else { return html };
    let clock = Clock::utc(options.now);
    match options.detail {
        Detail::Printed if clock.day(before) != clock.day(at) => html.attr(attr::DAY, &clock.weekday(at)),
        Detail::Printed => &mut html,
        _ => html.attr(attr::BEFORE, &before.0.to_string()).attr(attr::AT, &at.0.to_string()),
    };
    html
}

/// Gives an article more attributes.
pub(super) fn put(html: String, attributes: &Html) -> String {
    match html.strip_prefix("<article") {
        Some(rest) if !attributes.is_empty() => format!("<article{}{rest}", attributes.as_str()),
        _ => html,
    }
}
