//! Texts in one form: what looks the same, or is a wide, narrow or joined form of the same letters, is found as the
//! same.
//!
//! The form is NFKC. A place in the folded text leads back to the place in the text as it was written, so that marks
//! stand there.

use std::borrow::Cow;
use std::iter::once;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

/// A text in NFKC.
pub(crate) struct Folded<'t> {
    pub text: Cow<'t, str>,
    /// Ascending. Empty where the text was in this form already.
    pieces: Vec<Piece>,
}

/// Where a piece begins, folded and as it was written.
#[derive(Debug, Clone, Copy)]
struct Piece {
    folded: usize,
    written: usize,
    /// Nothing in it was changed: each byte has a place of its own. Else it is one letter.
    same: bool,
}

impl Folded<'_> {
    /// The place in the written text: all letters of which a part lies in it.
    pub fn written(&self, (from, to): (usize, usize)) -> (usize, usize) {
        if self.pieces.is_empty() {
            return (from, to);
        }
        let piece = |at: usize| {
            let next = self.pieces.partition_point(|piece| piece.folded <= at);
            (next.checked_sub(1).and_then(|before| self.pieces.get(before)), self.pieces.get(next))
        };
        let start = match piece(from).0 {
            Some(piece) if piece.same => piece.written + (from - piece.folded),
            Some(piece) => piece.written,
            None => from,
        };
        let end = match piece(to.saturating_sub(1)) {
            (Some(piece), _) if piece.same => piece.written + (to - piece.folded),
            (_, Some(next)) => next.written,
            _ => to,
        };
        (start, end)
    }
}

pub(crate) fn fold(text: &str) -> Folded<'_> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        return Folded { text: Cow::Borrowed(text), pieces: Vec::new() };
    }
    let mut folded = String::with_capacity(text.len());
    let mut pieces: Vec<Piece> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let mut end = start + first.len_utf8();
        while let Some((at, next)) = chars.next_if(|(_, next)| joins(*next)) {
            end = at + next.len_utf8();
        }
        let letter = &text[start..end];
        let same = is_nfkc_quick(letter.chars()) == IsNormalized::Yes;
        if !same || !pieces.last().is_some_and(|piece| piece.same) {
            pieces.push(Piece { folded: folded.len(), written: start, same });
        }
        if same {
            folded.push_str(letter);
        } else {
            folded.extend(letter.nfkc());
        }
    }
    // Where the last piece ends.
    pieces.push(Piece { folded: folded.len(), written: text.len(), same: true });
    Folded { text: Cow::Owned(folded), pieces }
}

/// Does it belong to the letter before it? Also a narrow sound mark, which becomes one that does.
fn joins(c: char) -> bool {
    let joins = |c: char| canonical_combining_class(c) != 0 || is_nfkc_quick(once(c)) == IsNormalized::Maybe;
    !c.is_ascii() && once(c).nfkd().next().is_some_and(joins)
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn a_place_leads_back_to_what_was_written() {
        let cases = [
            ("a cafe\u{301} b", "café", "cafe\u{301}"),
            ("x ｆｅｔｃｈ y", "fetch", "ｆｅｔｃｈ"),
            ("\u{1107}\u{1169}고", "보", "\u{1107}\u{1169}"),
            ("ｶﾞｽ点検", "ガス", "ｶﾞｽ"),
            ("the ﬁle… ends", "ile", "ﬁle"),
            ("the ﬁle… ends", "ends", "ends"),
            ("e\u{301}", "é", "e\u{301}"),
            ("plain é", "é", "é"),
        ];
        for (text, word, written) in cases {
            let folded = fold(text);
            let at = folded.text.find(word).expect(word);
            let (from, to) = folded.written((at, at + word.len()));
            assert_eq!(&text[from..to], written, "{text}");
        }
    }
}
