//! Lines of a changed file: how an address names them, which hidden ones a click shows, where those went that a link
//! means.

/// More lines than these aren't put between the others one by one.
const MANY: u32 = 150;
/// Lines that a click on an arrow shows.
const STEP: u32 = 20;
/// Lines are looked for up to so many lines from where they were.
const FAR: u32 = 200;

/// Lines of one side of a file. `L` is the old side, `R` the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    pub side: char,
    pub from: u32,
    pub to: u32,
    /// `812.0`: of this edit, whose place in the file isn't known. Its lines count from 1.
    pub edit: Option<String>,
}

impl Lines {
    /// `R12-15`, or `R3-7@812.0`.
    pub fn words(&self) -> String {
        let words = self.written("");
        self.edit.as_ref().map_or(words.clone(), |edit| format!("{words}@{edit}"))
    }

    /// The lines for people: `R12-15`, or `R·3-7`.
    pub fn label(&self) -> String {
        self.written(if self.edit.is_some() { "\u{b7}" } else { "" })
    }

    fn written(&self, of: &str) -> String {
        let Self { side, from, to, .. } = self;
        if from == to { format!("{side}{of}{from}") } else { format!("{side}{of}{from}-{to}") }
    }

    pub fn parse(words: &str) -> Option<Self> {
        let (words, edit) = words.split_once('@').map_or((words, None), |(words, edit)| (words, Some(edit.to_owned())));
        let side = words.chars().next().filter(|side| matches!(side, 'L' | 'R'))?;
        let (from, to) = range(words.get(1..)?).or_else(|| Some([words.get(1..)?.parse().ok()?; 2].into()))?;
        Some(Self { side, from, to, edit })
    }
}

/// `12-15`
pub fn range(words: &str) -> Option<(u32, u32)> {
    let (from, to) = words.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// Where an address of the changes page leads: `d-1a2b3c4d:R12-15~hash`.
#[derive(Debug, PartialEq, Eq)]
pub struct Address {
    /// The id of the file's card.
    pub file: String,
    pub lines: Option<Lines>,
    /// Hash of the lines' text.
    pub hash: Option<String>,
}

impl Address {
    pub fn read(address: &str) -> Self {
        let (file, rest) = address.split_once(':').unwrap_or((address, ""));
        let (words, hash) = rest.split_once('~').map_or((rest, None), |(words, hash)| (words, Some(hash.to_owned())));
        Self { file: file.to_owned(), lines: Lines::parse(words), hash }
    }
}

/// Lines that a click chooses: the one, or with all from the one that was chosen first.
pub fn chosen(first: Option<u32>, clicked: u32) -> (u32, u32) {
    let first = first.unwrap_or(clicked);
    (first.min(clicked), first.max(clicked))
}

/// The place that says what is meant: at `from..=to`, or the nearest to it, as far as it is looked for. `fits` is asked
/// for each.
pub fn nearest(from: u32, to: u32, fits: impl Fn(u32, u32) -> bool) -> Option<(u32, u32)> {
    let length = to.saturating_sub(from);
    let near = (0..FAR).flat_map(|by| [from.checked_sub(by), from.checked_add(by)]).flatten();
    near.map(|from| (from, from.saturating_add(length))).find(|(from, to)| fits(*from, *to))
}

/// The lines that a click on a gap shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expansion {
    /// Some of its lines.
    Lines(u32, u32),
    /// All of them, as text in blocks: an element for each of many lines would be too many.
    Blocks,
}

/// Says what a click shows of the hidden lines `from..=to`. `way` is `down`, `up` or `all`.
pub fn expand(way: &str, from: u32, to: u32) -> Expansion {
    match way {
        "down" => Expansion::Lines(from, to.min(from + STEP - 1)),
        "up" => Expansion::Lines(from.max(to.saturating_sub(STEP - 1)), to),
        "all" if to.saturating_sub(from) > MANY => Expansion::Blocks,
        _ => Expansion::Lines(from, to),
    }
}

/// Returns the part of a gap that is still hidden. None if there is none.
pub fn left(way: &str, gap: (u32, u32), shown: (u32, u32)) -> Option<(u32, u32)> {
    let (from, to) = if way == "up" { (gap.0, shown.0.saturating_sub(1)) } else { (shown.1 + 1, gap.1) };
    (from <= to).then_some((from, to))
}

/// Returns true if one click shows all of the hidden lines.
pub fn is_one_step(from: u32, to: u32) -> bool {
    to.saturating_sub(from) < STEP
}

/// `Show 12 unchanged lines`
pub fn gap_words(from: u32, to: u32) -> String {
    let count = to - from + 1;
    format!("Show {count} unchanged line{}", if count == 1 { "" } else { "s" })
}

/// The ranges that a large place of rows becomes: of `size` rows each, or of more where they would be more than 100.
pub fn divide(from: u32, to: u32, size: u32) -> Vec<(u32, u32)> {
    let size = size * (to - from).div_ceil(size).div_ceil(100).max(1);
    (from..to).step_by(size as usize).map(|start| (start, (start + size).min(to))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Address, Expansion, Lines, chosen, divide, expand, gap_words, is_one_step, left, nearest, range};

    fn lines(side: char, from: u32, to: u32, edit: Option<&str>) -> Lines {
        Lines { side, from, to, edit: edit.map(str::to_owned) }
    }

    #[test]
    fn lines_are_read_as_they_were_written() {
        for lines in [lines('R', 12, 15, None), lines('L', 3, 3, None), lines('R', 3, 7, Some("812.0"))] {
            assert_eq!(Lines::parse(&lines.words()), Some(lines));
        }
    }

    #[test]
    fn one_line_is_one_number() {
        assert_eq!(
            (lines('L', 3, 3, None).words().as_str(), lines('R', 3, 3, Some("8.1")).words().as_str()),
            ("L3", "R3@8.1")
        );
    }

    #[test]
    fn lines_of_an_edit_are_marked_for_people() {
        assert_eq!(
            (lines('R', 3, 7, Some("812.0")).label(), lines('R', 3, 7, None).label()),
            ("R\u{b7}3-7".to_owned(), "R3-7".to_owned())
        );
    }

    #[test]
    fn what_names_no_lines_is_none() {
        for words in ["", "12", "X12", "R", "Rx", "R1-", "R-2", "\u{e9}1"] {
            assert_eq!(Lines::parse(words), None, "{words}");
        }
    }

    #[test]
    fn a_range_has_two_numbers() {
        assert_eq!((range("40-78"), range("40"), range("a-b")), (Some((40, 78)), None, None));
    }

    #[test]
    fn an_address_names_file_lines_and_hash() {
        let address =
            Address { file: "d-1a2b".to_owned(), lines: Some(lines('R', 12, 15, None)), hash: Some("9f".to_owned()) };
        assert_eq!(Address::read("d-1a2b:R12-15~9f"), address);
    }

    #[test]
    fn an_address_may_name_the_file_alone() {
        let address = Address { file: "d-1a2b".to_owned(), lines: None, hash: None };
        assert_eq!(Address::read("d-1a2b"), address);
        assert_eq!(Address::read("d-1a2b:x"), address);
    }

    #[test]
    fn a_click_chooses_from_the_line_that_was_chosen_first() {
        assert_eq!([chosen(None, 5), chosen(Some(3), 5), chosen(Some(9), 5)], [(5, 5), (3, 5), (5, 9)]);
    }

    #[test]
    fn lines_that_did_not_move_are_where_they_were() {
        assert_eq!(nearest(5, 7, |_, _| true), Some((5, 7)));
    }

    #[test]
    fn lines_that_moved_are_found_at_the_nearest_place() {
        assert_eq!(nearest(50, 52, |from, _| from == 40 || from == 61), Some((40, 42)));
        assert_eq!(nearest(50, 52, |from, _| from == 61), Some((61, 63)));
    }

    #[test]
    fn lines_before_the_first_are_not_looked_for() {
        assert_eq!(nearest(1, 1, |from, _| from == 4), Some((4, 4)));
    }

    #[test]
    fn lines_that_went_far_are_lost() {
        assert_eq!(
            (nearest(500, 500, |from, _| from == 301), nearest(500, 500, |from, _| from == 300)),
            (Some((301, 301)), None)
        );
    }

    #[test]
    fn an_arrow_shows_twenty_lines_at_its_edge() {
        assert_eq!(expand("down", 11, 100), Expansion::Lines(11, 30));
        assert_eq!(expand("up", 11, 100), Expansion::Lines(81, 100));
    }

    #[test]
    fn an_arrow_shows_no_more_than_there_is() {
        assert_eq!([expand("down", 11, 15), expand("up", 11, 15)], [Expansion::Lines(11, 15); 2]);
    }

    #[test]
    fn many_lines_become_blocks() {
        assert_eq!((expand("all", 1, 151), expand("all", 1, 152)), (Expansion::Lines(1, 151), Expansion::Blocks));
    }

    #[test]
    fn a_gap_keeps_what_was_not_shown() {
        assert_eq!(left("down", (11, 100), (11, 30)), Some((31, 100)));
        assert_eq!(left("up", (11, 100), (81, 100)), Some((11, 80)));
    }

    #[test]
    fn a_gap_of_which_all_was_shown_goes() {
        assert_eq!(
            [left("all", (11, 30), (11, 30)), left("up", (11, 30), (11, 30)), left("up", (0, 5), (0, 5))],
            [None, None, Some((0, 0))]
        );
    }

    #[test]
    fn a_gap_of_twenty_lines_needs_one_click() {
        assert_eq!((is_one_step(1, 20), is_one_step(1, 21)), (true, false));
    }

    #[test]
    fn a_gap_says_how_much_it_hides() {
        assert_eq!(
            (gap_words(7, 7), gap_words(7, 9)),
            ("Show 1 unchanged line".to_owned(), "Show 3 unchanged lines".to_owned())
        );
    }

    #[test]
    fn a_large_place_becomes_places_of_its_size() {
        assert_eq!(divide(100, 1_250, 500), [(100, 600), (600, 1_100), (1_100, 1_250)]);
    }

    #[test]
    fn a_huge_place_becomes_a_hundred_places_at_most() {
        let places = divide(0, 500 * 101, 500);
        assert_eq!((places.len(), places.first(), places.last()), (51, Some(&(0, 1_000)), Some(&(50_000, 50_500))));
    }
}
