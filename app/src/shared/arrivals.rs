//! New messages of an open transcript: the end of the session, the frequency of requests, and announcements.

use super::window::{CHUNK, chunk_of};
use std::cell::Cell;
use std::ops::RangeInclusive;

/// So many looks may follow each other at once: what a person waits for doesn't wait for a word of something else.
/// After them, what comes within a pause is shown together.
const AT_ONCE: u32 = 3;
/// The server counts new messages no further.
const MANY: i64 = 1_000;

/// How far the session goes, and how far the reader has seen it.
#[derive(Debug)]
pub struct Arrivals {
    last_seq: Cell<i64>,
    /// Highest `seq` that the reader has had before the eyes, at the end.
    seen_seq: Cell<i64>,
    /// Looks at what came that aren't made up for.
    looks: Cell<u32>,
}

/// Result of a request for new messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Looks now.
    Now,
    /// Looks now, and the looks are to be made up for from here on.
    NowAndRecover,
    /// There were too many: what came is looked at with the next one that is made up for.
    Later,
}

impl Arrivals {
    pub fn new(last_seq: i64) -> Self {
        Self { last_seq: Cell::new(last_seq), seen_seq: Cell::new(last_seq), looks: Cell::new(0) }
    }

    pub fn last_seq(&self) -> i64 {
        self.last_seq.get()
    }

    pub fn seen_seq(&self) -> i64 {
        self.seen_seq.get()
    }

    /// The reader is at the end.
    pub fn see_all(&self) {
        self.seen_seq.set(self.last_seq());
    }

    pub fn look(&self) -> Look {
        let looks = self.looks.get();
        if looks == AT_ONCE {
            return Look::Later;
        }
        self.looks.set(looks + 1);
        if looks == 0 { Look::NowAndRecover } else { Look::Now }
    }

    /// Makes up for one look. Returns true if others are left.
    pub fn recover(&self) -> bool {
        let left = self.looks.get().saturating_sub(1);
        self.looks.set(left);
        left > 0
    }

    /// Messages of a range are new or changed. Returns those that are expected, and the chunks that hold them. None
    /// where the range names no message.
    pub fn extend(&self, from: i64, to: i64) -> Option<(RangeInclusive<i64>, RangeInclusive<usize>)> {
        if from <= 0 {
            return None;
        }
        self.last_seq.set(self.last_seq().max(to));
        // Only the end of a long range is loaded; the rest is drawn again anyway.
        Some(((to - CHUNK).max(from)..=to, chunk_of(from)..=chunk_of(to)))
    }
}

/// The words of the way to the end. None where nothing is new and the output isn't paused.
pub fn pill(new: i64, paused: bool) -> Option<String> {
    let count = if new < MANY { new.to_string() } else { format!("{}+", MANY - 1) };
    match (new, paused) {
        (_, true) => Some(format!("Paused, {count} new")),
        (0, false) => None,
        (_, false) => Some(format!("{count} new")),
    }
}

/// The first sentence of a text, of at most so many characters.
pub fn first_sentence(text: &str, most: usize) -> String {
    let end = text
        .match_indices(['.', '!', '?', '\n'])
        .map(|(at, _)| at + 1)
        .find(|at| text.get(*at..).is_none_or(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)));
    model::text::clip(text.get(..end.unwrap_or(text.len())).unwrap_or_default().trim(), most)
}

#[cfg(test)]
mod tests {
    use super::{Arrivals, Look, first_sentence, pill};

    #[test]
    fn three_looks_follow_each_other_at_once() {
        let arrivals = Arrivals::new(0);
        let looks = [(); 4].map(|()| arrivals.look());
        assert_eq!(looks, [Look::NowAndRecover, Look::Now, Look::Now, Look::Later]);
    }

    #[test]
    fn a_look_that_is_made_up_for_may_be_had_again() {
        let arrivals = Arrivals::new(0);
        let _ = [(); 3].map(|()| arrivals.look());
        assert!(arrivals.recover());
        assert_eq!((arrivals.look(), arrivals.look()), (Look::Now, Look::Later));
    }

    #[test]
    fn making_up_ends_with_the_last_look() {
        let arrivals = Arrivals::new(0);
        let _ = [(); 2].map(|()| arrivals.look());
        assert_eq!((arrivals.recover(), arrivals.recover()), (true, false));
        assert_eq!(arrivals.look(), Look::NowAndRecover);
    }

    #[test]
    fn making_up_for_nothing_changes_nothing() {
        let arrivals = Arrivals::new(0);
        assert!(!arrivals.recover());
        assert_eq!(arrivals.look(), Look::NowAndRecover);
    }

    #[test]
    fn a_session_grows_and_never_shrinks() {
        let arrivals = Arrivals::new(40);
        arrivals.extend(41, 43);
        assert_eq!(arrivals.last_seq(), 43);
        arrivals.extend(7, 7);
        assert_eq!(arrivals.last_seq(), 43);
    }

    #[test]
    fn what_came_is_not_seen_before_the_reader_is_at_the_end() {
        let arrivals = Arrivals::new(40);
        arrivals.extend(41, 43);
        assert_eq!(arrivals.seen_seq(), 40);
        arrivals.see_all();
        assert_eq!(arrivals.seen_seq(), 43);
    }

    #[test]
    fn a_range_names_its_messages_and_their_chunks() {
        assert_eq!(Arrivals::new(0).extend(19, 22), Some((19..=22, 0..=1)));
    }

    #[test]
    fn of_a_long_stretch_the_end_is_expected() {
        assert_eq!(Arrivals::new(0).extend(1, 100), Some((80..=100, 0..=4)));
    }

    #[test]
    fn a_change_without_messages_brings_none() {
        let arrivals = Arrivals::new(40);
        assert_eq!(arrivals.extend(0, 0), None);
        assert_eq!(arrivals.last_seq(), 40);
    }

    #[test]
    fn the_pill_counts_what_is_new() {
        assert_eq!((pill(0, false), pill(3, false).as_deref()), (None, Some("3 new")));
    }

    #[test]
    fn the_pill_counts_as_far_as_the_server_does() {
        assert_eq!((pill(999, false).as_deref(), pill(1_000, false).as_deref()), (Some("999 new"), Some("999+ new")));
    }

    #[test]
    fn the_pill_stays_while_the_output_is_paused() {
        assert_eq!(
            (pill(0, true).as_deref(), pill(1_500, true).as_deref()),
            (Some("Paused, 0 new"), Some("Paused, 999+ new"))
        );
    }

    #[test]
    fn a_sentence_ends_before_a_space() {
        assert_eq!(first_sentence("Version 1.2 works. Now the rest.", 240), "Version 1.2 works.");
        assert_eq!(first_sentence("Done!\nMore", 240), "Done!");
    }

    #[test]
    fn a_line_without_a_stop_ends_with_the_line() {
        assert_eq!(first_sentence("  A heading\n\nText", 240), "A heading");
        assert_eq!(first_sentence("no stop at all", 240), "no stop at all");
    }

    #[test]
    fn a_long_sentence_is_cut() {
        let said = first_sentence(&"word ".repeat(100), 20);
        assert!(said.chars().count() <= 21 && said.starts_with("word word"), "{said}");
    }
}
