//! New rows take the place of old ones. What didn't change stays as it is, with its focus, its selection and what the
//! reader unfolded.

use crate::unsent;
use app::browser::{dom, focus, fragment};
use app::shared::attr;
use app::shared::row_merge::{Merge, Row, Step, is_same, merge};
use model::MessageType;
use web_sys::Element;

/// Brings the rows of `container` to what `html` says.
pub fn rows(container: &Element, html: &str) {
    let Some(fresh) = fragment::parse(html) else { return };
    unsent::keep(container, &fresh);
    let held = focus::held(container);
    keep_inside(container, &fresh);
    let (old, new) = (elements(container), elements(&fresh));
    let keys = |rows: &[Element]| rows.iter().map(key).collect::<Vec<_>>();
    let Merge { gone, steps } = merge(&keys(&old), &keys(&new));
    gone.iter().filter_map(|at| old.get(*at)).for_each(Element::remove);
    // Old rows that follow are behind this one.
    let mut before: Option<Element> = None;
    for step in steps {
        match step {
            Step::Insert { new: at } => {
                let Some(new) = new.get(at) else { continue };
                let _ = match &before {
                    Some(before) => before.after_with_node_1(new),
                    None => container.prepend_with_node_1(new),
                };
                before = Some(new.clone());
            }
            Step::Keep { old: was, new: at } => {
                let (Some(current), Some(new)) = (old.get(was), new.get(at)) else { continue };
                before = Some(settle(container, current, new).clone());
            }
        }
    }
    if let Some(held) = held
        && !held.give_back(container)
    {
        // The row's replacement may be elsewhere in the transcript.
        if let Some(transcript) = dom::by_id("transcript") {
            focus::put(&transcript);
        }
    }
}

/// A row that stays becomes what the new one says. Returns the one that stands there.
fn settle<'r>(container: &Element, current: &'r Element, new: &'r Element) -> &'r Element {
    if is_same(&Drawn(current), &Drawn(new)) {
        new.remove();
        return current;
    }
    if is_text(current) && is_text(new) {
        become_like(current, new);
        new.remove();
        return current;
    }
    keep_unfolded(current, new);
    let _ = container.replace_child(new, current);
    new
}

/// Identifies a row in its chunk.
type Key = (Option<String>, bool);

fn key(row: &Element) -> Key {
    (row.get_attribute(attr::SEQ), row.has_attribute(attr::LAST))
}

fn elements(container: &Element) -> Vec<Element> {
    dom::find_all(container, ":scope > *")
}

/// Cards inside of groups stay as they are, too, and what is read in one that joins a group isn't folded away.
fn keep_inside(container: &Element, fresh: &Element) {
    for new in dom::find_all(fresh, ".group article[data-id]") {
        let id = new.get_attribute(attr::ID).unwrap_or_default();
        let named = |old: &Element| old.get_attribute(attr::ID).as_ref() == Some(&id);
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
    let child = |row: &Element| row.get_attribute(attr::CHILD).unwrap_or_default();
    dom::find_all(root, "article[data-child]").iter().any(|row| child(row).split(' ').next() == Some(session))
}

/// A row that is drawn.
struct Drawn<'r>(&'r Element);

impl Row for Drawn<'_> {
    fn attribute(&self, name: &str) -> Option<String> {
        self.0.get_attribute(name)
    }

    fn inner(&self, selector: &str, name: &str) -> Option<String> {
        dom::find(self.0, selector)?.get_attribute(name)
    }

    fn has(&self, selector: &str) -> bool {
        dom::find(self.0, selector).is_some()
    }

    fn text(&self) -> Option<String> {
        self.0.text_content()
    }
}

fn is_text(row: &Element) -> bool {
    row.get_attribute(attr::TYPE).as_deref() == Some(MessageType::Text.as_str())
}

/// Changes an element where it differs: of a text that was completed, or has an answer now, the rest keeps its
/// selection.
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

/// Attributes that the page adds to a row.
const KEPT: [&str; 3] = [attr::CURRENT, attr::NEW, attr::DAY];

/// The line above a row stays when the row is drawn by itself, which knows of none above it.
pub fn keep_lines(current: &Element, new: &Element) {
    for name in [attr::NEW, attr::DAY] {
        if let Some(value) = current.get_attribute(name) {
            let _ = new.set_attribute(name, &value);
        }
    }
}

/// Returns the parts of a row that can be unfolded, without nested ones, which don't exist while the card is folded.
pub fn cards(row: &Element) -> Vec<Element> {
    let own = |card: &Element| {
        let outer = card.parent_element().and_then(|parent| parent.closest("details, article").ok().flatten());
        outer.is_none_or(|outer| outer == *row)
    };
    dom::find_all(row, "details").into_iter().filter(own).collect()
}

/// Keeps parts unfolded or folded as the reader left them, if the row still has the same number of parts.
pub fn keep_unfolded(current: &Element, new: &Element) {
    let (before, after) = (cards(current), cards(new));
    if before.len() == after.len() {
        for (old, new) in before.iter().zip(&after) {
            let _ =
                if old.has_attribute("open") { new.set_attribute("open", "") } else { new.remove_attribute("open") };
        }
    }
}
