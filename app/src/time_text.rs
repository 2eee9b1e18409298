//! Durations as people read them.

use model::Micros;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

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

/// `4 s`: of a time that is known to the second.
pub fn seconds(micros: i64) -> String {
    let whole = micros.max(0) / Micros::SECOND;
    if whole < MINUTE { format!("{whole} s") } else { duration(micros) }
}

/// `1 min`: of a time that somebody chose, without the parts that are zero.
pub fn whole(micros: i64) -> String {
    let said = seconds(micros);
    let said = said.strip_suffix(" 00 s").or_else(|| said.strip_suffix(" 00 min")).unwrap_or(&said);
    said.to_owned()
}

/// `5 min`, `3 h`, `2 d`: about how long something went on.
pub fn span(micros: i64) -> String {
    let seconds = micros.max(0) / Micros::SECOND;
    match seconds {
        ..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        _ => format!("{} d", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, seconds, span, whole};

    #[test]
    fn durations() {
        let durations = [-1, 0, 140_000, 9_990_000, 12_300_000, 252_000_000, 3_720_000_000].map(duration);
        assert_eq!(durations, ["0.0 s", "0.0 s", "0.1 s", "9.9 s", "12 s", "4 min 12 s", "1 h 02 min"]);
        assert_eq!([60_000_000, 90_000_000, 7_200_000_000].map(whole), ["1 min", "1 min 30 s", "2 h"]);
        let spans = [-1, 59_000_000, 61_000_000, 86_399_000_000, 172_800_000_000].map(span);
        assert_eq!(spans, ["0 s", "59 s", "1 min", "23 h", "2 d"]);
        assert_eq!([-1, 4_900_000, 61_000_000].map(seconds), ["0 s", "4 s", "1 min 01 s"]);
    }
}
