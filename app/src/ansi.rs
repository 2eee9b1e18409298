//! Terminal output as HTML: what [`model::terminal`] shows, with classes for its colours; what can't be seen is shown.
//!
//! The sixteen colours follow the theme. The others, of 256 and true colour, are said by number in a style attribute,
//! and the stylesheet brings their lightness to what can be read on the theme's ground.

mod colour;

use crate::html::Html;
use crate::visible;
pub use model::terminal::plain;
use model::terminal::{Shown, Style};
use std::ops::Range;

/// Lines of one block: the browser lays out only the blocks in view.
const BLOCK: usize = 200;
/// Coloured pieces of one text; what comes after is plain, since each costs an element.
const MAX_PIECES: usize = 600;

/// A part of an output, with `<span class="a31 a1">` around what is coloured. A long one is in blocks that the browser
/// lays out when they come into view. `part` is in bytes of the text that is shown.
pub fn draw(shown: &Shown<'_>, part: Range<usize>) -> Html {
    let text = shown.text.get(part.clone()).unwrap_or_default();
    let mut html = Html::new();
    let mut drawn = Drawn { shown, pieces: 0 };
    if text.bytes().filter(|b| *b == b'\n').nth(2 * BLOCK).is_none() {
        drawn.part(part, &mut html);
        return html;
    }
    let mut start = part.start;
    while start < part.end {
        let rest = shown.text.get(start..part.end).unwrap_or_default();
        let end = rest.match_indices('\n').nth(BLOCK - 1).map_or(part.end, |(at, _)| start + at + 1);
        html.tag("<span class=\"blk\">");
        drawn.part(start..end, &mut html);
        html.tag("</span>");
        start = end;
    }
    html
}

struct Drawn<'s> {
    shown: &'s Shown<'s>,
    pieces: usize,
}

impl Drawn<'_> {
    fn part(&mut self, part: Range<usize>, html: &mut Html) {
        let styles = &self.shown.styles;
        let first = styles.partition_point(|(at, _)| *at <= part.start);
        let mut style =
            first.checked_sub(1).and_then(|before| styles.get(before)).map_or(Style::NONE, |(_, style)| *style);
        let mut start = part.start;
        for (at, next) in styles.iter().skip(first).take_while(|(at, _)| *at < part.end) {
            self.piece(start..*at, style, html);
            (start, style) = (*at, *next);
        }
        self.piece(start..part.end, style, html);
    }

    fn piece(&mut self, part: Range<usize>, style: Style, html: &mut Html) {
        let text = self.shown.text.get(part).unwrap_or_default();
        if text.is_empty() || style == Style::NONE || self.pieces >= MAX_PIECES {
            if self.pieces == MAX_PIECES && style != Style::NONE {
                self.pieces += 1;
                html.tag("<span class=\"colours-end\"></span>");
            }
            visible::push(html, text);
            return;
        }
        self.pieces += 1;
        colour::open(style, html);
        visible::push(html, text);
        html.tag("</span>");
    }
}

#[cfg(test)]
mod tests {
    use super::draw;
    use model::terminal::show;

    fn to_html(output: &str) -> String {
        let shown = show(output);
        draw(&shown, 0..shown.text.len()).into_string()
    }

    #[test]
    fn colours_become_classes() {
        let text = "\u{1b}[32;1mFinished\u{1b}[0m in \u{1b}[2m3 s\u{1b}[22m \u{1b}[38;5;9mred\u{1b}[39m \u{1b}[38;2;1;2;3mtrue\u{1b}[m";
        assert_eq!(
            to_html(text),
            "<span class=\"a32 a1\">Finished</span> in <span class=\"a2\">3 s</span> <span class=\"a31\">red</span> <span \
             class=\"ac\" style=\"--c:#010203\">true</span>"
        );
        assert_eq!(
            to_html("\u{1b}[90m12:00\u{1b}[39m on <b>\n\u{1b}[3mi"),
            "<span class=\"a2\">12:00</span> on &lt;b&gt;\n<span class=\"a3\">i</span>"
        );
    }

    #[test]
    fn backgrounds_of_every_depth() {
        assert_eq!(to_html("\u{1b}[41;97m!\u{1b}[0m"), "<span class=\"b41\">!</span>");
        assert_eq!(to_html("\u{1b}[48;5;196m!"), "<span class=\"ab\" style=\"--b:#ff0000\">!</span>");
        assert_eq!(to_html("\u{1b}[38;5;244;4;9m!"), "<span class=\"ac a4 a9\" style=\"--c:#808080\">!</span>");
        assert_eq!(to_html("\u{1b}[7m!\u{1b}[27m."), "<span class=\"a7\">!</span>.");
    }

    #[test]
    fn what_a_terminal_passes_over_is_shown() {
        let drawn = to_html("a\u{1}b\u{b}c\u{c}d\u{7f}e\u{7}f\u{1b}[31mg\u{1}");
        let marked = ["U+0001", "U+000B", "U+000C", "U+007F"].map(|number| drawn.matches(number).count());
        assert_eq!((marked, drawn.contains('\u{7}')), ([2, 1, 1, 1], false), "{drawn}");
    }

    #[test]
    fn a_part_has_the_colours_that_began_before_it() {
        let shown = show("\u{1b}[31mone\ntwo\u{1b}[0m\nthree");
        assert_eq!(draw(&shown, 4..shown.text.len()).as_str(), "<span class=\"a31\">two</span>\nthree");
        assert_eq!(draw(&shown, 0..3).as_str(), "<span class=\"a31\">one</span>");
        assert_eq!(draw(&shown, 8..13).as_str(), "three");
    }

    #[test]
    fn a_long_text_is_laid_out_in_blocks() {
        let text: String = (1..=1_000).map(|n| format!("\u{1b}[31mline\u{1b}[m {n}\n")).collect();
        let html = to_html(&text);
        assert_eq!(html.matches("<span class=\"blk\">").count(), 5);
        assert!(html.contains("line 1000"));
        assert_eq!(html.matches("a31").count(), 600);
        assert!(!to_html("short").contains("blk"));
    }
}
