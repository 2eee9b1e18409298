//! The focus stays where the reader put it, also when what holds it is drawn anew, folds up or goes.

use super::dom;
use crate::shared::attr;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlInputElement, HtmlTextAreaElement};

/// Attributes that identify a control of a row, in addition to its kind.
const NAMES: [&str; 6] = [attr::ACTION, "name", "value", "href", "for", attr::TICK];

/// Where the focus is in a part of the page whose rows are drawn anew.
pub struct Held {
    /// The row, as every drawing of it is found.
    row: String,
    control: Option<Control>,
    /// Its typed text.
    typed: Option<String>,
}

struct Control {
    sign: Vec<Option<String>>,
    /// Its number among the controls of the row that say the same of themselves.
    number: usize,
}

thread_local! {
    /// The focused control of a row that doesn't have it at the moment.
    static WAITING: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Gives an element the focus and leaves the page where it is.
pub fn put(element: &Element) {
    if let Some(element) = dom::html(element) {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}

/// The focus, if it is in a row of this part.
pub fn held(part: &Element) -> Option<Held> {
    let active = dom::focus_in(part)?;
    let article = active.closest("article[data-seq]").ok().flatten().filter(|row| part.contains(Some(row)))?;
    let seq = article.get_attribute(attr::SEQ)?;
    // A group has the number of its first message.
    let kind = if article.class_list().contains("group") { ".group" } else { ":not(.group)" };
    let sign = sign(&active);
    let control = (active != article).then(|| {
        let number = alike(&article, &sign).iter().position(|other| *other == active).unwrap_or(0);
        Control { sign, number }
    });
    Some(Held { row: format!("article[data-seq='{seq}']{kind}"), control, typed: typed(&active) })
}

impl Held {
    /// To the same control of the new row, else to the row. Returns true if there is one.
    pub fn give_back(self, part: &Element) -> bool {
        if dom::focus_in(part).is_some() {
            return true;
        }
        let Some(row) = dom::find(part, &self.row) else { return false };
        if let Some(control) = self.control_in(&row) {
            self.enter(&control);
        } else {
            put(&row);
            // The card comes folded, and is drawn as it was unfolded.
            WAITING.set(Some(self));
        }
        true
    }

    fn control_in(&self, row: &Element) -> Option<Element> {
        match &self.control {
            Some(control) => alike(row, &control.sign).into_iter().nth(control.number),
            None => Some(row.clone()),
        }
    }

    fn enter(&self, control: &Element) {
        if let Some(text) = &self.typed {
            retype(control, text);
        }
        put(control);
    }
}

/// A card of a row was drawn: what had the focus before may be there again. Whoever went elsewhere stays there.
pub fn resume(row: &Element) {
    let Some(held) = WAITING.take() else { return };
    let waits = row.matches(&held.row).unwrap_or(false) && dom::active().as_ref() == Some(row);
    if let Some(control) = held.control_in(row).filter(|_| waits) {
        held.enter(&control);
    }
}

fn sign(control: &Element) -> Vec<Option<String>> {
    let names = NAMES.iter().map(|name| control.get_attribute(name));
    std::iter::once(Some(control.tag_name())).chain(names).collect()
}

fn alike(row: &Element, wanted: &[Option<String>]) -> Vec<Element> {
    let all = dom::find_all(row, "a[href], button, summary, input, select, textarea, [tabindex]");
    all.into_iter().filter(|control| sign(control) == wanted).collect()
}

fn typed(control: &Element) -> Option<String> {
    let area = control.dyn_ref::<HtmlTextAreaElement>().map(HtmlTextAreaElement::value);
    area.or_else(|| control.dyn_ref::<HtmlInputElement>().filter(|_| dom::typing()).map(HtmlInputElement::value))
}

fn retype(control: &Element, text: &str) {
    if let Some(area) = control.dyn_ref::<HtmlTextAreaElement>() {
        area.set_value(text);
    } else if let Some(field) = control.dyn_ref::<HtmlInputElement>() {
        field.set_value(text);
    }
}

/// Moves the focus out of folded cards, to the head of the outermost one.
pub fn out_of_folds() {
    let Some(active) = dom::active() else { return };
    let mut folded = active.closest("details:not([open])").ok().flatten();
    let mut head = None;
    while let Some(card) = folded {
        let summary = card.first_element_child();
        if !summary.as_ref().is_some_and(|summary| summary.contains(Some(&active))) {
            head = summary;
        }
        folded = card.parent_element().and_then(|above| above.closest("details:not([open])").ok().flatten());
    }
    if let Some(head) = head {
        put(&head);
    }
}
