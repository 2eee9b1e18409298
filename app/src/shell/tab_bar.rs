//! The bar at the bottom of phones: the places, or on a session's pages what the session has, with the places behind `More`.

use super::{Place, ShellData, icon, session_href};
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use leptos::prelude::*;

struct Tab {
    to: String,
    glyph: Glyph,
    label: &'static str,
    is_here: bool,
    badge: Option<i64>,
}

impl Tab {
    fn new(to: impl Into<String>, glyph: Glyph, label: &'static str, is_here: bool) -> Self {
        Self { to: to.into(), glyph, label, is_here, badge: None }
    }

    fn link(self) -> Part {
        let badge = self.badge.map(|n| part! { <span class="badge needs">{n}</span> });
        part! { <a href=self.to aria-current=self.is_here.then_some("page")>{icon(self.glyph)}<span>{self.label}</span>{badge}</a> }
    }

    fn item(self) -> Part {
        part! { <a class="menu-item" href=self.to>{icon(self.glyph)}<span>{self.label}</span></a> }
    }
}

pub fn tab_bar(shell: &ShellData, place: Place, session: Option<&str>) -> Part {
    let needs = i64::try_from(shell.needs_you()).ok().filter(|n| *n > 0);
    let waiting = Some(shell.waiting.folders).filter(|n| *n > 0);
    let here = |other: Place| place == other;
    let sessions = matches!(place, Place::Sessions | Place::NeedsYou);
    let sessions = Tab { badge: needs, ..Tab::new("/sessions", Glyph::LIST, "Sessions", sessions) };
    let others = [
        Tab::new("/search", Glyph::LAYERS, "History", here(Place::Search)),
        Tab { badge: waiting, ..Tab::new("/folders", Glyph::FOLDER, "Folders", here(Place::Folders)) },
        Tab::new("/stats", Glyph::CHART, "Statistics", here(Place::Stats)),
        Tab::new("/settings", Glyph::GEAR, "Settings", here(Place::Settings)),
    ];
    let session = session.filter(|_| matches!(place, Place::Session | Place::Changes));
    let Some(id) = session else {
        let others: Vec<_> = others.into_iter().map(Tab::link).collect();
        return part! {
            <nav class="tabbar" aria-label="Sections">
                {sessions.link()}
                <button type="button" data-action=PageAction::OpenPalette.name() aria-label="Search or jump to">{icon(Glyph::SEARCH)}<span>"Jump to"</span></button>
                {others}
            </nav>
        };
    };
    let chat = Tab::new(session_href(id), Glyph::COMMENT, "Chat", here(Place::Session));
    let changes = Tab::new(format!("{}/changes", session_href(id)), Glyph::DIFF, "Changes", here(Place::Changes));
    let others: Vec<_> = others.into_iter().map(Tab::item).collect();
    part! {
        <nav class="tabbar" aria-label="Sections">
            {sessions.link()}{chat.link()}{changes.link()}
            <button type="button" popovertarget="more-places">{icon(Glyph::MORE)}<span>"More"</span></button>
            <div id="more-places" popover="auto" class="menu">
                <button type="button" class="menu-item" data-action=PageAction::OpenPalette.name()>{icon(Glyph::SEARCH)}<span>"Search or jump to"</span></button>
                {others}
            </div>
        </nav>
    }
}
