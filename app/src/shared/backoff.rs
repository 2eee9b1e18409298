//! How long to wait before something that failed is asked for again.

/// The longest wait, in milliseconds.
const MOST: i32 = 60_000;
/// Too many requests: the one refusal that time mends.
const TOO_MANY: u16 = 429;

#[derive(Debug, Default)]
pub struct Backoff {
    failures: u32,
    gave_up: bool,
}

impl Backoff {
    /// Returns the milliseconds until the next attempt: `first`, then twice as many each time, up to a minute. None
    /// where none makes sense: the request was refused with a `status` of 400 to 499, or the server is away (0) and
    /// the page isn't live. The page then hears when the server is back.
    pub fn after(&mut self, status: u16, first: i32, is_live: bool) -> Option<i32> {
        self.gave_up = (400..500).contains(&status) && status != TOO_MANY;
        let pause = first.saturating_mul(1 << self.failures.min(10)).min(MOST);
        self.failures += 1;
        let away = status == 0 && !is_live;
        (!self.gave_up && !away).then_some(pause)
    }

    /// Returns true after a permanent failure, which isn't retried.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }
}

#[cfg(test)]
mod tests {
    use super::Backoff;

    #[test]
    fn waits_double_up_to_a_minute() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..12).map(|_| backoff.after(503, 500, true)).collect();
        let doubled = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000].into_iter().chain([60_000; 5]);
        assert_eq!(waits, doubled.map(Some).collect::<Vec<_>>());
        assert!(!backoff.gave_up());
    }

    #[test]
    fn a_refusal_ends_it_and_too_many_requests_do_not() {
        let mut backoff = Backoff::default();
        assert_eq!((backoff.after(429, 100, true), backoff.gave_up()), (Some(100), false));
        assert_eq!((backoff.after(404, 100, true), backoff.gave_up()), (None, true));
    }

    #[test]
    fn a_lost_server_is_waited_for_while_the_page_is_not_live() {
        let mut backoff = Backoff::default();
        assert_eq!((backoff.after(0, 100, false), backoff.after(0, 100, true)), (None, Some(200)));
        assert!(!backoff.gave_up());
    }
}
