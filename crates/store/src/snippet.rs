//! The piece of a text around the words that were found.

/// A cut text and where the words lie in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// One line, at most the asked number of characters and an ellipsis at each cut end.
    pub text: String,
    /// Byte ranges of `text`, sorted, not overlapping.
    pub marks: Vec<(usize, usize)>,
}

/// Cuts about `chars` characters around the first place in `text` where words of `query` stand. None if it holds none of them.
pub fn cut(text: &str, query: &str, chars: usize) -> Option<Snippet> { unimplemented!() }
