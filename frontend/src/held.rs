//! An answer whose server can't be reached: it waits in its form, for all to see, and is sent once. It is bound to the
//! request that was on the screen, and dropped if that changes meanwhile: nothing is decided late and blind.

use app::browser::page_state::page_state;
use app::browser::{dom, toast};
use app::shared::attr;
use js_sys::Promise;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlButtonElement};

/// Milliseconds between two looks, and for which an answer waits.
const LOOK: i32 = 500;
const LONGEST: f64 = 600_000.0;
const WORDS: &str = "The server can't be reached. Your answer waits here and is sent once when it can be. \
                     If the request changes meanwhile, it isn't sent.";

/// Waits until the server may be reached. Returns false if the answer isn't to be sent any more: it was withdrawn, its
/// request was drawn anew, or the time is over.
pub async fn wait(form: &Element, button: Option<&HtmlButtonElement>, place: Option<&Element>) -> bool {
    let _ = form.set_attribute(attr::HELD, "");
    if let Some(button) = button {
        // The button takes it back.
        let _ = button.set_attribute(attr::SAID, "Don't send");
    }
    say(place, Some(WORDS));
    let began = js_sys::Date::now();
    let outcome = loop {
        pause(LOOK).await;
        if !form.is_connected() {
            toast::show(
                "The request changed while the server couldn't be reached. Your answer wasn't sent",
                toast::Then::Failed,
            );
            break false;
        }
        if !form.has_attribute(attr::HELD) {
            say(place, None);
            break false;
        }
        if js_sys::Date::now() - began > LONGEST {
            say(
                place,
                Some("The server couldn't be reached for ten minutes. Your answer wasn't sent: press again to send it"),
            );
            break false;
        }
        if page_state().is_live() {
            say(place, None);
            break true;
        }
    };
    let _ = form.remove_attribute(attr::HELD);
    outcome
}

/// Takes back the answer of a form, if one waits.
pub fn withdraw(form: &Element) {
    let _ = form.remove_attribute(attr::HELD);
}

fn say(place: Option<&Element>, words: Option<&str>) {
    let Some(place) = place else { return };
    place.set_text_content(words);
    let _ = place.toggle_attribute_with_force("hidden", words.is_none());
}

async fn pause(milliseconds: i32) {
    let passed = Promise::new(&mut |resolve, _| {
        dom::after(milliseconds, move || drop(resolve.call0(&wasm_bindgen::JsValue::NULL)));
    });
    // A page without timers ends with its window.
    let _ = JsFuture::from(passed).await;
}
