//! `@Name` at the beginning of a text.
//!
//! Mentions are compared as they look: case, composed and decomposed letters, full-width letters and invisible
//! characters make no difference. So `@pyn<zero width>chy` is a mention of `pynchy`, and `@pynchy<zero width>bot`
//! isn't.

use crate::hidden::hides;
use crate::words;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

words! {
    /// The characters that can follow the name in a mention.
    MentionEnd {
        /// Anything but a letter, a digit or `_`: `@pynchy-dev` mentions `pynchy`.
        Word = "word",
        /// The end of the text, a space, or one of `,:;.!?'`.
        Strict = "strict",
    }
}

/// Punctuation that ends a mention in any case.
const ENDS: &str = ",:;.!?'";
/// Punctuation between a mention and the text for the agent. It is removed with the mention.
const SEPARATES: &str = ",:;.!?\u{ff0c}\u{ff1a}\u{ff1b}\u{3002}\u{ff01}\u{ff1f}";
/// Maximum number of characters that one character of a name can be written with.
const WRITTEN_WITH: usize = 8;

/// Normalized names of an assistant. The longest matching one is mentioned, in whatever order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Names {
    /// Makes names, with or without `@`. Blank ones are ignored.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().map(|name| folded(visible_trim(name).trim_start_matches('@')));
        Self(names.filter(|name| !name.is_empty()).collect())
    }
}

/// Returns the text after a mention at the beginning; None if there is no mention. Blanks before the mention are
/// ignored, and those after it removed.
///
/// ```
/// use model::routing::mention::{MentionEnd, Names, rest};
///
/// let names = Names::new(["Pynchy", "ghost"]);
/// assert_eq!(rest(" @Pynchy what's up?", &names, MentionEnd::Word), Some("what's up?"));
/// assert_eq!(rest("What's up, @Pynchy?", &names, MentionEnd::Word), None);
/// ```
pub fn rest<'a>(text: &'a str, names: &Names, end: MentionEnd) -> Option<&'a str> {
    after(text, names, end).map(visible_trim)
}

/// Returns a text for the agent, without its mention and the punctuation after it. The mention stays if it is part of
/// the sentence (`@pynchy's idea`, `@pynchy-dev`), or there is no other text.
pub fn without(text: &str, names: &Names, end: MentionEnd) -> String {
    let Some(after) = after(text, names, end) else { return text.to_owned() };
    let is_apart = after.chars().find(|c| !hides(*c)).is_none_or(|c| c.is_whitespace() || SEPARATES.contains(c));
    let said = visible_trim(after.trim_start_matches(|c: char| hides(c) || SEPARATES.contains(c)));
    if is_apart && !said.is_empty() { said.to_owned() } else { text.trim().to_owned() }
}

/// Returns a text without blanks and invisible characters at its ends.
pub fn visible_trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || hides(c))
}

fn after<'a>(text: &'a str, names: &Names, end: MentionEnd) -> Option<&'a str> {
    let text = visible_trim(text);
    let named = text.strip_prefix(['@', '\u{ff20}'])?;
    let most = WRITTEN_WITH * names.0.iter().map(|name| name.chars().count()).max()?;
    let ends = named.char_indices().take(most).map(|(at, c)| at + c.len_utf8());
    let is_named = |at: &usize| {
        let (name, behind) = named.split_at(*at);
        ends_before(behind, end) && names.0.contains(&folded(name))
    };
    ends.filter(is_named).last().map(|at| &named[at..])
}

fn ends_before(behind: &str, end: MentionEnd) -> bool {
    behind.chars().find(|c| !hides(*c)).is_none_or(|next| match end {
        MentionEnd::Word => !(next.is_alphanumeric() || next == '_' || is_combining_mark(next)),
        MentionEnd::Strict => next.is_whitespace() || ENDS.contains(next),
    })
}

/// Returns a normalized name.
fn folded(name: &str) -> String {
    name.nfkc().filter(|c| !hides(*c)).flat_map(char::to_lowercase).nfc().collect()
}
