//! How far a tab was told what changed, and what it may have missed.
//!
//! An event says that something changed, never its new value. So a repeated or reordered event does no harm. A missed
//! one would.

use super::sorted::Set;
use std::cell::{Cell, RefCell};

/// Sessions of other tabs whose texts are followed as they grow: those that were seen last.
const MOST_SHOWN: usize = 50;
/// How the stream is asked for where no tab shows a session.
const NONE: &str = "none";

#[derive(Debug)]
pub struct FeedPosition {
    /// Everything up to here was told.
    cursor: RefCell<String>,
    /// `cursor` as a position; 0 while only the page's own cursor is known.
    pos: Cell<i64>,
    /// Something may have been missed after `cursor`.
    owes: Cell<bool>,
    /// The position that what is owed must reach.
    at_least: Cell<i64>,
}

impl FeedPosition {
    /// Makes the position of a page, which doesn't know later events.
    pub fn new(cursor: String) -> Self {
        Self { cursor: RefCell::new(cursor), pos: Cell::new(0), owes: Cell::new(true), at_least: Cell::new(0) }
    }

    pub fn cursor(&self) -> String {
        self.cursor.borrow().clone()
    }

    pub fn pos(&self) -> i64 {
        self.pos.get()
    }

    /// Something may have been missed.
    pub fn owes(&self) -> bool {
        self.owes.get()
    }

    /// The tab listens again, or for the first time.
    pub fn join(&self) {
        self.owes.set(true);
    }

    /// The tab takes the stream. It goes on from where the tab is, so it misses nothing.
    pub fn lead(&self) {
        self.owes.set(false);
    }

    /// Another tab has the stream, and was told everything up to a position; 0 if it doesn't know.
    pub fn follow(&self, pos: i64) {
        if pos == 0 || pos > self.pos() {
            self.owes.set(true);
            self.at_least.set(pos);
        }
    }

    /// A change was told. Returns true if it is news. What is owed lies before it, so it doesn't move the position
    /// meanwhile.
    pub fn hear(&self, cursor: String, pos: i64) -> bool {
        if self.owes() {
            return true;
        }
        let is_news = pos > self.pos();
        self.advance(cursor, pos);
        is_news
    }

    /// A change was read that was missed.
    pub fn advance(&self, cursor: String, pos: i64) {
        if pos > self.pos() {
            self.pos.set(pos);
            self.cursor.replace(cursor);
        }
    }

    /// Records that missed events were read, or couldn't be. Returns true if nothing is missing: another server of the
    /// same database may be behind the stream.
    pub fn settle(&self, was_read: bool) -> bool {
        let settled = was_read && (self.pos() >= self.at_least.get() || self.pos() == 0);
        self.owes.set(!settled);
        settled
    }

    /// The stream goes on behind this cursor, whose position isn't said.
    pub fn go_on(&self, cursor: String) {
        self.cursor.replace(cursor);
    }
}

/// The sessions that other tabs show, the latest last.
#[derive(Debug, Default)]
pub struct ShownSessions(RefCell<Vec<String>>);

impl ShownSessions {
    /// Another tab shows a session. Returns true if none did before.
    pub fn show(&self, session: String) -> bool {
        let mut shown = self.0.borrow_mut();
        let is_new = !shown.contains(&session);
        shown.retain(|shown| *shown != session);
        shown.push(session);
        if shown.len() > MOST_SHOWN {
            shown.remove(0);
        }
        is_new
    }

    pub fn contains(&self, session: &str) -> bool {
        self.0.borrow().iter().any(|shown| shown == session)
    }

    /// Those and a tab's own, as the stream is asked for them: each once, in an order that doesn't change.
    pub fn query(&self, own: Option<&str>) -> String {
        let shown = self.0.borrow();
        let all: Set<_> = own.into_iter().chain(shown.iter().map(String::as_str)).map(api::endpoint::segment).collect();
        if all.is_empty() { NONE.to_owned() } else { all.into_iter().collect::<Vec<_>>().join(",") }
    }
}

#[cfg(test)]
mod tests {
    use super::{FeedPosition, ShownSessions};

    fn cursor(pos: i64) -> String {
        format!("c{pos}")
    }

    /// A tab that read what it missed, up to 10.
    fn settled() -> FeedPosition {
        let feed = FeedPosition::new(cursor(0));
        feed.advance(cursor(10), 10);
        assert!(feed.settle(true));
        feed
    }

    #[test]
    fn a_page_that_was_just_drawn_may_have_missed_something() {
        let feed = FeedPosition::new(cursor(4));
        assert_eq!((feed.owes(), feed.pos(), feed.cursor()), (true, 0, cursor(4)));
    }

    #[test]
    fn what_is_heard_before_the_rest_was_read_shows_but_moves_nothing() {
        let feed = FeedPosition::new(cursor(4));
        assert!(feed.hear(cursor(12), 12));
        assert_eq!(feed.cursor(), cursor(4));
    }

    #[test]
    fn what_follows_moves_the_cursor() {
        let feed = settled();
        assert!(feed.hear(cursor(11), 11));
        assert_eq!((feed.pos(), feed.cursor()), (11, cursor(11)));
    }

    #[test]
    fn what_was_heard_is_not_heard_again() {
        let feed = settled();
        assert!(!feed.hear(cursor(10), 10));
        assert!(!feed.hear(cursor(9), 9));
        assert_eq!(feed.cursor(), cursor(10));
    }

    #[test]
    fn who_takes_the_stream_owes_nothing() {
        let feed = FeedPosition::new(cursor(4));
        feed.lead();
        assert!(!feed.owes());
    }

    #[test]
    fn who_comes_back_may_have_missed_something() {
        let feed = settled();
        feed.join();
        assert!(feed.owes());
    }

    #[test]
    fn another_leader_that_knows_more_is_caught_up_with() {
        let feed = settled();
        feed.follow(14);
        assert!(feed.owes());
        feed.advance(cursor(13), 13);
        assert!(!feed.settle(true));
        assert!(feed.owes());
        feed.advance(cursor(14), 14);
        assert!(feed.settle(true));
    }

    #[test]
    fn another_leader_that_knows_no_more_is_followed_at_once() {
        let feed = settled();
        feed.follow(10);
        assert!(!feed.owes());
    }

    #[test]
    fn a_leader_that_knows_no_position_may_have_been_told_anything() {
        let feed = settled();
        feed.follow(0);
        assert!(feed.owes());
        assert!(feed.settle(true));
    }

    #[test]
    fn what_could_not_be_read_is_owed_still() {
        let feed = FeedPosition::new(cursor(4));
        assert!(!feed.settle(false));
        assert!(feed.owes());
    }

    #[test]
    fn where_nothing_happened_nothing_is_owed() {
        let feed = FeedPosition::new(cursor(4));
        feed.follow(9);
        assert!(feed.settle(true));
        assert!(!feed.owes());
    }

    #[test]
    fn old_changes_do_not_lead_back() {
        let feed = settled();
        feed.advance(cursor(3), 3);
        assert_eq!((feed.pos(), feed.cursor()), (10, cursor(10)));
    }

    #[test]
    fn a_text_that_grows_moves_the_cursor_alone() {
        let feed = settled();
        feed.go_on(cursor(99));
        assert_eq!((feed.pos(), feed.cursor()), (10, cursor(99)));
    }

    #[test]
    fn a_session_is_new_the_first_time() {
        let shown = ShownSessions::default();
        assert_eq!((shown.show("a".to_owned()), shown.show("a".to_owned())), (true, false));
        assert_eq!((shown.contains("a"), shown.contains("b")), (true, false));
    }

    #[test]
    fn the_stream_is_asked_for_each_session_once_in_one_order() {
        let shown = ShownSessions::default();
        for session in ["c", "a/b", "c"] {
            shown.show(session.to_owned());
        }
        assert_eq!(shown.query(Some("b")), "a%2Fb,b,c");
        assert_eq!(shown.query(Some("c")), "a%2Fb,c");
    }

    #[test]
    fn no_session_is_a_word_of_its_own() {
        assert_eq!(ShownSessions::default().query(None), "none");
    }

    #[test]
    fn of_many_sessions_those_seen_last_are_followed() {
        let shown = ShownSessions::default();
        for n in 0..50 {
            shown.show(n.to_string());
        }
        shown.show("0".to_owned());
        shown.show("50".to_owned());
        assert_eq!((shown.contains("0"), shown.contains("1"), shown.contains("50")), (true, false, true));
    }
}
