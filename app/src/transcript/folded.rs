//! A run of rows as one line that unfolds to them.

use super::TranscriptOptions;
use crate::html::Html;
use crate::icon::{Glyph, Look};
use crate::time_text::duration;

/// The line.
pub(super) struct Line<'w> {
    pub glyph: Glyph,
    pub title: &'static str,
    /// `7 files, 3 searches`.
    pub words: &'w str,
    /// At the right, in milliseconds.
    pub took_ms: i64,
    /// The `seq` of what it stands for.
    pub span: (i64, i64),
    /// Did it come to nothing, as far as is known?
    pub failed: bool,
}

/// The article, with the rows inside: each keeps its own anchor.
pub(super) fn group(line: &Line<'_>, rows: &str, options: &TranscriptOptions) -> String {
    let (first, last) = line.span;
    let first_seq = first.to_string();
    let mut html = Html::new();
    html.tag("<article class=\"m tight group\"").attr("data-seq", &first_seq);
    html.attr("data-last", &last.to_string()).attr("aria-posinset", &first_seq);
    html.attr("aria-setsize", &options.last_seq.max(last).to_string());
    html.attr("aria-label", &format!("{} {}", line.title, line.words));
    html.tag(" tabindex=\"-1\"><details class=\"card tool explored\"")
        .attr("data-state", if line.failed { "failed" } else { "done" })
        .tag("><summary>");
    html.icon(line.glyph, Look::default());
    html.tag("<b>").text(line.title);
    html.tag("</b><span class=\"target\">").text(line.words).tag("</span>");
    if line.took_ms >= 100 {
        html.tag("<span class=\"cap\">").text(&duration(line.took_ms.saturating_mul(1000))).tag("</span>");
    }
    if !line.failed {
        html.icon(Glyph::DONE, Look { label: Some("Done"), state: Some("done"), ..Look::SMALL });
    }
    html.tag("</summary><div class=\"explore\">");
    let mut whole = html.into_string();
    whole.push_str(rows);
    whole.push_str("</div></details></article>");
    whole
}
