//! The few calls to the browser that several parts make. Each of them may fail quietly; none panics.

use crate::look::CHOICES;
use crate::shared::attr;
use crate::shared::page_action::PageAction;
pub use api::transport::fetch::at;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    AddEventListenerOptions, Document, Element, EventTarget, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition,
    Window,
};

pub fn window() -> Option<Window> {
    web_sys::window()
}

pub fn document() -> Option<Document> {
    window()?.document()
}

pub fn by_id(id: &str) -> Option<Element> {
    // An address without a hash names nothing.
    document().filter(|_| !id.is_empty())?.get_element_by_id(id)
}

pub fn html(element: &Element) -> Option<&HtmlElement> {
    element.dyn_ref()
}

/// The element that has the focus.
pub fn active() -> Option<Element> {
    document()?.active_element()
}

/// Returns the element that has the focus, if it is `root` or below it.
pub fn focus_in(root: &Element) -> Option<Element> {
    active().filter(|active| root.contains(Some(active)))
}

/// The first match below an element.
pub fn find(root: &Element, selector: &str) -> Option<Element> {
    root.query_selector(selector).ok().flatten()
}

/// Every match below an element, in document order.
pub fn find_all(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|at| list.get(at)?.dyn_into().ok()).collect()
}

/// How many elements are below an element.
pub fn elements(root: &Element) -> usize {
    root.get_elements_by_tag_name("*").length() as usize
}

/// The element of an event's target, or its nearest ancestor, that matches.
pub fn closest(event: &web_sys::Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok().flatten()
}

/// Returns the action of a button or link.
pub fn action_of(element: &Element) -> Option<PageAction> {
    PageAction::parse(&element.get_attribute(attr::ACTION)?)
}

/// Returns the action of the button or link of an event's target, with the button.
pub fn action(event: &web_sys::Event) -> Option<(PageAction, Element)> {
    let button = closest(event, "[data-action]")?;
    Some((action_of(&button)?, button))
}

/// Listens for as long as the target lives: with it the browser lets go of the handler.
pub fn listen<E: FromWasmAbi + 'static>(target: &EventTarget, name: &str, handler: impl FnMut(E) + 'static) {
    let handler = Closure::<dyn FnMut(E)>::new(handler).into_js_value();
    let _ = target.add_event_listener_with_callback(name, handler.unchecked_ref());
}

/// Like [`listen`], but in the capture phase: for events that don't bubble. The handler can't cancel them.
pub fn listen_capturing<E: FromWasmAbi + 'static>(target: &EventTarget, name: &str, handler: impl FnMut(E) + 'static) {
    let handler = Closure::<dyn FnMut(E)>::new(handler).into_js_value();
    let options = AddEventListenerOptions::new();
    options.set_capture(true);
    options.set_passive(true);
    let function = handler.unchecked_ref();
    let _ = target.add_event_listener_with_callback_and_add_event_listener_options(name, function, &options);
}

/// Like [`listen_capturing`], but the handler may cancel the event.
pub fn listen_down<E: FromWasmAbi + 'static>(target: &EventTarget, name: &str, handler: impl FnMut(E) + 'static) {
    let handler = Closure::<dyn FnMut(E)>::new(handler).into_js_value();
    let _ = target.add_event_listener_with_callback_and_bool(name, handler.unchecked_ref(), true);
}

/// Once, after so many milliseconds.
pub fn after(milliseconds: i32, action: impl FnOnce() + 'static) {
    let Some(window) = window() else { return };
    let action = Closure::once_into_js(action);
    let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(action.unchecked_ref(), milliseconds);
}

/// Once, before the next frame is painted.
pub fn next_frame(action: impl FnOnce() + 'static) {
    let Some(window) = window() else { return };
    let action = Closure::once_into_js(action);
    let _ = window.request_animation_frame(action.unchecked_ref());
}

/// Returns true if the page is visible.
pub fn visible() -> bool {
    document().is_none_or(|d| d.visibility_state() == web_sys::VisibilityState::Visible)
}

/// The session of this page, if it is about one.
pub fn session() -> Option<String> {
    by_id("live")?.get_attribute(attr::SESSION)
}

/// The sub-agent's session, of a row in the panel.
pub fn nested_session(element: &Element) -> Option<String> {
    element.closest(".nested").ok().flatten()?.get_attribute(attr::SESSION)
}

/// The build that drew this page.
pub fn build() -> Option<String> {
    document()?.document_element()?.get_attribute(attr::BUILD)
}

/// When the page was read that the worker shows for the server, in milliseconds; None of one that comes from the
/// server.
pub fn kept_at() -> Option<f64> {
    document()?.document_element()?.get_attribute(attr::KEPT)?.parse::<i64>().ok().map(|at| at as f64)
}

/// `14:02`, as the reader's clock says.
pub fn time_of_day() -> String {
    let now = js_sys::Date::new_0();
    format!("{:02}:{:02}", now.get_hours(), now.get_minutes())
}

/// Goes to a page of the server, or to another URL.
pub fn go_to(url: &str) {
    if let Some(window) = window() {
        let _ = window.location().set_href(&at(url));
    }
}

/// Scrolls as little as brings all of an element into view.
pub fn bring_into_view(element: &Element) {
    let nearest = ScrollIntoViewOptions::new();
    nearest.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&nearest);
}

pub fn reload() {
    if let Some(window) = window() {
        let _ = window.location().reload();
    }
}

/// The part of the address after `?`, without it.
pub fn query() -> String {
    let search = window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    search.trim_start_matches('?').to_owned()
}

/// A parameter of the address, if it is there and not empty.
pub fn parameter(name: &str) -> Option<String> {
    let parameters = web_sys::UrlSearchParams::new_with_str(&query()).ok()?;
    parameters.get(name).filter(|value| !value.is_empty())
}

/// The part of the address after `#`, without it, decoded.
pub fn hash() -> String {
    let hash = window().and_then(|w| w.location().hash().ok()).unwrap_or_default();
    let hash = hash.trim_start_matches('#');
    js_sys::decode_uri_component(hash).map_or_else(|_| hash.to_owned(), String::from)
}

/// Changes the address without a new entry in the history.
pub fn replace_address(address: &str) {
    let history = window().and_then(|w| w.history().ok());
    if let Some(history) = history {
        // Keep the scroll position in the history entry.
        let kept = history.state().unwrap_or(JsValue::NULL);
        let _ = history.replace_state_with_url(&kept, "", Some(address));
    }
}

/// Sets or removes one parameter of the address.
pub fn replace_parameter(name: &str, value: Option<&str>) {
    let Some(location) = window().map(|w| w.location()) else { return };
    let Ok(parameters) = web_sys::UrlSearchParams::new_with_str(&query()) else { return };
    if parameters.get(name).as_deref() == value {
        return;
    }
    match value {
        Some(value) => parameters.set(name, value),
        None => parameters.delete(name),
    }
    let path = location.pathname().unwrap_or_default();
    let hash = location.hash().unwrap_or_default();
    let query = String::from(parameters.to_string());
    let query = if query.is_empty() { query } else { format!("?{query}") };
    replace_address(&format!("{path}{query}{hash}"));
}

/// A cookie that the server reads when it draws the next page; kept for a year.
pub fn set_cookie(name: &str, value: &str) {
    let Some(document) = document().and_then(|d| d.dyn_into::<web_sys::HtmlDocument>().ok()) else { return };
    let _ = document.set_cookie(&format!("{name}={value}; path=/; max-age=31536000; SameSite=Strict"));
}

/// Shows one choice of how pages look, and keeps it on this device.
pub fn set_look(name: &str, value: &str) {
    let (Some(root), Some(choice)) =
        (document().and_then(|d| d.document_element()), CHOICES.iter().find(|choice| choice.name == name))
    else {
        return;
    };
    let usual = choice.values.first().is_some_and(|(word, _)| *word == value) && name != "theme";
    let _ = if usual { root.remove_attribute(choice.attribute) } else { root.set_attribute(choice.attribute, value) };
    set_cookie(name, value);
}

/// An element that is nowhere yet.
pub fn make(tag: &str, class: &str) -> Option<Element> {
    let element = document()?.create_element(tag).ok()?;
    element.set_class_name(class);
    if tag == "button" {
        let _ = element.set_attribute("type", "button");
    }
    Some(element)
}

/// A copy of what the server drew into a template, which is nowhere yet.
pub fn drawn(template: &str) -> Option<Element> {
    let template = by_id(template)?.dyn_into::<web_sys::HtmlTemplateElement>().ok()?;
    template.content().first_element_child()?.clone_node_with_deep(true).ok()?.dyn_into().ok()
}

/// Says words in the first match below an element.
pub fn say(root: &Element, selector: &str, words: &str) {
    if let Some(place) = find(root, selector) {
        place.set_text_content(Some(words));
    }
}

/// Keeps the dev toggle for this address and for the next page.
pub fn remember_dev(on: bool) {
    let word = if on { "1" } else { "0" };
    set_cookie("dev", word);
    replace_parameter("dev", Some(word));
}

/// Says something to those who don't see the page.
pub fn announce(words: &str) {
    if let Some(announcer) = by_id("announcer") {
        announcer.set_text_content(Some(words));
    }
}

/// Returns true if a text field has the focus.
pub fn typing() -> bool {
    let Some(active) = active() else { return false };
    let editable = html(&active).is_some_and(HtmlElement::is_content_editable);
    editable || (matches!(&*active.tag_name(), "INPUT" | "TEXTAREA" | "SELECT") && !is_switch(&active))
}

fn is_switch(element: &Element) -> bool {
    matches!(element.get_attribute("type").as_deref(), Some("checkbox" | "radio"))
}

/// In lower case, as the browser knows it: the table of all letters is 12 kB.
pub fn lower(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

/// The numbers before the first line of a run, on the old side and on the new one.
pub fn lines_before(run: &Element) -> Option<(i64, i64)> {
    let style = run.get_attribute("style")?;
    let mut words = style.strip_prefix("counter-set:o ")?.split(' ');
    let old = words.next()?.parse().ok()?;
    Some((old, words.nth(1)?.parse().ok()?))
}

/// Side and number of a line of a difference: the style counts them.
pub fn line_number(line: &Element) -> Option<(char, u32)> {
    let (old, new) = lines_before(&line.closest(".run").ok().flatten()?)?;
    let tag = line.tag_name();
    let mut count = 1;
    let mut earlier = line.previous_element_sibling();
    while let Some(element) = earlier {
        count += i64::from(element.tag_name() == tag && element.class_list().contains("l"));
        earlier = element.previous_element_sibling();
    }
    let is_old = tag == "DEL" || line.parent_element()?.class_list().contains("o");
    let number = count + if is_old { old } else { new };
    Some((if is_old { 'L' } else { 'R' }, u32::try_from(number).ok()?))
}
