//! `@Name` at the beginning of a text.
//!
//! A mention is compared as it looks: upper and lower case, composed and decomposed letters, full-width letters and
//! characters that can't be seen make no difference. So `@pyn<zero width>chy` is a mention, and `@pynchy<zero width>bot` is none.

use crate::hidden::hides;
use crate::words;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

words! {
    /// What may stand behind the name in a mention.
    MentionEnd {
        /// Anything but a letter, a digit or `_`: `@pynchy-dev` mentions `pynchy`.
        Word = "word",
        /// The end of the text, a space, or one of `,:;.!?'`.
        Strict = "strict",
    }
}

/// Punctuation that ends a mention in any case.
const ENDS: &str = ",:;.!?'";
/// Punctuation between a mention and what is said to the agent: it goes with the mention.
const SEPARATES: &str = ",:;.!?\u{ff0c}\u{ff1a}\u{ff1b}\u{3002}\u{ff01}\u{ff1f}";
/// Characters that one character of a name may be written with, at most.
const WRITTEN_WITH: usize = 8;

/// Names of an assistant, ready to be compared. Order makes no difference: the longest one that fits is mentioned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Names {
    /// Takes names, with or without `@`. Blank ones mention nobody.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().map(|name| folded(visible_trim(name).trim_start_matches('@')));
        Self(names.filter(|name| !name.is_empty()).collect())
    }
}

/// Returns what follows a mention at the beginning of a text; None if none stands there. Blanks before the mention don't
/// count, and those behind it are left out.
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

/// Returns a text without its mention and the punctuation behind it, for the agent. The mention stays where it is a part of
/// the sentence (`@pynchy's idea`, `@pynchy-dev`), and where nothing else is said.
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

/// A name as it looks, in lower case.
fn folded(name: &str) -> String {
    name.nfkc().filter(|c| !hides(*c)).flat_map(char::to_lowercase).nfc().collect()
}
