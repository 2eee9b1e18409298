//! Days and moments of queries.

use api::Problem;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use model::Micros;
use serde_json::Value;
use std::ops::Range;

const EXPECTED: &str = "a day like `2026-11-01`, a time like `2026-11-01T08:00:00Z`, or microseconds since 1970";

/// The zone whose days somebody means: where they name none the server's, which runs on the machine whose owner asks.
pub fn zone(named: Option<String>) -> Result<TimeZone, Problem> {
    match named {
        None => Ok(TimeZone::system()),
        Some(name) => {
            TimeZone::get(&name).map_err(|_| Problem::field("zone", "the name of a time zone, like `Europe/Berlin`"))
        }
    }
}

/// The first moment that `text` means.
pub fn start(field: &str, text: &str, zone: &TimeZone) -> Result<Micros, Problem> {
    read(field, text, zone).map(|(at, _)| at)
}

/// The first moment after what `text` means: of a day its end, so that the day is included.
pub fn end(field: &str, text: &str, zone: &TimeZone) -> Result<Micros, Problem> {
    read(field, text, zone).map(|(_, end)| end)
}

/// A moment of a body, where a number may stand for microseconds, as the text that the others are.
pub fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Numbers that are seconds or milliseconds of our time, and as microseconds a moment before the year 2000.
const ANOTHER_UNIT: Range<i64> = 100_000_000..946_684_800_000_000;
/// Less than this are seconds, if they are of our time.
const MILLISECONDS: i64 = 100_000_000_000;

fn read(field: &str, text: &str, zone: &TimeZone) -> Result<(Micros, Micros), Problem> {
    if let Ok(number) = text.parse::<i64>()
        && ANOTHER_UNIT.contains(&number)
    {
        let (unit, times) = if number < MILLISECONDS { ("seconds", "1,000,000") } else { ("milliseconds", "1,000") };
        return Err(Problem::field(field, "microseconds since 1970")
            .hint(format!("`{number}` looks like {unit}; multiply it by {times} to get microseconds")));
    }
    parse(text, zone).ok_or_else(|| Problem::field(field, EXPECTED))
}

/// `2026-11-22` of a number of days since 1970.
pub fn named_day(day: i64) -> String {
    let epoch = Date::constant(1970, 1, 1);
    epoch.checked_add(day.days()).map(|day| day.to_string()).unwrap_or_default()
}

/// `2026-11-22` of a time, in UTC.
pub fn day_of(at: Micros) -> String {
    named_day(at.0.div_euclid(86_400 * Micros::SECOND))
}

/// Returns true for a year that calendars have. What lies beyond can be asked for, but not be shown.
pub fn is_shown(at: Micros) -> bool {
    Timestamp::from_microsecond(at.0).is_ok()
}

/// Returns true for a day as a form's field gives it: `2026-11-26`.
pub fn is_day(text: &str) -> bool {
    text.len() == "2026-11-01".len() && text.parse::<Date>().is_ok()
}

fn parse(text: &str, zone: &TimeZone) -> Option<(Micros, Micros)> {
    if let Ok(micros) = text.parse::<i64>() {
        return Some((Micros(micros), Micros(micros.saturating_add(1))));
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        let micros = at.as_microsecond();
        return Some((Micros(micros), Micros(micros.saturating_add(1))));
    }
    // A time of day without its zone could be anybody's.
    let day = text.parse::<Date>().ok().filter(|_| is_day(text))?;
    let midnight = |day: Date| day.to_zoned(zone.clone()).ok().map(|z| Micros(z.timestamp().as_microsecond()));
    Some((midnight(day)?, midnight(day.checked_add(1.day()).ok()?)?))
}
