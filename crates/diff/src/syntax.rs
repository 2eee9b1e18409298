//! Syntax colours: what a grammar says about a text, as flat tokens per line.

use std::cmp::Reverse;
use std::ops::Range;

use model::view::{Token, TokenClass};

use crate::around;
use crate::grammar::{self, Span};
use crate::hazard;

/// Larger texts stay plain. Parsing takes some 10 ms per 100 KiB, but is quadratic in hostile nesting: this bounds it to
/// about a second.
const MAX_BYTES: usize = 64 * 1024;
/// Texts with a longer line stay plain, in chars: that's minified code, and colours there help nobody.
const MAX_LINE: usize = 5_000;

/// Tokens for each of `lines`, which are byte ranges of `text`, in order. As many items as lines, all of them empty when
/// the language is unknown or the text too large.
pub(crate) fn tokens(language: Option<&'static str>, text: &str, lines: &[Range<usize>]) -> Vec<Vec<Token>> {
    let language = language.filter(|name| is_small(text, lines) && hazard::is_harmless(name, text));
    let flat = language.and_then(|name| Some(flatten(grammar::spans(name, text)?, keys_of(name))));
    cut(text, lines, &flat.unwrap_or_default())
}

/// Like [`tokens`], for a text that may begin or end within a comment or a string.
pub(crate) fn tokens_of_part(language: Option<&'static str>, text: &str, lines: &[Range<usize>]) -> Vec<Vec<Token>> {
    let (above, below) = match language.filter(|_| is_small(text, lines)) {
        Some(language) => around::around(language, text),
        None => (String::new(), String::new()),
    };
    if above.is_empty() && below.is_empty() {
        return tokens(language, text, lines);
    }
    let lines: Vec<_> = lines.iter().map(|line| line.start + above.len()..line.end + above.len()).collect();
    tokens(language, &format!("{above}{text}{below}"), &lines)
}

/// Returns true if a text of this size can be highlighted as a whole.
pub(crate) fn fits(text: &str) -> bool {
    text.len() <= MAX_BYTES
}

fn is_small(text: &str, lines: &[Range<usize>]) -> bool {
    let is_short = |line: &Range<usize>| line.len() <= MAX_LINE || text[line.clone()].chars().count() <= MAX_LINE;
    fits(text) && lines.iter().all(is_short)
}

/// One class for each byte: the innermost span wins.
fn flatten(mut spans: Vec<Span>, keys: Keys) -> Vec<(Range<usize>, TokenClass)> {
    spans.retain(|span| !span.range.is_empty() && !matches!(span.capture, "spell" | "nospell"));
    // Of two rules for the same range, one with a colour has priority, then the later one. Exception: in JSON a later
    // rule matches every string, including keys.
    let rank = |span: &Span| (class_of(span.capture, keys).is_some(), span.capture == "string.special.key", span.rule);
    spans.sort_by_cached_key(|span| (span.range.start, Reverse(span.range.end), rank(span)));
    let mut painter = Painter { done: 0, tokens: Vec::new() };
    let mut open: Vec<(usize, Option<TokenClass>)> = Vec::new();
    for span in &spans {
        let (start, mut end) = (span.range.start, span.range.end);
        while let Some(&(until, class)) = open.last().filter(|top| top.0 <= start) {
            painter.paint(until, class);
            open.pop();
        }
        if let Some(&(until, class)) = open.last() {
            painter.paint(start, class);
            // Two languages may overlap without nesting: the outer one wins then.
            end = end.min(until);
        }
        painter.done = painter.done.max(start);
        open.push((end, class_of(span.capture, keys)));
    }
    while let Some((until, class)) = open.pop() {
        painter.paint(until, class);
    }
    painter.tokens
}

struct Painter {
    /// Everything before this byte has its class.
    done: usize,
    tokens: Vec<(Range<usize>, TokenClass)>,
}

impl Painter {
    fn paint(&mut self, until: usize, class: Option<TokenClass>) {
        if until <= self.done {
            return;
        }
        let range = self.done..until;
        self.done = until;
        let Some(class) = class else { return };
        match self.tokens.last_mut() {
            Some((last, same)) if *same == class && last.end == range.start => last.end = range.end,
            _ => self.tokens.push((range, class)),
        }
    }
}

/// Tokens that span lines become one per line; offsets count from the start of the line.
fn cut(text: &str, lines: &[Range<usize>], tokens: &[(Range<usize>, TokenClass)]) -> Vec<Vec<Token>> {
    let mut next = 0;
    let of_line = |line: &Range<usize>| {
        while tokens.get(next).is_some_and(|(range, _)| range.end <= line.start) {
            next += 1;
        }
        let touching = tokens[next..].iter().take_while(|(range, _)| range.start < line.end);
        let cut = touching.filter_map(|(range, class)| {
            let (start, end) = (range.start.max(line.start), range.end.min(line.end));
            // Grammars count bytes: a broken one must not break the page.
            let whole = start < end && text.is_char_boundary(start) && text.is_char_boundary(end);
            whole.then(|| Token { start: (start - line.start) as u32, end: (end - line.start) as u32, class: *class })
        });
        cut.collect()
    };
    lines.iter().map(of_line).collect()
}

/// Whether the names of properties are coloured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// Data: a key is what the eye looks for.
    Coloured,
    /// Programs: nearly every other word is a field.
    Plain,
}

fn keys_of(language: &str) -> Keys {
    let data = ["css", "hcl", "json", "nix", "scss", "toml", "yaml"].contains(&language);
    if data { Keys::Coloured } else { Keys::Plain }
}

/// From the names that grammars use to our six classes. None is plain, also within a coloured range (an interpolation
/// in a string).
fn class_of(capture: &str, keys: Keys) -> Option<TokenClass> {
    let (family, rest) = capture.split_once('.').unwrap_or((capture, ""));
    Some(match family {
        "keyword" | "include" | "import" | "conditional" | "repeat" | "exception" | "storageclass" | "preproc"
        | "define" | "structure" | "return" | "while" | "for" | "each" | "use" | "forward" | "mixin" | "extend"
        | "media" | "supports" | "keyframes" | "charset" | "at" | "cImport" => TokenClass::Keyword,
        // Keys of JSON are strings to the grammar; told apart from values they read like those of YAML and TOML.
        "string" if rest.ends_with("key") => TokenClass::Type,
        "string" | "character" | "escape" => TokenClass::String,
        "number" | "float" | "boolean" | "constant" => TokenClass::Number,
        "function" | "method" | "macro" | "attribute" => TokenClass::Function,
        "property" if keys == Keys::Plain => return None,
        "type" | "constructor" | "tag" | "property" | "label" => TokenClass::Type,
        "comment" => TokenClass::Comment,
        "variable" if rest == "builtin" => TokenClass::Number,
        "markup" | "text" => match rest.split('.').next()? {
            "heading" | "title" => TokenClass::Function,
            "raw" | "literal" | "link" | "uri" | "reference" => TokenClass::String,
            _ => return None,
        },
        _ => return None,
    })
}
