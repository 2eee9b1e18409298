//! Two sides are one grid, in which each side fills its own column: what stands beneath a line, over both columns, is
//! told its row. What comes after it is then further down on both sides, and pairs stay side by side.

use app::browser::dom;
use std::collections::BTreeSet;
use web_sys::Element;

/// The line behind which a comment goes, so that it is in the run itself: the old side of unchanged lines is a copy of
/// the new one, which is out of sight where there is room for one side only.
pub fn anchor(line: &Element) -> Element {
    let twin = || {
        let copies = line.parent_element().filter(|parent| parent.class_list().contains("o"))?;
        let at = lines(&copies).iter().position(|copy| copy == line)?;
        lines(&copies.parent_element()?).into_iter().nth(at)
    };
    twin().unwrap_or_else(|| line.clone())
}

fn lines(parent: &Element) -> Vec<Element> {
    dom::find_all(parent, ":scope > .l")
}

/// Gives each comment its row, and takes none into account that went.
pub fn settle(root: &Element) {
    for run in dom::find_all(root, ".split .run:has(> .note)") {
        part_voids(&run);
        let mut rows = rows(&run);
        rows.sort_by_key(|(row, _)| *row);
        for (above, (row, note)) in rows.iter().enumerate() {
            let row = row + 1 + u32::try_from(above).unwrap_or(0);
            let _ = note.set_attribute("style", &format!("grid-row:{row}"));
        }
    }
}

/// An empty place of several rows would jump over a comment that belongs within it.
fn part_voids(run: &Element) {
    for void in dom::find_all(run, ":scope > .v") {
        for _ in 1..span(&void) {
            if let Ok(row) = void.clone_node() {
                let _ = void.after_with_node_1(&row);
            }
        }
    }
    for void in dom::find_all(run, ":scope > .v[style]") {
        let _ = void.remove_attribute("style");
    }
}

fn span(void: &Element) -> u32 {
    let style = void.get_attribute("style").unwrap_or_default();
    style.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// The comments of a run with the rows of the lines above them, as if there were no comments.
fn rows(run: &Element) -> Vec<(u32, Element)> {
    let (mut old, mut new) = (0, 0);
    // Rows that something takes over both columns.
    let mut whole: BTreeSet<u32> = BTreeSet::new();
    let mut notes = Vec::new();
    let mut last = 0;
    for child in dom::find_all(run, ":scope > *") {
        let has = |class: &str| child.class_list().contains(class);
        if has("note") {
            if !child.has_attribute("hidden") {
                notes.push((last, child));
            }
        } else if has("gap") {
            last = old.max(new) + 1;
            whole.insert(last);
        } else if !has("o") {
            let is_old = child.tag_name() == "DEL" || has("mo") || has("vo");
            let row = if is_old { &mut old } else { &mut new };
            *row += 1;
            while whole.contains(row) {
                *row += 1;
            }
            last = *row;
        }
    }
    notes
}
