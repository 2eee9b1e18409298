//! When a schedule is due.

use api::Problem;
use croner::Cron;
use croner::parser::{CronParser, Seconds};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, Zoned};
use model::Micros;
use store::Schedule;

/// A run that is so late is still made: a server that starts, or whose database was busy. Later it is missed.
pub const LATE: i64 = 60 * Micros::SECOND;
/// So many missed runs are counted.
const COUNTED: i64 = 1_000;
/// The longest cron expression, in characters.
const CHARS: usize = 200;
const EXPECTED_AT: &str = "a time like `2026-12-01 09:00`, or with its offset like `2026-12-01T09:00:00+01:00`";
const EXPECTED_CRON: &str =
    "five fields: minute, hour, day of month, month, day of week; `0 9 * * 1-5` means 9:00, Monday to Friday";

/// The times of a schedule.
#[derive(Debug, Clone)]
pub enum Times {
    Once(Micros),
    Cron(Box<Cron>, TimeZone),
}

/// The plan for a time that has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The run that is made.
    pub run: Option<Micros>,
    /// How many were missed, up to which one.
    pub missed: Option<(i64, Micros)>,
    pub next: Option<Micros>,
}

impl Times {
    /// Reads what a person gave; with it the name of its zone.
    ///
    /// # Errors
    ///
    /// A problem that names the field.
    pub fn read(at: Option<&str>, cron: Option<&str>, zone: Option<&str>) -> Result<(Self, String), Problem> {
        let zone = match zone.filter(|zone| !zone.trim().is_empty()) {
            Some(name) => named(name.trim())?,
            None => TimeZone::system(),
        };
        // A server whose zone has no name goes by UTC: by an offset alone nobody knows when clocks change.
        let (zone, name) = match zone.iana_name().map(str::to_owned) {
            Some(name) => (zone, name),
            None => (TimeZone::UTC, "UTC".to_owned()),
        };
        let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let times = match (given(at), given(cron)) {
            (Some(at), None) => Self::Once(moment(&at, &zone)?),
            (None, Some(cron)) => Self::Cron(Box::new(expression(&cron)?), zone),
            (None, None) => return Err(Problem::field("/cron", &format!("{EXPECTED_CRON}; or give `at`"))),
            (Some(_), Some(_)) => return Err(Problem::field("/at", "absent if `cron` is given")),
        };
        Ok((times, name))
    }

    /// Reads what is stored.
    ///
    /// # Errors
    ///
    /// Its zone, or its expression, is none any more.
    pub fn stored(schedule: &Schedule) -> Result<Self, Problem> {
        match (schedule.at, &schedule.cron) {
            (Some(at), _) => Ok(Self::Once(at)),
            (None, Some(cron)) => Ok(Self::Cron(Box::new(expression(cron)?), named(&schedule.zone)?)),
            (None, None) => Err(Problem::internal()),
        }
    }

    /// The first time after a moment; None where there is none.
    ///
    /// A time of day that a change of the clocks leaves out comes at the first moment that there is after it; one that
    /// comes twice, the first time alone.
    pub fn after(&self, after: Micros) -> Option<Micros> {
        match self {
            Self::Once(at) => (*at > after).then_some(*at),
            Self::Cron(cron, zone) => {
                let after = Timestamp::from_microsecond(after.0).ok()?.to_zoned(zone.clone());
                let next: Zoned = cron.find_next_occurrence(&after, false).ok()?;
                Some(Micros(next.timestamp().as_microsecond()))
            }
        }
    }

    /// Returns the plan for the time `due` at `now`. Runs that are too late count as missed.
    pub fn plan(&self, due: Micros, now: Micros) -> Plan {
        let (mut at, mut missed, mut run) = (Some(due), None, None);
        while let Some(came) = at.filter(|at| *at <= now) {
            if now.since(came) < LATE {
                // Of two times within a minute, the later one is used.
                run = Some(came);
            } else {
                let count = missed.map_or(0, |(count, _)| count);
                missed = Some((count + 1, came));
                if count + 1 >= COUNTED {
                    at = self.after(Micros(now.0 - LATE));
                    continue;
                }
            }
            at = self.after(came);
        }
        Plan { run, missed, next: at }
    }
}

fn named(name: &str) -> Result<TimeZone, Problem> {
    TimeZone::get(name)
        .map_err(|_| Problem::field("/zone", &format!("the name of a time zone, like `Europe/Berlin`; got `{name}`")))
}

fn moment(text: &str, zone: &TimeZone) -> Result<Micros, Problem> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Micros(at.as_microsecond()));
    }
    // The format of a form's date and time field.
    let civil = text.parse::<DateTime>().ok().filter(|_| text.contains(':'));
    let at = civil.and_then(|civil| first(civil, zone)).map(|at| Micros(at.as_microsecond()));
    at.ok_or_else(|| Problem::field("/at", &format!("{EXPECTED_AT}; got `{text}`")))
}

/// The first moment with a time of day; where a change of the clocks leaves it out, the first one after that.
fn first(civil: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let moment = zone.to_ambiguous_zoned(civil);
    let is_left_out = matches!(moment.offset(), AmbiguousOffset::Gap { .. });
    let moment = moment.compatible().ok()?.timestamp();
    if !is_left_out {
        return Some(moment);
    }
    zone.preceding(moment).next().map(|change| change.timestamp())
}

fn expression(text: &str) -> Result<Cron, Problem> {
    if text.chars().count() > CHARS {
        return Err(Problem::field("/cron", &format!("at most {CHARS} characters")));
    }
    let parser = CronParser::builder().seconds(Seconds::Disallowed).build();
    parser.parse(text).map_err(|error| {
        // With another number of fields, the reason repeats the expectation.
        let has_five = text.split_whitespace().count() == 5;
        let why = if has_five { format!(": {error}") } else { String::new() };
        Problem::field("/cron", &format!("{EXPECTED_CRON}; got `{text}`{why}"))
    })
}

#[cfg(test)]
mod tests {
    use super::{Plan, Times};
    use jiff::Timestamp;
    use model::Micros;

    fn at(text: &str) -> Micros {
        Micros(text.parse::<Timestamp>().unwrap().as_microsecond())
    }

    fn text(at: Micros) -> String {
        Timestamp::from_microsecond(at.0).unwrap().to_string()
    }

    fn cron(expression: &str, zone: &str) -> Times {
        Times::read(None, Some(expression), Some(zone)).unwrap().0
    }

    /// The next times after one, in UTC.
    fn next(times: &Times, after: &str, count: usize) -> Vec<String> {
        let times = std::iter::successors(times.after(at(after)), |last| times.after(*last));
        times.take(count).map(text).collect()
    }

    /// Clocks in Berlin go from 02:00 to 03:00 on 29 March 2026, and from 03:00 to 02:00 on 25 October; in Lord Howe by
    /// half an hour; in Cairo at midnight.
    #[test]
    fn times_across_a_change_of_the_clocks() {
        for (expression, zone, after, expected) in [
            // A time that is left out: at the first moment after it, once.
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-03-28T00:00:00Z",
                ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
            ),
            (
                "0 0 * * *",
                "Africa/Cairo",
                "2026-04-23T00:00:00Z",
                ["2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z", "2026-04-25T21:00:00Z"],
            ),
            // A time that comes twice: once.
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-10-24T12:00:00Z",
                ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z"],
            ),
            (
                "45 1 * * *",
                "Australia/Lord_Howe",
                "2026-04-04T00:00:00Z",
                ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z", "2026-04-06T15:15:00Z"],
            ),
            // Across the change it stays the time of day.
            (
                "0 9 * * 1-5",
                "Europe/Berlin",
                "2026-03-26T12:00:00Z",
                ["2026-03-27T08:00:00Z", "2026-03-30T07:00:00Z", "2026-03-31T07:00:00Z"],
            ),
            (
                "0 9 29 2 *",
                "UTC",
                "2026-01-01T00:00:00Z",
                ["2028-02-29T09:00:00Z", "2032-02-29T09:00:00Z", "2036-02-29T09:00:00Z"],
            ),
        ] {
            assert_eq!(next(&cron(expression, zone), after, 3), expected, "{expression} {zone}");
        }
        // Where no moment has it, there is none.
        assert_eq!(cron("0 0 30 2 *", "UTC").after(at("2026-01-01T00:00:00Z")), None);
    }

    /// A single moment that is left out comes at the first one after it; one that is there twice is the first.
    #[test]
    fn moments_across_a_change_of_the_clocks() {
        for (moment, expected) in [
            ("2026-03-29 02:30", "2026-03-29T01:00:00Z"),
            ("2026-10-25 02:30", "2026-10-25T00:30:00Z"),
            ("2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z"),
        ] {
            let (times, zone) = Times::read(Some(moment), None, Some("Europe/Berlin")).unwrap();
            assert_eq!((times.after(Micros(0)).map(text).unwrap().as_str(), &*zone), (expected, "Europe/Berlin"));
            assert_eq!(times.after(at(expected)), None);
        }
    }

    #[test]
    fn what_is_late_was_missed() {
        let hourly = cron("0 * * * *", "UTC");
        let plan = |times: &Times, due: &str, now: &str| {
            let Plan { run, missed, next } = times.plan(at(due), at(now));
            (run.map(text), missed.map(|(count, last)| (count, text(last))), next.map(text))
        };
        let some = |text: &str| Some(text.to_owned());
        let due = "2026-01-01T09:00:00Z";
        assert_eq!(plan(&hourly, due, due), (some(due), None, some("2026-01-01T10:00:00Z")));
        assert_eq!(plan(&hourly, due, "2026-01-01T09:00:59Z"), (some(due), None, some("2026-01-01T10:00:00Z")));
        assert_eq!(
            plan(&hourly, due, "2026-01-01T09:01:00Z"),
            (None, Some((1, due.to_owned())), some("2026-01-01T10:00:00Z"))
        );
        assert_eq!(
            plan(&hourly, due, "2026-01-02T09:00:10Z"),
            (some("2026-01-02T09:00:00Z"), Some((24, "2026-01-02T08:00:00Z".to_owned())), some("2026-01-02T10:00:00Z"))
        );
        // After a long time they are counted up to a number.
        let minutely = cron("* * * * *", "UTC");
        let (run, missed, next) = plan(&minutely, due, "2026-03-01T00:00:30Z");
        assert_eq!((run, missed.unwrap().0, next), (some("2026-03-01T00:00:00Z"), 1_000, some("2026-03-01T00:01:00Z")));
        let once = Times::read(Some("2026-01-01T09:00:00Z"), None, None).unwrap().0;
        assert_eq!(plan(&once, due, "2026-01-01T09:00:01Z"), (some(due), None, None));
        assert_eq!(plan(&once, due, "2026-01-03T09:00:01Z"), (None, Some((1, due.to_owned())), None));
    }
}
