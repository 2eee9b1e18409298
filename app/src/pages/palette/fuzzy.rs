//! Finds and ranks what a few letters stand for. `nucleo-matcher` aligns and scores them; letters that lie scattered
//! over several words are no match.

use crate::paths::split_path;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Bytes that may be typed; more match nothing. `nucleo-matcher` scores in 16 bits, which some 2,300 letters would
/// overflow.
const MOST_TYPED: usize = 1_000;

/// A text that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub score: u32,
    /// The characters of the text; true for those that stand for typed ones.
    chars: Vec<(char, bool)>,
}

impl Match {
    /// Returns a text of which nothing was typed.
    pub fn plain(text: &str) -> Self {
        Self { score: 0, chars: text.chars().map(|c| (c, false)).collect() }
    }

    /// Splits a path into its folder and its name.
    pub fn of_path(mut self) -> (Self, Self) {
        let path: String = self.chars.iter().map(|(c, _)| c).collect();
        let name = self.chars.split_off(split_path(&path).0.chars().count());
        let name = Self { score: self.score, chars: name };
        (self, name)
    }

    /// Returns the text in pieces: true for what was typed.
    pub fn pieces(&self) -> impl Iterator<Item = (String, bool)> {
        let pieces = self.chars.chunk_by(|(_, before), (_, typed)| before == typed);
        pieces.map(|piece| (piece.iter().map(|(c, _)| c).collect(), piece.iter().any(|(_, typed)| *typed)))
    }

    /// Returns whether the typed letters are in one word, and from there on at the beginnings of others.
    fn is_close(&self) -> bool {
        let words = self.chars.split(|(c, _)| !c.is_alphanumeric());
        let mut found = words.filter(|word| word.iter().any(|(_, typed)| *typed)).skip(1);
        found.all(|word| word.first().is_some_and(|(_, typed)| *typed))
    }
}

/// Compares texts with what somebody typed: each word of it has to occur, with its letters in their order.
pub struct Search<'q> {
    typed: &'q str,
    words: Vec<Atom>,
    matcher: Matcher,
}

impl<'q> Search<'q> {
    /// Without words, everything matches with a score of 0.
    pub fn new(typed: &'q str) -> Self {
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        let word = |word| Atom::new(word, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false);
        Self { typed, words: typed.split_whitespace().map(word).collect(), matcher: Matcher::new(config) }
    }

    /// Matches a text whose letters are close together.
    pub fn text(&mut self, text: &str) -> Option<Match> {
        self.anywhere(text).filter(Match::is_close)
    }

    /// Matches a path. The letters are all in its name, where they may be scattered, or all in its folder, unless they
    /// are several words or have a separator themselves.
    pub fn path(&mut self, path: &str) -> Option<Match> {
        if self.typed.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '\\')) {
            return self.text(path);
        }
        let (folder, name) = split_path(path);
        let (before, after) = (Match::plain(folder).chars, Match::plain(name).chars);
        let in_name = self.anywhere(name).map(|found| Match { chars: [before, found.chars].concat(), ..found });
        in_name.or_else(|| self.text(folder).map(|found| Match { chars: [found.chars, after].concat(), ..found }))
    }

    fn anywhere(&mut self, text: &str) -> Option<Match> {
        if self.typed.len() > MOST_TYPED {
            return None;
        }
        let (mut buffer, mut typed) = (Vec::new(), Vec::new());
        let haystack = Utf32Str::new(text, &mut buffer);
        let mut found = Match::plain(text);
        for word in &self.words {
            found.score += u32::from(word.indices(haystack, &mut self.matcher, &mut typed)?);
        }
        for at in typed {
            if let Some((_, typed)) = found.chars.get_mut(at as usize) {
                *typed = true;
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{Match, Search};

    fn shown(letters: &str, text: &str) -> Option<String> {
        Some(marked(Search::new(letters).text(text)?))
    }

    fn marked(found: Match) -> String {
        found.pieces().map(|(text, meant)| if meant { format!("[{text}]") } else { text }).collect()
    }

    #[test]
    fn a_path_is_parted_before_its_name() {
        let parted = |letters, path| {
            let (folder, name) = Search::new(letters).path(path)?.of_path();
            Some((marked(folder), marked(name)))
        };
        let pair = |folder: &str, name: &str| Some((folder.to_owned(), name.to_owned()));
        assert_eq!(parted("src/par", "/home/ada/src/parser.rs"), pair("/home/ada/[src/]", "[par]ser.rs"));
        assert_eq!(parted("oak", "oak.txt"), pair("", "[oak].txt"));
        assert_eq!(parted("src", "/home/ada/src/parser.rs"), pair("/home/ada/[src]/", "parser.rs"));
        assert_eq!(parted("fix", "/home/ada/file/index.ts"), None);
        assert_eq!(parted("file index", "/home/ada/file/index.ts"), pair("/home/ada/[file]/", "[index].ts"));
        assert_eq!(parted("", "C:\\wood\\oak.txt"), pair("C:\\wood\\", "oak.txt"));
    }

    #[test]
    fn letters_in_their_order_are_found_where_they_stand_best() {
        assert_eq!(shown("log", "Fix the login race").as_deref(), Some("Fix the [log]in race"));
        assert_eq!(shown("ftr", "Fix the race").as_deref(), Some("[F]ix [t]he [r]ace"));
        assert_eq!(shown("LOG", "CHANGELOG.md").as_deref(), Some("CHANGE[LOG].md"));
        assert_eq!(shown("ét", "Été à la mer").as_deref(), Some("[Ét]é à la mer"));
        assert_eq!(shown("éa", "Été à la mer"), None);
        assert_eq!(shown("chk", "Run the checks").as_deref(), Some("Run the [ch]ec[k]s"));
        assert_eq!(shown("check", "Code/cipher-box/packages"), None);
        assert_eq!(shown("xyz", "Fix"), None);
        let long = "letters".repeat(1_000);
        assert_eq!(shown(&long, &long), None);
        assert_eq!(shown("", "Fix").as_deref(), Some("Fix"));
        let score = |text| Search::new("race").text(text).map(|found| found.score);
        assert!(score("race of boats") > score("a terrace") && score("a terrace") > score("rust and ice"));
    }
}
