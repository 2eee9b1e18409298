//! Quiet hours: times of day at which nothing is told.

use api::Problem;
use api::push::PushSettings;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use model::Micros;

/// Returns when the quiet hours end, if it is quiet now.
pub fn until(settings: &PushSettings, now: Micros) -> Option<Micros> {
    let (from, until) = (time(&settings.quiet_from)?, time(&settings.quiet_until)?);
    let zone = TimeZone::get(&settings.zone).unwrap_or(TimeZone::UTC);
    let now = Timestamp::from_microsecond(now.0).ok()?.to_zoned(zone);
    let at = now.time();
    let is_quiet = if from <= until { from <= at && at < until } else { at >= from || at < until };
    let day = if at < until { now.date() } else { now.date().checked_add(1.day()).ok()? };
    // A time that a change of the clocks leaves out comes with the first moment after it.
    let end = day.to_datetime(until).to_zoned(now.time_zone().clone()).ok()?;
    is_quiet.then(|| Micros(end.timestamp().as_microsecond()))
}

/// Checks quiet hours that a person sets: a begin and an end, or neither.
pub fn check(settings: &mut PushSettings) -> Result<(), Problem> {
    for text in [&mut settings.quiet_from, &mut settings.quiet_until] {
        *text = text.trim().to_owned();
    }
    for (field, text) in [("/quiet_from", &settings.quiet_from), ("/quiet_until", &settings.quiet_until)] {
        if !text.is_empty() && time(text).is_none() {
            return Err(Problem::field(field, "a time of day like `22:00`, or empty"));
        }
    }
    match (settings.quiet_from.is_empty(), settings.quiet_until.is_empty()) {
        (false, true) => return Err(Problem::field("/quiet_until", "a time of day, as `quiet_from` is given")),
        (true, false) => return Err(Problem::field("/quiet_from", "a time of day, as `quiet_until` is given")),
        (false, false) if settings.quiet_from == settings.quiet_until => {
            return Err(Problem::field("/quiet_until", "another time than `quiet_from`"));
        }
        _ => {}
    }
    match TimeZone::get(&settings.zone) {
        Ok(_) => Ok(()),
        Err(_) => Err(Problem::field("/zone", "the name of a time zone, like `Europe/Berlin`")),
    }
}

fn time(text: &str) -> Option<Time> {
    let is_short = text.len() == 5;
    Time::strptime("%H:%M", text).ok().filter(|_| is_short)
}

#[cfg(test)]
mod tests {
    use super::{check, until};
    use api::push::PushSettings;
    use model::Micros;

    fn settings(from: &str, until: &str, zone: &str) -> PushSettings {
        PushSettings {
            quiet_from: from.to_owned(),
            quiet_until: until.to_owned(),
            zone: zone.to_owned(),
            ..PushSettings::default()
        }
    }

    fn at(text: &str) -> Micros {
        Micros(text.parse::<jiff::Timestamp>().unwrap().as_microsecond())
    }

    #[test]
    fn it_is_quiet_from_the_evening_to_the_morning_where_the_person_is() {
        let night = settings("22:00", "07:00", "Europe/Berlin");
        for (now, end) in [
            ("2026-11-30T20:59:59Z", None),
            ("2026-11-30T21:00:00Z", Some("2026-12-01T06:00:00Z")),
            ("2026-12-01T05:59:59Z", Some("2026-12-01T06:00:00Z")),
            ("2026-12-01T06:00:00Z", None),
        ] {
            assert_eq!(until(&night, at(now)), end.map(at), "{now}");
        }
        let noon = settings("12:00", "13:00", "UTC");
        assert_eq!(until(&noon, at("2026-11-30T12:30:00Z")), Some(at("2026-11-30T13:00:00Z")));
        assert_eq!(until(&noon, at("2026-11-30T13:00:00Z")), None);
        // Clocks go from 2:00 to 3:00 in this night.
        let spring = settings("01:00", "02:30", "Europe/Berlin");
        assert_eq!(until(&spring, at("2026-03-29T00:30:00Z")), Some(at("2026-03-29T01:30:00Z")));
        assert_eq!(until(&settings("", "", "UTC"), at("2026-11-30T12:30:00Z")), None);
    }

    #[test]
    fn wrong_quiet_hours_are_named() {
        let field = |from: &str, until: &str, zone: &str| check(&mut settings(from, until, zone)).err()?.field;
        assert_eq!(field(" 22:00 ", "07:00", "Europe/Berlin"), None);
        assert_eq!(field("", "", "UTC"), None);
        assert_eq!(field("25:00", "07:00", "UTC").as_deref(), Some("/quiet_from"));
        assert_eq!(field("22:00", "7", "UTC").as_deref(), Some("/quiet_until"));
        assert_eq!(field("22:00", "", "UTC").as_deref(), Some("/quiet_until"));
        assert_eq!(field("", "07:00", "UTC").as_deref(), Some("/quiet_from"));
        assert_eq!(field("07:00", "07:00", "UTC").as_deref(), Some("/quiet_until"));
        assert_eq!(field("22:00", "07:00", "Mars/Base").as_deref(), Some("/zone"));
    }
}
