//! Code: highlighted lines, and the block with its language and copy button.

use super::unseen::{Side, unseen};
use crate::html::Html;
use crate::shared::attr;
use crate::shared::page_action::PageAction;
use crate::visible;
use model::view::{CodeLine, TokenClass};
use std::ops::Range;

/// Blocks with more lines stay plain: colours cost an element each.
const MAX_COLOURED_LINES: usize = 160;

/// A code block with its language and a button that copies it.
pub fn code_block(html: &mut Html, language: &str, code: &str) {
    let code = code.strip_suffix('\n').unwrap_or(code);
    let label = label(language);
    // Without a language there is nothing to say above the code.
    html.tag(if label.is_none() {
        "<figure class=\"codeblock bare\"><header><span>"
    } else {
        "<figure class=\"codeblock\"><header><span>"
    });
    html.text(label.unwrap_or_default());
    html.tag("</span><span class=\"sp\"></span><button type=\"button\" class=\"btn quiet tiny\"")
        .attr(attr::ACTION, PageAction::Copy.name())
        .tag(">Copy</button></header><pre tabindex=\"0\"><code>");
    code_lines(html, language, code);
    html.tag("</code></pre></figure>");
}

/// Lines of code in the colours of their language, with line ends between them.
pub fn code_lines(html: &mut Html, language: &str, code: &str) {
    if language.is_empty() || code.lines().nth(MAX_COLOURED_LINES).is_some() {
        visible::push(html, code);
        return;
    }
    for (number, line) in diff::highlight(language, code).iter().enumerate() {
        if number > 0 {
            html.text("\n");
        }
        line_html(html, line, Side::Both);
    }
}

/// One line: its tokens as spans, its changed words as marks around them.
pub(crate) fn line_html(html: &mut Html, line: &CodeLine, side: Side) {
    let mut at = 0;
    for &(start, end) in &line.marks {
        let (start, end) = (start as usize, end as usize);
        if start < at || end <= start {
            continue;
        }
        part_html(html, line, side, at..start);
        html.tag("<mark>");
        part_html(html, line, side, start..end);
        html.tag("</mark>");
        at = end;
    }
    part_html(html, line, side, at..line.text.len());
}

/// The part of a line between two bytes, with what stands for characters that can't be seen.
fn part_html(html: &mut Html, line: &CodeLine, side: Side, part: Range<usize>) {
    let mut at = part.start;
    for unseen in unseen(&line.text, side) {
        let (start, end) = (unseen.start.max(at), unseen.end.min(part.end));
        if start < end {
            tokens_html(html, line, at, start);
            html.tag("<span class=\"h-x\">").text(line.text.get(start..end).unwrap_or("")).tag("</span>");
            at = end;
        }
    }
    tokens_html(html, line, at, part.end);
}

/// Its tokens as spans. Ranges that don't fit the text draw nothing rather than fail.
fn tokens_html(html: &mut Html, line: &CodeLine, from: usize, to: usize) {
    let part = |start: usize, end: usize| line.text.get(start..end).unwrap_or("");
    let mut at = from;
    for token in &line.tokens {
        let (start, end) = ((token.start as usize).max(at), (token.end as usize).min(to));
        if start >= end {
            continue;
        }
        visible::push(html, part(at, start));
        html.tag(span(token.class));
        visible::push(html, part(start, end));
        html.tag("</span>");
        at = end;
    }
    visible::push(html, part(at, to));
}

const fn span(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Keyword => "<span class=\"h-k\">",
        TokenClass::String => "<span class=\"h-s\">",
        TokenClass::Number => "<span class=\"h-n\">",
        TokenClass::Function => "<span class=\"h-f\">",
        TokenClass::Type => "<span class=\"h-t\">",
        TokenClass::Comment => "<span class=\"h-c\">",
    }
}

/// The first word of what stands behind the fence, unless it says that this is text.
fn label(language: &str) -> Option<&str> {
    let word = language.split([' ', ',', '\t', '{']).find(|word| !word.is_empty())?;
    (!matches!(word, "text" | "txt" | "plaintext" | "plain")).then_some(word)
}
