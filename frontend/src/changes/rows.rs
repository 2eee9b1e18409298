//! Rows of a large difference, as the text of their blocks tells them: which numbers they have, and where they are.

use app::browser::dom;
use web_sys::{Element, MouseEvent};

/// Pixels of a row.
pub const ROW: f64 = 20.0;

/// A row of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockRow {
    pub old: Option<u32>,
    pub new: Option<u32>,
    /// Rows of the screen before it in its block, and its own ones: a long line takes several.
    pub top: u32,
    pub height: u32,
}

/// The first row of a block, counted over the whole difference.
pub fn first(block: &Element) -> u32 {
    block.get_attribute("data-row").and_then(|row| row.parse().ok()).unwrap_or(0)
}

/// The rows of a block. An empty line of numbers continues the row above it.
pub fn of(block: &Element) -> Vec<BlockRow> {
    let columns: Vec<String> =
        dom::find_all(block, ":scope > .bn").iter().filter_map(|column| column.text_content()).collect();
    let is_split = columns.len() > 1;
    let mut rows: Vec<BlockRow> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let mut row = 0;
        for (line, words) in column.lines().enumerate() {
            if words.is_empty() {
                if at == 0
                    && let Some(last) = rows.last_mut()
                {
                    last.height += 1;
                }
                continue;
            }
            if at == 0 {
                rows.push(BlockRow { top: line as u32, height: 1, ..BlockRow::default() });
            }
            if let Some(place) = rows.get_mut(row) {
                let (old, new) = numbers(words, is_split, at);
                (place.old, place.new) = (place.old.or(old), place.new.or(new));
            }
            row += 1;
        }
    }
    rows
}

/// `12 14`, `12 −` or `14 +`; of one side `12`, `12 −` or `14 +`. Numbers of an edit of unknown place have a dot before them.
fn numbers(words: &str, is_split: bool, column: usize) -> (Option<u32>, Option<u32>) {
    let mut numbers = words.split_whitespace().filter_map(|word| word.trim_start_matches('\u{b7}').parse().ok());
    let (first, second) = (numbers.next(), numbers.next());
    match (is_split, column) {
        (true, 0) => (first, None),
        (true, _) => (None, first),
        (false, _) if words.ends_with('+') => (None, first),
        (false, _) if words.ends_with('\u{2212}') => (first, None),
        (false, _) => (first, second),
    }
}

/// The row of a block at which the mouse is.
fn at(block: &Element, event: &MouseEvent) -> Option<(usize, BlockRow)> {
    let line = ((f64::from(event.client_y()) - block.get_bounding_client_rect().top()) / ROW) as u32;
    of(block).into_iter().enumerate().find(|(_, row)| (row.top..row.top + row.height).contains(&line))
}

/// Hidden lines, where they stand: the row of the screen within their block, and which ones, `40-78`.
pub fn gaps(block: &Element) -> Vec<(u32, String)> {
    let (first, rows) = (first(block), of(block));
    let gap = |words: &str| {
        let (row, lines) = words.split_once(':')?;
        let row = rows.get(row.parse::<u32>().ok()?.checked_sub(first)? as usize)?;
        Some((row.top, lines.to_owned()))
    };
    block.get_attribute("data-gaps").unwrap_or_default().split(' ').filter_map(gap).collect()
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
    match (is_left, row.new, row.old) {
        (true, _, Some(old)) | (false, None, Some(old)) => Some(('L', old)),
        (false, Some(new), _) => Some(('R', new)),
        _ => None,
    }
}

/// The parts of a block that rows take, in rows of the screen.
fn extent(block: &Element, fits: impl Fn(u32, &BlockRow) -> bool) -> Vec<(u32, u32)> {
    let first = first(block);
    let mut found: Vec<(u32, u32)> = Vec::new();
    let rows = of(block);
    for (_, row) in rows.iter().enumerate().filter(|(at, row)| fits(first + *at as u32, row)) {
        match found.last_mut() {
            Some((top, height)) if *top + *height == row.top => *height += row.height,
            _ => found.push((row.top, row.height)),
        }
    }
    found
}

/// Lays a mark over rows of all blocks below an element that are there. Marks of the same class that were there go.
pub fn mark(root: &Element, class: &str, fits: impl Fn(&Element, u32, &BlockRow) -> bool) {
    for old in dom::find_all(root, &format!("i.{class}")) {
        old.remove();
    }
    for block in dom::find_all(root, ".bk") {
        for (top, height) in extent(&block, |at, row| fits(&block, at, row)) {
            let Some(mark) = dom::make("i", class) else { continue };
            let _ = mark.set_attribute("style", &format!("--t:{top};--h:{height}"));
            let _ = block.append_child(&mark);
        }
    }
}
