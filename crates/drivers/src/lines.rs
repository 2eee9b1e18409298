//! An agent's output, cut into lines within limits.

/// Longest line that is taken, in bytes: pictures in Base64 are the longest.
pub const LONGEST_LINE: usize = 32 << 20;

/// A piece of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line that is longer than is taken, with its length in bytes. Its content is dropped.
    TooLong(u64),
    /// The last part, without a line end.
    Half(Vec<u8>),
}

/// Cuts bytes into lines. Holds one unfinished line, at most [`LONGEST_LINE`] bytes of it.
#[derive(Debug)]
pub struct Lines {
    held: Vec<u8>,
    /// Bytes of a line that is too long.
    dropped: u64,
    longest: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Self::with_longest(LONGEST_LINE)
    }
}

impl Lines {
    /// Makes lines of at most so many bytes.
    pub fn with_longest(longest: usize) -> Self {
        Self { held: Vec::new(), dropped: 0, longest }
    }

    /// Takes the next bytes, cut anywhere, and returns the lines that they complete. Empty lines are left out.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (part, is_whole) = match part.strip_suffix(b"\n") {
                Some(line) => (line, true),
                None => (part, false),
            };
            if self.dropped > 0 || self.held.len() + part.len() > self.longest {
                self.dropped += (self.held.len() + part.len()) as u64;
                self.held = Vec::new();
            } else {
                self.held.extend_from_slice(part);
            }
            if is_whole {
                pieces.extend(self.take());
            }
        }
        pieces
    }

    fn take(&mut self) -> Option<Piece> {
        let mut line = std::mem::take(&mut self.held);
        match std::mem::take(&mut self.dropped) {
            0 => {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                (!line.is_empty()).then_some(Piece::Line(line))
            }
            bytes => Some(Piece::TooLong(bytes)),
        }
    }

    /// Ends the output, and returns what has no line end.
    pub fn finish(&mut self) -> Option<Piece> {
        match self.take()? {
            Piece::Line(half) => Some(Piece::Half(half)),
            other => Some(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Piece {
        Piece::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_whole_however_the_output_is_cut() {
        let output = b"{\"a\":1}\r\n\n\xc3\xa4\xc3\xb6\nhalf";
        for size in 1..=output.len() {
            let mut lines = Lines::default();
            let mut pieces: Vec<Piece> = output.chunks(size).flat_map(|chunk| lines.push(chunk)).collect();
            pieces.extend(lines.finish());
            assert_eq!(pieces, [line("{\"a\":1}"), line("\u{e4}\u{f6}"), Piece::Half(b"half".to_vec())]);
        }
    }

    #[test]
    fn a_line_without_an_end_is_dropped_and_the_next_one_is_read() {
        let mut lines = Lines::with_longest(4);
        assert_eq!(lines.push(b"1234\n12345"), [line("1234")]);
        assert_eq!(lines.push(b"6789"), []);
        assert_eq!(lines.held.len(), 0);
        assert_eq!(lines.push(b"0\nok\n"), [Piece::TooLong(10), line("ok")]);
        assert_eq!(lines.finish(), None);
    }
}
