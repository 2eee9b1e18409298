//! Terminal output as HTML: colours become classes, cursor movements go, and what can't be seen is shown.
//!
//! The sixteen colours follow the theme. The others, of 256 and true colour, are said by number in a style attribute, and
//! the stylesheet brings their lightness to what can be read on the theme's ground.

mod colour;

use crate::html::Html;
use crate::visible;
use colour::{Style, apply};
pub use model::terminal::plain;
use model::terminal::{acts, last_rewrite, sequence};

/// Lines of one block: the browser lays out only the blocks in view.
const BLOCK: usize = 200;
/// Coloured pieces of one text; what comes after is plain, since each costs an element.
const MAX_PIECES: usize = 600;

/// The text with `<span class="a31 a1">` around what was coloured.
pub fn to_html(text: &str) -> Html {
    let mut html = Html::new();
    let mut drawn = Drawn::default();
    drawn.lines(text, &mut html);
    html
}

/// The same for a long text, in blocks that the browser lays out when they come into view.
pub fn to_blocks(text: &str) -> Html {
    if text.bytes().filter(|b| *b == b'\n').nth(2 * BLOCK).is_none() {
        return to_html(text);
    }
    let mut html = Html::new();
    let mut drawn = Drawn::default();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.match_indices('\n').nth(BLOCK - 1).map_or(rest.len(), |(at, _)| at + 1);
        html.tag("<span class=\"blk\">");
        drawn.lines(&rest[..end], &mut html);
        html.tag("</span>");
        rest = &rest[end..];
    }
    html
}

/// What goes on from line to line.
#[derive(Default)]
struct Drawn {
    style: Style,
    pieces: usize,
}

impl Drawn {
    fn lines(&mut self, text: &str, html: &mut Html) {
        // Nothing to interpret: by far the most common case.
        if !text.contains(acts) && self.style == Style::default() {
            visible::push(html, text);
            return;
        }
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                html.text("\n");
            }
            self.line(last_rewrite(line.trim_end_matches('\r')), html);
        }
    }

    fn line(&mut self, line: &str, html: &mut Html) {
        let mut rest = line;
        loop {
            let at = rest.find(acts).unwrap_or(rest.len());
            self.text(&rest[..at], html);
            if at == rest.len() {
                return;
            }
            let (sgr, after) = sequence(&rest[at..]);
            if let Some(parameters) = sgr {
                apply(parameters, &mut self.style);
            }
            rest = after;
        }
    }

    fn text(&mut self, text: &str, html: &mut Html) {
        let style = self.style;
        if text.is_empty() || style == Style::default() || self.pieces >= MAX_PIECES {
            if self.pieces == MAX_PIECES && style != Style::default() {
                self.pieces += 1;
                html.tag("<span class=\"colours-end\"></span>");
            }
            visible::push(html, text);
            return;
        }
        self.pieces += 1;
        style.open(html);
        visible::push(html, text);
        html.tag("</span>");
    }
}

#[cfg(test)]
mod tests {
    use super::{plain, to_blocks, to_html};

    #[test]
    fn colours_become_classes() {
        let text = "\u{1b}[32;1mFinished\u{1b}[0m in \u{1b}[2m3 s\u{1b}[22m \u{1b}[38;5;9mred\u{1b}[39m \u{1b}[38;2;1;2;3mtrue\u{1b}[m";
        assert_eq!(
            to_html(text).as_str(),
            "<span class=\"a32 a1\">Finished</span> in <span class=\"a2\">3 s</span> <span class=\"a31\">red</span> <span \
             class=\"ac\" style=\"--c:#010203\">true</span>"
        );
    }

    #[test]
    fn other_sequences_go() {
        let cases = [
            ("\u{1b}]0;title\u{7}a", "a"),
            ("\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("a\u{1b}[2K\u{1b}[1;1Hb\u{1b}[?25l", "ab"),
            ("10 %\r50 %\r100 %\r\ndone\r", "100 %\ndone"),
            ("x\u{8}\u{1b}(By\u{1b}", "xy"),
            ("\u{1b}[31", ""),
            ("a\u{1b}]never ends", "a"),
        ];
        for (text, want) in cases {
            assert_eq!(plain(text), want, "{text:?}");
        }
        assert_eq!(to_html("\u{1b}[2K<b>\n\u{1b}[3mi").as_str(), "&lt;b&gt;\n<span class=\"a3\">i</span>");
    }

    #[test]
    fn what_a_terminal_passes_over_is_shown() {
        let drawn = to_html("a\u{1}b\u{b}c\u{c}d\u{7f}e\u{7}f\u{1b}[31mg\u{1}").into_string();
        let marked = ["U+0001", "U+000B", "U+000C", "U+007F"].map(|number| drawn.matches(number).count());
        assert_eq!((marked, drawn.contains('\u{7}')), ([2, 1, 1, 1], false), "{drawn}");
        assert_eq!(plain("a\u{1}b"), "ab");
    }

    #[test]
    fn backgrounds_of_every_depth() {
        let html = |text: &str| to_html(text).as_str().to_owned();
        assert_eq!(html("\u{1b}[41;97m!\u{1b}[0m"), "<span class=\"b41\">!</span>");
        assert_eq!(html("\u{1b}[48;5;196m!"), "<span class=\"ab\" style=\"--b:#ff0000\">!</span>");
        assert_eq!(html("\u{1b}[38;5;244;4;9m!"), "<span class=\"ac a4 a9\" style=\"--c:#808080\">!</span>");
        assert_eq!(html("\u{1b}[7m!\u{1b}[27m."), "<span class=\"a7\">!</span>.");
    }

    #[test]
    fn a_long_text_is_laid_out_in_blocks() {
        let text: String = (1..=1_000).map(|n| format!("\u{1b}[31mline {n}\n")).collect();
        let html = to_blocks(&text);
        assert_eq!(html.as_str().matches("<span class=\"blk\">").count(), 5);
        assert!(html.as_str().contains("line 1000"));
        assert_eq!(html.as_str().matches("a31").count(), 600);
        assert!(!to_blocks("short").as_str().contains("blk"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[\\x00-\\x7f\u{9b}ä\\[\\];m0-9\\x1b]{0,60}") {
            let escape = char::from(0x1b);
            proptest::prop_assert!(!to_html(&text).as_str().contains(escape));
            proptest::prop_assert!(!plain(&text).contains(escape));
        }
    }
}
