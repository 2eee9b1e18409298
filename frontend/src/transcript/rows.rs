//! Buttons inside rows: one listener for all of them. Copy and link are everybody's, see `actions`.

use super::{Anchor, Column, find, jump, loader, scroll};
use crate::{cursor, image_viewer, reconcile};
use app::browser::{dom, focus, fragment, toast};
use app::shared::attr;
use app::shared::page_action::PageAction;
use std::rc::Rc;
use web_sys::{Element, Event, MouseEvent};

pub fn listen(column: &Rc<Column>) {
    let clicked = column.clone();
    dom::listen(&column.scroller, "click", move |event: MouseEvent| {
        let action = dom::action(&event);
        if matches!(action, Some((PageAction::LoadAgain, _))) {
            return loader::resume(&clicked);
        }
        if image_viewer::opens(&event) {
            return event.prevent_default();
        }
        let Some(row) = dom::closest(&event, "article[data-seq]") else { return };
        let Some(seq) = row.get_attribute(attr::SEQ).and_then(|seq| seq.parse().ok()) else { return };
        // A part that the reader unfolds stays under the pointer, even at the end.
        if dom::closest(&event, "summary").is_some() {
            hold(&clicked, &row, seq);
        }
        let Some((action, button)) = action else { return };
        match action {
            PageAction::ShowHidden if !(event.ctrl_key() || event.meta_key()) => {
                event.prevent_default();
                hold(&clicked, &row, seq);
                hidden(&clicked, row, &button);
            }
            PageAction::ShowAll => whole(&clicked, row, seq, &button),
            PageAction::ShowRaw => raw(&clicked, row, seq),
            _ => {}
        }
    });
    let toggled = column.clone();
    dom::listen_capturing(&column.scroller, "toggle", move |event: Event| {
        if let Some(card) = dom::closest(&event, "details[data-folded][open]") {
            unfold(&toggled, card);
        }
    });
}

/// The server answers again: what was unfolded meanwhile is drawn.
pub fn resume(column: &Rc<Column>) {
    for card in dom::find_all(&column.feed, "details[data-folded][open]") {
        unfold(column, card);
    }
}

/// Draws the text of a folded card. The summary stays, with its focus.
fn unfold(column: &Rc<Column>, card: Element) {
    let row = card.closest("article[data-seq]").ok().flatten();
    let seq = row.as_ref().and_then(|row| row.get_attribute(attr::SEQ)?.parse().ok());
    let (Some(row), Some(seq)) = (row, seq) else { return };
    let Some(number) = reconcile::cards(&row).iter().position(|c| *c == card) else { return };
    let path = message(column, seq, "open");
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let drawn = match fragment::fetch(&path).await {
            Ok(html) => fragment::parse(&html),
            Err(problem) => return toast::fail(&problem),
        };
        let drawn = drawn.and_then(|holder| reconcile::cards(&holder.first_element_child()?).into_iter().nth(number));
        let (Some(drawn), Some(summary)) = (drawn, card.first_element_child()) else { return };
        let focused = dom::focus_in(&card).is_some_and(|active| !summary.contains(Some(&active)));
        let _ = card.remove_attribute(attr::FOLDED);
        while let Some(text) = summary.next_sibling() {
            let _ = card.remove_child(&text);
        }
        while let Some(part) = drawn.first_element_child().and_then(|head| head.next_sibling()) {
            let _ = card.append_child(&part);
        }
        if focused {
            focus::put(&summary);
        }
        focus::resume(&row);
        column.measure();
        scroll::place(&column);
        column.soon();
    });
}

pub(super) fn hold(column: &Column, row: &Element, seq: i64) {
    let offset = row.get_bounding_client_rect().top() - column.scroller.get_bounding_client_rect().top();
    column.scroll.set_anchor(Anchor::Row { seq, offset });
}

/// The address of a message by itself, as `open` or `full` draws it.
pub fn message(column: &Column, seq: i64, much: &str) -> String {
    format!("{}/messages/{seq}?dev={}&{much}=1{}", column.base, u8::from(column.dev.get()), column.level)
}

/// The message with nothing cut, in the place of the cut one. Where its button is no part of a card, the card may be
/// folded.
fn whole(column: &Rc<Column>, row: Element, seq: i64, button: &Element) {
    hold(column, &row, seq);
    let unfolds = button.parent_element().as_ref() == Some(&row);
    let (column, path) = (column.clone(), message(column, seq, "full"));
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::fetch(&path).await {
            Ok(html) => {
                if let Some(fresh) = fragment::parse(&html).and_then(|holder| holder.first_element_child()) {
                    reconcile::keep_unfolded(&row, &fresh);
                    for card in reconcile::cards(&fresh).iter().filter(|_| unfolds) {
                        let _ = card.set_attribute("open", "");
                    }
                    reconcile::keep_lines(&row, &fresh);
                    replace(&column, &row, &fresh);
                }
            }
            Err(problem) => toast::fail(&problem),
        }
    });
}

/// Puts what was drawn anew in the place of a row.
pub fn replace(column: &Column, row: &Element, fresh: &Element) {
    let Some(parent) = row.parent_node() else { return };
    let (focused, current) = (dom::focus_in(row).is_some(), row.has_attribute(attr::CURRENT));
    let _ = parent.replace_child(fresh, row);
    // The button is gone: what it showed has the keys.
    if focused {
        jump::choose(fresh);
    } else if current {
        cursor::mark(fresh);
    }
    scroll::place(column);
}

/// The record that the message came from, below it; once more takes it away.
fn raw(column: &Rc<Column>, row: Element, seq: i64) {
    below(row, "raw-records", format!("{}/records/{seq}", column.base));
}

/// Shows the hidden messages of a marker below it, or hides them again.
pub fn hidden(column: &Column, row: Element, button: &Element) {
    let holds = row.get_attribute(attr::TURN).or_else(|| row.get_attribute(attr::HOLDS)).unwrap_or_default();
    let (first, last) = (holds.split(' ').next().unwrap_or_default(), holds.rsplit(' ').next().unwrap_or_default());
    let opens = button.get_attribute("aria-expanded").as_deref() != Some("true");
    let _ = button.set_attribute("aria-expanded", if opens { "true" } else { "false" });
    below(row, "hidden-rows", format!("{}/hidden?from={first}&to={last}{}", column.base, column.level));
}

/// The message of a step, below it.
pub fn show_step(column: &Column, step: &Element, seq: i64) {
    if dom::find(step, ":scope > .hidden-rows").is_none() {
        below(step.clone(), "hidden-rows", message(column, seq, "open"));
    }
}

fn below(row: Element, class: &'static str, path: String) {
    if let Some(shown) = dom::find(&row, &format!(":scope > .{class}")) {
        shown.remove();
        return;
    }
    // It stands there while it is asked for: who presses twice takes it away.
    let Some(place) = dom::make("div", class) else { return };
    let _ = place.set_attribute("aria-busy", "true");
    let _ = row.append_child(&place);
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::fetch(&path).await {
            Ok(html) => fragment::fill(&place, &html),
            Err(problem) => place.set_text_content(Some(&problem.to_string())),
        }
        let _ = place.remove_attribute("aria-busy");
    });
}

/// The dev toggle turned: everything is drawn anew, around the row that the reader has before the eyes.
pub fn redraw(column: &Rc<Column>, dev: bool) {
    if column.dev.get() == dev {
        return;
    }
    if !column.filter.is_empty() {
        // Which chunks hold anything is another question now. The address has the toggle by then.
        return dom::after(0, dom::reload);
    }
    find::changed(column);
    // The anchor stays: the message that was jumped to, or the first row in view since the reader scrolled.
    let goal = column.goal.seq();
    let near = scroll::seen(column);
    column.dev.set(dev);
    for chunk in column.chunks.numbers().into_iter().filter(|chunk| !near.contains(chunk)) {
        column.unmount(chunk);
    }
    column.chunks.forget_left();
    column.chunks.forget_heights();
    column.measure();
    column.arrange();
    scroll::place(column);
    for chunk in near {
        loader::load(column, chunk);
    }
    if let Some(seq) = goal.filter(|seq| !column.chunks.is_mounted(app::shared::window::chunk_of(*seq))) {
        jump::go_to_seq(Some(seq));
    }
}
