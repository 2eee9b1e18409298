//! The dev toggle: shows in place what is hidden otherwise. Key `.`, `?dev=1`, and a cookie for the next page.

use leptos::prelude::*;

/// Listens to `#dev`, which stands before it. Draws nothing.
#[island]
pub fn DevSwitch() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    switch::start();
}

#[cfg(feature = "hydrate")]
mod switch {
    use crate::islands::dom;
    use crate::islands::page_state::page_state;
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::{Event, HtmlInputElement};

    pub fn start() {
        let Some(switch) = dom::by_id("dev").and_then(|it| it.dyn_into::<HtmlInputElement>().ok()) else { return };
        let dev = page_state().dev;
        dev.set(switch.checked());
        let (turned, switched) = (dev.clone(), switch.clone());
        dom::listen(&switch, "change", move |_: Event| {
            turned.set(switched.checked());
            dom::remember_dev(switched.checked());
        });
        let switch = send_wrapper::SendWrapper::new(switch);
        Effect::new(move |_| switch.set_checked(dev.get()));
    }
}
