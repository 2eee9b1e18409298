//! `CODE_EDIT`: a card per file with its difference. A change that didn't happen never looks as if it had.

pub mod blocks;
pub mod diff_view;
mod pictures;
mod ranges;
mod reason;
mod sought;

use super::{
    Card,
    parts::{CopyFrom, CopyText, Mark, ShowAll, State},
};
use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::markdown::code_lines;
use crate::message::view_options::Detail;
use crate::patch::{CONTEXT, Changed, Part, unified};
use crate::shared::page_action::PageAction;
use crate::visible;
use diff::{Fragment, Texts};
use leptos::prelude::*;
use model::{
    Draft,
    envelope::{EditInfo, EditState, edit_info},
    message_type::code_edit::{self, Edit},
    view::{FileChange, FileDiff},
};
use std::cell::LazyCell;

pub use diff_view::{DiffStyle, Extent, diff_html};
pub use pictures::pictures_html;
pub use reason::to_fold;

/// Text for a binary file.
pub const NOT_TEXT: &str = "A binary file: its content was not recorded as text";
/// Text for a file whose lines couldn't be compared.
pub const CUT: &str = "Too large to compare line by line: all lines of the largest changes are shown as changed";
/// Edits of one message drawn at most, and on paper.
const MAX_EDITS: usize = 50;
const MAX_PRINTED: usize = 1_000;

#[component]
pub fn CodeEdit(card: Card, edit: code_edit::CodeEdit) -> impl IntoView {
    let metadata = card.draft().metadata.as_ref();
    let most = if card.printed() { MAX_PRINTED } else { MAX_EDITS };
    let edits = edit.edits.len();
    let cards: Vec<_> = edit
        .edits
        .iter()
        .take(most)
        .enumerate()
        .take_while(|_| !card.options.stop.is_over())
        .map(|(index, one)| edit_card(&card, one, &edit_info(metadata, index), (index, edits)))
        .collect();
    let left = edits - cards.len();
    view! {
        {cards}
        {(left > 0)
            .then(|| {
                let words = format!("{}, on the page of changes", counted(left as i64, "more file"));
                view! { <a class="hidden-lines" href=review(&card)>{words}</a> }
            })}
    }
}

/// The beginning of a reason: its figures stand beside it, and all of it where it can be shown.
fn short(why: &str) -> String {
    why.split(": ").next().unwrap_or(why).to_owned()
}

/// One of so many edits as a card, with its place among them.
pub fn edit_card(card: &Card, edit: &Edit, info: &EditInfo, (index, edits): (usize, usize)) -> AnyView {
    let texts = diff::texts(edit, info).among(edits);
    let counts = LazyCell::new(|| texts.counts());
    let sides: Vec<&str> =
        texts.fragments.iter().flat_map(|it| it.old.iter().chain(&it.new)).map(|text| &**text).collect();
    let changed = || counts.added.saturating_add(counts.removed);
    let pictures = pictures_html(&edit.file_path, edit.old_content.as_deref(), edit.new_content.as_deref());
    let is_drawn = card.whole() || pictures.is_some();
    let same = same(&texts);
    let is_binary = texts.patch.is_some_and(diff::is_binary_patch);
    let folded = match () {
        () if is_binary => Some("Binary file".to_owned()),
        () if is_drawn || same.is_some() => None,
        () => to_fold(&edit.file_path, &sides, changed),
    };
    let (body, delta, is_cut) = match (&folded, texts.patch) {
        _ if is_binary => (None, None, false),
        _ if pictures.is_some() => (pictures.map(|html| (html, 0)), None, false),
        _ if same.is_some() => (None, None, false),
        (_, Some(patch)) => (Some(patch_html(card, patch)), None, false),
        (Some(_), None) => (None, Some((counts.added, counts.removed)), counts.is_cut),
        (None, None) => match file_diff(card, &texts, edit) {
            Some((diff, extent)) => {
                (Some(diff_html(&diff, DiffStyle::of(extent))), Some((diff.added, diff.removed)), diff.is_cut)
            }
            None => (None, None, false),
        },
    };
    let cut = is_cut.then(|| line("line note-line", None, CUT.to_owned()));
    let first_line = texts.first_changed_line().map(|line| line.to_string());
    let hidden = body.as_ref().map_or(0, |(_, hidden)| *hidden);
    let show_all = match &folded {
        Some(_) if is_binary => None,
        Some(why) => Some(format!("{why}. Show it")),
        None => (hidden > 0 && !card.whole()).then(|| format!("Show {}", counted(i64::from(hidden), "more line"))),
    };
    let elsewhere = (hidden > 0 && card.whole())
        .then(|| format!("{}, on the page of changes", counted(i64::from(hidden), "more line")));
    let mark = info.state.map(|state| mark(state, info));
    let state = mark.as_ref().map(|mark| mark.state);
    let path = card.short_path(&edit.file_path);
    let review = review(card);
    let words = same.or(is_binary.then_some(NOT_TEXT));
    let said = not_applied(info.state, info.note.as_deref().or(same))
        .or_else(|| words.map(|words| line("line note-line", None, words.to_owned())));
    let moved_from = texts.moved_from.as_deref().map(|from| format!("from {}", card.short_path(from)));
    let open = folded.is_none() && info.state != Some(EditState::Rejected);
    view! {
        <details class="card edit" data-state=state open=open>
            <summary>
                {kind(texts.change, texts.moved_from.is_some())}
                <span class="path" title=edit.file_path.clone()>
                    {visible::path(path).into_view()}
                </span>
                {moved_from
                    .map(|from| view! { <span class="cap cut below">{visible::html(&from).into_view()}</span> })}
                {folded.as_deref().map(|why| view! { <span class="cap hide-narrow">{short(why)}</span> })}
                {delta
                    .map(|(added, removed)| {
                        view! {
                            <span class="delta">
                                {(added > 0).then(|| view! { <ins>{format!("+{added}")}</ins> })}
                                {(removed > 0).then(|| view! { <del>{format!("\u{2212}{removed}")}</del> })}
                            </span>
                        }
                    })}
                {mark.map(|mark| view! { <State mark /> })}
            </summary>
            {said}
            {cut}
            {texts.line_ends_note().map(|note| line("line note-line", None, note))}
            {body.map(|(html, _)| html.into_view())}
            {show_all.map(|label| view! { <ShowAll label /> })}
            {elsewhere.map(|words| view! { <a class="hidden-lines" href=review.clone()>{words}</a> })}
            <footer>
                <a class="btn quiet tiny" href=review>
                    "Review"
                </a>
                <CopyText text=edit.file_path.clone() label="Copy path" />
                <button type="button" class="btn quiet tiny" data-action=PageAction::OpenInEditor.name() data-path=edit.file_path.clone() data-line=first_line>
                    "Open in the editor"
                </button>
                <CopyFrom from=format!("{}?edit={index}", card.full_text()) label="Copy diff" />
            </footer>
        </details>
    }
    .into_any()
}

/// The edits of a message, or one of them, as a unified diff.
pub fn patch(draft: &Draft, edits: &[Edit], only: Option<usize>) -> String {
    let folder = draft.origin.cwd.as_deref().unwrap_or_default();
    let is_wanted = |index: usize| only.is_none_or(|only| only == index);
    let wanted = edits.iter().enumerate().filter(|(index, _)| is_wanted(*index));
    let diff = |(index, edit): (usize, &Edit)| {
        let info = edit_info(draft.metadata.as_ref(), index);
        let texts = diff::texts(edit, &info).among(edits.len());
        let parts = texts.fragments.iter().map(Part::from).collect();
        let patches = texts.patch.into_iter().collect();
        unified(&Changed { path: &edit.file_path, moved_from: texts.moved_from.as_deref(), parts, patches }, folder)
    };
    wanted.map(diff).collect()
}

/// Where what this message changed is reviewed.
fn review(card: &Card) -> String {
    let message = &card.entry.message;
    let session = crate::shared::session_href(message.session_id.as_str());
    format!("{session}/changes?after={}&to={}", message.seq - 1, message.seq)
}

fn mark(state: EditState, info: &EditInfo) -> Mark {
    match state {
        EditState::Applied => Mark::new("applied", Glyph::CHECK, "Applied"),
        EditState::PartlyApplied => Mark::new("stalled", Glyph::HALF, "Partly applied"),
        EditState::Proposed => Mark::new("idle", Glyph::IDLE, "Proposed"),
        EditState::Rejected if info.is_denied() => Mark::new("denied", Glyph::CUT, "Denied"),
        EditState::Rejected => Mark::new("idle", Glyph::CUT, "Cancelled"),
        EditState::Failed => Mark::new("failed", Glyph::FAIL, "Failed"),
        EditState::Reverted => Mark::new("idle", Glyph::UNDO, "Reverted"),
    }
}

/// Returns the text for an edit whose diff would be empty.
fn same(texts: &Texts<'_>) -> Option<&'static str> {
    let is_same = |it: &Fragment<'_>| it.old.is_some() && it.old == it.new;
    if texts.line_ends_note().is_some() && texts.line_counts() == (0, 0) {
        return Some("Only the line endings changed");
    }
    match (&texts.moved_from, texts.patch) {
        (Some(_), None) if texts.fragments.iter().all(is_same) => Some("Only the path changed"),
        (None, None) if texts.fragments.is_empty() && texts.change == FileChange::Deleted => {
            Some("The file's content wasn't recorded")
        }
        (None, None) if texts.fragments.is_empty() => Some("The change wasn't recorded"),
        (None, None) if texts.fragments.iter().all(is_same) => Some("The old and the new text are the same"),
        _ => None,
    }
}

/// Returns the notice of a change that isn't in the file, with the reason if known.
fn not_applied(state: Option<EditState>, why: Option<&str>) -> Option<AnyView> {
    let (glyph, words) = match (state?, why) {
        (EditState::Failed | EditState::Rejected, Some(why)) => (Glyph::FAIL, format!("Not applied: {why}")),
        (EditState::Failed, None) => (Glyph::FAIL, "Not applied: the file is unchanged".to_owned()),
        (EditState::Rejected, None) => (Glyph::FAIL, "Not applied: the change was denied".to_owned()),
        (EditState::Reverted, _) => (Glyph::UNDO, "Reverted: the file no longer has this change".to_owned()),
        (EditState::PartlyApplied, _) => (Glyph::HALF, "Only a part of this change is in the file".to_owned()),
        (EditState::Proposed | EditState::Applied, _) => return None,
    };
    let class = if state == Some(EditState::Failed) { "line note-line fg-err" } else { "line note-line" };
    Some(line(class, Some(glyph), words))
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

fn kind(change: FileChange, is_moved: bool) -> impl IntoView {
    let (letter, word) = match change {
        _ if is_moved => ("R", "Renamed"),
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

/// A diff as it came, of an edit that can't be drawn otherwise, and how many lines of it are left out.
fn patch_html(card: &Card, patch: &str) -> (Html, u32) {
    let sought = card.options.sought.as_deref().map_or(0, |words| sought::text_lines_to(patch, words));
    let lines = extent(card).lines().max(sought);
    let end = patch.match_indices('\n').nth(lines - 1).map_or(patch.len(), |(at, _)| at);
    let mut html = Html::new();
    html.tag("<pre class=\"term\" tabindex=\"0\">");
    code_lines(&mut html, "diff", &patch[..end]);
    html.tag("</pre>");
    (html, u32::try_from(patch[end..].trim_matches('\n').lines().count()).unwrap_or(u32::MAX))
}

/// The difference of an edit, and how much of it is drawn: the lines that hold what is looked for in any case.
fn file_diff(card: &Card, texts: &Texts<'_>, edit: &Edit) -> Option<(FileDiff, Extent)> {
    let Some(words) = card.options.sought.as_deref() else {
        return Some((texts.file_diff(edit, CONTEXT)?, extent(card)));
    };
    let mut diff = texts.file_diff(edit, u32::MAX)?;
    sought::keep_near(&mut diff, words);
    if texts.fragments.iter().any(|fragment| !fragment.is_whole) {
        diff::cut_ends(&mut diff);
    }
    let lines = extent(card).lines().max(sought::lines_to(&diff, words));
    Some((diff, Extent::UpTo(lines)))
}

fn extent(card: &Card) -> Extent {
    match card.options.detail {
        Detail::Printed => Extent::All,
        Detail::Whole => Extent::Whole,
        Detail::Glance | Detail::Unfolded => Extent::Beginning,
    }
}
