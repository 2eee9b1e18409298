//! The right panel: tabs, diffs that are fetched when a file is opened, open and closed.

mod resize;
mod tabs;

pub use tabs::{close_floating, open, refresh};

/// Listens to `#panel`.
pub fn start() {
    if let Some(session) = app::browser::dom::session() {
        resize::start();
        tabs::start(&session);
    }
}
