//! New content takes the place of old one without taking away what the reader has opened, loaded or focused.

use app::browser::{dom, focus};
use app::shared::attr;
use web_sys::Element;

/// Where the focus was inside a part of the page.
struct Focused {
    /// `data-load` of the group that held it.
    group: Option<String>,
    /// Its number among what takes the focus there.
    number: usize,
}

/// Makes the content of `fresh` that of `current`.
pub fn swap(current: &Element, fresh: &Element) {
    let focused = focused(current);
    keep_loaded(current, fresh);
    keep_open(fresh);
    current.replace_children_with_node_0();
    while let Some(part) = fresh.first_element_child() {
        let _ = current.append_child(&part);
    }
    if let Some(focused) = focused {
        refocus(current, &focused);
    }
}

/// Moves the loaded content of groups to the new elements. A group that has changed is loaded again by its `toggle`
/// event, and shows its old content meanwhile.
fn keep_loaded(current: &Element, fresh: &Element) {
    for new in dom::find_all(fresh, "details[data-load]") {
        let Some(old) = group(current, new.get_attribute(attr::LOAD).as_deref()) else { continue };
        let (Some(slot), Some(empty)) = (old.last_element_child(), new.last_element_child()) else { continue };
        let _ = new.replace_child(&slot, &empty);
        if old.has_attribute(attr::LOADED) && old.get_attribute(attr::EDITS) == new.get_attribute(attr::EDITS) {
            let _ = new.set_attribute(attr::LOADED, "");
        }
        let _ = new.toggle_attribute_with_force("open", old.has_attribute("open"));
    }
}

/// Diffs that were fetched move over: an edit never changes once it is recorded.
pub fn keep_diffs(current: &Element, fresh: &Element) {
    let loaded = dom::find_all(current, "[data-edit][data-loaded]");
    for edit in dom::find_all(fresh, "[data-edit]") {
        let path = edit.get_attribute(attr::EDIT);
        if let Some(old) = loaded.iter().find(|old| old.get_attribute(attr::EDIT) == path) {
            let _ = edit.replace_with_with_node_1(old);
        }
    }
}

fn group(root: &Element, load: Option<&str>) -> Option<Element> {
    let named = |group: &Element| group.get_attribute(attr::LOAD).as_deref() == load;
    dom::find_all(root, "details[data-load]").into_iter().find(named)
}

fn stops(root: &Element) -> Vec<Element> {
    dom::find_all(root, "a[href], button, summary, input, select, textarea, [tabindex]")
}

fn focused(root: &Element) -> Option<Focused> {
    let active = dom::focus_in(root)?;
    let within = active.closest("details[data-load]").ok().flatten();
    let number = stops(within.as_ref().unwrap_or(root)).iter().position(|stop| *stop == active)?;
    Some(Focused { group: within.and_then(|group| group.get_attribute(attr::LOAD)), number })
}

fn refocus(root: &Element, focused: &Focused) {
    let within = focused.group.as_deref().and_then(|load| group(root, Some(load)));
    let stops = stops(within.as_ref().unwrap_or(root));
    if let Some(stop) = stops.get(focused.number).or(stops.first()) {
        focus::put(stop);
    }
}

/// Groups with an id stay as the reader left them.
fn keep_open(fresh: &Element) {
    for new in dom::find_all(fresh, "details[id]") {
        if let Some(old) = dom::by_id(&new.id()) {
            let _ = new.toggle_attribute_with_force("open", old.has_attribute("open"));
        }
    }
}
