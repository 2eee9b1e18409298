//! Slips of paper at the edge of the page, toasts and notices: a few at once, each for a while.

use app::browser::dom;
use web_sys::Element;

/// More of them would hide the page.
const MOST: usize = 3;
/// Milliseconds for which one that is looked at waits again.
const AGAIN: i32 = 2_000;

/// Lays a slip to the others; the oldest go, as `remove` takes them away.
pub fn lay(place: &Element, slip: &Element, remove: fn(&Element)) {
    let _ = place.append_child(slip);
    for old in dom::find_all(place, ":scope > *").iter().rev().skip(MOST) {
        remove(old);
    }
}

/// Takes it away after so many milliseconds, but not from under the pointer or the focus.
pub fn fade(slip: Element, life: i32, remove: fn(&Element)) {
    dom::after(life, move || {
        if slip.matches(":hover, :focus-within").unwrap_or(false) {
            fade(slip, AGAIN, remove);
        } else {
            remove(&slip);
        }
    });
}
