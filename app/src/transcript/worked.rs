//! Turns, folded: between a prompt and its answer one line says what was done.

use super::TranscriptOptions;
use super::explored::{self, call};
use super::folded::{self, Line};
use super::hidden;
use super::rows::{LONGEST, Row, part_of};
use crate::ansi;
use crate::figures::{count, counted};
use crate::html::Html;
use crate::icon::{Glyph, IconStyle};
use crate::message::tool_call::kind_glyph;
use crate::message_renderer::{self, Kind};
use crate::shared::attr;
use crate::shared::session_href;
use api::messages::{Entry, HiddenRow};
use model::{
    Body, MessageType, Micros, Role,
    message_type::approval::ApprovalState,
    message_type::tool_call::{ToolCall, ToolKind, ToolState},
    text::one_line,
};
use std::collections::{BTreeMap, BTreeSet};

/// Folds what stands between the rows that a summary keeps. One row alone stays itself.
pub(super) fn fold(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let mut parts: BTreeMap<i64, Vec<Row<'_>>> = BTreeMap::new();
    for row in rows {
        parts.entry(part_of(row.span().0)).or_default().push(row);
    }
    parts.into_values().flat_map(fold_part).collect()
}

fn fold_part(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let keeps: Vec<bool> = (0..rows.len()).map(|at| is_kept(&rows, at)).collect();
    let mut folded: Vec<Row<'_>> = Vec::new();
    let mut work = Vec::new();
    for (row, keep) in rows.into_iter().zip(keeps) {
        if keep {
            close(&mut folded, &mut work);
            folded.push(row);
        } else {
            work.push(row);
        }
    }
    close(&mut folded, &mut work);
    folded
}

fn close<'p>(folded: &mut Vec<Row<'p>>, work: &mut Vec<Row<'p>>) {
    match work.len() {
        0 => {}
        1 => folded.append(work),
        _ => folded.push(Row::Worked(std::mem::take(work))),
    }
}

/// Prompts and what else people did, answers, what waits or failed: all but the work.
fn is_kept(rows: &[Row<'_>], at: usize) -> bool {
    let entry = match rows.get(at) {
        Some(Row::Message(entry)) => entry,
        Some(Row::Attempts(..) | Row::GaveUp(..)) => return true,
        Some(Row::Hidden(run)) => return run.iter().any(|row| hidden::is_rewound(row)),
        _ => return false,
    };
    let draft = &entry.message.draft;
    match (draft.role, MessageType::parse(&entry.message_type)) {
        (Role::User, _) => true,
        (Role::Assistant, Some(MessageType::Text)) => is_answer(&rows[at + 1..]),
        (_, Some(MessageType::Approval)) => open(entry),
        (_, Some(MessageType::ToolCall)) => call(entry).is_some_and(|call| call.state() == ToolState::Running),
        (Role::Host, _) => true,
        _ => message_renderer::kind(&entry.message_type) == Kind::Result,
    }
}

/// Returns true if no more work of this turn follows the text.
fn is_answer(after: &[Row<'_>]) -> bool {
    let next = after.iter().find_map(|row| match row {
        Row::Hidden(_) | Row::Attempts(..) | Row::GaveUp(_) => None,
        Row::Message(entry) if entry.message.draft.role == Role::Host => None,
        row => Some(row),
    });
    match next {
        None => true,
        Some(Row::Message(entry)) => entry.message.draft.role == Role::User,
        Some(_) => false,
    }
}

fn open(entry: &Entry) -> bool {
    matches!(entry.body(), Body::Approval(approval) if approval.state == ApprovalState::Open)
}

/// The line, and behind it the steps, each leading to its place among all.
pub(super) fn group(run: &[Row<'_>], span: (i64, i64), options: &TranscriptOptions) -> String {
    let entries: Vec<&Entry> = run.iter().flat_map(Row::entries).collect();
    let times = entries.iter().map(|entry| entry.message.draft.created_at).filter(|at| at.0 > 0);
    let (first, last) = (times.clone().min(), times.max());
    let took_ms = last.zip(first).map_or(0, |(last, first)| last.since(first) / (Micros::SECOND / 1000));
    let hidden: Vec<&HiddenRow> = run.iter().flat_map(Row::hidden).collect();
    let words = words(&entries, &hidden);
    // A turn that is longer than a part of the transcript is told part by part.
    let title = if span.0 > 1 && (span.0 - 1) % LONGEST == 0 { "Went on" } else { "Worked" };
    let steps = steps(&entries, options);
    folded::group(&Line { took_ms, ..Line::new(Glyph::LAYERS, title, &words, span) }, steps.as_str(), options)
}

/// One short line for each message: whole cards would make a page of summaries the heaviest of all.
fn steps(entries: &[&Entry], options: &TranscriptOptions) -> Html {
    let mut html = Html::new();
    html.tag("<ul class=\"steps\" role=\"list\">");
    for entry in entries {
        let by_type = || message_renderer::glyph(&entry.message_type, entry.message.draft.role);
        let glyph = call(entry).map_or_else(by_type, |call| kind_glyph(call.kind()));
        let said = if entry.summary.is_empty() { &entry.message.draft.content } else { &entry.summary };
        let seq = entry.message.seq;
        let to = format!("{}?view=normal&at={seq}#m{seq}", session_href(options.session_id.as_str()));
        html.tag("<li").attr(attr::SEQ, &seq.to_string()).tag(" tabindex=\"-1\">");
        html.icon(glyph, IconStyle::SMALL);
        html.tag("<a class=\"cut\"").attr("href", &to);
        html.tag(">").text(&one_line(&ansi::plain(said), 160)).tag("</a></li>");
    }
    html.tag("</ul>");
    html
}

/// `2 files changed +40 −3, 5 commands, 1 failed, 7 files, 3 searches, 2 notes, 4 thoughts`.
fn words(entries: &[&Entry], hidden: &[&HiddenRow]) -> String {
    let calls: Vec<&ToolCall> = entries.iter().filter_map(|entry| call(entry)).collect();
    let mut files = BTreeSet::new();
    for entry in entries {
        if let Body::CodeEdit(edit) = entry.body() {
            files.extend(edit.edits.iter().map(|edit| edit.file_path.as_str()));
        }
    }
    let of_kind = |kind: ToolKind| calls.iter().filter(|call| call.kind() == kind).count() as i64;
    let failed = calls.iter().filter(|call| call.state() == ToolState::Failed).count() as i64;
    let agents = calls.iter().filter(|call| call.input.contains_key("subagent_type")).count() as i64;
    let said = entries
        .iter()
        .filter(|e| e.message_type == MessageType::Text && e.message.draft.role == Role::Assistant)
        .count();
    let looked = explored::words(&calls);
    let mut parts = Vec::new();
    let mut add = |n: i64, words: String| {
        if n > 0 {
            parts.push(words);
        }
    };
    add(files.len() as i64, format!("{} changed", counted(files.len() as i64, "file")));
    let commands = of_kind(ToolKind::Execute);
    add(commands, counted(commands, "command"));
    add(failed, format!("{} failed", count(failed)));
    add(agents, counted(agents, "agent"));
    add(looked.len() as i64, if looked.is_empty() { looked } else { format!("explored {looked}") });
    add(said as i64, counted(said as i64, "note"));
    let thoughts = hidden.iter().filter(|row| row.role == Role::Model).count() as i64;
    add(thoughts, counted(thoughts, "thought"));
    if parts.is_empty() {
        let all = entries.len() + hidden.len();
        parts.push(counted(all as i64, "step"));
    }
    parts.join(", ")
}
