//! The field that finds a session among all of them. `browser::session_pick` fills the list beside it.

use leptos::prelude::*;

/// Returns the field and its list, which is a `<select>`, also within another element. `label` names the field for
/// people who don't see the page.
pub fn session_field(label: String, list: impl IntoView) -> impl IntoView {
    view! {
        <span class="session-pick">
            <input type="search" data-find-session="" placeholder="Find a session" autocomplete="off" spellcheck="false" aria-label=label/>
            {list}
        </span>
    }
}
