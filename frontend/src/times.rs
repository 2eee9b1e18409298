//! Times stay true while a page is open, and speak the reader's own time zone on hover.

use app::browser::dom;
use app::figures;
use app::shared::attr;
use app::shared::words::{HOUR, of_retry};
use std::cell::Cell;
use wasm_bindgen::JsValue;

thread_local! {
    /// A countdown goes on.
    static COUNTS: Cell<bool> = const { Cell::new(false) };
}

const SECOND: i32 = 1_000;
const MILLISECONDS: i32 = 30_000;
/// Two looks in a row are as far apart.
const LEAST: i32 = 250;

/// Refreshes every `time[data-us]` each half minute, and sooner where something is about to stall.
pub fn start() {
    refresh();
    dom::after(next_stall().map_or(MILLISECONDS, |left| left.clamp(LEAST, MILLISECONDS)), start);
}

/// Shows what didn't get on until its time as stalled. Returns how many milliseconds are left until the next one.
fn next_stall() -> Option<i32> {
    let root = dom::document().and_then(|d| d.document_element())?;
    let now = js_sys::Date::now();
    let mut next: Option<f64> = None;
    for card in dom::find_all(&root, "[data-stalls][data-state=running]") {
        let Some(at) = card.get_attribute(attr::STALLS).and_then(|text| text.parse::<i64>().ok()) else { continue };
        let left = (at / 1_000) as f64 - now;
        if left > 0.0 {
            next = Some(next.map_or(left, |next| next.min(left)));
        } else {
            let _ = card.set_attribute(attr::STATE, "stalled");
            if let Some(bar) = dom::find(&card, "[role=progressbar][aria-valuetext=Running]") {
                let _ = bar.set_attribute("aria-valuetext", "Stalled");
            }
        }
    }
    // Rounded up: a look before its time finds nothing.
    next.map(|left| left.ceil() as i32)
}

/// Also called when new rows enter the page.
pub fn refresh() {
    crate::unread::draw();
    if !COUNTS.get() {
        count_down();
    }
    let Some(root) = dom::document().and_then(|d| d.document_element()) else { return };
    let now = js_sys::Date::now();
    for time in dom::find_all(&root, "time[data-us]") {
        let Some(at) = time.get_attribute(attr::US).and_then(|text| text.parse::<i64>().ok()) else { continue };
        let milliseconds = (at / 1_000) as f64;
        let seconds = ((now - milliseconds) / 1_000.0) as i64;
        if seconds >= HOUR && time.has_attribute(attr::EXACT) {
            time.set_text_content(Some(&day_and_hour(milliseconds, now)));
            let _ = time.remove_attribute(attr::EXACT);
            let _ = time.set_attribute(attr::SAID, "");
        }
        // The server wrote the date where an age says too little; that stays.
        let age = if time.has_attribute(attr::AGO) { figures::said_ago(seconds) } else { figures::ago(seconds) };
        if let Some(age) = age.filter(|_| !time.has_attribute(attr::SAID))
            && time.text_content().as_deref() != Some(&age)
        {
            time.set_text_content(Some(&age));
        }
        if !time.has_attribute(attr::LOCAL) {
            let date = js_sys::Date::new(&JsValue::from_f64(milliseconds));
            let local = String::from(date.to_locale_string("en-GB", &JsValue::UNDEFINED));
            let _ = time.set_attribute("title", &local);
            let _ = time.set_attribute(attr::LOCAL, "");
        }
    }
}

/// Says each second how long it is until something is tried again, as long as such a moment lies ahead; what lies
/// behind, or more than an hour ahead, is a time of day.
fn count_down() {
    let Some(root) = dom::document().and_then(|d| d.document_element()) else { return };
    let now = js_sys::Date::now();
    let mut counts = false;
    for time in dom::find_all(&root, "time[data-retry]") {
        let Some(at) = time.get_attribute(attr::RETRY).and_then(|text| text.parse::<i64>().ok()) else { continue };
        let milliseconds = (at / 1_000) as f64;
        let seconds = ((milliseconds - now) / 1_000.0).ceil() as i64;
        let (words, goes_on) = of_retry(seconds, || day_and_hour(milliseconds, now));
        counts |= goes_on;
        if time.text_content().as_deref() != Some(&words) {
            time.set_text_content(Some(&words));
        }
    }
    COUNTS.set(counts);
    if counts {
        dom::after(SECOND, count_down);
    }
}

/// As JavaScript counts them; each has three letters, as on the server.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `1 Feb, 03:07`, where the reader is; with the year, if it is another one.
pub fn day_and_hour(milliseconds: f64, now: f64) -> String {
    let [date, now] = [milliseconds, now].map(|at| js_sys::Date::new(&JsValue::from_f64(at)));
    let month = MONTHS.get(date.get_month() as usize).copied().unwrap_or_default();
    let year = date.get_full_year();
    let year = if year == now.get_full_year() { String::new() } else { format!(" {year}") };
    format!("{} {month}{year}, {:02}:{:02}", date.get_date(), date.get_hours(), date.get_minutes())
}
