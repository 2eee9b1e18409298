//! The stack of toasts, and of notices, at the edge of the page: a few at once, each for a while.

use app::browser::dom;
use web_sys::Element;

/// More of them would hide the page.
const MOST: usize = 3;
/// Milliseconds for which one that is looked at waits again.
const AGAIN: i32 = 2_000;

/// Adds one to the others; the oldest go, as `remove` takes them away.
pub fn push(stack: &Element, toast: &Element, remove: fn(&Element)) {
    let _ = stack.append_child(toast);
    for old in dom::find_all(stack, ":scope > *").iter().rev().skip(MOST) {
        remove(old);
    }
}

/// Takes it away after so many milliseconds, but not from under the pointer or the focus.
pub fn fade(toast: Element, life: i32, remove: fn(&Element)) {
    dom::after(life, move || {
        if toast.matches(":hover, :focus-within").unwrap_or(false) {
            fade(toast, AGAIN, remove);
        } else {
            remove(&toast);
        }
    });
}
