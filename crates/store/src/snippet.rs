//! The piece of a text around the words that were found.

use crate::tokens::{self, Term};

/// A cut text and where the words lie in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// One line; an ellipsis at each end that is cut.
    pub text: String,
    /// Byte ranges of `text`, sorted, not overlapping.
    pub marks: Vec<(usize, usize)>,
}

const ELLIPSIS: char = '…';

/// Cuts about `chars` characters from the first place in `text` on where a word of `query` stands, with a little before
/// it: of an excerpt that is cut to its first words, on a phone, it is among them. None if the text holds none.
pub fn cut(text: &str, query: &str, chars: usize) -> Option<Snippet> {
    let places = places(text, &tokens::terms(query));
    let first = places.first()?.0;
    let start = word_start(text, back(text, first, chars / 6), first);
    let start = first - text[start..first].trim_start().len();
    let end = text[start..].char_indices().nth(chars).map_or(text.len(), |(at, _)| start + at);
    let end = word_end(text, first, end);
    let mut snippet = Snippet { text: String::with_capacity(end - start), marks: Vec::new() };
    if start > 0 {
        snippet.text.push(ELLIPSIS);
    }
    let mut at = start;
    for (from, to) in places.into_iter().filter(|(from, _)| *from < end) {
        // A word may be longer than the excerpt.
        let to = to.min(end);
        push_line(&mut snippet.text, &text[at..from]);
        let mark = snippet.text.len();
        snippet.text.push_str(&text[from..to]);
        snippet.marks.push((mark, snippet.text.len()));
        at = to;
    }
    push_line(&mut snippet.text, &text[at..end]);
    if end < text.len() {
        snippet.text.push(ELLIPSIS);
    }
    Some(snippet)
}

/// Where the words stand: sorted, joined where they overlap.
fn places(text: &str, terms: &[Term]) -> Vec<(usize, usize)> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    tokens::each(text, |word, at| {
        if terms.iter().any(|term| finds(term, word)) {
            places.push(at);
        }
    });
    places.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::with_capacity(places.len());
    for (from, to) in places {
        match joined.last_mut() {
            Some(last) if from < last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn finds(term: &Term, word: &str) -> bool {
    let is = |wanted: &str, prefix: bool| word == wanted || (prefix && word.starts_with(wanted));
    let last = term.parts.len().saturating_sub(1);
    is(&term.whole, term.prefix)
        || term.parts.iter().enumerate().any(|(index, part)| is(part, term.prefix && index == last))
}

/// The start of the text `chars` characters before `at`, or of its line if that is nearer.
fn back(text: &str, at: usize, chars: usize) -> usize {
    let mut start = at;
    for (index, c) in text[..at].char_indices().rev().take(chars) {
        if c == '\n' {
            break;
        }
        start = index;
    }
    start
}

/// The start of the first whole word from `start` on, at `at` at the latest; of a long path that of its next part.
fn word_start(text: &str, start: usize, at: usize) -> usize {
    let is_cut = text[..start].chars().next_back().is_some_and(|before| !before.is_whitespace());
    if !is_cut {
        return start;
    }
    let behind = |gap: fn(char) -> bool| text[start..at].find(gap).map(|gap| start + gap);
    let behind = behind(char::is_whitespace).or_else(|| behind(|c| !c.is_alphanumeric()));
    behind.map_or(start, |gap| gap + text[gap..].chars().next().map_or(0, char::len_utf8))
}

/// The end of the last whole word between `start` and `end`, if that isn't far.
fn word_end(text: &str, start: usize, end: usize) -> usize {
    const FAR: usize = 24;
    if text[end..].chars().next().is_none_or(char::is_whitespace) {
        return end;
    }
    text[start..end].rfind(char::is_whitespace).map(|gap| start + gap).filter(|gap| end - gap < FAR).unwrap_or(end)
}

/// Line ends and other control characters become spaces.
fn push_line(out: &mut String, text: &str) {
    out.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
}
