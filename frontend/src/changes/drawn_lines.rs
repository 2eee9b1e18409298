//! The lines of a file that are in the page, read once: their numbers are counted by the style.

use super::lines::{Lines, text};
use app::browser::dom;
use app::shared::attr;
use app::shared::diff_lines::nearest;
use std::collections::BTreeMap;
use web_sys::Element;

/// The edit that a line is of, where its place in the file isn't known.
pub fn edit_of(element: &Element) -> Option<String> {
    element.closest("[data-edit]").ok().flatten()?.get_attribute(attr::EDIT)
}

/// All lines of one side of a file, or of an edit whose place in it isn't known.
pub struct DrawnLines(BTreeMap<u32, (Element, String)>);

impl DrawnLines {
    pub fn of(root: &Element, side: char, edit: Option<&str>) -> Self {
        let mut lines = BTreeMap::new();
        for run in dom::find_all(root, ".run") {
            if edit_of(&run).as_deref() != edit {
                continue;
            }
            let Some((old, new)) = dom::lines_before(&run) else { continue };
            let is_context = run.class_list().contains("ctx");
            let (selector, first) = match (side, is_context) {
                // One side alone has no copies of unchanged lines.
                ('L', true) if dom::find(&run, ":scope > .o").is_some() => (":scope > .o > .l", old),
                ('L', true) => (":scope > .l", old),
                ('L', false) => (":scope > del.l", old),
                (_, true) => (":scope > .l", new),
                (_, false) => (":scope > ins.l", new),
            };
            let numbers = u32::try_from(first + 1).unwrap_or(0)..;
            let found = dom::find_all(&run, selector).into_iter();
            lines.extend(numbers.zip(found.map(|line| {
                let text = text(&line);
                (line, text)
            })));
        }
        Self(lines)
    }

    /// Returns true if all lines with the numbers `from..=to` are there.
    pub fn has(&self, from: u32, to: u32) -> bool {
        self.range(from, to).count() > to.saturating_sub(from) as usize
    }

    /// Those with the numbers `from..=to`.
    pub fn elements(&self, from: u32, to: u32) -> Vec<Element> {
        self.range(from, to).map(|(line, _)| line.clone()).collect()
    }

    /// Returns the text of these lines; None if there are none.
    pub fn text(&self, from: u32, to: u32) -> Option<String> {
        let texts: Vec<&str> = self.range(from, to).map(|(_, text)| &**text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    fn range(&self, from: u32, to: u32) -> impl Iterator<Item = &(Element, String)> {
        self.0.range(from..=to.max(from)).map(|(_, line)| line)
    }

    /// The numbers of the first and the last line.
    pub fn span(&self) -> Option<(u32, u32)> {
        Some((*self.0.first_key_value()?.0, *self.0.last_key_value()?.0))
    }

    /// Where lines stand that say what `fits` wants: at `from..=to`, or the nearest place to it.
    pub fn find(&self, from: u32, to: u32, fits: impl Fn(&str) -> bool) -> Option<(u32, u32)> {
        nearest(from, to, |from, to| self.text(from, to).is_some_and(|text| fits(&text)))
    }
}

/// The lines of the file that are shown, of one side and with these numbers.
pub fn find(card: &Element, lines: &Lines) -> Vec<Element> {
    DrawnLines::of(card, lines.side, lines.edit.as_deref()).elements(lines.from, lines.to)
}
