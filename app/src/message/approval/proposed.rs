//! The changes that a call would make, as differences. Those that the agent's request shows are drawn whole. Others are
//! made from the input that the decision covers, which the card shows below as it is: an agent can't propose one thing
//! and show another.

use super::covered::block;
use crate::exact::{self, Kind};
use crate::figures::counted;
use crate::html::Html;
use crate::message::code_edit::{CUT, DiffStyle, Extent, diff_html};
use crate::patch::CONTEXT;
use crate::visible;
use api::messages::AskedCall;
use diff::Texts;
use model::asked::AskedChange;
use model::envelope::EditInfo;
use model::message_type::code_edit::Edit;
use model::view::{DiffRun, FileChange, FileDiff};

/// Files of an input that are drawn.
const MAX_FILES: usize = 10;
/// Lines of a difference that are in view without scrolling, on a phone too.
const IN_VIEW_LINES: usize = 12;
/// Characters of the last line that stand below a long one.
const END_CHARS: usize = 80;

/// Writes the changes of a call.
pub fn write(html: &mut Html, call: &AskedCall) {
    let parts = call.changes.iter().map(|change| change.edits.len()).sum();
    for (edit, info) in call.changes.iter().flat_map(AskedChange::parts) {
        whole(html, edit, &info, parts);
    }
    if call.changes.is_empty() {
        of_input(html, call);
    }
}

/// The difference for each file that an input changes. Nothing for an input that isn't understood.
fn of_input(html: &mut Html, call: &AskedCall) {
    let proposed = agents::proposed_edits(&call.tool_name, &call.input);
    for change in proposed.iter().take(MAX_FILES).filter_map(AskedChange::of) {
        for (edit, info) in change.parts() {
            let texts = diff::texts(edit, &info).among(change.edits.len());
            if let Some(diff) = texts.file_diff(edit, CONTEXT) {
                head(html, edit, &texts, Some(&diff));
                let (drawn, hidden) = diff_html(&diff, DiffStyle::of(Extent::Whole));
                region(html, &edit.file_path, lines(&diff).saturating_sub(hidden as usize));
                html.html(&drawn).tag("</div>");
                if hidden > 0 {
                    let words = format!("{} in the input below", counted(i64::from(hidden), "more line"));
                    html.tag("<p class=\"cap\">").text(&words).tag("</p>");
                }
                html.tag("</figure>");
            }
        }
    }
}

/// A part of a file, every line of it that changes.
fn whole(html: &mut Html, edit: &Edit, info: &EditInfo, parts: usize) {
    let texts = diff::texts(edit, info).among(parts);
    let diff = texts.file_diff(edit, CONTEXT);
    head(html, edit, &texts, diff.as_ref());
    if let Some(note) = texts.line_ends_note() {
        html.tag("<p class=\"cap\">").text(&note).tag("</p>");
    }
    match (&diff, texts.patch) {
        (_, Some(patch)) => {
            let lines = patch.lines().count();
            region(html, &edit.file_path, lines);
            html.tag("<pre class=\"cmd\" dir=\"ltr\">")
                .html(&exact::html(patch, Kind::Code).in_pre())
                .tag("</pre></div>");
            end(html, lines, patch.lines().next_back());
        }
        (Some(diff), None) => {
            let (lines, last) = (lines(diff), last(diff));
            if diff.is_cut {
                html.tag("<p class=\"cap\">").text(CUT).tag("</p>");
            }
            region(html, &edit.file_path, lines);
            html.html(&diff_html(diff, DiffStyle::of(Extent::All)).0).tag("</div>");
            end(html, lines, last);
        }
        (None, None) => {
            html.tag("<p class=\"cap\">The text of the file stays the same</p>");
        }
    }
    html.tag("</figure>");
    // Texts that the diff doesn't draw unchanged.
    let texts = [("Old text, as it is written", &edit.old_content), ("New text, as it is written", &edit.new_content)];
    for (label, text) in texts {
        if let Some(text) = text.as_deref().filter(|text| !exact::is_plain(text, Kind::Code)) {
            block(html, label, text, Kind::Code);
        }
    }
}

/// Begins a difference: what happens to which file.
fn head(html: &mut Html, edit: &Edit, texts: &Texts<'_>, diff: Option<&FileDiff>) {
    html.tag("<figure class=\"proposed\"><figcaption><span class=\"path\" dir=\"ltr\">");
    html.html(&visible::path(&edit.file_path)).tag("</span>");
    match texts.change {
        FileChange::Added => html.tag("<span class=\"cap\">New file</span>"),
        FileChange::Deleted => html.tag("<span class=\"cap\">Deleted</span>"),
        FileChange::Modified => html,
    };
    if let Some(from) = &texts.moved_from {
        html.tag("<span class=\"cap\">moved from <span class=\"path\" dir=\"ltr\">");
        html.html(&visible::path(from)).tag("</span></span>");
    }
    if let Some(diff) = diff {
        html.tag("<span class=\"delta\"><ins>+")
            .number(diff.added)
            .tag("<span class=\"sr\"> lines added</span></ins> <del>\u{2212}")
            .number(diff.removed)
            .tag("<span class=\"sr\"> lines removed</span></del></span>");
    }
    html.tag("</figcaption>");
}

/// Begins the area of a difference, which scrolls where it is long.
fn region(html: &mut Html, path: &str, lines: usize) {
    if lines <= IN_VIEW_LINES {
        html.tag("<div>");
        return;
    }
    let length = counted(lines as i64, "line");
    html.tag("<p class=\"cap length\">").text(&length).tag(": scroll to the end</p>");
    html.tag("<div class=\"long\" tabindex=\"0\" role=\"region\"");
    html.attr("aria-label", &format!("Change of {}, {length}", visible::plain(path))).tag(">");
}

/// Ends a long one by its last line, which stands below its area too.
fn end(html: &mut Html, lines: usize, last: Option<&str>) {
    let Some(last) = last.filter(|_| lines > IN_VIEW_LINES) else { return };
    let cut = last.char_indices().rev().nth(END_CHARS - 1).map_or(0, |(at, _)| at);
    html.tag("<p class=\"cap ends\">Ends with <code dir=\"ltr\">").text(if cut > 0 { "\u{2026}" } else { "" });
    exact::push(html, &last[cut..], Kind::Code);
    html.tag("</code></p>");
}

fn lines(diff: &FileDiff) -> usize {
    let lines = |run: &DiffRun| match run {
        DiffRun::Gap { .. } => 1,
        DiffRun::Context(lines) => lines.len(),
        DiffRun::Change { old, new, .. } => old.len() + new.len(),
    };
    diff.runs.iter().map(lines).sum()
}

/// The last line that changes.
fn last(diff: &FileDiff) -> Option<&str> {
    diff.runs.iter().rev().find_map(|run| match run {
        DiffRun::Change { old, new, .. } => new.last().or(old.last()).map(|line| line.text.as_str()),
        _ => None,
    })
}
