//! Shows open requests that are out of sight above the composer, with a link.

use super::{Column, jump, outline, scroll};
use app::browser::{dom, focus};
use app::figures;
use app::shared::attr;
use app::unmarked;
use std::rc::Rc;

/// So much of a row, in pixels, is enough to see what it asks.
const SEEN: f64 = 60.0;

pub fn start(column: &Rc<Column>) {
    let Some(strip) = dom::by_id("waiting") else { return };
    let column = column.clone();
    dom::listen(&strip, "click", move |event: web_sys::Event| {
        if let Some(button) = dom::closest(&event, "[data-seq]") {
            let seq = button.get_attribute(attr::SEQ).and_then(|seq| seq.parse().ok());
            jump::go_to_seq(seq);
            if let Some(form) =
                seq.and_then(|seq| scroll::row(&column, seq)).and_then(|row| dom::find(&row, ".approval"))
            {
                focus::put(&form);
            }
        }
    });
}

/// Says how many wait, and what the first of them asks, unless one of them is in view.
pub fn draw(column: &Column) {
    let Some(strip) = dom::by_id("waiting") else { return };
    let waiting = outline::waiting(column);
    let first = waiting.first().filter(|_| !waiting.iter().any(|mark| is_in_view(column, mark.seq)));
    let _ = strip.toggle_attribute_with_force("hidden", first.is_none());
    let Some(first) = first else { return };
    let (count, seq) = (i64::try_from(waiting.len()).unwrap_or(i64::MAX), first.seq.to_string());
    let verb = if count == 1 { "waits" } else { "wait" };
    let words = format!("{} {verb} for you", figures::count(count));
    for (place, words) in [(".state > span", &words), (".cut", &unmarked::line(&first.words))] {
        // A repeated text is announced again.
        if let Some(place) = dom::find(&strip, place).filter(|place| place.text_content().as_ref() != Some(words)) {
            place.set_text_content(Some(words));
        }
    }
    if let Some(button) = dom::find(&strip, "button") {
        let _ = button.set_attribute(attr::SEQ, &seq);
    }
}

fn is_in_view(column: &Column, seq: i64) -> bool {
    let Some(row) = scroll::row(column, seq) else { return false };
    let (row, view) = (row.get_bounding_client_rect(), column.scroller.get_bounding_client_rect());
    let seen = row.bottom().min(view.bottom()) - row.top().max(view.top());
    seen >= SEEN.min(row.height())
}
