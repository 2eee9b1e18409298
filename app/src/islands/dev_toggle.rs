//! The dev toggle: shows in place what is hidden otherwise. Key `.`, `?dev=1`, and a cookie for the next page.

use super::page_state::page_state;
use leptos::prelude::*;

#[island]
pub fn DevSwitch(on: bool) -> impl IntoView {
    let dev = page_state().dev;
    dev.set(on);
    let turned = dev.clone();
    let checked = move || dev.get();
    let change = move |event| {
        let on = event_target_checked(&event);
        turned.set(on);
        #[cfg(feature = "hydrate")]
        crate::islands::dom::remember_dev(on);
    };
    view! {
        <label class="switch hide-narrow" title="Developer view  .">
            <input type="checkbox" role="switch" id="dev" checked=on prop:checked=checked on:change=change/>"Dev"
        </label>
    }
}
