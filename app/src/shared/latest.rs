//! The latest answer wins: what was asked for earlier, or typed before, counts no more.

use std::sync::atomic::{AtomicU32, Ordering};

/// Numbers the questions of one kind.
#[derive(Debug, Default)]
pub struct Latest(AtomicU32);

/// One question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn(u32);

impl Latest {
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Begins a question. All before it are overtaken.
    pub fn begin(&self) -> Turn {
        self.0.fetch_add(1, Ordering::Relaxed);
        self.current()
    }

    /// The question that was begun last.
    pub fn current(&self) -> Turn {
        Turn(self.0.load(Ordering::Relaxed))
    }

    /// Returns true unless a later question was begun.
    pub fn is(&self, turn: Turn) -> bool {
        self.current() == turn
    }
}

#[cfg(test)]
mod tests {
    use super::Latest;

    #[test]
    fn a_question_counts_until_the_next_one() {
        let latest = Latest::new();
        let first = latest.begin();
        assert!(latest.is(first));
        let second = latest.begin();
        assert_eq!((latest.is(first), latest.is(second)), (false, true));
    }

    #[test]
    fn asking_which_is_the_latest_overtakes_nothing() {
        let latest = Latest::new();
        let turn = latest.begin();
        assert_eq!(latest.current(), turn);
        assert!(latest.is(turn));
    }

    #[test]
    fn questions_are_told_apart_when_their_numbers_begin_again() {
        let latest = Latest(u32::MAX.into());
        let last = latest.current();
        let next = latest.begin();
        assert_eq!((latest.is(last), latest.is(next)), (false, true));
    }
}
