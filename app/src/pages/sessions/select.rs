//! Actions on rows: the bar for selected ones, and the menu that all rows share.

use super::SessionsPage;
use crate::icon::Glyph;
use crate::pages::session::header::{delete, manage};
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shell::icon;
use api::sessions::SessionShow;
use leptos::prelude::*;

/// Shown while something is selected.
pub fn bar(data: &SessionsPage) -> Part {
    let button = |action: PageAction, glyph: Glyph, words: &'static str| {
        part! { <button type="button" class="btn" data-action=action.name()>{icon(glyph)}<span class="btn-label">{words}</span></button> }
    };
    let archive = match data.query.show {
        Some(SessionShow::Archived) => button(PageAction::Unarchive, Glyph::ARCHIVE, "Unarchive"),
        _ => button(PageAction::Archive, Glyph::ARCHIVE, "Archive"),
    };
    part! {
        <div id="selection" class="selection" role="group" aria-label="Selected sessions" hidden>
            <b class="num" data-count="" role="status"></b>
            <button type="button" class="btn quiet tiny" data-action=PageAction::SelectAll.name()>"Select all"</button>
            <span class="sp"></span>
            {button(PageAction::Pin, Glyph::PIN, "Pin")}
            {archive}
            {button(PageAction::Delete, Glyph::TRASH, "Delete")}
            <button type="button" class="btn quiet icon" data-action=PageAction::Deselect.name() title="Clear the selection  Esc">{icon(Glyph::X)}<span class="sr">"Clear the selection"</span></button>
        </div>
    }
}

/// It is about the row whose button opened it.
pub fn menu() -> Part {
    part! {
        <div id="row-menu" popover="auto" class="menu" data-session="">
            <button type="button" class="menu-item" data-action=PageAction::Select.name()>{icon(Glyph::CHECK)}<span>"Select"</span></button>
            {manage()}
            <hr/>
            {delete()}
        </div>
    }
}
