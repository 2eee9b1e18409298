//! How the dashboard shows a message, as the number that queries compare.

use model::policy::Display;

pub(crate) const DEV: i16 = 2;
/// Behind the dev toggle, and retracted there: no marker counts it.
pub(crate) const UNCOUNTED: i16 = 3;

pub(crate) const fn to_number(display: Display) -> i16 {
    match display {
        Display::Shown => 0,
        Display::Collapsed => 1,
        Display::Dev => DEV,
    }
}

pub(crate) const fn from_number(number: i64) -> Display {
    match number {
        0 => Display::Shown,
        1 => Display::Collapsed,
        _ => Display::Dev,
    }
}
