//! Long lines of large differences wrap: the browser says how many rows of the screen a line takes, and its number and
//! its background follow. Only what is near is measured.

use super::store;
use app::browser::dom;
use app::shared::attr;
use app::shared::diff_rows::{ROW, columns, cut_highlights, cuts, scaled, shifted, spread};
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, Range};

/// Measures what a place holds, once. Returns true if its texts were cut into pieces.
pub fn lay(place: &Element) -> bool {
    if store::is_on("nowrap") || place.has_attribute(attr::WRAPPED) || place.child_element_count() == 0 {
        return false;
    }
    let _ = place.set_attribute(attr::WRAPPED, "");
    let Some(range) = dom::document().and_then(|document| document.create_range().ok()) else { return false };
    let mut is_cut = false;
    for block in dom::find_all(place, ":scope > .bk") {
        let texts = dom::find_all(&block, ":scope > .bt");
        let columns: Vec<Vec<u32>> = texts.iter().map(|text| heights(text, &range)).collect();
        match columns.as_slice() {
            [rows] if rows.iter().any(|rows| *rows > 1) => draw(&block, &[rows]),
            [old, new] if old.iter().chain(new).any(|rows| *rows > 1) => {
                is_cut = true;
                split(&block, old, new);
            }
            _ => {}
        }
    }
    is_cut
}

/// Rows of the screen that each line takes.
fn heights(text: &Element, range: &Range) -> Vec<u32> {
    let Some(node) = text.first_child() else { return Vec::new() };
    let all = text.text_content().unwrap_or_default();
    // The widths of most lines are known.
    let wide = text.get_bounding_client_rect().width() / char_width(text, range);
    let mut at = 0;
    all.lines()
        .map(|line| {
            let length = if line.is_ascii() { line.len() } else { line.encode_utf16().count() };
            let rows = if (columns(line) as f64) < wide - 1.0 { 1 } else { measure(&node, range, at, length) };
            at += length as u32 + 1;
            rows
        })
        .collect()
}

/// Returns the width of a character, measured by the digits of a line number.
fn char_width(text: &Element, range: &Range) -> f64 {
    let numbers = text.previous_element_sibling().and_then(|numbers| numbers.first_child());
    let measured = numbers.map(|node| {
        let _ = range.set_start(&node, 0);
        let _ = range.set_end(&node, 4);
        range.get_bounding_client_rect().width() / 4.0
    });
    measured.filter(|width| *width > 1.0).unwrap_or(8.0)
}

fn measure(node: &Node, range: &Range, at: u32, length: usize) -> u32 {
    let _ = range.set_start(node, at);
    let _ = range.set_end(node, at + length as u32);
    ((range.get_bounding_client_rect().height() / ROW).round() as u32).max(1)
}

/// Numbers and background of one block, each line with its height.
fn draw(block: &Element, columns: &[&Vec<u32>]) {
    let tallest = |at: usize| columns.iter().filter_map(|rows| rows.get(at)).copied().max().unwrap_or(1);
    for numbers in dom::find_all(block, ":scope > .bn") {
        let Some(text) = numbers.text_content() else { continue };
        numbers.set_text_content(Some(&spread(&text, tallest)));
    }
    let count = columns.iter().map(|rows| rows.len()).max().unwrap_or(0);
    let heights: Vec<u32> = (0..count).map(tallest).collect();
    if let Some(style) = block.get_attribute("style") {
        let _ = block.set_attribute("style", &scaled(&style, &heights));
    }
}

/// Two sides stand beside each other line by line: where one of them takes more rows, a block ends.
fn split(block: &Element, old: &[u32], new: &[u32]) {
    let part = |rows: &[u32], from: usize, to: usize| rows.iter().take(to).skip(from).copied().collect::<Vec<u32>>();
    let count = old.len().max(new.len());
    let mut rest = block.clone();
    for (from, to) in cuts(old, new) {
        let here = rest.clone();
        if to < count {
            let Some(behind) = cut(&here, to - from) else { return };
            rest = behind;
        }
        draw(&here, &[&part(old, from, to), &part(new, from, to)]);
    }
}

/// Cuts a block behind so many of its rows, and gives what is behind the cut.
fn cut(block: &Element, rows: usize) -> Option<Element> {
    let behind: Element = block.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
    for (here, there) in dom::find_all(block, ":scope > pre").iter().zip(dom::find_all(&behind, ":scope > pre")) {
        let text = here.text_content()?;
        let at = text.match_indices('\n').nth(rows - 1).map_or(text.len(), |(at, _)| at + 1);
        let (before, after) = text.split_at(at);
        here.set_text_content(Some(before));
        there.set_text_content(Some(after));
        if let Some(ranges) = here.get_attribute(attr::H) {
            let units = before.encode_utf16().count() as u32;
            let (mine, theirs) = cut_highlights(&ranges, units);
            let _ = here.set_attribute(attr::H, &mine);
            let _ = there.set_attribute(attr::H, &theirs);
        }
    }
    let first = super::rows::first(block) + rows as u32;
    let _ = behind.set_attribute(attr::ROW, &first.to_string());
    for (part, from, to) in [(block, 0, rows), (&behind, rows, usize::MAX)] {
        let style = part.get_attribute("style")?;
        let _ = part.set_attribute("style", &shifted(&style, from, to));
    }
    let _ = block.insert_adjacent_element("afterend", &behind);
    Some(behind)
}
