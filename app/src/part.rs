//! A piece of a page, rendered as soon as it is written.
//!
//! A view's type holds the types of everything inside it, and a page of them takes the compiler minutes. A part has one
//! type, whatever is in it. Islands in it keep their marks.

use leptos::prelude::*;
use leptos::tachys::html::InertElement;

/// HTML of a view, to be used in another one.
pub type Part = InertElement;

/// Writes a part the way `view!` writes a view.
macro_rules! part {
    ($($markup:tt)*) => { $crate::part::flat(::leptos::view! { $($markup)* }) };
}
pub(crate) use part;

pub(crate) fn flat(view: impl IntoView) -> Part {
    InertElement::new(view.into_view().to_html())
}
