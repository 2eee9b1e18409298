//! The bar at the bottom of phones: the places, or on a session's pages what the session has; further places are behind
//! `More`.

use super::{NavItem, ShellData, icon};
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shared::session_href;
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
        part! { <a class="menu-item" href=self.to aria-current=self.is_here.then_some("page")>{icon(self.glyph)}<span>{self.label}</span></a> }
    }
}

pub fn tab_bar(shell: &ShellData, place: NavItem, session: Option<&str>) -> Part {
    let needs = i64::try_from(shell.needs_you()).ok().filter(|n| *n > 0);
    let waiting = Some(shell.waiting.folders).filter(|n| *n > 0);
    let here = |other: NavItem| place == other;
    let first = [
        Tab::new(page_path::SESSIONS, Glyph::LIST, "Sessions", here(NavItem::Sessions)),
        Tab { badge: needs, ..Tab::new(page_path::INBOX, Glyph::NEEDS, "Needs you", here(NavItem::NeedsYou)) },
    ];
    let first: Vec<_> = first.into_iter().map(Tab::link).collect();
    let history = Tab::new(page_path::SEARCH, Glyph::LAYERS, "History", here(NavItem::Search));
    let folders =
        Tab { badge: waiting, ..Tab::new(page_path::FOLDERS, Glyph::FOLDER, "Folders", here(NavItem::Folders)) };
    let others = [
        Tab::new(page_path::FILES, Glyph::DIFF, "Changed files", here(NavItem::Files)),
        Tab::new(page_path::SCHEDULES, Glyph::CLOCK, "Schedules", here(NavItem::Schedules)),
        Tab::new(page_path::MEMORY, Glyph::DB, "Memory", here(NavItem::Memory)),
        Tab::new(page_path::STATISTICS, Glyph::CHART, "Statistics", here(NavItem::Stats)),
        Tab::new(page_path::SETTINGS, Glyph::GEAR, "Settings", here(NavItem::Settings)),
    ];
    let session = session.filter(|_| matches!(place, NavItem::Session | NavItem::Changes));
    let Some(id) = session else {
        return part! {
            <nav class="tabbar" aria-label="Sections">
                {first}
                <button type="button" data-action=PageAction::OpenPalette.name() aria-label="Search or jump to">{icon(Glyph::SEARCH)}<span>"Jump to"</span></button>
                {history.link()}{folders.link()}
                {more(others.into_iter().map(Tab::item).collect())}
            </nav>
        };
    };
    let chat = Tab::new(session_href(id), Glyph::COMMENT, "Chat", here(NavItem::Session));
    let changes = Tab::new(format!("{}/changes", session_href(id)), Glyph::DIFF, "Changes", here(NavItem::Changes));
    let mut items = vec![
        part! { <button type="button" class="menu-item" data-action=PageAction::OpenPalette.name()>{icon(Glyph::SEARCH)}<span>"Search or jump to"</span></button> },
    ];
    items.extend([history, folders].into_iter().chain(others).map(Tab::item));
    part! {
        <nav class="tabbar" aria-label="Sections">
            {first}{chat.link()}{changes.link()}{more(items)}
        </nav>
    }
}

/// The button behind which the other places are.
fn more(items: Vec<Part>) -> Part {
    part! {
        <button type="button" popovertarget="more-places">{icon(Glyph::MORE)}<span>"More"</span></button>
        <div id="more-places" popover="auto" class="menu">{items}</div>
    }
}
