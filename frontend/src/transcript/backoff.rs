//! How long to wait before something that failed is asked for again.

use app::browser::page_state::{Link, page_state};

/// The longest wait, in milliseconds.
const MOST: i32 = 60_000;
/// Too many requests: the one refusal that time mends.
const TOO_MANY: u16 = 429;

#[derive(Debug, Default)]
pub struct Patience {
    failures: u32,
    gave_up: bool,
}

impl Patience {
    /// Milliseconds until the next attempt, twice as many each time; None where none makes sense: it was refused, or the
    /// server is away, whose return is told.
    pub fn after(&mut self, status: u16, first: i32) -> Option<i32> {
        self.gave_up = (400..500).contains(&status) && status != TOO_MANY;
        let pause = first.saturating_mul(1 << self.failures.min(10)).min(MOST);
        self.failures += 1;
        let away = status == 0 && page_state().link.get() != Link::Live;
        (!self.gave_up && !away).then_some(pause)
    }

    /// Was it refused, so that only something new is a reason to ask?
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }
}
