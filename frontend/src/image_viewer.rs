//! Images of the transcript, large: one after the other, fitted into the window or as they are. The dialog is made when
//! it is first opened, and in the page while it is open; the browser gives the focus back.

use app::browser::{dom, fragment};
use app::icon::{self, Glyph, IconStyle};
use app::shared::attr;
use leptos::prelude::lazy;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, KeyboardEvent, MouseEvent};

/// Cards of images that the server holds, and images that a tool gave back.
const CARDS: &str = "a.filecard:has(> img.thumb), .shot:has(> summary > img)";

/// One row, on phones too: what has a sign is a sign.
fn frame() -> String {
    let sign = |does: &str, label: &str, glyph| {
        let icon = icon::markup(glyph, IconStyle::default());
        format!(
            "<button type=\"button\" class=\"btn quiet icon\" data-view=\"{does}\" title=\"{label}\" aria-label=\"{label}\">{icon}</button>"
        )
    };
    let (previous, next) = (sign("previous", "Previous", Glyph::CHEV), sign("next", "Next", Glyph::CHEV));
    let close = sign("close", "Close", Glyph::X);
    format!(
        "<header><b class=\"cut\"></b><span class=\"cap num\"></span><span class=\"sp\"></span>{previous}{next}\
         <button type=\"button\" class=\"btn tiny\" data-view=\"size\" aria-pressed=\"false\">100 %</button>\
         <a class=\"btn tiny\" target=\"_blank\" rel=\"noopener\">Open</a>{close}</header>\
         <div class=\"stage\" tabindex=\"0\" role=\"region\" aria-label=\"Image\"><img alt=\"\"></div>"
    )
}

thread_local! {
    static VIEWER: RefCell<Option<Element>> = const { RefCell::new(None) };
    /// The shown images while it is open.
    static SHOWN: RefCell<Vec<Element>> = const { RefCell::new(Vec::new()) };
}

/// Shows the image of a click, if it is on one. Returns true if it is.
pub fn opens(event: &MouseEvent) -> bool {
    let plain = !(event.ctrl_key() || event.meta_key() || event.shift_key());
    let Some(card) = dom::closest(event, CARDS).filter(|_| plain) else { return false };
    wasm_bindgen_futures::spawn_local(open(card));
    true
}

#[lazy]
async fn open(card: Element) {
    let Some(transcript) = card.closest(".column").ok().flatten() else { return };
    let cards = dom::find_all(&transcript, CARDS);
    let at = cards.iter().position(|other| *other == card).unwrap_or(0);
    let _ = show(cards, at);
}

fn show(cards: Vec<Element>, at: usize) -> Option<()> {
    let element = VIEWER.with_borrow(Clone::clone).or_else(make)?;
    let _ = element.remove_attribute(attr::LARGE);
    fragment::fill(&element, &frame());
    dom::by_id("app")?.append_child(&element).ok()?;
    SHOWN.set(cards);
    draw(&element, at);
    element.dyn_ref::<HtmlDialogElement>()?.show_modal().ok()?;
    dom::html(&dom::find(&element, ".stage")?)?.focus().ok()
}

fn make() -> Option<Element> {
    let element = dom::make("dialog", "viewer")?;
    let _ = element.set_attribute("aria-label", "Image viewer");
    let closed = element.clone();
    dom::listen(&element, "close", move |_: Event| {
        closed.remove();
        SHOWN.take();
    });
    let clicked = element.clone();
    dom::listen(&element, "click", move |event: MouseEvent| {
        // Beside the image is the way out.
        let beside = dom::closest(&event, ".stage").is_some() && dom::closest(&event, "img").is_none();
        let button = dom::closest(&event, "[data-view]").and_then(|button| button.get_attribute(attr::VIEW));
        match button.as_deref() {
            Some("previous") => step(&clicked, -1),
            Some("next") => step(&clicked, 1),
            Some("size") => resize(&clicked),
            Some("close") => close(&clicked),
            _ if beside => close(&clicked),
            _ => {}
        }
    });
    let pressed = element.clone();
    dom::listen(&element, "keydown", move |event: KeyboardEvent| {
        let large = pressed.has_attribute(attr::LARGE);
        match event.key().as_str() {
            // A large image is moved with the arrows.
            "ArrowLeft" if !large => step(&pressed, -1),
            "ArrowRight" if !large => step(&pressed, 1),
            "1" => resize(&pressed),
            _ => {}
        }
    });
    VIEWER.set(Some(element.clone()));
    Some(element)
}

fn close(viewer: &Element) {
    if let Some(dialog) = viewer.dyn_ref::<HtmlDialogElement>() {
        dialog.close();
    }
}

fn resize(viewer: &Element) {
    let large = viewer.toggle_attribute(attr::LARGE).unwrap_or(false);
    if let Some(button) = dom::find(viewer, "[data-view=size]") {
        let _ = button.set_attribute("aria-pressed", if large { "true" } else { "false" });
    }
}

fn step(viewer: &Element, way: isize) {
    let at = viewer.get_attribute(attr::AT).and_then(|at| at.parse::<usize>().ok()).unwrap_or(0);
    if let Some(next) = at.checked_add_signed(way) {
        draw(viewer, next);
    }
}

fn draw(viewer: &Element, at: usize) {
    let (card, count) = SHOWN.with_borrow(|cards| (cards.get(at).cloned(), cards.len()));
    let Some(card) = card else { return };
    let own = dom::find(&card, "img");
    let of_image = |name: &str| own.as_ref().and_then(|image| image.get_attribute(name));
    let address = card.get_attribute("href").or_else(|| of_image("src")).unwrap_or_default();
    let name = dom::find(&card, ".cut").and_then(|name| name.text_content()).or_else(|| of_image("alt"));
    let name = name.unwrap_or_default();
    let _ = viewer.set_attribute(attr::AT, &at.to_string());
    if let Some(image) = dom::find(viewer, "img") {
        let _ = image.set_attribute("src", &address);
        let _ = image.set_attribute("alt", &name);
    }
    if let Some(link) = dom::find(viewer, "a") {
        // No browser opens a page of what is written in this one.
        let _ = link.toggle_attribute_with_force("hidden", address.starts_with("data:"));
        let _ = link.set_attribute("href", &address);
    }
    for (place, words) in [("b", name), (".num", format!("{} of {count}", at + 1))] {
        if let Some(place) = dom::find(viewer, place) {
            place.set_text_content(Some(&words));
        }
    }
    for (way, ends) in [("previous", at == 0), ("next", at + 1 == count)] {
        if let Some(button) = dom::find(viewer, &format!("[data-view={way}]")) {
            let _ = button.set_attribute("aria-disabled", if ends { "true" } else { "false" });
        }
    }
}
