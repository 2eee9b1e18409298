//! The changes page: what a session did to each file in the end, to be reviewed. The tree at the left, the differences
//! at the right, each fetched when it comes near. The island `Review` does what moves.

mod body;
mod header;
pub mod parts;
mod tree;

pub use body::{Body, BodyQuery, CopyWhat, Prepared, body, copied, known, prepare};

use crate::figures;
use crate::icon::Glyph;
use crate::islands::comments;
use crate::message::code_review::remark;
use crate::names::title;
use crate::part::{Part, part};
use crate::render::render_part;
use crate::shared::page_action::PageAction;
use crate::shared::{Sent, file_id, fragments_href, session_href};
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon};
use crate::visible;
use api::net::{NetChanges, NetFile, NetQuery};
use api::sessions::SessionDetail;
use leptos::prelude::*;
use parts::{delta, happened, kind, short};

pub struct ChangesPage {
    pub detail: SessionDetail,
    pub query: NetQuery,
    pub changes: NetChanges,
    /// Comments of people and reviews.
    pub sent: Vec<Sent>,
    /// Number of older comments of reviews that the page leaves out.
    pub left_out: usize,
    pub shell: ShellData,
}

/// Files that are in the document at first.
const FIRST: usize = 10;
/// Files that the page has: of more, a browser would take minutes.
const MOST: usize = 1_000;

/// The whole page.
pub fn page(data: &ChangesPage) -> String {
    let session = &data.detail.session;
    let title = format!("Changes - {}", title(&session.title));
    shell::page(&data.shell, || Frame {
        title: &title,
        place: NavItem::Changes,
        skip: ("#files", "Skip to the differences"),
        session: Some(session.id.as_str().to_owned()),
        rail: Rail::Recent { open: Some(session.id.as_str()) },
        content: content(data),
        layout: Layout::Slim,
    })
}

fn content(data: &ChangesPage) -> Part {
    let session = &data.detail.session;
    let (changed, failed): (Vec<_>, Vec<_>) = data.changes.files.iter().partition(|file| is_changed(file));
    let left = changed.len().saturating_sub(MOST);
    let shown = &changed[..changed.len() - left];
    let mut cards: Vec<Part> = shown.iter().map(|file| card(data, file)).collect();
    let rest = cards.split_off(cards.len().min(FIRST));
    let more = (left > 0).then(|| more_files(data, left));
    let empty = data.changes.files.is_empty().then(|| {
        let words = match (data.query.turn, data.query.after) {
            (Some(_), _) => "No file was changed since your last message.",
            (_, Some(_)) => "No file was changed since you last looked.",
            _ => "No file was changed. Edits of the agent are listed here by file.",
        };
        part! { <p class="cap none">{words}</p> }
    });
    let remarks: Vec<Part> = (0..)
        .zip(&data.sent)
        .filter(|(_, sent)| sent.review.is_some())
        .map(|(place, sent): (usize, &Sent)| {
            let html = remark(&sent.comment, &format!("remark-{place}"));
            part! { <div class="remark" data-remark=place.to_string()>{html.into_view()}</div> }
        })
        .collect();
    let left_out = (data.left_out > 0).then(|| {
        let words = figures::counted(data.left_out as i64, "more comment");
        part! { <p class="cap none">{format!("The transcript has {words} of reviews")}</p> }
    });
    let apart = (!failed.is_empty()).then(|| failed_edits(data, &failed));
    part! {
        <main class="main" id="main">
            {header::header(data)}
            <div class="review" id="review" data-session=session.id.as_str().to_owned() data-query=query(&data.query)
                data-seq=session.last_seq.to_string() data-hears=session.registered.then_some("")
                data-sent=(!data.sent.is_empty()).then(|| api::json::write(&data.sent).unwrap_or_default())>
                {tree::side(data, &changed, shown.len())}
                <div class="scroll" id="files" tabindex="0" aria-label="Differences" role="region">
                    {left_out}{cards}{empty}{apart}{more}
                </div>
                <template id="more-files">{rest}</template>
                <template id="remarks">{remarks}</template>
                <template id="file-menu">{menu()}</template>
                <template id="writing-drawn">{comments::field("lines".to_owned(), NodeRef::new(), String::new, |_| {}, |_| {})}</template>
            </div>
            {header::foot(data)}
            <dialog id="diff-table" class="sheet wide" aria-labelledby="diff-table-title">
                <form method="dialog" class="sheet-head"><h2 id="diff-table-title">"Lines in words"</h2>
                    <button type="submit" class="btn quiet icon" title="Close">{icon(Glyph::X)}<span class="sr">"Close"</span></button></form>
                <div class="sheet-body"></div>
            </dialog>
        </main>
    }
}

/// Says how many files the page leaves out, and where they are.
fn more_files(data: &ChangesPage, left: usize) -> Part {
    let words = figures::counted(i64::try_from(left).unwrap_or(i64::MAX), "more file");
    let session = fragments_href(data.detail.session.id.as_str());
    let address = format!("{session}/net?{}&as=patch", query(&data.query));
    part! {
        <p class="cap more-files">{format!("And {words}. ")}<a class="link" target="_blank" href=address>"Open the patch of all files"</a></p>
    }
}

/// Did any edit of it happen? Else it is no file of the tree.
fn is_changed(file: &NetFile) -> bool {
    file.edits.iter().any(happened)
}

/// One file: its head, and the place of its difference.
fn card(data: &ChangesPage, file: &NetFile) -> Part {
    let id = file_id(&file.path);
    let address = address(data, file);
    let session = &data.detail.session;
    let shown = short(session, &file.path);
    let from = file.moved_from.as_ref().map(|from| {
        part! { <span class="cap cut below">{format!("from {}", visible::plain(short(session, from)))}</span> }
    });
    let edits = (file.edits.len() > 1).then(|| {
        let count = figures::counted(i64::try_from(file.edits.len()).unwrap_or(i64::MAX), "edit");
        part! { <span class="cap hide-narrow">{count}</span> }
    });
    let failed = file.edits.iter().filter(|edit| matches!(edit.state.as_str(), "failed" | "rejected")).count();
    let failed = (failed > 0).then(|| {
        part! { <span class="chip hide-narrow" data-state="failed">{format!("{failed} not applied")}</span> }
    });
    let named = format!("{} viewed", visible::plain(shown));
    let mut toggle = crate::html::Html::new();
    toggle
        .tag("<button type=\"button\" class=\"fold\" data-review=\"fold\" aria-expanded=\"true\"")
        .attr("aria-controls", &format!("{id}-body"));
    toggle
        .tag(">")
        .html(&render_part(|| kind(file.change, file.moved_from.is_some())))
        .tag("<span class=\"path\"")
        .attr("title", &visible::plain(&file.path))
        .tag(">")
        .html(&visible::path(shown))
        .tag("</span></button>");
    part! {
        <section class="card edit file" id=id.clone() data-path=file.path.clone() data-hash=file.hash.clone() data-load=address
            data-changes=file.changes.to_string() data-rows=expected(file).to_string() data-seq=file.edits.last().map(|edit| edit.seq.to_string())
            aria-label=visible::plain(shown)>
            <div class="head">
                {toggle.into_view()}
                <button type="button" class="btn quiet tiny icon hide-narrow" data-action=PageAction::Copy.name() data-text=file.path.clone() title="Copy the path" aria-label="Copy the path">{icon(Glyph::COPY)}</button>
                {from}<span class="sp"></span>{failed}{edits}
                {delta(file.added, file.removed)}
                <label class="viewed"><input type="checkbox" class="tick" data-review="viewed" aria-label=named/><span class="hide-narrow">"Viewed"</span></label>
                <details class="drop"><summary class="btn quiet tiny icon" title="More" aria-label="More">{icon(Glyph::MORE)}</summary>
                    <div class="drop-list"></div>
                </details>
            </div>
            <div class="file-body" id=format!("{id}-body")><p class="cap none" style=format!("min-height:{}px", expected(file) * 20)>"Loading"</p></div>
        </section>
    }
}

/// About as many rows as the difference will have, so that the files below it don't move, and aren't fetched early.
fn expected(file: &NetFile) -> i64 {
    let changed = file.added + file.removed;
    // More start folded.
    if changed > 400 { 2 } else { changed + 6 }
}

/// Draws the menu of a file. There is one for all files, which moves to the opened one.
fn menu() -> Part {
    part! {
        <button type="button" class="menu-item" data-copy="patch">"Copy patch"</button>
        <button type="button" class="menu-item" data-copy="new">"Copy new text"</button>
        <button type="button" class="menu-item" data-copy="old">"Copy old text"</button>
        <button type="button" class="menu-item" data-review="link">"Copy link"</button>
        <button type="button" class="menu-item" data-review="editor">"Open in the editor"</button>
        <button type="button" class="menu-item" data-review="context">"Show all lines"</button>
        <button type="button" class="menu-item" data-review="table">"The file in words"</button>
        <a class="menu-item" data-review="transcript">"Show in the transcript"</a>
    }
}

/// Edits that are in no file, listed at most.
const NOT_APPLIED: usize = 200;

/// Draws edits that aren't in any file.
fn failed_edits(data: &ChangesPage, files: &[&NetFile]) -> Part {
    let session = &data.detail.session;
    let rows: Vec<_> = files
        .iter()
        .flat_map(|file| file.edits.iter().map(move |edit| (file, edit)))
        .take(NOT_APPLIED)
        .map(|(file, edit)| {
            let to = format!("{}?at={}", session_href(session.id.as_str()), edit.seq);
            let state = if edit.state == "proposed" { "idle" } else { "failed" };
            part! {
                <li><span class="state" data-state=state>{edit.state.replace('_', " ")}</span><a class="link path" title=visible::plain(&file.path) href=to>{visible::path(short(session, &file.path)).into_view()}</a>
                    {delta(edit.added, edit.removed)}</li>
            }
        })
        .collect();
    let all: usize = files.iter().map(|file| file.edits.len()).sum();
    let more = (all > NOT_APPLIED).then(|| {
        let words = format!("{}, in the transcript", figures::counted((all - NOT_APPLIED) as i64, "more edit"));
        part! { <li><a class="link" href=session_href(session.id.as_str())>{words}</a></li> }
    });
    part! {
        <section class="not-applied" aria-labelledby="not-applied">
            <h2 id="not-applied">"Not applied"</h2>
            <p class="cap">"These edits aren't in a file: they failed, were denied, or wait for an answer."</p>
            <ul>{rows}{more}</ul>
        </section>
    }
}

/// Where the difference of a file is fetched.
fn address(data: &ChangesPage, file: &NetFile) -> String {
    let one = NetQuery { path: Some(file.path.clone()), ..data.query.clone() };
    // With the hash: what was compared once is drawn without a look at the session.
    format!("{}/net?{}&hash={}", fragments_href(data.detail.session.id.as_str()), query(&one), file.hash)
}

fn query(query: &NetQuery) -> String {
    serde_html_form::to_string(query).unwrap_or_default()
}

/// A button of the header that is an icon.
fn tool(glyph: Glyph, does: &'static str, title: String, key: String) -> Part {
    let label = title.trim_end_matches(&key).trim_end().to_owned();
    part! {
        <button type="button" class="btn quiet icon" data-review=does title=title aria-keyshortcuts=key>
            {icon(glyph)}<span class="sr">{label}</span>
        </button>
    }
}
