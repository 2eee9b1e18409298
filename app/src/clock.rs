//! The moment and the time zone for which a page is rendered. Nothing here asks the machine's clock.

use crate::figures;
use crate::part::{Part, part};
use jiff::{Timestamp, Zoned, civil::Date, tz::TimeZone};
use leptos::prelude::*;
use model::Micros;

const HOUR: i64 = 3_600;

/// How moments are written: seen from now, in a time zone.
#[derive(Debug, Clone)]
pub struct Clock {
    pub now: Micros,
    pub zone: TimeZone,
}

impl Clock {
    /// For what is drawn once for everybody, wherever they are.
    pub fn utc(now: Micros) -> Self {
        Self { now, zone: TimeZone::UTC }
    }

    /// The calendar day of a moment.
    pub fn day(&self, at: Micros) -> Date {
        self.zoned(at).date()
    }

    /// `2026-11-21`, some days before today.
    pub fn days_ago(&self, days: i64) -> String {
        let today = self.day(self.now);
        today.checked_sub(jiff::Span::new().days(days)).unwrap_or(today).to_string()
    }

    /// `12 min`, or the date where that was more than a week ago.
    pub fn short(&self, at: Micros) -> String {
        figures::ago(self.now.since(at) / Micros::SECOND).unwrap_or_else(|| {
            self.zoned(at).strftime(if self.is_this_year(at) { "%-d %b" } else { "%-d %b %Y" }).to_string()
        })
    }

    /// `12 min`, or the day and the hour where that was more than an hour ago.
    pub fn exact(&self, at: Micros) -> String {
        let seconds = self.now.since(at) / Micros::SECOND;
        let form = if self.is_this_year(at) { "%-d %b, %H:%M" } else { "%-d %b %Y, %H:%M" };
        match figures::ago(seconds).filter(|_| seconds < HOUR) {
            Some(age) => age,
            None => self.zoned(at).strftime(form).to_string(),
        }
    }

    /// `Fri 27 Nov, 09:00`, for what comes and for what was at a time that somebody chose.
    pub fn coming(&self, at: Micros) -> String {
        self.zoned(at)
            .strftime(if self.is_this_year(at) { "%a %-d %b, %H:%M" } else { "%a %-d %b %Y, %H:%M" })
            .to_string()
    }

    fn is_this_year(&self, at: Micros) -> bool {
        self.day(at).year() == self.day(self.now).year()
    }

    /// `21 Nov 2026, 14:02:11 UTC`, with the name of the zone.
    pub fn full(&self, at: Micros) -> String {
        self.zoned(at).strftime("%-d %b %Y, %H:%M:%S %Z").to_string()
    }

    /// `Friday, 21 November 2026`.
    pub fn weekday(&self, at: Micros) -> String {
        self.zoned(at).strftime("%A, %-d %B %Y").to_string()
    }

    fn zoned(&self, at: Micros) -> Zoned {
        Timestamp::from_microsecond(at.0).unwrap_or_default().to_zoned(self.zone.clone())
    }
}

/// A moment that somebody noted: 0 says that nobody did.
fn known(at: Micros) -> Option<Timestamp> {
    Timestamp::from_microsecond(at.0).ok().filter(|_| at.0 > 0)
}

/// A moment to the minute, for what may have happened on the same day. The island writes it in the reader's time zone.
pub fn exact_moment(clock: &Clock, at: Micros, class: &'static str) -> Part {
    let Some(known) = known(at) else { return part! { <time class=class>"undated"</time> } };
    part! { <time class=class datetime=known.to_string() title=clock.full(at) data-us=at.0.to_string() data-exact="">{clock.exact(at)}</time> }
}

/// A moment within a sentence: `3 min ago`, after an hour to the minute.
pub fn moment_ago(clock: &Clock, at: Micros) -> Part {
    let Some(known) = known(at) else { return part! { <time>"undated"</time> } };
    let seconds = clock.now.since(at) / Micros::SECOND;
    let words = figures::said_ago(seconds).filter(|_| seconds < HOUR).unwrap_or_else(|| clock.exact(at));
    part! { <time datetime=known.to_string() title=clock.full(at) data-us=at.0.to_string() data-exact="" data-ago="">{words}</time> }
}

/// When something is tried again. `frontend::times` counts down to it.
pub fn retry_moment(clock: &Clock, at: Micros, class: &'static str) -> Part {
    let full = clock.full(at);
    let Some(known) = known(at) else { return part! { <span class=class>{format!("retry at {full}")}</span> } };
    part! { <time class=class datetime=known.to_string() title=full.clone() data-retry=at.0.to_string()>{format!("retry at {full}")}</time> }
}

/// A moment, short, with the whole of it on hover. The island `Times` keeps it true and speaks the reader's time zone.
pub fn moment(clock: &Clock, at: Micros, class: &'static str) -> Part {
    let Some(known) = known(at) else { return part! { <time class=class>"undated"</time> } };
    part! { <time class=class datetime=known.to_string() title=clock.full(at) data-us=at.0.to_string()>{clock.short(at)}</time> }
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use model::Micros;

    #[test]
    fn ages_then_days() {
        let clock = Clock::utc(Micros(1_930_000_000 * Micros::SECOND));
        let ages = [-5, 3, 42, 300, 7_200, 500_000, 5_000_000, 50_000_000]
            .map(|seconds| clock.short(Micros(clock.now.0 - seconds * Micros::SECOND)));
        assert_eq!(ages, ["now", "now", "now", "5 min", "2 h", "5 d", "1 Jan", "29 Jul 2029"]);
        let exact =
            [42, 300, 7_200, 50_000_000].map(|seconds| clock.exact(Micros(clock.now.0 - seconds * Micros::SECOND)));
        assert_eq!(exact, ["now", "5 min", "27 Feb, 21:06", "29 Jul 2029, 06:13"]);
        assert_eq!(clock.full(clock.now), "27 Feb 2031, 23:06:40 UTC");
    }
}
