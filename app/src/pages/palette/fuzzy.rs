//! Do a few letters stand for a text? They have to occur in their order, within one word or at the beginnings of several;
//! the closer together and the nearer to the beginning of a word, the better.

use crate::names::split_path;
use crate::part::{Part, part};
use leptos::prelude::*;

/// A text that fits, and which of its characters were meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub score: i32,
    /// Pieces of the text in their order; true for those that were meant.
    pieces: Vec<(String, bool)>,
}

impl Match {
    /// A text that nobody asked for by letters.
    pub fn plain(text: String) -> Self {
        Self { score: 0, pieces: vec![(text, false)] }
    }

    /// A path as its folder and its name.
    pub fn of_path(self) -> (Self, Self) {
        let whole: String = self.pieces.iter().map(|(text, _)| text.as_str()).collect();
        let mut left = split_path(&whole).0.len();
        let (mut folder, mut name) = (Vec::new(), Vec::new());
        for (text, meant) in self.pieces {
            let (before, after) = text.split_at(left.min(text.len()));
            left -= before.len();
            folder.extend((!before.is_empty()).then(|| (before.to_owned(), meant)));
            name.extend((!after.is_empty()).then(|| (after.to_owned(), meant)));
        }
        (Self { score: self.score, pieces: folder }, Self { score: self.score, pieces: name })
    }

    pub fn parts(&self) -> Vec<Part> {
        let piece = |(text, meant): &(String, bool)| {
            if *meant {
                part! { <mark>{text.clone()}</mark> }
            } else {
                part! { {text.clone()} }
            }
        };
        self.pieces.iter().map(piece).collect()
    }

    /// The match of a part as that of the whole.
    fn within(self, before: &str, after: &str) -> Self {
        let plain = |text: &str| (!text.is_empty()).then(|| (text.to_owned(), false));
        let pieces = plain(before).into_iter().chain(self.pieces).chain(plain(after)).collect();
        Self { pieces, ..self }
    }
}

const TOGETHER: i32 = 8;
const WORD: i32 = 6;
const GAP: i32 = 1;

/// How far apart letters may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Together, or at the beginnings of words.
    Beginnings,
    /// Within the word that the first one is in.
    Word,
    Anywhere,
}

/// None if the letters don't occur in the text in their order. No letters fit everything.
pub fn matched(letters: &str, text: &str) -> Option<Match> {
    best(letters, text, &[Reach::Beginnings, Reach::Word])
}

fn best(letters: &str, text: &str, reaches: &[Reach]) -> Option<Match> {
    let wanted: Vec<char> = letters.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    if wanted.is_empty() {
        return Some(Match::plain(text.to_owned()));
    }
    let chars: Vec<char> = text.chars().collect();
    let lower: Vec<char> = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    // The letters together, where they stand so, say more than the first ones of each.
    let starts = (0..lower.len()).filter(|at| lower.get(*at) == wanted.first());
    let found = starts.flat_map(|start| reaches.iter().map(move |reach| (start, *reach)));
    let found = found.filter_map(|(start, reach)| from(start, &wanted, &lower, reach));
    let (score, places) = found.max_by_key(|(score, _)| *score)?;
    let mut pieces: Vec<(String, bool)> = Vec::new();
    for (at, c) in chars.iter().enumerate() {
        let meant = places.binary_search(&at).is_ok();
        match pieces.last_mut() {
            Some((piece, same)) if *same == meant => piece.push(*c),
            _ => pieces.push((c.to_string(), meant)),
        }
    }
    Some(Match { score, pieces })
}

/// The same of a path, whose name is shown before its folder: letters stand in one of the two, unless they are several
/// words or have a separator themselves. Within a name they may be anywhere.
pub fn matched_path(letters: &str, path: &str) -> Option<Match> {
    let (folder, name) = split_path(path);
    if letters.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '\\')) {
        return matched(letters, path);
    }
    let in_name = best(letters, name, &[Reach::Anywhere]).map(|found| found.within(folder, ""));
    in_name.or_else(|| matched(letters, folder).map(|found| found.within("", name)))
}

/// The letters from a place on, each at its next one.
fn from(start: usize, wanted: &[char], text: &[char], reach: Reach) -> Option<(i32, Vec<usize>)> {
    let begins_word = |at: usize| at == 0 || text.get(at - 1).is_some_and(|before| !before.is_alphanumeric());
    let end = match reach {
        Reach::Word => (start..text.len()).find(|at| !text[*at].is_alphanumeric()).unwrap_or(text.len()),
        Reach::Beginnings | Reach::Anywhere => text.len(),
    };
    let mut places: Vec<usize> = Vec::with_capacity(wanted.len());
    let mut score = 0;
    let mut at = start;
    for letter in wanted {
        let may_be = |place: &usize| *place == at || reach != Reach::Beginnings || begins_word(*place);
        let found = (at..end).find(|place| text[*place] == *letter && may_be(place))?;
        let gap = i32::try_from(found - at).unwrap_or(i32::MAX / 2).min(20);
        score += if gap == 0 && !places.is_empty() { TOGETHER } else { -gap * GAP };
        score += if begins_word(found) { WORD } else { 0 };
        places.push(found);
        at = found + 1;
    }
    Some((score - i32::try_from(start.min(40)).unwrap_or(40) / 4, places))
}

#[cfg(test)]
mod tests {
    use super::{Match, matched, matched_path};

    fn shown(letters: &str, text: &str) -> Option<String> {
        Some(marked(matched(letters, text)?))
    }

    fn marked(found: Match) -> String {
        found.pieces.into_iter().map(|(text, meant)| if meant { format!("[{text}]") } else { text }).collect()
    }

    #[test]
    fn a_path_is_parted_before_its_name() {
        let parted = |letters, path| {
            let (folder, name) = matched_path(letters, path)?.of_path();
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
        assert_eq!(shown("", "Fix").as_deref(), Some("Fix"));
        let score = |text| matched("race", text).map(|found| found.score);
        assert!(score("race of boats") > score("a terrace") && score("a terrace") > score("rust and ice"));
    }
}
