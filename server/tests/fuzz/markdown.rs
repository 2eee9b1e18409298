//! A text in markdown, drawn whole, cut, as a person typed it, and while it grows.

use crate::html::{self, MARKDOWN};
use crate::{engine, inputs};
use app::markdown::{Breaks, Settled, repaired, to_html, to_html_within, typed};

const WORDS: &[&str] = &[
    "# ",
    "## ",
    "- ",
    "1. ",
    "> ",
    "    ",
    "```",
    "```rust\n",
    "~~~",
    "````",
    "| a | b |\n|---|--:|\n",
    "| 1 | 2 |\n",
    "[^1]",
    "[^1]: ",
    "[a](",
    "[a]: ",
    "![",
    "](",
    "javascript:",
    "https://a.example",
    "//a.example",
    "data:text/html,",
    "**",
    "~~",
    "__",
    "---\n",
    "- [ ] ",
    "<script>",
    "</p>",
    "<b onclick=\"x\">",
    "<kbd>",
    "</kbd>",
    "<br>",
    "<div>\n",
    "<!--",
    "<![CDATA[",
    "<?",
    "&lt;",
    "&#x3c;",
    "$$",
    "\\(",
    "\\)",
    "\\begin{a}",
    "C:\\new\\_x_\\",
    "word ",
    "mailto:a@b.example",
];

/// Fences of a text that are looked into.
const FENCES: usize = 200;

/// An element for each byte, and each with its attributes, is more than anything needs.
fn most_bytes(text: &str) -> usize {
    4_096 + 400 * text.len()
}

fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for breaks in [Breaks::Soft, Breaks::Hard] {
        let html = to_html(&text, breaks, "7");
        html::check(html.as_str(), &[MARKDOWN]);
        assert!(html.len() <= most_bytes(&text), "{} bytes of {}", html.len(), text.len());
        let (html, _) = to_html_within(&text, breaks, "7", 20);
        html::check(html.as_str(), &[MARKDOWN]);
    }
    let (html, _) = typed(&text, 40);
    html::check(html.as_str(), &[MARKDOWN]);
    html::check(to_html(&repaired(&text), Breaks::Soft, "7").as_str(), &[MARKDOWN]);

    // With more fences than that a text is read in another way, as a whole.
    if text.lines().filter(|line| line.trim_start().starts_with(['`', '~'])).count() > FENCES {
        return;
    }
    // Drawn in pieces it is what it is when it was there at once.
    let mut settled = Settled::default();
    let step = text.len() / 8 + 1;
    for end in (step..text.len() + step).step_by(step) {
        let part = &text[..text.ceil_char_boundary(end.min(text.len()))];
        let grown = settled.grow(part, Breaks::Soft, "7", usize::MAX);
        let whole = Settled::default().grow(part, Breaks::Soft, "7", usize::MAX);
        let (Some(grown), Some(whole)) = (grown, whole) else { panic!("a short text is cut") };
        assert_eq!(grown.from + grown.starts.len(), whole.starts.len(), "{part:?}");
        let start = whole.starts.get(grown.from).copied().unwrap_or(whole.html.len());
        assert_eq!(grown.html.into_string(), whole.html.from(start).into_string(), "{part:?}");
    }
}

#[test]
fn markdown() {
    let own: Vec<Vec<u8>> = inputs::messages()
        .iter()
        .filter_map(|message| Some(message["content"].as_str()?.as_bytes().to_vec()))
        .filter(|text| !text.is_empty())
        .collect();
    engine::run("markdown", inputs::text(&own, WORDS), check);
}
