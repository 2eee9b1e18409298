//! A run of rows as one line that unfolds to them.

use super::TranscriptOptions;
use crate::clock::{Clock, exact_moment};
use crate::html::Html;
use crate::icon::{Glyph, IconStyle};
use crate::render::render_part;
use crate::shared::attr;
use crate::time_text::duration;
use crate::visible;
use model::Micros;

/// The line.
pub(super) struct Line<'w> {
    pub glyph: Glyph,
    pub title: &'w str,
    /// `7 files, 3 searches`.
    pub words: &'w str,
    /// The tools that it was done with, `Read, Grep`. They give way where there is no room.
    pub tools: Option<String>,
    /// How far it got, `2 of 10`: of what isn't done as a whole.
    pub count: Option<String>,
    /// At the right, in milliseconds.
    pub took_ms: i64,
    /// When it came about, where that matters.
    pub at: Option<Micros>,
    /// The `seq` of what it stands for.
    pub span: (i64, i64),
    /// True if it failed, as far as known.
    pub failed: bool,
}

impl<'w> Line<'w> {
    pub fn new(glyph: Glyph, title: &'w str, words: &'w str, span: (i64, i64)) -> Self {
        Self { glyph, title, words, tools: None, count: None, took_ms: 0, at: None, span, failed: false }
    }
}

/// The article, with the rows inside: each keeps its own anchor.
pub(super) fn group(line: &Line<'_>, rows: &str, options: &TranscriptOptions) -> String {
    let (first, last) = line.span;
    let first_seq = first.to_string();
    let mut html = Html::new();
    html.tag("<article class=\"m tight group\"").attr(attr::SEQ, &first_seq);
    html.attr(attr::LAST, &last.to_string()).attr("aria-posinset", &first_seq);
    html.attr("aria-setsize", &options.last_seq.max(last).to_string());
    html.attr("aria-label", &format!("{} {}", line.title, line.words));
    html.tag(" tabindex=\"-1\"><details class=\"card tool explored\"")
        .attr(attr::STATE, if line.failed { "failed" } else { "done" })
        .tag("><summary>");
    html.icon(line.glyph, IconStyle { state: line.failed.then_some("failed"), ..IconStyle::default() });
    html.tag("<b>").text(line.title);
    // With its time beside it, it has no room on phones.
    html.tag(if line.at.is_some() { "</b><span class=\"target below\">" } else { "</b><span class=\"target\">" });
    html.text(line.words).tag("</span>");
    if let Some(tools) = &line.tools {
        html.tag("<span class=\"cap tools\"");
        html.attr("title", &visible::plain(tools)).tag(">").html(&visible::html(tools)).tag("</span>");
    }
    if line.took_ms >= 100 {
        html.tag("<span class=\"cap\">").text(&duration(line.took_ms.saturating_mul(1000))).tag("</span>");
    }
    if let Some(at) = line.at {
        html.html(&render_part(|| exact_moment(&Clock::utc(options.now), at, "cap")));
    }
    if let Some(count) = &line.count {
        html.tag("<span class=\"cap num\">").text(count).tag("</span>");
    } else if !line.failed {
        html.icon(Glyph::DONE, IconStyle { label: Some("Done"), state: Some("done"), ..IconStyle::SMALL });
    }
    html.tag("</summary><div class=\"explore\">");
    let mut whole = html.into_string();
    whole.push_str(rows);
    whole.push_str("</div></details></article>");
    whole
}
