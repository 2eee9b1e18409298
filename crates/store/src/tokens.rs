//! Words of a text, for search.
//!
//! A word is a run of letters and digits, in lower case and in NFKC: how an accent or a wide letter was typed is all
//! the same. A word of several cases also gives its parts: `messageRenderer` is `messagerenderer`, `message` and
//! `renderer`. Chinese, Japanese and Korean runs give their pairs of characters, and the last one alone, so that each
//! character begins a word.

use crate::fold::fold;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Only so many bytes of a text are searched.
pub const MAX_BYTES: usize = 256 * 1024;
/// Words are cut to so many characters; those that are longer have no parts: they are rarely written by people.
const MAX_WORD: usize = 64;
/// A last word shorter than this isn't taken as the beginning of longer ones: it would find nearly everything.
const MIN_PREFIX: usize = 3;
/// Bytes of a text for each different word, by a rule of thumb.
const LETTERS: usize = 12;

/// A word of a query, in all the ways in which a text may hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As one word.
    pub whole: String,
    /// Or as all of these; empty where the word has no parts.
    pub parts: Vec<String>,
    /// It may go on: the beginning of a word.
    pub prefix: bool,
}

/// The different words of a text in the order of their bytes, which an index wants them in, separated by spaces.
pub fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_BYTES) / 2);
    let most = text.len().min(MAX_BYTES) / LETTERS;
    let mut seen: HashSet<u64, BuildHasherDefault<Given>> =
        HashSet::with_capacity_and_hasher(most, BuildHasherDefault::default());
    each(text, |word, _| {
        // 64 bits of hash stand for the word: two words of one text never meet in practice.
        if seen.insert(hash(word)) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    });
    let mut words: Vec<&str> = out.split(' ').collect();
    words.sort_unstable();
    words.join(" ")
}

/// The words of a query; the last may be the beginning of one, unless the query ends with a space.
pub fn terms(query: &str) -> Vec<Term> {
    let query = &*fold(query).text;
    let mut terms: Vec<Term> = Vec::new();
    let mut end = 0;
    each_folded(query, |word, at| {
        match terms.last_mut() {
            // Parts come after their whole, and lie within it.
            Some(term) if at.1 <= end && at.0 < end && !is_cjk_word(word) => term.parts.push(word.to_owned()),
            _ => terms.push(Term { whole: word.to_owned(), parts: Vec::new(), prefix: false }),
        }
        end = end.max(at.1);
    });
    // The last character of a run of several is in the pair before it.
    let pairs: Vec<String> = terms.iter().map(|term| term.whole.clone()).collect();
    let mut index = 0;
    terms.retain(|term| {
        let single = is_cjk_word(&term.whole) && term.whole.chars().count() == 1;
        let before = usize::checked_sub(index, 1).and_then(|i| pairs.get(i));
        index += 1;
        !(single && before.is_some_and(|pair| is_cjk_word(pair) && pair.ends_with(&term.whole)))
    });
    let open = query.chars().next_back().is_some_and(char::is_alphanumeric);
    if let Some(last) = terms.last_mut() {
        let cjk = is_cjk_word(&last.whole);
        last.prefix = open && (cjk || last.whole.chars().count() >= MIN_PREFIX);
    }
    for term in &mut terms {
        // One character alone begins the pairs that hold it.
        term.prefix |= is_cjk_word(&term.whole) && term.whole.chars().count() == 1;
    }
    terms
}

/// The terms of a part of a path, whose letters are compared as well: a last word that is too short to be the beginning
/// of others isn't needed beside the words before it.
pub fn path_terms(part: &str) -> Vec<Term> {
    let mut terms = terms(part);
    let goes_on = part.chars().next_back().is_some_and(char::is_alphanumeric);
    if terms.len() > 1 && goes_on && terms.last().is_some_and(|last| !last.prefix) {
        terms.pop();
    }
    terms
}

/// A text as a reader looks for it letter by letter: whatever its case, and however its letters were typed.
pub fn searchable(text: &str) -> String {
    fold(text).text.to_lowercase()
}

/// Calls `found` for each word with its place in the text (bytes). A whole word comes before its parts.
pub fn each(text: &str, mut found: impl FnMut(&str, (usize, usize))) {
    let folded = fold(&text[..text.floor_char_boundary(MAX_BYTES)]);
    each_folded(&folded.text, |word, at| found(word, folded.written(at)));
}

fn each_folded(text: &str, mut found: impl FnMut(&str, (usize, usize))) {
    let mut buffer = String::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if !first.is_alphanumeric() {
            start += first.len_utf8();
            continue;
        }
        let run = Run::at(text, start, is_cjk(first));
        if run.cjk {
            pairs(text, start, run.end, &mut found);
        } else if run.is_plain && run.chars <= MAX_WORD {
            // As most words are: in lower case already.
            found(&text[start..run.end], (start, run.end));
        } else {
            emit(&text[start..run.end], (start, run.end), &mut buffer, &mut found);
            if run.chars <= MAX_WORD {
                parts(text, start, run.end, &mut buffer, &mut found);
            }
        }
        start = run.end;
    }
}

/// Letters and digits that follow each other, of one kind of script.
struct Run {
    end: usize,
    chars: usize,
    cjk: bool,
    /// Small letters of ASCII, and digits.
    is_plain: bool,
}

impl Run {
    fn at(text: &str, start: usize, cjk: bool) -> Self {
        let bytes = text[start..].bytes();
        let plain = bytes.take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
        let mut run = Self { end: start + plain, chars: plain, cjk, is_plain: true };
        for c in text[run.end..].chars() {
            if !c.is_alphanumeric() || is_cjk(c) != cjk {
                break;
            }
            run.is_plain = false;
            run.end += c.len_utf8();
            run.chars += 1;
        }
        run
    }
}

fn emit(word: &str, at: (usize, usize), buffer: &mut String, found: &mut impl FnMut(&str, (usize, usize))) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(&word[..word.len().min(MAX_WORD)]);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().take(MAX_WORD).flat_map(char::to_lowercase));
    }
    found(buffer, at);
}

/// `HTMLParser2go` is cut before `Parser`: where lower case turns to upper, and before the last of several capitals.
fn parts(text: &str, start: usize, end: usize, buffer: &mut String, found: &mut impl FnMut(&str, (usize, usize))) {
    let word = &text[start..end];
    // Most words have capitals at their beginning at most.
    if !word.chars().skip(1).any(char::is_uppercase) {
        return;
    }
    let mut from = start;
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        let cut = c.is_uppercase()
            && before.is_some_and(|before| !before.is_uppercase() || (before.is_uppercase() && next_is_lower));
        if cut {
            emit(&text[from..start + at], (from, start + at), buffer, found);
            from = start + at;
        }
        before = Some(c);
    }
    if from > start {
        emit(&text[from..end], (from, end), buffer, found);
    }
}

fn pairs(text: &str, start: usize, end: usize, found: &mut impl FnMut(&str, (usize, usize))) {
    let mut chars = text[start..end].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let from = start + at;
        let to = chars.peek().map_or(from + c.len_utf8(), |(next, c)| start + next + c.len_utf8());
        found(&text[from..to], (from, to));
    }
}

fn is_cjk_word(word: &str) -> bool {
    word.chars().next().is_some_and(is_cjk)
}

/// Scripts that are written without spaces between words: kana, Han, Hangul.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A quick hash of a word, eight bytes at a time.
fn hash(word: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = word.len() as u64;
    for chunk in word.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        state = (state.rotate_left(23) ^ u64::from_le_bytes(bytes)).wrapping_mul(FACTOR);
        state ^= state >> 29;
    }
    state
}

/// Hashes a number that is a hash already.
#[derive(Default)]
struct Given(u64);

impl Hasher for Given {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
