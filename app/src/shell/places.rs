//! The pages that the rail links. The tab bar of phones and the palette take theirs from the same table.
//!
//! How to add one: its name in [`NavItem`], and its line in [`PLACES`].

use crate::icon::Glyph;
use crate::shared::page_path;
use api::people::PersonRole;

/// The place that the navigation marks as current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavItem {
    Sessions,
    NeedsYou,
    Session,
    Changes,
    Search,
    Folders,
    Memory,
    Stats,
    Files,
    Schedules,
    Settings,
    Nowhere,
}

/// A page that the rail links.
pub struct Place {
    pub item: NavItem,
    pub glyph: Glyph,
    pub title: &'static str,
    pub path: &'static str,
    /// True if a command of the keymap opens it. The palette lists commands, and the places that have none.
    pub has_command: bool,
    /// The least role of who may open it.
    pub role: PersonRole,
}

impl Place {
    const fn new(item: NavItem, glyph: Glyph, title: &'static str, path: &'static str) -> Self {
        Self { item, glyph, title, path, has_command: false, role: PersonRole::Viewer }
    }

    const fn with_command(self) -> Self {
        Self { has_command: true, ..self }
    }

    const fn for_owners(self) -> Self {
        Self { role: PersonRole::Owner, ..self }
    }
}

/// The pages, in the order of the rail.
pub const PLACES: &[Place] = &[
    Place::new(NavItem::Sessions, Glyph::LIST, "Sessions", page_path::SESSIONS).with_command(),
    Place::new(NavItem::NeedsYou, Glyph::NEEDS, "Needs you", page_path::INBOX).with_command(),
    Place::new(NavItem::Search, Glyph::LAYERS, "History", page_path::SEARCH).with_command(),
    Place::new(NavItem::Files, Glyph::DIFF, "Changed files", page_path::FILES).with_command(),
    Place::new(NavItem::Folders, Glyph::FOLDER, "Folders", page_path::FOLDERS).for_owners(),
    Place::new(NavItem::Schedules, Glyph::CLOCK, "Schedules", page_path::SCHEDULES).for_owners(),
    Place::new(NavItem::Memory, Glyph::DB, "Memory", page_path::MEMORY),
    Place::new(NavItem::Stats, Glyph::CHART, "Statistics", page_path::STATISTICS).with_command(),
];
