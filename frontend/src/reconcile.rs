//! New rows take the place of old ones. What didn't change stays as it is, with its focus, its selection and what the
//! reader unfolded.

use crate::unsent;
use app::browser::{dom, focus, fragment};
use model::MessageType;
use web_sys::Element;

/// Brings the rows of `container` to what `html` says.
pub fn rows(container: &Element, html: &str) {
    let Some(fresh) = fragment::parse(html) else { return };
    unsent::keep(container, &fresh);
    let held = focus::held(container);
    keep_inside(container, &fresh);
    // What goes is taken away first, so that nothing has to move that stays.
    let wanted: Vec<Key> = elements(&fresh).iter().map(key).collect();
    for gone in elements(container).into_iter().filter(|row| !wanted.contains(&key(row))) {
        gone.remove();
    }
    let mut old = container.first_element_child();
    while let Some(new) = fresh.first_element_child() {
        let Some(current) = old.take_if(|current| key(current) == key(&new)) else {
            let _ = container.insert_before(&new, old.as_deref());
            continue;
        };
        old = current.next_element_sibling();
        if same(&current, &new) {
            new.remove();
        } else if is_text(&current) && is_text(&new) {
            become_like(&current, &new);
            new.remove();
        } else {
            keep_unfolded(&current, &new);
            let _ = container.replace_child(&new, &current);
        }
    }
    if let Some(held) = held
        && !held.give_back(container)
    {
        // What stands for the row by now may be elsewhere: the keys are the transcript's.
        if let Some(transcript) = dom::by_id("transcript") {
            focus::put(&transcript);
        }
    }
}

/// What names a row among those of its chunk.
type Key = (Option<String>, bool);

fn key(row: &Element) -> Key {
    (row.get_attribute("data-seq"), row.has_attribute("data-last"))
}

fn elements(container: &Element) -> Vec<Element> {
    dom::find_all(container, ":scope > *")
}

/// Cards inside of groups stay as they are, too, and what is read in one that joins a group isn't folded away.
fn keep_inside(container: &Element, fresh: &Element) {
    for new in dom::find_all(fresh, ".group article[data-id]") {
        let id = new.get_attribute("data-id").unwrap_or_default();
        let named = |old: &Element| old.get_attribute("data-id").as_ref() == Some(&id);
        let Some(old) = dom::find_all(container, "article[data-id]").into_iter().find(named) else { continue };
        keep_unfolded(&old, &new);
        let stood_alone = old.parent_element().as_ref() == Some(container);
        if stood_alone
            && dom::find(&old, "details[open]").is_some()
            && let Ok(Some(group)) = new.parent_element().map_or(Ok(None), |above| above.closest("details"))
        {
            let _ = group.set_attribute("open", "");
        }
    }
}

/// Is there a card of this sub-agent? Its row says how the sub-agent stood when it was drawn.
pub fn shows_child(root: &Element, session: &str) -> bool {
    let child = |row: &Element| row.get_attribute("data-child").unwrap_or_default();
    dom::find_all(root, "article[data-child]").iter().any(|row| child(row).split(' ').next() == Some(session))
}

/// What may change without the message: the hash of what an open approval asks about, what people ticked in a plan, and how a
/// call stands whose result is elsewhere, or whose agent was lost.
fn changeable(row: &Element) -> [Option<String>; 3] {
    let of = |selector: &str, name: &str| dom::find(row, selector)?.get_attribute(name);
    [of("[data-shown]", "data-shown"), of("[data-done]", "data-done"), of(".tool[data-state]", "data-state")]
}

fn is_text(row: &Element) -> bool {
    row.get_attribute("data-type").as_deref() == Some(MessageType::Text.as_str())
}

/// Changes an element where it differs: of a text that was completed, or has an answer now, the rest keeps its selection.
fn become_like(current: &Element, new: &Element) {
    for name in current.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        if !new.has_attribute(&name) && !KEPT.contains(&&*name) {
            let _ = current.remove_attribute(&name);
        }
    }
    for name in new.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        let _ = current.set_attribute(&name, &new.get_attribute(&name).unwrap_or_default());
    }
    let is_message = |element: &Element| element.class_list().contains("msg");
    children(current, new, |current, new| {
        let equal = current.is_equal_node(Some(new));
        let messages = is_message(current) && is_message(new);
        if messages && !equal {
            become_like(current, new);
        }
        equal || messages
    });
}

/// Brings the children of `container` to those of `fresh`, in their order. `keeps` says that one stays, after it became
/// what the new one says; the others are replaced.
fn children(container: &Element, fresh: &Element, keeps: impl Fn(&Element, &Element) -> bool) {
    let mut old = container.first_element_child();
    while let Some(new) = fresh.first_element_child() {
        let Some(current) = old else {
            let _ = container.append_child(&new);
            continue;
        };
        old = current.next_element_sibling();
        if keeps(&current, &new) {
            new.remove();
        } else {
            let _ = container.replace_child(&new, &current);
        }
    }
    while let Some(gone) = old {
        old = gone.next_element_sibling();
        gone.remove();
    }
}

/// What the page adds to a row.
const KEPT: [&str; 3] = ["data-current", "data-new", "data-day"];

/// The line above a row stays when the row is drawn by itself, which knows of none above it.
pub fn keep_lines(current: &Element, new: &Element) {
    for name in ["data-new", "data-day"] {
        if let Some(value) = current.get_attribute(name) {
            let _ = new.set_attribute(name, &value);
        }
    }
}

/// Is it the same row in the same state? Revisions say so for messages; markers and groups are compared by what they say.
fn same(current: &Element, new: &Element) -> bool {
    let equal = |name: &str| current.get_attribute(name) == new.get_attribute(name);
    let row = equal("id")
        && equal("data-seq")
        && equal("data-last")
        && equal("data-holds")
        && equal("data-turn")
        && equal("data-runs-on")
        && equal("data-revision")
        && equal("data-delivery")
        && equal("data-child")
        && equal("class");
    row && (current.has_attribute("data-revision") || current.text_content() == new.text_content())
        && changeable(current) == changeable(new)
        // With dev on a row ends in a strip that it lacks otherwise.
        && dom::find(current, ".dev").is_some() == dom::find(new, ".dev").is_some()
}

/// What unfolds in a row, without what unfolds inside of it: that isn't there while the card is folded.
pub fn cards(row: &Element) -> Vec<Element> {
    let own = |card: &Element| {
        let outer = card.parent_element().and_then(|parent| parent.closest("details, article").ok().flatten());
        outer.is_none_or(|outer| outer == *row)
    };
    dom::find_all(row, "details").into_iter().filter(own).collect()
}

/// What the reader unfolded or folded stays so, where the row still has the same number of parts.
pub fn keep_unfolded(current: &Element, new: &Element) {
    let (before, after) = (cards(current), cards(new));
    if before.len() == after.len() {
        for (old, new) in before.iter().zip(&after) {
            let _ =
                if old.has_attribute("open") { new.set_attribute("open", "") } else { new.remove_attribute("open") };
        }
    }
}
