//! The text of a file's bytes: UTF-8, or UTF-16 as some programs of Windows write it.

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// Reads the mark at the beginning of a file. None as long as too few bytes are there.
    pub fn of(beginning: impl IntoIterator<Item = u8>) -> Option<Self> {
        let mut bytes = beginning.into_iter();
        match (bytes.next()?, bytes.next()) {
            (0xff, Some(0xfe)) => Some(Self::Utf16Le),
            (0xfe, Some(0xff)) => Some(Self::Utf16Be),
            (0xfe | 0xff, None) => None,
            _ => Some(Self::Utf8),
        }
    }

    /// The offset behind the first line end in `bytes`, which follow the beginning of a line.
    pub fn line_end(self, beginning: &[u8], bytes: &[u8]) -> Option<usize> {
        let end: [u8; 2] = match self {
            Self::Utf8 => return memchr::memchr(b'\n', bytes).map(|at| at + 1),
            Self::Utf16Le => [b'\n', 0],
            Self::Utf16Be => [0, b'\n'],
        };
        // A unit of two bytes may be cut in half.
        let half = beginning.len() % 2;
        if let (1, Some(first), Some(second)) = (half, beginning.last(), bytes.first())
            && [*first, *second] == end
        {
            return Some(1);
        }
        let units = bytes.get(half..)?.chunks_exact(2);
        units.into_iter().position(|unit| unit == end).map(|at| half + 2 * at + 2)
    }

    /// The text. What can't be decoded becomes U+FFFD; the record keeps the bytes.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let (read, units): (fn([u8; 2]) -> u16, _) = match self {
            Self::Utf8 => return String::from_utf8_lossy(bytes),
            Self::Utf16Le => (u16::from_le_bytes, bytes.chunks(2)),
            Self::Utf16Be => (u16::from_be_bytes, bytes.chunks(2)),
        };
        let units = units.map(|unit| <[u8; 2]>::try_from(unit).map_or(0xfffd, read));
        Cow::Owned(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect())
    }

    /// Where byte `at` of the decoded text is in `bytes`.
    pub fn offset(self, bytes: &[u8], text: &str, at: usize) -> usize {
        if self != Self::Utf8 {
            return (2 * text.get(..at).unwrap_or(text).encode_utf16().count()).min(bytes.len());
        }
        let (mut from, mut to) = (0, 0);
        for chunk in bytes.utf8_chunks() {
            if to + chunk.valid().len() >= at {
                break;
            }
            from += chunk.valid().len() + chunk.invalid().len();
            to += chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { '\u{fffd}'.len_utf8() };
        }
        (from + at.saturating_sub(to)).min(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn offsets_behind_bytes_that_are_no_utf8() {
        let bytes = b"a\xff\xfeb\xc3\xa9c";
        let text = Encoding::Utf8.decode(bytes);
        for (c, offset) in [('a', 0), ('b', 3), ('c', 6)] {
            let at = text.find(c).expect("a letter");
            assert_eq!(Encoding::Utf8.offset(bytes, &text, at), offset, "{c}");
        }
    }

    #[test]
    fn lines_of_utf_16_end_at_a_whole_unit() {
        let text: Vec<u8> = "\u{0a0b}\u{0b0a}x\ny".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for cut in 0..=8 {
            let (beginning, rest) = text.split_at(cut.min(text.len()));
            let end = Encoding::Utf16Le.line_end(beginning, rest).filter(|_| cut < 8);
            assert_eq!(end, (cut < 8).then(|| 8 - cut), "{cut}");
        }
    }
}
