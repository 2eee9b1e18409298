//! A line where the reader's day ends. The server doesn't know where the reader is: a row says when it and what stands
//! above it were written.

use app::browser::dom;
use app::shared::attr;
use js_sys::{Date, Object, Reflect};
use wasm_bindgen::JsValue;
use web_sys::Element;

/// Draws the lines of some rows.
pub fn divide(part: &Element) {
    for row in dom::find_all(part, ":scope > [data-before]:not([data-day])") {
        let (Some(before), Some(at)) = (moment(&row, attr::BEFORE), moment(&row, attr::AT)) else { continue };
        let day = |date: &Date| (date.get_full_year(), date.get_month(), date.get_date());
        if day(&before) != day(&at) {
            let _ = row.set_attribute(attr::DAY, &words(&at));
        }
    }
}

fn moment(row: &Element, name: &str) -> Option<Date> {
    let at: i64 = row.get_attribute(name)?.parse().ok()?;
    Some(Date::new(&JsValue::from_f64((at / 1_000) as f64)))
}

/// `Friday, 21 November 2026`
fn words(date: &Date) -> String {
    let options = Object::new();
    for (name, value) in [("weekday", "long"), ("day", "numeric"), ("month", "long"), ("year", "numeric")] {
        let _ = Reflect::set(&options, &name.into(), &value.into());
    }
    // As the server writes it: `en-GB` has no comma after the day of the week.
    String::from(date.to_locale_date_string("en-GB", &options)).replacen(' ', ", ", 1).replacen(",, ", ", ", 1)
}
