//! Consecutive calls that only looked around, as one line that unfolds to them.

use super::TranscriptOptions;
use crate::figures::counted;
use crate::html::Html;
use crate::icon::Glyph;
use crate::message_renderer::render_article;
use crate::time_text::duration;
use api::messages::Entry;
use model::{
    Body, Part,
    message_type::tool_call::{ToolCall, ToolKind, ToolState},
};
use std::collections::BTreeSet;

/// Is it a finished read, search or fetch?
pub(super) fn only_looked(entry: &Entry) -> bool {
    entry.message.draft.part == Part::Whole && call(entry).is_some_and(|call| looks(&call))
}

fn call(entry: &Entry) -> Option<ToolCall> {
    if entry.message_type != "TOOL_CALL" {
        return None;
    }
    match Body::of(&entry.message.draft) {
        Body::ToolCall(call) => Some(call),
        _ => None,
    }
}

fn looks(call: &ToolCall) -> bool {
    call.state() == ToolState::Done && matches!(call.kind(), ToolKind::Read | ToolKind::Search | ToolKind::Fetch)
}

/// The line, with the single calls inside: each keeps its own anchor.
pub(super) fn group(run: &[&Entry], options: &TranscriptOptions) -> String {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return String::new() };
    let calls: Vec<ToolCall> = run.iter().filter_map(|entry| call(entry)).collect();
    let words = words(&calls);
    let took: i64 = calls.iter().filter_map(ToolCall::duration_ms).filter(|ms| *ms > 0).fold(0, i64::saturating_add);
    let first_seq = first.message.seq.to_string();
    let mut html = Html::new();
    html.tag("<article class=\"m tight group\"").attr("data-seq", &first_seq);
    html.attr("data-last", &last.message.seq.to_string()).attr("aria-posinset", &first_seq);
    html.attr("aria-setsize", &options.last_seq.max(last.message.seq).to_string());
    html.attr("aria-label", &format!("Explored {words}"));
    html.tag(" tabindex=\"-1\"><details class=\"card tool explored\" data-state=\"done\"><summary>");
    html.tag("<i")
        .attr("class", &format!("i {}", Glyph::Search.class()))
        .tag("></i><b>Explored</b><span class=\"target\">")
        .text(&words)
        .tag("</span>");
    if took > 0 {
        html.tag("<span class=\"cap\">").text(&duration(took.saturating_mul(1000))).tag("</span>");
    }
    html.tag("<i").attr("class", &format!("i sm {}", Glyph::Done.class()));
    html.tag(" data-state=\"done\" role=\"img\" aria-label=\"Done\"></i></summary><div class=\"explore\">");
    let mut whole = html.into_string();
    for entry in run {
        whole.push_str(&render_article(entry, options));
    }
    whole.push_str("</div></details></article>");
    whole
}

/// `7 files, 3 searches, 1 page`.
fn words(calls: &[ToolCall]) -> String {
    let of_kind = |kind: ToolKind| calls.iter().filter(move |call| call.kind() == kind);
    let files: BTreeSet<String> =
        of_kind(ToolKind::Read).enumerate().map(|(n, call)| call.target().unwrap_or_else(|| n.to_string())).collect();
    let mut parts = Vec::new();
    if !files.is_empty() {
        parts.push(counted(files.len() as i64, "file"));
    }
    match of_kind(ToolKind::Search).count() {
        0 => {}
        1 => parts.push("1 search".to_owned()),
        n => parts.push(format!("{n} searches")),
    }
    match of_kind(ToolKind::Fetch).count() {
        0 => {}
        n => parts.push(counted(n as i64, "page")),
    }
    parts.join(", ")
}
