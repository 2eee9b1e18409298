//! When a request takes a decision. A press that was meant for another page, another window or another request must not
//! decide: a request takes one only after it was in view for a second, in a page that is visible and has the focus,
//! without a press meanwhile. A press by mouse or finger also needs that it hasn't moved for a second.

use std::collections::BTreeMap;

/// Milliseconds for which a request waits.
pub const WAIT: f64 = 1_000.0;

/// With what somebody decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Pointer,
    Key,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Wait {
    /// It hasn't begun.
    Off,
    Since(f64),
    Over,
}

#[derive(Debug, Clone, Copy)]
struct Request {
    in_view: bool,
    seen: Wait,
    still: Wait,
}

/// The requests of a page. All times are in milliseconds of the same clock.
#[derive(Debug, Default)]
pub struct Readiness {
    is_watched: bool,
    requests: BTreeMap<u32, Request>,
}

impl Readiness {
    /// Whether the page is visible and has the focus. A page that gets it back waits anew.
    pub fn watch(&mut self, now: f64, is_watched: bool) {
        if self.is_watched == is_watched {
            return;
        }
        self.is_watched = is_watched;
        for request in self.requests.values_mut() {
            request.seen = if is_watched && request.in_view { Wait::Since(now) } else { Wait::Off };
        }
    }

    /// A request was drawn. It isn't known yet whether it is in view.
    pub fn add(&mut self, now: f64, id: u32) {
        self.requests.insert(id, Request { in_view: false, seen: Wait::Off, still: Wait::Since(now) });
    }

    pub fn remove(&mut self, id: u32) {
        self.requests.remove(&id);
    }

    /// A request came into view, or went out of it.
    pub fn view(&mut self, now: f64, id: u32, in_view: bool) {
        let is_watched = self.is_watched;
        if let Some(request) = self.requests.get_mut(&id).filter(|request| request.in_view != in_view) {
            request.in_view = in_view;
            request.seen = if in_view && is_watched { Wait::Since(now) } else { Wait::Off };
        }
    }

    /// A request moved in the window: what is under the pointer may be another button.
    pub fn moved(&mut self, now: f64, id: u32) {
        if let Some(request) = self.requests.get_mut(&id) {
            request.still = Wait::Since(now);
        }
    }

    /// A key or a button was pressed: what isn't ready waits anew.
    pub fn press(&mut self, now: f64) {
        self.pass(now);
        for request in self.requests.values_mut() {
            for wait in [&mut request.seen, &mut request.still] {
                if let Wait::Since(_) = wait {
                    *wait = Wait::Since(now);
                }
            }
        }
    }

    /// Ends what has waited long enough.
    pub fn pass(&mut self, now: f64) {
        for request in self.requests.values_mut() {
            for wait in [&mut request.seen, &mut request.still] {
                if matches!(wait, Wait::Since(since) if now - *since >= WAIT) {
                    *wait = Wait::Over;
                }
            }
        }
    }

    /// Returns whether a request takes a decision, as of the last [`Self::pass`] or [`Self::press`].
    pub fn takes(&self, id: u32, by: By) -> bool {
        let Some(request) = self.requests.get(&id) else { return false };
        request.seen == Wait::Over && (by == By::Key || request.still == Wait::Over)
    }

    /// Returns the milliseconds until the next request may be ready; None if nothing waits.
    pub fn next(&self, now: f64) -> Option<f64> {
        let waits = self.requests.values().flat_map(|request| [request.seen, request.still]);
        let left = waits.filter_map(|wait| match wait {
            Wait::Since(since) => Some((since + WAIT - now).max(0.0)),
            Wait::Off | Wait::Over => None,
        });
        left.min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::{By, Readiness, WAIT};

    /// A request in view of a watched page since 0.
    fn shown() -> Readiness {
        let mut readiness = Readiness::default();
        readiness.watch(0.0, true);
        readiness.add(0.0, 1);
        readiness.view(0.0, 1, true);
        readiness
    }

    fn takes(readiness: &mut Readiness, now: f64) -> [bool; 2] {
        readiness.pass(now);
        [By::Pointer, By::Key].map(|by| readiness.takes(1, by))
    }

    #[test]
    fn a_request_is_ready_after_a_second_in_view() {
        let mut readiness = shown();
        assert_eq!(readiness.next(400.0), Some(600.0));
        assert_eq!(takes(&mut readiness, 999.0), [false, false]);
        assert_eq!(takes(&mut readiness, WAIT), [true, true]);
        assert_eq!(readiness.next(WAIT), None);
        assert!(!readiness.takes(2, By::Key), "a request that isn't known");
    }

    #[test]
    fn presses_restart_what_waits_and_leave_what_is_ready() {
        let mut readiness = shown();
        for at in 1..40 {
            let now = f64::from(at) * 250.0;
            assert_eq!(takes(&mut readiness, now), [false, false], "clicked every 250 ms");
            readiness.press(now);
        }
        assert_eq!(takes(&mut readiness, 39.0 * 250.0 + WAIT), [true, true]);
        readiness.press(20_000.0);
        assert_eq!(takes(&mut readiness, 20_000.0), [true, true]);
    }

    #[test]
    fn a_press_after_a_second_finds_it_ready() {
        let mut readiness = shown();
        readiness.press(1_500.0);
        assert!(readiness.takes(1, By::Pointer));
    }

    #[test]
    fn what_leaves_the_view_or_the_focus_waits_anew() {
        let mut readiness = shown();
        assert_eq!(takes(&mut readiness, 2_000.0), [true, true]);
        readiness.view(2_000.0, 1, false);
        assert_eq!(takes(&mut readiness, 9_000.0), [false, false]);
        readiness.view(9_000.0, 1, true);
        assert_eq!(takes(&mut readiness, 9_500.0), [false, false]);
        assert_eq!(takes(&mut readiness, 10_000.0), [true, true]);
        readiness.watch(11_000.0, false);
        assert_eq!(takes(&mut readiness, 20_000.0), [false, false]);
        readiness.watch(20_000.0, true);
        assert_eq!(takes(&mut readiness, 20_999.0), [false, false]);
        assert_eq!(takes(&mut readiness, 21_000.0), [true, true]);
    }

    #[test]
    fn what_moves_takes_keys_and_no_pointer() {
        let mut readiness = shown();
        assert_eq!(takes(&mut readiness, 2_000.0), [true, true]);
        readiness.moved(2_000.0, 1);
        assert_eq!(takes(&mut readiness, 2_500.0), [false, true]);
        assert_eq!(takes(&mut readiness, 3_000.0), [true, true]);
    }

    #[test]
    fn what_is_gone_takes_nothing() {
        let mut readiness = shown();
        readiness.remove(1);
        assert_eq!(takes(&mut readiness, 5_000.0), [false, false]);
    }
}
