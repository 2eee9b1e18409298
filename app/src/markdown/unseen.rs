//! Characters that a reader of code may overlook: invisible ones, and unusual spaces.

use std::ops::Range;

/// Which side a line is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Both,
    Old,
    New,
}

/// Returns the byte ranges of placeholders for invisible characters, and on changed lines of unusual spaces.
pub fn unseen(text: &str, side: Side) -> impl Iterator<Item = Range<usize>> {
    let starts = move |(_, c): &(usize, char)| match c {
        '\u{27e8}' => true,
        '\u{a0}' | '\u{202f}' => side != Side::Both,
        _ => false,
    };
    let chars = (!text.is_ascii()).then(|| text.char_indices()).into_iter().flatten();
    chars.filter(starts).filter_map(|(at, c)| {
        let rest = &text[at..];
        match c {
            '\u{27e8}' => {
                let length = rest.strip_prefix("\u{27e8}U+")?.find('\u{27e9}').filter(|digits| *digits < 8)?;
                Some(at..at + "\u{27e8}U+".len() + length + '\u{27e9}'.len_utf8())
            }
            _ => Some(at..at + c.len_utf8()),
        }
    })
}
