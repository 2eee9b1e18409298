//! Places of words in the text of a message, as the server compares texts: whatever their case, and however their
//! letters were typed. Places are counted as JavaScript counts, in units of UTF-16.

/// A text as it is compared.
#[derive(Debug, PartialEq, Eq)]
pub struct Letters {
    pub text: String,
    /// For each unit of it, from where to where its letter was written.
    units: Vec<(u32, u32)>,
}

impl Letters {
    /// Folds a text letter by letter. `fold` is the comparison's own.
    pub fn of(written: &str, fold: impl Fn(&str) -> String) -> Self {
        let (mut text, mut units, mut start) = (String::with_capacity(written.len()), Vec::new(), 0);
        let mut chars = written.char_indices().peekable();
        while let Some((at, first)) = chars.next() {
            while chars.next_if(|(_, next)| joins(*next)).is_some() {}
            let letter = &written[at..chars.peek().map_or(written.len(), |(next, _)| *next)];
            let alike = if letter.len() == 1 { first.to_ascii_lowercase().to_string() } else { fold(letter) };
            let count = |text: &str| text.encode_utf16().count();
            let end = start + count(letter) as u32;
            units.resize(units.len() + count(&alike), (start, end));
            text.push_str(&alike);
            start = end;
        }
        Self { text, units }
    }

    /// Where a place of the folded text was written: whole letters.
    pub fn written(&self, start: u32, end: u32) -> (u32, u32) {
        let letter = |at: u32| self.units.get(at as usize);
        match (letter(start), letter(end.saturating_sub(1))) {
            (Some((start, _)), Some((_, end))) => (*start, *end),
            _ => (start, end),
        }
    }
}

/// Is it part of the letter before it? Accents, Korean vowels and endings, Japanese sound marks.
fn joins(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1160}'..='\u{11ff}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}' | '\u{ff9e}' | '\u{ff9f}')
}

/// A place among text nodes: the node of each end, and how far it is within that.
pub type NodePlace = [(usize, u32); 2];

/// Finds places among text nodes, one behind the other.
#[derive(Debug)]
pub struct Nodes {
    lengths: Vec<u32>,
    /// The node at which the place before this one began, and the units before it.
    first: usize,
    before: u32,
}

impl Nodes {
    pub fn new(lengths: Vec<u32>) -> Self {
        Self { lengths, first: 0, before: 0 }
    }

    /// Where a place begins and ends among the nodes; places come in order. None behind the last node.
    pub fn find(&mut self, start: u32, end: u32) -> Option<NodePlace> {
        while let Some(length) = self.lengths.get(self.first).filter(|length| self.before + **length <= start) {
            self.before += length;
            self.first += 1;
        }
        let (mut last, mut before) = (self.first, self.before);
        while let Some(length) = self.lengths.get(last).filter(|length| before + **length < end) {
            before += length;
            last += 1;
        }
        let _ = self.lengths.get(self.first).zip(self.lengths.get(last))?;
        Some([(self.first, start - self.before), (last, end - before)])
    }
}

/// The hit behind another one, or before it; after the last comes the first again.
pub fn next_hit(hits: &[i64], at: i64, way: i32) -> Option<i64> {
    if way > 0 {
        hits.iter().find(|seq| **seq > at).or(hits.first()).copied()
    } else {
        hits.iter().rev().find(|seq| **seq < at).or(hits.last()).copied()
    }
}

/// The first hit from where the reader is on, or the very first.
pub fn first_hit(hits: &[i64], here: i64) -> Option<i64> {
    next_hit(hits, here - 1, 1)
}

/// The next place of a message, if it has one in this direction.
pub fn next_place(at: usize, way: i32, places: usize) -> Option<usize> {
    at.checked_add_signed(way as isize).filter(|next| *next < places)
}

/// Where the reader is in what was found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Position {
    /// The hit's index; None where the reader is at none.
    pub hit: Option<usize>,
    pub hits: usize,
    /// The place within the hit, and how many it has.
    pub place: usize,
    pub places: usize,
    /// Only what is in the document was looked through.
    pub loaded_only: bool,
}

impl Position {
    /// `3 of 41 messages, place 2 of 5`.
    pub fn words(&self) -> String {
        let all = crate::figures::counted(self.hits as i64, "message");
        let mut words = match self.hit {
            _ if self.hits == 0 => "Nothing found".to_owned(),
            Some(at) => format!("{} of {all}", at + 1),
            None => all,
        };
        if self.hit.is_some() && self.places > 1 {
            words.push_str(&format!(", place {} of {}", self.place + 1, self.places));
        }
        if self.loaded_only {
            words.push_str(", only in the loaded part");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::{Letters, Nodes, Position, first_hit, next_hit, next_place};

    /// As the browser folds: compatibility forms and lower case.
    fn letters(written: &str) -> Letters {
        Letters::of(written, |letter| letter.to_lowercase().replace("e\u{301}", "\u{e9}").replace('\u{fb01}', "fi"))
    }

    /// The written units of a word in the folded text.
    fn place(written: &str, word: &str) -> (u32, u32) {
        let letters = letters(written);
        let at = letters.text.find(word).unwrap();
        let units = |text: &str| text.encode_utf16().count() as u32;
        let start = units(&letters.text[..at]);
        letters.written(start, start + units(word))
    }

    #[test]
    fn plain_letters_stand_where_they_were_written() {
        assert_eq!((letters("Say HI").text.as_str(), place("Say HI", "hi")), ("say hi", (4, 6)));
    }

    #[test]
    fn a_letter_of_two_characters_is_found_as_one() {
        assert_eq!(place("cafe\u{301} au lait", "\u{e9}"), (3, 5));
        assert_eq!(place("cafe\u{301} au lait", "au"), (6, 8));
    }

    #[test]
    fn a_letter_that_folds_to_two_is_marked_whole() {
        assert_eq!(place("a \u{fb01}le", "file"), (2, 5));
        assert_eq!(place("a \u{fb01}le", "i"), (2, 3));
    }

    #[test]
    fn characters_outside_the_basic_plane_take_two_units() {
        assert_eq!(place("\u{1f600} done", "done"), (3, 7));
    }

    #[test]
    fn korean_endings_belong_to_their_syllable() {
        let han = letters("\u{1112}\u{1161}\u{11ab}a");
        assert_eq!((han.written(0, 1), han.written(3, 4)), ((0, 3), (3, 4)));
    }

    #[test]
    fn behind_the_text_places_are_as_they_were_asked_for() {
        assert_eq!(letters("ab").written(5, 7), (5, 7));
    }

    #[test]
    fn a_place_lies_within_one_node() {
        assert_eq!(Nodes::new(vec![5, 5]).find(1, 4), Some([(0, 1), (0, 4)]));
    }

    #[test]
    fn a_place_goes_over_the_ends_of_nodes() {
        assert_eq!(Nodes::new(vec![5, 1, 5]).find(3, 8), Some([(0, 3), (2, 2)]));
    }

    #[test]
    fn a_place_at_a_border_begins_in_the_later_node_and_ends_in_the_earlier() {
        assert_eq!(Nodes::new(vec![5, 5]).find(5, 7), Some([(1, 0), (1, 2)]));
        assert_eq!(Nodes::new(vec![5, 5]).find(3, 5), Some([(0, 3), (0, 5)]));
    }

    #[test]
    fn empty_nodes_hold_nothing() {
        assert_eq!(Nodes::new(vec![0, 5, 0, 5]).find(5, 6), Some([(3, 0), (3, 1)]));
    }

    #[test]
    fn places_follow_each_other() {
        let mut nodes = Nodes::new(vec![4, 4, 4]);
        assert_eq!(nodes.find(2, 6), Some([(0, 2), (1, 2)]));
        assert_eq!(nodes.find(6, 7), Some([(1, 2), (1, 3)]));
        assert_eq!(nodes.find(9, 12), Some([(2, 1), (2, 4)]));
    }

    #[test]
    fn behind_the_last_node_is_no_place() {
        let mut nodes = Nodes::new(vec![4]);
        assert_eq!((nodes.find(2, 9), Nodes::new(vec![4]).find(4, 5)), (None, None));
    }

    #[test]
    fn hits_go_round() {
        let hits = [4, 9, 30];
        assert_eq!([next_hit(&hits, 9, 1), next_hit(&hits, 30, 1)], [Some(30), Some(4)]);
        assert_eq!([next_hit(&hits, 9, -1), next_hit(&hits, 4, -1)], [Some(4), Some(30)]);
    }

    #[test]
    fn of_no_hits_there_is_no_next() {
        assert_eq!([next_hit(&[], 9, 1), next_hit(&[], 9, -1), first_hit(&[], 1)], [None; 3]);
    }

    #[test]
    fn the_first_hit_is_at_the_reader_or_behind() {
        assert_eq!([first_hit(&[4, 9], 4), first_hit(&[4, 9], 5), first_hit(&[4, 9], 10)], [Some(4), Some(9), Some(4)]);
    }

    #[test]
    fn places_of_a_message_have_an_end() {
        assert_eq!([next_place(0, 1, 2), next_place(1, 1, 2), next_place(0, -1, 2)], [Some(1), None, None]);
    }

    #[test]
    fn the_position_says_hit_and_place() {
        let position = Position { hit: Some(2), hits: 41, place: 1, places: 5, loaded_only: false };
        assert_eq!(position.words(), "3 of 41 messages, place 2 of 5");
    }

    #[test]
    fn one_place_is_not_counted() {
        let position = Position { hit: Some(0), hits: 1, place: 0, places: 1, loaded_only: false };
        assert_eq!(position.words(), "1 of 1 message");
    }

    #[test]
    fn a_reader_elsewhere_is_told_how_many_there_are() {
        let position = Position { hits: 3, places: 4, ..Position::default() };
        assert_eq!(position.words(), "3 messages");
    }

    #[test]
    fn nothing_found_says_where_it_was_looked_for() {
        let position = Position { loaded_only: true, ..Position::default() };
        assert_eq!(position.words(), "Nothing found, only in the loaded part");
    }
}
