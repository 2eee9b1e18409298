//! Consecutive calls that only looked around, as one line that unfolds to them.

use super::TranscriptOptions;
use super::folded::{self, Line};
use crate::figures::counted;
use crate::icon::Glyph;
use crate::message::tool_call::ToolName;
use crate::message_renderer::render_article;
use crate::visible;
use api::messages::Entry;
use model::{
    Body, Part,
    message_type::tool_call::{ToolCall, ToolKind, ToolState},
};
use std::collections::BTreeSet;

/// Returns true if it is a finished read, search or fetch.
pub(super) fn only_looked(entry: &Entry) -> bool {
    entry.message.draft.part == Part::Whole && call(entry).is_some_and(looks)
}

pub(super) fn call(entry: &Entry) -> Option<&ToolCall> {
    match entry.body() {
        Body::ToolCall(call) => Some(call),
        _ => None,
    }
}

fn looks(call: &ToolCall) -> bool {
    call.state() == ToolState::Done && matches!(call.kind(), ToolKind::Read | ToolKind::Search | ToolKind::Fetch)
}

/// The line, with the single calls inside.
pub(super) fn group(run: &[&Entry], span: (i64, i64), options: &TranscriptOptions) -> String {
    let calls: Vec<&ToolCall> = run.iter().filter_map(|entry| call(entry)).collect();
    let words = words(&calls);
    let took_ms = calls.iter().filter_map(|call| call.duration_ms()).filter(|ms| *ms > 0).fold(0, i64::saturating_add);
    let rows: String = run.iter().map(|entry| render_article(entry, options)).collect();
    let line = Line { took_ms, tools: Some(tools(&calls)), ..Line::new(Glyph::SEARCH, "Explored", &words, span) };
    folded::group(&line, &rows, options)
}

/// `Read, Grep`: what the agent calls the tools, each once.
fn tools(calls: &[&ToolCall]) -> String {
    let mut names: Vec<String> = Vec::new();
    for call in calls {
        let name = ToolName::of(&call.tool_name).to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// `7 files, 3 searches, 1 page`; one file by its name.
pub(super) fn words(calls: &[&ToolCall]) -> String {
    let of_kind = |kind: ToolKind| calls.iter().filter(move |call| call.kind() == kind);
    let files: BTreeSet<String> =
        of_kind(ToolKind::Read).enumerate().map(|(n, call)| call.target().unwrap_or_else(|| n.to_string())).collect();
    let mut parts = Vec::new();
    let mut reads = of_kind(ToolKind::Read);
    match (files.len(), reads.find_map(|call| call.target())) {
        (0, _) => {}
        (1, Some(file)) => parts.push(visible::plain(file.rsplit(['/', '\\']).next().unwrap_or(&file))),
        (many, _) => parts.push(counted(many as i64, "file")),
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
