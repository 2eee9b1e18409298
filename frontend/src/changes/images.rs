//! Images before and after: how many pixels they have, and how much of the new one is seen.

use app::browser::dom;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement};

pub fn start(files: &Element) {
    dom::listen_capturing(files, "load", |event: Event| {
        if let Some(image) = dom::closest(&event, ".picture-sides img") {
            measure(&image);
        }
    });
    dom::listen(files, "input", |event: Event| {
        let slider = dom::closest(&event, "input.onion").and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        let Some(slider) = slider else { return };
        if let Ok(Some(pictures)) = slider.closest(".pictures") {
            let _ = pictures.set_attribute("style", &format!("--onion:{}", slider.value()));
        }
    });
}

fn measure(image: &Element) -> Option<()> {
    let pixels = |name: &str| Reflect::get(image, &name.into()).ok()?.as_f64().filter(|pixels| *pixels > 0.0);
    let (width, height) = (pixels("naturalWidth")?, pixels("naturalHeight")?);
    let words = dom::find(&image.closest("figure").ok().flatten()?, "figcaption .num")?;
    let size = words.text_content().unwrap_or_default();
    if !size.contains('\u{d7}') {
        words.set_text_content(Some(&format!(", {width} \u{d7} {height}{size}")));
    }
    Some(())
}
