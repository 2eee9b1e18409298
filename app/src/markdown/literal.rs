//! Protects text of agents that isn't markdown: paths with backslashes, TeX, patterns of file names, a tilde before a
//! number. Its signs are replaced by placeholders before the text is parsed, and restored in the parser's output.
//!
//! Also adds joiners to marks in scripts without spaces, so that the parser takes them for letters: `CommonMark` only
//! recognizes emphasis with spaces around words.

use super::fences::Fence;
use super::script::{is_unspaced_letter, is_unspaced_sign};
use std::borrow::Cow;

/// Code and TeX within a line are looked for so far, in bytes: what nothing closes isn't looked through again and
/// again.
const MAX_SPAN: usize = 2_000;
/// How far around a sign tells whether it is in the middle of a name, in characters.
const NEAR: usize = 100;

/// The signs of markdown. The stand-in of each is a noncharacter of Unicode, which no text has.
const SIGNS: &str = "\\*_~[]<>&!#+-=|`.)(\"':";
const FIRST: char = '\u{fdd0}';
const LINE_END: char = '\u{fdee}';
const JOINER: char = '\u{fdef}';

/// The text with stand-ins. None if nothing in it needs one, or if it has such characters itself.
pub(super) fn protected(text: &str) -> Option<String> {
    if !text.contains(['\\', '$', '*', '_', '~']) || stands_in(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut blocks = Blocks::new(&mut out);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        blocks.line(text, at, line);
        at += line.len();
    }
    blocks.end_paragraph(text, at);
    (out != text).then_some(out)
}

/// Returns the parser's output with placeholders restored.
pub(super) fn restored(text: &str) -> Cow<'_, str> {
    if !stands_in(text) {
        return Cow::Borrowed(text);
    }
    let sign = |c: char| match c {
        LINE_END | JOINER => None,
        c if is_stand_in(c) => {
            let index = u32::from(c) - u32::from(FIRST);
            SIGNS.chars().nth(index as usize)
        }
        c => Some(c),
    };
    Cow::Owned(text.chars().filter_map(sign).collect())
}

/// Does what was looked into as a whole go on at the line that begins at `place`? Read from there on alone, the text
/// would get other stand-ins.
pub(super) fn is_within(text: &str, place: usize) -> bool {
    let mut out = String::new();
    let mut blocks = Blocks::new(&mut out);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_open = blocks.fence.is_some() || blocks.display.is_some();
        blocks.line(text, at, line);
        if at >= place {
            return is_open || blocks.paragraph.is_some_and(|start| start < place);
        }
        at += line.len();
    }
    false
}

/// Returns true if the line of this text ends on the screen too.
pub(super) fn ends_line(text: &str) -> bool {
    text.ends_with(LINE_END)
}

/// Returns true if a text has one of the placeholder characters.
pub(super) fn stands_in(text: &str) -> bool {
    text.chars().any(is_stand_in)
}

fn is_stand_in(c: char) -> bool {
    (FIRST..=JOINER).contains(&c)
}

fn push_literal(out: &mut String, c: char) {
    let index = SIGNS.chars().position(|sign| sign == c).and_then(|index| u32::try_from(index).ok());
    out.push(index.and_then(|index| char::from_u32(u32::from(FIRST) + index)).unwrap_or(c));
}

/// Goes through the lines of a text: code stays as it is, displayed TeX is kept whole, and paragraphs are looked into.
struct Blocks<'o> {
    out: &'o mut String,
    /// Where the paragraph began that goes on.
    paragraph: Option<usize>,
    fence: Option<Fence>,
    /// The end mark of open TeX.
    display: Option<&'static str>,
}

impl<'o> Blocks<'o> {
    fn new(out: &'o mut String) -> Self {
        Self { out, paragraph: None, fence: None, display: None }
    }

    fn line(&mut self, text: &str, at: usize, line: &str) {
        if let Some(fence) = &self.fence {
            if fence.is_closed_by(line) {
                self.fence = None;
            }
            self.out.push_str(line);
            return;
        }
        if self.display.is_some() && line.trim().is_empty() {
            self.display = None;
        }
        if let Some(close) = self.display {
            self.display_line(line, close);
            return;
        }
        let body = line.get(prefix(line)..).unwrap_or(line);
        if let Some(close) = opens_display(body) {
            self.end_paragraph(text, at);
            self.display = Some(close);
            let (before, body) = line.split_at(line.len() - body.len());
            self.out.push_str(before);
            self.literal_line(body);
            return;
        }
        let fence = Fence::open(line);
        if fence.is_some() || line.trim().is_empty() {
            self.end_paragraph(text, at);
            self.fence = fence;
            self.out.push_str(line);
            return;
        }
        if starts_block(line) {
            self.end_paragraph(text, at);
        }
        self.paragraph.get_or_insert(at);
        if is_heading(body) {
            self.end_paragraph(text, at + line.len());
        }
    }

    fn end_paragraph(&mut self, text: &str, end: usize) {
        if let Some(paragraph) = self.paragraph.take().and_then(|start| text.get(start..end)) {
            write_paragraph(self.out, paragraph);
        }
    }

    fn display_line(&mut self, line: &str, close: &str) {
        let quote = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
        let (before, body) = line.split_at(quote);
        self.out.push_str(before);
        match body.find(close) {
            Some(at) => {
                let (tex, rest) = body.split_at((at + close.len()).min(body.len()));
                tex.chars().for_each(|c| push_literal(self.out, c));
                write_paragraph(self.out, rest);
                self.display = None;
            }
            None => self.literal_line(body),
        }
    }

    /// A line of which each sign is kept, and its end.
    fn literal_line(&mut self, line: &str) {
        let words = line.trim_end_matches(['\n', '\r']);
        words.chars().for_each(|c| push_literal(self.out, c));
        self.out.push(LINE_END);
        self.out.push_str(line.get(words.len()..).unwrap_or_default());
    }
}

/// The length of what makes a line a part of a quote or an item.
fn prefix(line: &str) -> usize {
    let body = line.trim_start_matches([' ', '\t', '>']);
    let item = body.trim_start_matches(|c: char| c.is_ascii_digit());
    let marked = ["- ", "* ", "+ ", ". ", ") "].into_iter().find_map(|mark| item.strip_prefix(mark));
    line.len() - marked.unwrap_or(body).trim_start_matches([' ', '\t']).len()
}

fn starts_block(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['#', '|', '>']) || prefix(line) > 0
}

/// Returns true for a heading, which ends with its line.
fn is_heading(body: &str) -> bool {
    let words = body.trim_start_matches('#');
    (1..=6).contains(&(body.len() - words.len())) && words.chars().next().is_none_or(char::is_whitespace)
}

/// Returns the end mark of TeX that begins with this line, if it continues in the next one.
fn opens_display(body: &str) -> Option<&'static str> {
    if let Some(tex) = body.strip_prefix("$$") {
        return (!tex.contains("$$") && (tex.trim().is_empty() || is_tex(tex))).then_some("$$");
    }
    if let Some(tex) = body.strip_prefix("\\[") {
        return (!tex.contains("\\]") && (tex.trim().is_empty() || is_tex(tex))).then_some("\\]");
    }
    (body.starts_with("\\begin{") && !body.contains("\\end{")).then_some("\\end{")
}

/// Returns true if a text has signs that plain words don't have.
fn is_tex(words: &str) -> bool {
    words.contains(['\\', '^', '_', '=', '{', '<', '>']) && !words.contains(['`', '\u{fffd}'])
}

fn write_paragraph(out: &mut String, paragraph: &str) {
    let mut words = Words { paragraph, after_path: false };
    // Where the words began that were not written yet.
    let mut pending = 0;
    let mut at = 0;
    while let Some(found) = paragraph.get(at..).and_then(|rest| rest.find(['`', '\\', '$'])) {
        let start = at + found;
        let (before, rest) = paragraph.split_at(start);
        let rest = rest.get(..rest.floor_char_boundary(MAX_SPAN)).unwrap_or(rest);
        let code = code_span(rest);
        let Some(len) = code.or_else(|| tex(before, rest)) else {
            // An escape, or a run of ticks that nothing closes.
            let run = rest.len() - rest.trim_start_matches('`').len();
            let escape = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
            at = start + if rest.starts_with('\\') { escape } else { run.max(1) };
            continue;
        };
        words.write(out, pending, start);
        let (whole, _) = rest.split_at(len);
        if code.is_some() {
            out.push_str(whole);
        } else {
            whole.chars().for_each(|c| push_literal(out, c));
        }
        at = start + len;
        pending = at;
    }
    words.write(out, pending, paragraph.len());
}

/// The length of the code that begins here.
fn code_span(text: &str) -> Option<usize> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks == 0 {
        return None;
    }
    let mut at = ticks;
    loop {
        let rest = text.get(at..)?;
        let found = rest.find('`')?;
        let run = rest.get(found..)?.bytes().take_while(|byte| *byte == b'`').count();
        at += found + run;
        if run == ticks {
            return Some(at);
        }
    }
}

/// The length of the TeX that begins here.
fn tex(before: &str, text: &str) -> Option<usize> {
    let within = |open: &str, close: &str| {
        let inside = text.strip_prefix(open)?;
        let inside = inside.get(..inside.find(close)?)?;
        Some((inside, open.len() + inside.len() + close.len()))
    };
    // Nobody escapes parentheses, but brackets.
    if let Some((inside, len)) = within("\\(", "\\)") {
        return (!inside.contains('`')).then_some(len);
    }
    if let Some((_, len)) = within("\\[", "\\]").filter(|(inside, _)| is_tex(inside)) {
        return Some(len);
    }
    if let Some((_, len)) = within("$$", "$$").filter(|(inside, _)| is_tex(inside)) {
        return Some(len);
    }
    if text.starts_with("\\begin{") {
        let end = text.find("\\end{")?;
        return Some(end + text.get(end..)?.find('}')? + 1);
    }
    // A single dollar is money or a variable, unless both ends are tight around what can only be TeX.
    let (inside, len) = within("$", "$")?;
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '$' | '_' | '{'));
    let tight = !inside.starts_with(char::is_whitespace) && !inside.ends_with(char::is_whitespace);
    let alone = !is_word(before.chars().next_back()) && !is_word(text.get(len..)?.chars().next());
    let marks = inside.contains(['\\', '^']) || inside.contains("_{");
    (tight && alone && marks && !inside.contains(['`', '\n']) && !inside.starts_with(['/', '_'])).then_some(len)
}

/// The words of a paragraph between code and TeX.
struct Words<'t> {
    paragraph: &'t str,
    /// Was the last word a path? Then a name in it may have had a space.
    after_path: bool,
}

impl Words<'_> {
    fn write(&mut self, out: &mut String, start: usize, end: usize) {
        let mut at = start;
        while let Some(rest) = self.paragraph.get(at..end).filter(|rest| !rest.is_empty()) {
            let word = word_len(rest);
            self.word(out, at, at + word);
            let beyond = rest.get(word..).unwrap_or_default();
            let gap = beyond.find(|c| !ends_word(c)).unwrap_or(beyond.len());
            out.push_str(beyond.get(..gap).unwrap_or_default());
            at += word + gap;
        }
    }

    fn word(&mut self, out: &mut String, start: usize, end: usize) {
        let word = self.paragraph.get(start..end).unwrap_or_default();
        if !word.contains(['\\', '*', '_', '~']) {
            out.push_str(word);
            self.after_path = false;
            return;
        }
        let is_path = keeps_backslashes(word) || (self.after_path && word.contains('\\'));
        self.after_path = is_path;
        let mut at = 0;
        while let Some(c) = word.get(at..).and_then(|rest| rest.chars().next()) {
            let beside = self.beside(start + at, c);
            at += match c {
                '\\' => write_backslash(out, &beside, is_path),
                '*' | '_' | '~' => {
                    let run = Run { sign: c, length: beside.run, before: beside.before, after: beside.after };
                    let (head, tail) = word.split_at(at);
                    run.write(out, is_literal(&run, head, tail.get(beside.run..).unwrap_or_default(), is_path));
                    beside.run
                }
                c => {
                    out.push(c);
                    c.len_utf8()
                }
            };
        }
    }

    /// Returns the characters around a run of the same sign.
    fn beside(&self, at: usize, sign: char) -> Beside {
        let (before, rest) = self.paragraph.split_at(at);
        let run = if sign == '\\' { 1 } else { rest.len() - rest.trim_start_matches(sign).len() };
        let after = rest.get(run..).and_then(|rest| rest.chars().next());
        Beside { before: before.chars().next_back(), after, run }
    }
}

struct Beside {
    before: Option<char>,
    after: Option<char>,
    run: usize,
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '|') || is_bracket(c) || is_unspaced_sign(c)
}

/// Returns the length of a word. A character after a backslash belongs to it, even a bracket.
fn word_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if ends_word(c) && !(escaped && is_bracket(c)) {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

fn is_bracket(c: char) -> bool {
    matches!(c, '[' | ']' | '<' | '>' | '"')
}

/// Is a word a path of Windows or TeX? Nobody escapes letters: a backslash before one is meant.
fn keeps_backslashes(word: &str) -> bool {
    let mut parts = word.split('\\');
    let first = parts.next().unwrap_or_default().trim_start_matches(['*', '_', '~', '(', '\'']);
    if parts.any(|part| part.starts_with(char::is_alphanumeric)) {
        return true;
    }
    let drive = first.strip_suffix(':').is_some_and(|drive| drive.chars().all(|c| c.is_ascii_alphabetic()));
    let variable = first.starts_with('$') || (first.starts_with('%') && first.ends_with('%'));
    word.contains('\\') && !first.is_empty() && (drive || variable || matches!(first, "." | ".." | "~"))
}

/// A backslash and what it would escape. Returns how many bytes of the text it wrote.
fn write_backslash(out: &mut String, beside: &Beside, is_path: bool) -> usize {
    // After a number at the start of a line, a full stop would make an item.
    let is_name = beside.after == Some('.') && beside.before.is_some_and(|c| !c.is_ascii_digit());
    // In a table it keeps a bar from ending the cell.
    let is_meant = (is_path || is_name) && !matches!(beside.after, Some('|' | '`'));
    let escaped = beside.after.filter(|c| !ends_word(*c) || is_bracket(*c));
    if is_meant {
        push_literal(out, '\\');
        if let Some(c) = escaped {
            push_literal(out, c);
        }
    } else {
        out.push('\\');
        out.extend(escaped);
    }
    1 + escaped.map_or(0, char::len_utf8)
}

/// Signs of emphasis, and what stands beside them.
struct Run {
    sign: char,
    length: usize,
    before: Option<char>,
    after: Option<char>,
}

impl Run {
    fn write(&self, out: &mut String, literal: bool) {
        let signs = std::iter::repeat_n(self.sign, self.length);
        if literal {
            for c in signs {
                push_literal(out, c);
            }
            return;
        }
        let (joined_before, joined_after) = self.joiners();
        out.extend(joined_before.then_some(JOINER));
        out.extend(signs);
        out.extend(joined_after.then_some(JOINER));
    }

    /// Returns whether a joiner is needed before and after.
    fn joiners(&self) -> (bool, bool) {
        let (Some(before), Some(after)) = (self.before, self.after) else { return (false, false) };
        let unspaced = |c: char| is_unspaced_letter(c) || is_unspaced_sign(c);
        let is_space = |c: char| c.is_whitespace();
        // An underscore within a word marks nothing.
        if self.sign == '_' || is_space(before) || is_space(after) || !(unspaced(before) || unspaced(after)) {
            return (false, false);
        }
        let is_sign = |c: char| !c.is_alphanumeric() && !is_unspaced_letter(c);
        (is_sign(before) && !is_sign(after), !is_sign(before) && is_sign(after))
    }
}

/// Returns true if a run of signs in a word is part of a name.
fn is_literal(run: &Run, head: &str, tail: &str, is_path: bool) -> bool {
    // One tilde is `about` or a range: "5~10 days".
    if run.sign == '~' {
        return run.length == 1;
    }
    let named = |c: char| c.is_alphanumeric() || matches!(c, '\\' | '/');
    let begun = head.chars().rev().take(NEAR).any(|c| named(c) || matches!(c, '$' | '%' | '.'));
    if !begun || !tail.chars().take(NEAR).any(named) {
        return false;
    }
    let is = |beside: Option<char>, c: char| beside == Some(c);
    let before_suffix = || is(run.after, '.') && tail.chars().nth(1).is_some_and(char::is_alphanumeric);
    match run.sign {
        _ if is_path => !run.before.is_some_and(is_unspaced_letter) && !run.after.is_some_and(is_unspaced_letter),
        '*' => is(run.before, '/') && (is(run.after, '/') || before_suffix()),
        _ => is(run.before, '/') || is(run.after, '/') || is(run.before, '$') || before_suffix(),
    }
}

#[cfg(test)]
mod tests {
    use super::{protected, restored};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_replaced_is_put_back(text in "([a-zC:*_~`$\\\\\\[\\]()|/. \n>-]|```\n|\\\\\\[\n|[。「」中]|\\$\\$|[0-9]\\.){0,60}") {
            let with_stand_ins = protected(&text).unwrap_or_else(|| text.clone());
            prop_assert_eq!(restored(&with_stand_ins), text.as_str());
            prop_assert_eq!(with_stand_ins.lines().count(), text.lines().count());
        }
    }
}
