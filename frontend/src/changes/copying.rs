//! Where two sides stand beside each other, a copy has the side in which the selection began.

use super::rows;
use app::browser::dom;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Element, Node, Range};

/// Lines of both sides, as rows and as blocks of text: the old one, the new one.
const ROWS: [&str; 2] = [".split .o > .l, .split del.l", ".split ins.l, .split .run.ctx > .l"];
const BLOCKS: [&str; 2] = [".two .bk > .bt:nth-child(2)", ".two .bk > .bt:nth-child(4)"];

pub fn start(files: &Element) {
    let root = files.clone();
    dom::listen(files, "copy", move |event: ClipboardEvent| {
        if let (Some(text), Some(data)) = (text(&root), event.clipboard_data())
            && data.set_data("text/plain", &text).is_ok()
        {
            event.prevent_default();
        }
    });
}

/// Returns the selected text of one side. None unless both sides are shown side by side.
fn text(files: &Element) -> Option<String> {
    let selection = dom::window()?.get_selection().ok().flatten().filter(|selection| !selection.is_collapsed())?;
    let range = selection.get_range_at(0).ok()?;
    let began = selection.anchor_node()?;
    let began = began.dyn_ref::<Element>().cloned().or_else(|| began.parent_element())?;
    let is_of = |lines: &&&str| began.closest(lines).ok().flatten().is_some();
    let lines = ROWS.iter().chain(&BLOCKS).find(is_of)?;
    // One line of rows is a text of its own; below 640 pixels they are one side.
    if !is_beside(&began) {
        return None;
    }
    let parts: String = dom::find_all(files, lines).iter().filter_map(|line| within(line, &range)).collect();
    Some(parts.trim_end_matches('\n').to_owned())
}

fn is_beside(element: &Element) -> bool {
    let Some(run) = element.closest(".run, .bk").ok().flatten() else { return false };
    let style = dom::window().and_then(|window| window.get_computed_style(&run).ok().flatten());
    style.and_then(|style| style.get_property_value("display").ok()).as_deref() == Some("grid")
}

/// The part of an element's text that a range holds.
fn within(element: &Element, range: &Range) -> Option<String> {
    if !range.intersects_node(element).unwrap_or(false) {
        return None;
    }
    let part = dom::document()?.create_range().ok()?;
    part.select_node_contents(element).ok()?;
    let holds = |node: &Node| element.contains(Some(node));
    let (start, end) = (range.start_container().ok()?, range.end_container().ok()?);
    if holds(&start) {
        part.set_start(&start, range.start_offset().ok()?).ok()?;
    }
    if holds(&end) {
        part.set_end(&end, range.end_offset().ok()?).ok()?;
    }
    if element.class_list().contains("bt") { of_side(element, &part) } else { Some(String::from(part.to_string())) }
}

/// Returns the text of a part of a block on one side, without rows in which that side has no line.
fn of_side(element: &Element, part: &Range) -> Option<String> {
    let block = element.parent_element()?;
    let is_old = dom::find(&block, ":scope > .bt").as_ref() == Some(element);
    let before = part.clone_range();
    before.set_end(&part.start_container().ok()?, part.start_offset().ok()?).ok()?;
    before.set_start(element, 0).ok()?;
    let first = String::from(before.to_string()).matches('\n').count();
    let (said, rows) = (String::from(part.to_string()), rows::of(&block));
    let lines = said.split_inclusive('\n').zip(rows.iter().skip(first));
    let own = lines.filter(|(_, row)| if is_old { row.old } else { row.new }.is_some());
    Some(own.map(|(line, _)| line).collect())
}
