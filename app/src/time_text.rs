//! Times and durations as people read them.

use crate::figures;
use jiff::{Timestamp, tz::TimeZone};
use leptos::prelude::*;
use model::Micros;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// A point in time: relative, with the absolute one in UTC on hover. `data-at` lets the browser refresh it.
#[component]
pub fn Moment(at: Micros, now: Micros) -> impl IntoView {
    view! {
        <time class="cap" datetime=rfc3339(at) title=absolute(at) data-at=at.0.to_string()>
            {relative(at, now)}
        </time>
    }
}

/// `2031-03-04T09:00:00Z`; None for a time that no calendar holds.
pub fn rfc3339(at: Micros) -> Option<String> {
    Timestamp::from_microsecond(at.0).ok().map(|time| time.to_string())
}

/// `2031-03-04 09:00:00 UTC`.
pub fn absolute(at: Micros) -> Option<String> {
    let time = Timestamp::from_microsecond(at.0).ok()?.to_zoned(TimeZone::UTC);
    Some(time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// `now`, `5 min ago`, `3 h ago`, `6 d ago`, then the date.
pub fn relative(at: Micros, now: Micros) -> String {
    match figures::ago(now.since(at) / Micros::SECOND) {
        Some(short) if short == "now" => short,
        Some(short) => format!("{short} ago"),
        None => Timestamp::from_microsecond(at.0).map_or_else(
            |_| "long ago".to_owned(),
            |time| time.to_zoned(TimeZone::UTC).strftime("%-d %b %Y").to_string(),
        ),
    }
}

/// `0.4 s`, `12 s`, `4 min 12 s`, `1 h 02 min`; microseconds in.
pub fn duration(micros: i64) -> String {
    let tenths = micros.max(0) / (Micros::SECOND / 10);
    let seconds = tenths / 10;
    match seconds {
        ..10 => format!("{seconds}.{} s", tenths % 10),
        10..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min {:02} s", seconds / MINUTE, seconds % MINUTE),
        _ => format!("{} h {:02} min", seconds / HOUR, seconds % HOUR / MINUTE),
    }
}

#[cfg(test)]
mod tests {
    use super::{absolute, duration, relative, rfc3339};
    use model::Micros;

    #[test]
    fn ages() {
        let now = Micros(1_930_000_000 * Micros::SECOND);
        let ages = [-5, 3, 42, 300, 7_200, 500_000, 5_000_000]
            .map(|seconds| relative(Micros(now.0 - seconds * Micros::SECOND), now));
        assert_eq!(ages, ["now", "now", "now", "5 min ago", "2 h ago", "5 d ago", "1 Jan 2031"]);
        assert_eq!(rfc3339(now).as_deref(), Some("2031-02-27T23:06:40Z"));
        assert_eq!(absolute(now).as_deref(), Some("2031-02-27 23:06:40 UTC"));
    }

    #[test]
    fn times_beyond_every_calendar_are_said_plainly() {
        for at in [Micros(i64::MIN), Micros(i64::MAX)] {
            assert_eq!((rfc3339(at), absolute(at)), (None, None));
        }
        assert_eq!(relative(Micros(i64::MIN), Micros(i64::MAX)), "long ago");
        assert_eq!(relative(Micros(i64::MAX), Micros(i64::MIN)), "now");
    }

    #[test]
    fn durations() {
        let durations = [-1, 0, 140_000, 9_990_000, 12_300_000, 252_000_000, 3_720_000_000].map(duration);
        assert_eq!(durations, ["0.0 s", "0.0 s", "0.1 s", "9.9 s", "12 s", "4 min 12 s", "1 h 02 min"]);
    }
}
