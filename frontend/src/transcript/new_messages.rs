//! The way to the end while the reader is elsewhere, and how much is new there.

use super::Column;
use app::browser::dom;
use app::shared::arrivals;
use web_sys::Event;

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
        let Some(pill) = dom::by_id("new-messages") else { return };
        let words = arrivals::pill(self.new.get(), self.paused.get());
        let _ = pill.toggle_attribute_with_force("hidden", words.is_none());
        if let (Some(place), Some(words)) = (pill.last_element_child(), words) {
            place.set_text_content(Some(&words));
        }
    }
}
