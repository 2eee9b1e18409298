//! The row that stays where it is while others come, change and go: the one under the pointer or with the focus, else
//! the first one in view. So nobody presses a button that has just moved there.

use super::key;
use app::browser::dom;
use web_sys::Element;

pub struct Anchor(Option<(String, f64)>);

impl Anchor {
    pub fn of(list: &Element) -> Self {
        let rows = dom::find_all(list, ":scope > [data-ask]");
        let top = dom::by_id("scroller").map_or(0.0, |scroller| scroller.get_bounding_client_rect().top());
        let is = |row: &&Element, state: &str| row.matches(state).unwrap_or(false);
        let row = rows
            .iter()
            .find(|row| is(row, ":hover"))
            .or_else(|| rows.iter().find(|row| is(row, ":focus, :focus-within")))
            .or_else(|| rows.iter().find(|row| row.get_bounding_client_rect().bottom() > top));
        Self(row.and_then(|row| Some((key(row)?, row.get_bounding_client_rect().top()))))
    }

    /// Scrolls so that the row is where it was.
    pub fn restore(self, list: &Element) {
        let Some((wanted, top)) = self.0 else { return };
        let rows = dom::find_all(list, ":scope > [data-ask]");
        let row = rows.into_iter().find(|row| key(row).as_ref() == Some(&wanted));
        let (Some(row), Some(scroller)) = (row, dom::by_id("scroller")) else { return };
        let moved = (row.get_bounding_client_rect().top() - top).round() as i32;
        if moved != 0 {
            scroller.set_scroll_top(scroller.scroll_top() + moved);
        }
    }
}
