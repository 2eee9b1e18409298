use crate::figures;
use crate::islands::dom;
use wasm_bindgen::JsValue;

const MILLISECONDS: i32 = 30_000;
/// In seconds.
const HOUR: i64 = 3_600;

pub fn start() {
    refresh();
    dom::after(MILLISECONDS, start);
}

/// Also called when new rows enter the page.
pub fn refresh() {
    crate::islands::live::draw_unread();
    let Some(root) = dom::document().and_then(|d| d.document_element()) else { return };
    let now = js_sys::Date::now();
    for time in dom::find_all(&root, "time[data-us]") {
        let Some(at) = time.get_attribute("data-us").and_then(|text| text.parse::<i64>().ok()) else { continue };
        let milliseconds = (at / 1_000) as f64;
        let seconds = ((now - milliseconds) / 1_000.0) as i64;
        if seconds >= HOUR && time.has_attribute("data-exact") {
            time.set_text_content(Some(&day_and_hour(milliseconds)));
            let _ = time.remove_attribute("data-exact");
            let _ = time.set_attribute("data-said", "");
        }
        // The server wrote the date where an age says too little; that stays.
        if let Some(age) = figures::ago(seconds).filter(|_| !time.has_attribute("data-said"))
            && time.text_content().as_deref() != Some(&age)
        {
            time.set_text_content(Some(&age));
        }
        if !time.has_attribute("data-local") {
            let date = js_sys::Date::new(&JsValue::from_f64(milliseconds));
            let local = String::from(date.to_locale_string("en-GB", &JsValue::UNDEFINED));
            let _ = time.set_attribute("title", &local);
            let _ = time.set_attribute("data-local", "");
        }
    }
}

/// `1 Feb, 03:07`, where the reader is.
pub fn day_and_hour(milliseconds: f64) -> String {
    let options = js_sys::Object::new();
    for (name, value) in [("day", "numeric"), ("month", "short"), ("hour", "2-digit"), ("minute", "2-digit")] {
        let _ = js_sys::Reflect::set(&options, &name.into(), &value.into());
    }
    String::from(js_sys::Date::new(&JsValue::from_f64(milliseconds)).to_locale_string("en-GB", &options))
}
