//! Draws a person's text as they see it: with fences, code and links, but without other markdown. A `>` or `-` at the
//! start of a line may be part of a diff or of shell output.

use super::{
    autolink,
    code_block::code_block,
    direction::{self, Direction},
    fences::Fence,
};
use crate::html::Html;
use crate::visible;

/// Longest code within a line, in bytes: a lone sign doesn't make us read all that follows again and again.
const MAX_SPAN: usize = 2_000;

/// The text as HTML, of so many elements at most. Returns true if anything was cut.
pub(super) fn write(text: &str, max_elements: usize) -> (Html, bool) {
    let mut writer = Writer { html: Html::new(), left: max_elements };
    let mut rest = text.trim_end();
    let mut plain = 0;
    let mut at = 0;
    // Fences that nothing closes, by sign and length: those after them aren't closed either.
    let mut unclosed: Vec<(char, usize)> = Vec::new();
    while at < rest.len() {
        let line = line_at(rest, at);
        let fence = Fence::open(line)
            .filter(|fence| !unclosed.iter().any(|(sign, length)| *sign == fence.sign && *length <= fence.length));
        let block = fence.as_ref().and_then(|fence| block(fence, rest, at + line.len()));
        let Some((fence, (code, end))) = fence.as_ref().zip(block) else {
            unclosed.extend(fence.map(|fence| (fence.sign, fence.length)));
            at += line.len();
            continue;
        };
        let language = fence.label(line);
        writer.plain(&rest[plain..at]);
        if writer.left == 0 {
            return (writer.html, true);
        }
        writer.left -= 1;
        code_block(&mut writer.html, language, &code);
        rest = &rest[end..];
        (plain, at) = (0, 0);
    }
    writer.plain(&rest[plain..]);
    (writer.html, writer.left == 0)
}

fn line_at(text: &str, at: usize) -> &str {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
    &text[at..end]
}

/// The code that a fence opens, from `start` on, and where the text goes on. None if the block isn't closed: then it
/// isn't one.
fn block(fence: &Fence, text: &str, start: usize) -> Option<(String, usize)> {
    let mut code = String::new();
    let mut at = start;
    while at < text.len() {
        let line = line_at(text, at);
        at += line.len();
        if fence.is_closed_by(line) {
            return Some((code, at));
        }
        let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
        code.push_str(&line[spaces.min(fence.indent)..]);
    }
    None
}

struct Writer {
    html: Html,
    /// Elements that may still be written.
    left: usize,
}

impl Writer {
    /// Writes text between code blocks, with its spaces and line ends.
    fn plain(&mut self, text: &str) {
        let text = text.trim_matches(['\n', '\r']);
        if text.trim().is_empty() || self.left == 0 {
            return;
        }
        self.left -= 1;
        self.html.tag("<p class=\"lines\"");
        if direction::of_text(text) == Some(Direction::RightToLeft) {
            self.html.tag(Direction::RightToLeft.attribute());
        }
        self.html.tag(">");
        let mut written = 0;
        let mut at = 0;
        while let Some(found) = text[at..].find(['`', '[']) {
            let start = at + found;
            let span = if self.left > 1 { Span::read(text, start) } else { None };
            let Some((span, end)) = span else {
                // A run of signs is one thing: its end is no beginning.
                let sign = text.as_bytes()[start];
                at = start + text[start..].bytes().take_while(|byte| *byte == sign).count();
                continue;
            };
            self.words(&text[written..start]);
            self.left = self.left.saturating_sub(1);
            span.write(&mut self.html);
            (written, at) = (end, end);
        }
        self.words(&text[written..]);
        self.html.tag("</p>");
    }

    fn words(&mut self, text: &str) {
        let from = self.html.len();
        autolink::text(&mut self.html, text);
        let links = self.html.as_str().get(from..).map_or(0, |fresh| fresh.matches("</a>").count());
        self.left = self.left.saturating_sub(links);
    }
}

/// An inline element with its text.
#[derive(Debug, PartialEq, Eq)]
enum Span<'t> {
    Code(&'t str),
    Link(&'t str, &'t str),
}

impl<'t> Span<'t> {
    /// Reads the element at `start`, and returns its end.
    fn read(text: &'t str, start: usize) -> Option<(Self, usize)> {
        let rest = &text[start..text.floor_char_boundary(start.saturating_add(2 * MAX_SPAN))];
        // Nothing reaches over an empty line.
        let rest = &rest[..rest.find("\n\n").unwrap_or(rest.len())];
        let signs = rest.bytes().take_while(|byte| *byte == b'`').count();
        if signs > 0 {
            let words = until(rest, signs)?;
            return Some((Self::Code(words), start + 2 * signs + words.len()));
        }
        let (words, target) = rest.strip_prefix('[')?.split_once("](")?;
        let (address, _) = target.split_once(')')?;
        let plain = !words.contains(['[', ']', '\n']) && !words.is_empty() && words.len() < MAX_SPAN;
        let end = start + words.len() + address.len() + "[](".len() + 1;
        (plain && autolink::is_safe(address)).then_some((Self::Link(words, address), end))
    }

    fn write(&self, html: &mut Html) {
        match self {
            Self::Code(words) => {
                html.tag("<code>");
                visible::push(html, words);
                html.tag("</code>");
            }
            Self::Link(words, address) => {
                autolink::open(html, address);
                html.text(words).tag("</a>");
            }
        }
    }
}

/// Returns the text up to the next run of as many backticks. None if it is empty, or too far away.
fn until(text: &str, ticks: usize) -> Option<&str> {
    let inside = &text[ticks..];
    let mut at = 0;
    while let Some(found) = inside[at..].find('`') {
        let start = at + found;
        if start > MAX_SPAN {
            return None;
        }
        let length = inside[start..].bytes().take_while(|byte| *byte == b'`').count();
        if length == ticks {
            return (start > 0).then_some(&inside[..start]);
        }
        at = start + length;
    }
    None
}
