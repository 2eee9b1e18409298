//! `CODE_EDIT`: a card per file with its difference. A change that didn't happen never looks as if it had.

pub mod blocks;
pub mod diff_view;
mod pictures;
mod ranges;
mod reason;

use super::{
    Card,
    parts::{CopyText, Mark, ShowAll, State, TextButton},
};
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::markdown::code_lines;
use diff::DiffInput;
use leptos::prelude::*;
use model::{
    envelope::{EditInfo, EditScope, EditState, edit_info},
    message_type::code_edit::{self, Edit},
    view::{FileChange, FileDiff},
};

pub use diff_view::{Extent, Look, diff_html};
pub use pictures::pictures_html;
pub use reason::to_fold;

/// Unchanged lines around a change.
const CONTEXT: u32 = 3;
/// Edits of one message drawn at most.
const MAX_EDITS: usize = 50;

#[component]
pub fn CodeEdit(card: Card, edit: code_edit::CodeEdit) -> impl IntoView {
    let metadata = card.draft().metadata.as_ref();
    let left = edit.edits.len().saturating_sub(MAX_EDITS);
    let cards: Vec<_> = edit
        .edits
        .iter()
        .take(MAX_EDITS)
        .enumerate()
        .map(|(index, one)| edit_card(&card, one, &edit_info(metadata, index)))
        .collect();
    view! {
        {cards}
        {(left > 0).then(|| view! { <p class="line">{format!("{left} more files are in the raw record")}</p> })}
    }
}

/// The difference of one edit: what the panel and the fragment of a single edit show.
pub fn difference(edit: &Edit, info: &EditInfo, context: u32) -> FileDiff {
    let whole = info.scope == Some(EditScope::File) || edit.old_content.is_none() || edit.new_content.is_none();
    let first = info.start_line.or(whole.then_some(1));
    diff::file_diff(&DiffInput {
        old: edit.old_content.as_deref(),
        new: edit.new_content.as_deref(),
        language: edit.language.as_deref(),
        path: &edit.file_path,
        first_line: first.map(|line| (line, line)),
        is_whole: whole,
        context,
        spaces: diff::Spaces::Matter,
    })
}

/// One edit as a card.
pub fn edit_card(card: &Card, edit: &Edit, info: &EditInfo) -> AnyView {
    let known = edit.old_content.is_some() || edit.new_content.is_some();
    let change = match (&edit.old_content, &edit.new_content) {
        (None, Some(_)) => FileChange::Added,
        (Some(_), None) => FileChange::Deleted,
        _ => FileChange::Modified,
    };
    let texts: Vec<&str> = edit.old_content.iter().chain(&edit.new_content).map(String::as_str).collect();
    let changed = || {
        let (added, removed) = diff::line_counts(edit.old_content.as_deref(), edit.new_content.as_deref());
        added.saturating_add(removed)
    };
    let pictures = pictures_html(&edit.file_path, edit.old_content.as_deref(), edit.new_content.as_deref());
    let is_drawn = card.whole() || pictures.is_some();
    let same = same(edit, info);
    let folded = if is_drawn || same.is_some() { None } else { to_fold(&edit.file_path, &texts, changed) };
    let (body, delta) = match (&folded, &info.patch) {
        _ if pictures.is_some() => (pictures.map(|html| (html, 0)), None),
        _ if same.is_some() => (None, None),
        _ if !known => (info.patch.as_deref().map(patch_html), None),
        (Some(_), _) => (None, Some(diff::line_counts(edit.old_content.as_deref(), edit.new_content.as_deref()))),
        (None, _) => {
            let diff = difference(edit, info, CONTEXT);
            let extent = if card.whole() { Extent::Whole } else { Extent::Beginning };
            let counts = (diff.added, diff.removed);
            (Some(diff_html(&diff, Look::of(extent))), Some(counts))
        }
    };
    let show_all = folded.as_ref().map(|why| format!("{why}. Show it")).or_else(|| {
        let (_, hidden) = body.as_ref()?;
        (*hidden > 0).then(|| format!("Show {hidden} more lines"))
    });
    let mark = info.state.map(mark);
    let state = mark.as_ref().map(|mark| mark.state);
    let path = card.short_path(&edit.file_path);
    let (folder, name) = path.rfind(['/', '\\']).map_or(("", path), |at| path.split_at(at + 1));
    let (folder, name) = (folder.to_owned(), name.to_owned());
    let message = &card.entry.message;
    let review = format!(
        "{}/changes?after={}&to={}",
        crate::shell::session_href(message.session_id.as_str()),
        message.seq - 1,
        message.seq
    );
    let said = not_applied(info.state, info.note.as_deref().or(same))
        .or_else(|| same.map(|words| line("line note-line", None, words.to_owned())));
    let open = folded.is_none() && info.state != Some(EditState::Rejected);
    view! {
        <details class="card edit" data-state=state open=open>
            <summary>
                {kind(change)}
                <span class="path" title=edit.file_path.clone()>
                    <span>{folder}</span>
                    <b>{name}</b>
                </span>
                {info
                    .moved_from
                    .as_ref()
                    .map(|from| view! { <span class="cap cut hide-narrow">{format!("from {}", card.short_path(from))}</span> })}
                {folded.clone().map(|why| view! { <span class="cap hide-narrow">{why}</span> })}
                {delta
                    .map(|(added, removed)| {
                        view! {
                            <span class="delta">
                                <ins>{format!("+{added}")}</ins>
                                <del>{format!("\u{2212}{removed}")}</del>
                            </span>
                        }
                    })}
                {mark.map(|mark| view! { <State mark /> })}
            </summary>
            {said}
            {body.map(|(html, _)| html.into_view())}
            {show_all.map(|label| view! { <ShowAll label /> })}
            <footer>
                <a class="btn quiet tiny" href=review>
                    "Review"
                </a>
                <CopyText text=edit.file_path.clone() label="Copy path" />
                <button type="button" class="btn quiet tiny" data-action="editor" data-path=edit.file_path.clone()>
                    "Open in the editor"
                </button>
                <TextButton action="copy" label="Copy".to_owned() />
            </footer>
        </details>
    }
    .into_any()
}

fn mark(state: EditState) -> Mark {
    match state {
        EditState::Applied => Mark::new("applied", Glyph::CHECK, "Applied"),
        EditState::PartlyApplied => Mark::new("stalled", Glyph::HALF, "Partly applied"),
        EditState::Proposed => Mark::new("idle", Glyph::IDLE, "Proposed"),
        EditState::Rejected => Mark::new("denied", Glyph::CUT, "Rejected"),
        EditState::Failed => Mark::new("failed", Glyph::FAIL, "Failed"),
        EditState::Reverted => Mark::new("idle", Glyph::UNDO, "Reverted"),
    }
}

/// What to say of an edit that changes no text: its difference would be empty.
fn same(edit: &Edit, info: &EditInfo) -> Option<&'static str> {
    let is_same = edit.old_content.is_some() && edit.old_content == edit.new_content;
    is_same.then_some(match info.moved_from {
        Some(_) => "Only the path changed",
        None => "The old and the new text are the same",
    })
}

/// What follows from a change that isn't in the file, and why it isn't where that is known.
fn not_applied(state: Option<EditState>, why: Option<&str>) -> Option<AnyView> {
    let words = match (state?, why) {
        (EditState::Failed | EditState::Rejected, Some(why)) => format!("Not applied: {why}"),
        (EditState::Failed, None) => "Not applied: the file was left as it was".to_owned(),
        (EditState::Rejected, None) => "Not applied: the change was refused".to_owned(),
        (EditState::Reverted, _) => "Taken back: the file no longer has this change".to_owned(),
        (EditState::PartlyApplied, _) => "Only a part of this change is in the file".to_owned(),
        (EditState::Proposed | EditState::Applied, _) => return None,
    };
    let class = if state == Some(EditState::Failed) { "line note-line fg-err" } else { "line note-line" };
    Some(line(class, Some(Glyph::FAIL), words))
}

fn line(class: &'static str, glyph: Option<Glyph>, words: String) -> AnyView {
    view! {
        <p class=class>
            {glyph.map(|glyph| view! { <Icon glyph size=Size::Small /> })}
            <span>{words}</span>
        </p>
    }
    .into_any()
}

fn kind(change: FileChange) -> impl IntoView {
    let (letter, word) = match change {
        FileChange::Added => ("A", "Added"),
        FileChange::Modified => ("M", "Modified"),
        FileChange::Deleted => ("D", "Deleted"),
    };
    view! {
        <span class="kind" data-k=letter role="img" title=word aria-label=word>
            {letter}
        </span>
    }
}

/// A unified diff as it came, of an edit whose texts aren't known.
fn patch_html(patch: &str) -> (Html, u32) {
    let mut html = Html::new();
    html.tag("<pre class=\"term\" tabindex=\"0\">");
    code_lines(&mut html, "diff", patch);
    html.tag("</pre>");
    (html, 0)
}
