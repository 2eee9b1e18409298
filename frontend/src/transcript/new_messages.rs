//! The way to the end while the reader is elsewhere, and how much is new there.

use super::Column;
use app::browser::dom;
use web_sys::Event;

/// The server counts no further.
const MANY: i64 = 1_000;

pub fn start() {
    if let Some(pill) = dom::by_id("new-messages") {
        dom::listen(&pill, "click", |_: Event| {
            super::to_end();
        });
    }
}

impl Column {
    pub(super) fn set_new(&self, new: i64) {
        self.new.set(new);
        self.draw_pill();
    }

    pub(super) fn set_paused(&self, paused: bool) {
        self.paused.set(paused);
        self.draw_pill();
    }

    fn draw_pill(&self) {
        let (new, paused) = (self.new.get(), self.paused.get());
        let Some(pill) = dom::by_id("new-messages") else { return };
        let count = if new < MANY { new.to_string() } else { format!("{}+", MANY - 1) };
        if let Some(words) = pill.last_element_child() {
            words.set_text_content(Some(&if paused { format!("Paused, {count} new") } else { format!("{count} new") }));
        }
        let _ = pill.toggle_attribute_with_force("hidden", new == 0 && !paused);
    }
}
