//! Which words of a changed block changed: lines are paired by likeness, and each pair is compared word by word.

use std::borrow::Cow;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, Interner, NoSliderHeuristic, Token};

/// Larger blocks are new text rather than an edit; lines per side.
const MAX_LINES: usize = 8;
/// Longer lines get no marks, in bytes.
const MAX_LINE: usize = 512;
/// Lines that are less alike are two different lines: a share of their bytes without spaces.
const MIN_SIMILARITY: f32 = 0.4;
/// Changes from this length on swallow a scrap of equal text between them, in bytes; the scrap's own length at most.
const LONG_CHANGE: usize = 6;
const MAX_SCRAP: usize = 3;

/// Changed byte ranges for each line of a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    pub(crate) old: Vec<Vec<(u32, u32)>>,
    pub(crate) new: Vec<Vec<(u32, u32)>>,
    /// Lines of which one became the other.
    pub(crate) pairs: Vec<(u32, u32)>,
}

/// How many words may still be compared in this file. It stands for a deadline: the same file always gives the same
/// answer, on any machine and under any load, and answers can be cached by content.
pub(crate) struct Budget {
    pub(crate) left: usize,
}

impl Budget {
    /// Some 20 ms of work.
    pub(crate) fn for_file() -> Self {
        Self::among(1)
    }

    /// For one of so many files that are drawn together.
    pub(crate) fn among(files: usize) -> Self {
        Self { left: (1_000_000 / files.max(1)).max(20_000) }
    }

    fn spend(&mut self, words: usize) -> Option<()> {
        self.left = self.left.checked_sub(words)?;
        Some(())
    }
}

/// Returns true if it is small enough to be compared word by word.
pub(crate) fn is_small(hunk: &Hunk) -> bool {
    [&hunk.before, &hunk.after].into_iter().all(|lines| (1..=MAX_LINES).contains(&lines.len()))
}

/// Marks the words of a small block. None if the budget isn't enough.
pub(crate) fn mark(old: &[Cow<'_, str>], new: &[Cow<'_, str>], budget: &mut Budget) -> Option<Marks> {
    let mut marks = Marks { old: vec![Vec::new(); old.len()], new: vec![Vec::new(); new.len()], pairs: Vec::new() };
    let mut interner = Interner::new(64);
    let old: Vec<Line> = old.iter().map(|line| Line::of(line, &mut interner)).collect();
    let new: Vec<Line> = new.iter().map(|line| Line::of(line, &mut interner)).collect();
    let words: usize = old.iter().map(|line| line.words.len() * new.len()).sum();
    let words_of_new: usize = new.iter().map(|line| line.words.len() * old.len()).sum();
    budget.spend(words + words_of_new)?;
    for (at_old, at_new) in pairs(&old, &new) {
        marks.pairs.push((at_old as u32, at_new as u32));
        if let Some((of_old, of_new)) = changed(&old[at_old], &new[at_new], interner.num_tokens()) {
            marks.old[at_old] = of_old;
            marks.new[at_new] = of_new;
        }
    }
    Some(marks)
}

/// A line as words, each a number that is equal for equal words.
struct Line<'a> {
    text: &'a str,
    words: Vec<Token>,
    ranges: Vec<Range<usize>>,
    /// Word and its length without spaces, in bytes; sorted.
    bag: Vec<(u32, usize)>,
    /// Bytes without spaces.
    size: usize,
}

impl<'a> Line<'a> {
    fn of(text: &'a str, interner: &mut Interner<&'a str>) -> Self {
        // A line that is too long has no words, so it pairs with no other.
        let ranges = if text.len() <= MAX_LINE { split(text) } else { Vec::new() };
        let words: Vec<Token> = ranges.iter().map(|range| interner.intern(&text[range.clone()])).collect();
        let sized = words.iter().zip(&ranges).map(|(word, range)| (word.0, weight(&text[range.clone()])));
        let mut bag: Vec<(u32, usize)> = sized.filter(|(_, weight)| *weight > 0).collect();
        bag.sort_unstable();
        let size = bag.iter().map(|(_, weight)| weight).sum();
        Self { text, words, ranges, bag, size }
    }
}

fn weight(word: &str) -> usize {
    if word.chars().all(char::is_whitespace) { 0 } else { word.len() }
}

/// Runs of word characters and runs of spaces; every other character alone, so that `a(b)` is four words. Writing
/// without spaces between words (Chinese, Japanese) is compared by character.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut before = ('\0', Class::Alone);
    for (at, char) in text.char_indices() {
        let class = class_of(char);
        let joins = before.1 == class && class != Class::Alone || extends(char) || before.0 == '\u{200d}';
        match words.last_mut() {
            Some(word) if joins => word.end = at + char.len_utf8(),
            _ => words.push(at..at + char.len_utf8()),
        }
        // A combining character has the class of the previous one: `é` in two code points doesn't end a word.
        before = (char, if extends(char) { before.1 } else { class });
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Alone,
}

fn class_of(char: char) -> Class {
    match char {
        // Kana, Han, and their extensions: each character carries its own meaning.
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            Class::Alone
        }
        '_' => Class::Word,
        _ if char.is_alphanumeric() => Class::Word,
        _ if char.is_whitespace() => Class::Space,
        _ => Class::Alone,
    }
}

/// Combining marks, joiners, variation selectors and skin tones belong to the character before them.
fn extends(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Which old line became which new one: the order is kept, and the likeness of all pairs together is the greatest.
fn pairs(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<(usize, usize)> {
    // `best[i][j]` is the greatest sum for the lines from `i` and `j` on.
    let mut best = vec![vec![0.0_f32; new.len() + 1]; old.len() + 1];
    let mut like = vec![vec![0.0_f32; new.len()]; old.len()];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let similarity = likeness(&old[i], &new[j]);
            like[i][j] = if similarity < MIN_SIMILARITY { 0.0 } else { similarity };
            best[i][j] = best[i + 1][j].max(best[i][j + 1]).max(like[i][j] + best[i + 1][j + 1]);
        }
    }
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if like[i][j] > 0.0 && best[i][j] <= like[i][j] + best[i + 1][j + 1] {
            found.push((i, j));
            i += 1;
            j += 1;
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Share of words that both lines hold, in any order: never less than with the order, and much cheaper.
fn likeness(old: &Line<'_>, new: &Line<'_>) -> f32 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(a), Some(b)) = (old.bag.get(i), new.bag.get(j)) {
        if a.0 == b.0 {
            common += a.1;
        }
        i += usize::from(a.0 <= b.0);
        j += usize::from(b.0 <= a.0);
    }
    share(common, old, new)
}

fn share(common: usize, old: &Line<'_>, new: &Line<'_>) -> f32 {
    (2 * common) as f32 / (old.size + new.size).max(1) as f32
}

type Ranges = Vec<(u32, u32)>;

fn changed(old: &Line<'_>, new: &Line<'_>, num_words: u32) -> Option<(Ranges, Ranges)> {
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Histogram, &old.words, &new.words, num_words);
    diff.postprocess_with(&old.words, &new.words, NoSliderHeuristic);
    let kept = old.ranges.iter().enumerate().filter(|(at, _)| !diff.is_removed(*at as u32));
    let common = kept.map(|(_, range)| weight(&old.text[range.clone()])).sum();
    if share(common, old, new) < MIN_SIMILARITY {
        return None;
    }
    let of_old = joined(old, |at| diff.is_removed(at));
    let of_new = joined(new, |at| diff.is_added(at));
    Some((of_old, of_new))
}

/// Ranges of changed words. Two with a single character between them read as one, and so do two long ones with a scrap of
/// equal text between them: it is equal by chance.
fn joined(line: &Line<'_>, is_changed: impl Fn(u32) -> bool) -> Ranges {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, word) in line.ranges.iter().enumerate() {
        if !is_changed(at as u32) {
            continue;
        }
        match ranges.last_mut() {
            Some(last) if line.text[last.end..word.start].chars().nth(1).is_none() => last.end = word.end,
            _ => ranges.push(word.clone()),
        }
    }
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let is_long = |last: &Range<usize>| last.len().min(range.len()) >= LONG_CHANGE;
        match joined.last_mut() {
            Some(last) if is_long(last) && is_scrap(&line.text[last.end..range.start]) => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined.into_iter().map(|range| (range.start as u32, range.end as u32)).collect()
}

/// Less than two characters but for spaces, and few of those.
fn is_scrap(between: &str) -> bool {
    between.len() <= MAX_SCRAP && between.chars().filter(|char| !char.is_whitespace()).nth(1).is_none()
}
