//! Output of commands, as its terminal showed it.

use crate::html::{self, TERMINAL};
use crate::{engine, inputs};
use app::ansi::draw;
use model::terminal::{plain, show};

const OWN: &[&str] = &[
    "\u{1b}[32;1mFinished\u{1b}[0m in \u{1b}[2m3 s\u{1b}[22m \u{1b}[38;5;9mred\u{1b}[39m \u{1b}[38;2;1;2;3mtrue\u{1b}[m\n",
    "Fetching\r\n\r  5% █░░░\r 40% ██░░\r100% done    \r\nnext\u{1b}[2K\u{1b}[1G\u{1b}[32m✔\u{1b}[0m\n",
    "\u{1b}]8;;https://example.com\u{1b}\\link words\u{1b}]8;;\u{1b}\\ab\u{8}\u{8}cd\u{7}\n",
    "\u{1b}[2K\rlayer one\n\u{1b}[2K\rlayer two\n\u{1b}[2A\u{1b}[41;97m!\u{1b}[7m?\u{1b}[27m.\n",
];
const WORDS: &[&str] = &[
    "\u{1b}[",
    "\u{9b}",
    "\u{1b}]",
    "\u{1b}\\",
    "\u{1b}(0",
    "\u{1b}P",
    "\u{1b}c",
    "\u{8}",
    "\u{7}",
    "\u{e}",
    "\u{f}",
    "m",
    "K",
    "J",
    "H",
    "1A",
    "9999A",
    "65535C",
    "4294967296D",
    "1;1H",
    "65535;65535H",
    "?25l",
    "2J",
    "1K",
    "38;5;",
    "48;2;1;2;3",
    "38;5;300m",
    ";;;;;",
    "31m",
    "0m",
    "7m",
    "<b>",
    "&amp;",
];

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let shown = show(&text);
    // A jump of the cursor fills with blanks what it jumps over; that has a bound.
    assert!(shown.text.len() <= 4_096 + 64 * text.len(), "{} bytes of {}", shown.text.len(), text.len());
    let mut before = 0;
    for (at, _) in &shown.styles {
        assert!(before <= *at && shown.text.is_char_boundary(*at), "{:?}", shown.styles);
        before = *at;
    }
    let whole = draw(&shown, 0..shown.text.len());
    html::check(whole.as_str(), &[TERMINAL]);
    assert!(whole.len() <= 64 * 1_024 + 64 * shown.text.len(), "{} bytes of {}", whole.len(), shown.text.len());
    let half = shown.text.ceil_char_boundary(shown.text.len() / 2);
    for part in [0..half, half..shown.text.len()] {
        html::check(draw(&shown, part).as_str(), &[TERMINAL]);
    }
    // Nothing that can be seen is lost on the way.
    let is_plain = |c: char| c == '\n' || c == '\t' || c.is_ascii_graphic() || c == ' ';
    if shown.text.chars().all(is_plain) {
        assert_eq!(html::text(whole.as_str()), shown.text);
    }
    let again = plain(&text);
    assert_eq!(plain(&again), again);
    assert!(!again.chars().any(|c| c.is_ascii_control() && c != '\n' && c != '\t'));
}

#[test]
fn ansi() {
    let own: Vec<Vec<u8>> = OWN.iter().map(|text| text.as_bytes().to_vec()).collect();
    engine::run("ansi", inputs::text(&own, WORDS), check);
}
