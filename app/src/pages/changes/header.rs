//! Header of the changes page: scope, display options, navigation between changes, comments to send.

use super::{ChangesPage, is_changed, tool};
use crate::figures;
use crate::icon::Glyph;
use crate::islands::comments;
use crate::names::title;
use crate::part::{Part, part};
use crate::shared::keymap::{Command, keys_of};
use crate::shared::{fragments_href, session_href};
use crate::shell::{icon, kbds, small_icon};
use leptos::prelude::*;

pub fn header(data: &ChangesPage) -> Part {
    let session = &data.detail.session;
    let back = session_href(session.id.as_str());
    let files = figures::counted(changed(data), "file");
    let changed = data.shell.changed_keys();
    let key = |command: Command| keys_of(command.entry(), &changed).to_owned();
    let titled = |command: Command| format!("{}  {}", command.entry().words, key(command));
    part! {
        <header class="bar">
            <a class="btn quiet icon back" href=back.clone() title="Back to the session">{icon(Glyph::CHEV)}<span class="sr">"Back to the session"</span></a>
            <div class="bar-title"><h1>"Changes"</h1>
                <p class="meta"><a href=back class="cut" dir="auto">{title(&session.title)}</a><span class="hide-narrow num">{files}</span></p></div>
            {scopes(data)}
            <div class="seg hide-mid" role="group" aria-label="View">
                <button type="button" data-review="unified" aria-pressed="false" title=titled(Command::Unified)>{small_icon(Glyph::UNIFIED)}"Unified"</button>
                <button type="button" data-review="split" aria-pressed="false" title=titled(Command::Split)>{small_icon(Glyph::SPLIT)}"Split"</button>
            </div>
            <span class="steps-between hide-narrow" role="group" aria-label="Changes">
                {tool(Glyph::UP, "p", titled(Command::PreviousChange), key(Command::PreviousChange))}
                <span class="num mut" id="review-at">{figures::counted(data.changes.changes, "change")}</span>
                {tool(Glyph::DN, "n", titled(Command::NextChange), key(Command::NextChange))}
            </span>
            <details class="drop"><summary class="btn quiet icon" title="Display options" aria-label="Display options">{icon(Glyph::GEAR)}</summary>
                <div class="drop-list">
                    <label class="menu-item"><input type="checkbox" class="tick" data-review="wrap"/>"Wrap long lines"{kbds(&key(Command::Wrap))}</label>
                    <label class="menu-item"><input type="checkbox" class="tick" data-review="spaces"/>"Ignore white space"{kbds(&key(Command::Spaces))}</label>
                    {colours(data)}
                    {patch(data)}
                </div>
            </details>
            <span role="status"><button type="button" class="btn tiny" id="review-news" data-review="reload" hidden></button></span>
            {sender("btn primary hide-narrow")}
        </header>
    }
}

/// The files of the tree: others were to be changed and weren't.
fn changed(data: &ChangesPage) -> i64 {
    data.changes.files.iter().filter(|file| is_changed(file)).count() as i64
}

/// All changes as one patch: what is looked at, whatever the filter says.
fn patch(data: &ChangesPage) -> Part {
    let address = format!(
        "{}/net?{}",
        fragments_href(data.detail.session.id.as_str()),
        serde_html_form::to_string(&data.query).unwrap_or_default()
    );
    let address = format!("{}as=patch", if address.ends_with('?') { address } else { format!("{address}&") });
    part! {
        <div class="menu-group" role="group" aria-label="Patch of all files">
            <button type="button" class="menu-item" data-copy=address.clone()>"Copy the patch of all files"</button>
            <a class="menu-item" href=address download="changes.patch">"Download the patch of all files"</a>
        </div>
    }
}

/// Nothing is drafted before the browser says so.
fn sender(class: &str) -> Part {
    part! { {comments::sender(class.to_owned(), true, || 0, || false, |_| {})} }
}

/// Where the files have no room beside the differences: the way to them, and from change to change, at the thumb.
pub fn foot(data: &ChangesPage) -> Part {
    let words = figures::counted(changed(data), "file");
    part! {
        <div class="review-foot" role="group" aria-label="Files and changes">
            <button type="button" class="btn" id="review-files" data-review="files" aria-expanded="false" aria-controls="review-side">{icon(Glyph::LIST)}<span id="files-count" class="num">{words}</span></button>
            <span class="sp"></span>
            {sender("btn primary only-narrow")}
            <button type="button" class="btn icon" data-review="p" aria-label="Previous change">{icon(Glyph::UP)}</button>
            <button type="button" class="btn icon" data-review="n" aria-label="Next change">{icon(Glyph::DN)}</button>
        </div>
    }
}

/// Colours of added and removed, as the settings have them.
fn colours(data: &ChangesPage) -> Option<Part> {
    let (choice, chosen) = data.shell.look.chosen().find(|(choice, _)| choice.name == "colours")?;
    let values: Vec<_> = choice
        .values
        .iter()
        .map(|(value, label)| {
            part! { <label class="menu-item"><input type="radio" class="tick" name=choice.name value=*value data-look="" checked=*value == chosen/>{*label}</label> }
        })
        .collect();
    Some(part! { <fieldset class="menu-group"><legend class="cap">{choice.label}</legend>{values}</fieldset> })
}

/// Which edits are folded. Plain links: a scope is an address.
fn scopes(data: &ChangesPage) -> Part {
    let base = format!("{}/changes", session_href(data.detail.session.id.as_str()));
    let query = &data.query;
    let is_turn = query.turn.is_some();
    let is_one = query.to.is_some();
    let is_since = query.after.is_some() && !is_one;
    let is_all = !is_turn && !is_since && !is_one;
    let current = |here: bool| here.then_some("true");
    let one = is_one
        .then(|| part! { <a href=base.clone() aria-current="true" title="All edits of the session">"One message"</a> });
    part! {
        <div class="seg scopes" role="group" aria-label="Scope">
            <a href=base.clone() aria-current=current(is_all)>"Session"</a>
            <a href=format!("{base}?turn=1") aria-current=current(is_turn)>"This turn"</a>
            <a href=base.clone() id="since-link" hidden=!is_since aria-current=current(is_since)>"Since I looked"</a>
            {one}
        </div>
    }
}
