//! Rows of a large difference in the page: which one was clicked, and marks over them.

use app::browser::dom;
use app::shared::attr;
use app::shared::diff_rows;
pub use app::shared::diff_rows::{BlockRow, ROW};
use web_sys::{Element, MouseEvent};

/// The first row of a block, counted over the whole difference.
pub fn first(block: &Element) -> u32 {
    block.get_attribute(attr::ROW).and_then(|row| row.parse().ok()).unwrap_or(0)
}

/// The rows of a block.
pub fn of(block: &Element) -> Vec<BlockRow> {
    let columns = dom::find_all(block, ":scope > .bn");
    diff_rows::rows(&columns.iter().filter_map(|column| column.text_content()).collect::<Vec<_>>())
}

/// The row of a block at which the mouse is.
fn at(block: &Element, event: &MouseEvent) -> Option<(usize, BlockRow)> {
    let line = ((f64::from(event.client_y()) - block.get_bounding_client_rect().top()) / ROW) as u32;
    of(block).into_iter().enumerate().find(|(_, row)| (row.top..row.top + row.height).contains(&line))
}

/// Hidden lines, where they stand: the row of the screen within their block, and which ones, `40-78`.
pub fn gaps(block: &Element) -> Vec<(u32, String)> {
    diff_rows::gaps(&of(block), first(block), &block.get_attribute(attr::GAPS).unwrap_or_default())
}

/// The hidden lines that were clicked, if it were some.
pub fn gap(text: &Element, event: &MouseEvent) -> Option<String> {
    let block = text.parent_element()?;
    let (_, row) = at(&block, event)?;
    gaps(&block).into_iter().find_map(|(top, lines)| (top == row.top).then_some(lines))
}

/// Side and number of the line whose number was clicked.
pub fn clicked(numbers: &Element, event: &MouseEvent) -> Option<(char, u32)> {
    let block = numbers.parent_element()?;
    let (_, row) = at(&block, event)?;
    let is_left = numbers.previous_element_sibling().is_none() && dom::find(&block, ":scope > .bn ~ .bn").is_some();
    diff_rows::side_of(row, is_left)
}

/// Lays a mark over rows of all blocks below an element that are there. Marks of the same class that were there go.
pub fn mark(root: &Element, class: &str, fits: impl Fn(&Element, u32, &BlockRow) -> bool) {
    for old in dom::find_all(root, &format!("i.{class}")) {
        old.remove();
    }
    for block in dom::find_all(root, ".bk") {
        for (top, height) in diff_rows::extent(&of(&block), first(&block), |at, row| fits(&block, at, row)) {
            let Some(mark) = dom::make("i", class) else { continue };
            let _ = mark.set_attribute("style", &format!("--t:{top};--h:{height}"));
            let _ = block.append_child(&mark);
        }
    }
}
