//! The dev toggle: shows in place what is hidden otherwise. Key `.`, `?dev=1`, and a cookie for the next page.

use app::browser::dom;
use app::browser::page_state::page_state;
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
    dev.clone().follow(move || switch.set_checked(dev.get()));
}
