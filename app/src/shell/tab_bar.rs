//! The bar at the bottom of phones: the places, or on a session's pages what the session has; further places are behind
//! `More`.

use super::places::Place;
use super::{NavItem, ShellData, icon};
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shared::session_href;
use leptos::prelude::*;

/// Places before the button of the palette, and behind it. The others are behind `More`.
const FIRST: [NavItem; 2] = [NavItem::Sessions, NavItem::NeedsYou];
const SECOND: [NavItem; 2] = [NavItem::Search, NavItem::Folders];

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
    let badge = |item| match item {
        NavItem::NeedsYou => needs,
        NavItem::Folders => waiting,
        _ => None,
    };
    let tab = |place: &Place| Tab {
        badge: badge(place.item),
        ..Tab::new(place.path, place.glyph, place.title, here(place.item))
    };
    let tabs = |items: &[NavItem]| -> Vec<Tab> {
        shell.places().filter(|place| items.contains(&place.item)).map(tab).collect()
    };
    let first: Vec<_> = tabs(&FIRST).into_iter().map(Tab::link).collect();
    let second = tabs(&SECOND);
    let settings = Tab::new(page_path::SETTINGS, Glyph::GEAR, "Settings", here(NavItem::Settings));
    let is_other = |place: &&'static Place| ![FIRST, SECOND].concat().contains(&place.item);
    let others = shell.places().filter(is_other).map(tab).chain([settings]);
    let session = session.filter(|_| matches!(place, NavItem::Session | NavItem::Changes));
    let Some(id) = session else {
        return part! {
            <nav class="tabbar" aria-label="Sections">
                {first}
                <button type="button" data-action=PageAction::OpenPalette.name() aria-label="Search or jump to">{icon(Glyph::SEARCH)}<span>"Jump to"</span></button>
                {second.into_iter().map(Tab::link).collect::<Vec<_>>()}
                {more(others.map(Tab::item).collect())}
            </nav>
        };
    };
    let chat = Tab::new(session_href(id), Glyph::COMMENT, "Chat", here(NavItem::Session));
    let changes = Tab::new(format!("{}/changes", session_href(id)), Glyph::DIFF, "Changes", here(NavItem::Changes));
    let mut items = vec![
        part! { <button type="button" class="menu-item" data-action=PageAction::OpenPalette.name()>{icon(Glyph::SEARCH)}<span>"Search or jump to"</span></button> },
    ];
    items.extend(second.into_iter().chain(others).map(Tab::item));
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
