//! Rows of the list that are far from the view: only their places, with their titles, are in the document. A row takes
//! its place as it comes near, and leaves it when it is far away again, so that a list of hundreds has few elements.

use crate::times;
use app::browser::{dom, focus};
use app::shared::attr;
use app::shared::page_action::PageAction;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, HtmlTemplateElement};

/// Rows nearer to the view than this are whole, in heights of the view.
const NEAR: f64 = 0.25;
/// Rows further from the view than this are places, in heights of the view.
const FAR: f64 = 0.5;
/// A row in which something goes on stays.
const BUSY: &str = "[data-current], :focus-within, :has(.more[data-open], form.rename), :has(+ .peek)";
const LINK: &str = "a[data-title]";

thread_local! {
    /// Rows that aren't in the document, by session.
    static AWAY: RefCell<HashMap<String, Element>> = RefCell::default();
    static DUE: Cell<bool> = const { Cell::new(false) };
}

pub fn start() {
    let Some((scroller, list)) = dom::by_id("scroller").zip(dom::by_id("sessions")) else { return };
    take_over(&list);
    dom::listen(&scroller, "scroll", |_: Event| soon());
    if let Some(window) = dom::window() {
        dom::listen(&window, "resize", |_: Event| soon());
    }
}

/// The list was drawn anew: its distant rows are in a template.
pub fn take_over(list: &Element) {
    let template = dom::find(list, "template[data-rows]").and_then(|it| it.dyn_into::<HtmlTemplateElement>().ok());
    let mut away = HashMap::new();
    if let Some(template) = template {
        let content = template.content();
        while let Some(row) = content.first_element_child() {
            row.remove();
            if let Some(id) = row.get_attribute(attr::ROW) {
                away.insert(id, row);
            }
        }
        template.remove();
    }
    AWAY.set(away);
    show();
}

/// With the next frame.
fn soon() {
    if !DUE.replace(true) {
        dom::next_frame(|| {
            DUE.set(false);
            show();
            load_more();
        });
    }
}

/// Puts rows that are near in their places, and takes those away that are far.
fn show() {
    let Some((scroller, list)) = dom::by_id("scroller").zip(dom::by_id("sessions")) else { return };
    let view = scroller.get_bounding_client_rect();
    // All is measured before anything changes.
    let measured: Vec<_> = dom::find_all(&list, ".srow[data-row]")
        .into_iter()
        .map(|row| {
            let at = row.get_bounding_client_rect();
            let distance = (at.top() - view.bottom()).max(view.top() - at.bottom());
            (row, distance, at.height())
        })
        .collect();
    let mut came = false;
    for (row, distance, height) in measured {
        let is_place = row.class_list().contains("distant");
        if is_place && distance < NEAR * view.height() {
            came |= put_row(&row).is_some();
        } else if !is_place && distance > FAR * view.height() && !row.matches(BUSY).unwrap_or(true) {
            put_place(&row, height);
        }
    }
    if came {
        times::refresh();
    }
}

/// Follows the link to a longer list, once, as the reader gets near the end. What leads to another page waits for a
/// click.
fn load_more() -> Option<()> {
    let (scroller, list) = dom::by_id("scroller").zip(dom::by_id("sessions"))?;
    let link = dom::find(&list, &PageAction::MoreSessions.selector())?;
    let view = scroller.get_bounding_client_rect();
    let is_near = link.get_bounding_client_rect().top() - view.bottom() < NEAR * view.height();
    let is_longer = !link.get_attribute("href")?.contains("after=");
    if is_near && is_longer && !link.has_attribute(attr::FOLLOWED) {
        let _ = link.set_attribute(attr::FOLLOWED, "");
        dom::html(&link)?.click();
    }
    Some(())
}

fn put_row(place: &Element) -> Option<()> {
    let row = AWAY.with_borrow_mut(|away| away.remove(&place.get_attribute(attr::ROW)?))?;
    let is_selected = place.class_list().contains("sel");
    let _ = row.class_list().toggle_with_force("sel", is_selected);
    if let Some(tick) = dom::find(&row, "input[data-select]").and_then(|it| it.dyn_into::<HtmlInputElement>().ok()) {
        tick.set_checked(is_selected);
    }
    let _ = row.toggle_attribute_with_force(attr::CURRENT, place.has_attribute(attr::CURRENT));
    let had_focus = dom::focus_in(place).is_some();
    place.replace_with_with_node_1(&row).ok()?;
    if had_focus && let Some(link) = dom::find(&row, LINK) {
        focus::put(&link);
    }
    Some(())
}

/// The place is as high as the row, so that nothing moves.
fn put_place(row: &Element, height: f64) -> Option<()> {
    let id = row.get_attribute(attr::ROW)?;
    let place = row.clone_node().ok()?.dyn_into::<Element>().ok()?;
    let link = dom::find(row, LINK)?.clone_node_with_deep(true).ok()?;
    place.append_child(&link).ok()?;
    place.class_list().add_1("distant").ok()?;
    if let Some(place) = dom::html(&place) {
        let _ = place.style().set_property("min-height", &format!("{height}px"));
    }
    row.replace_with_with_node_1(&place).ok()?;
    AWAY.with_borrow_mut(|away| away.insert(id, row.clone()));
    Some(())
}
