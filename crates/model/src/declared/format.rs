//! Values as text: plain, or in one of the formats that a template names.

use crate::message_type::file::size_text;
use jiff::Timestamp;
use serde_json::Value;
use std::fmt::Write as _;

/// Maximum size of a string that may be a number or a time, in bytes.
const MAX_SCALAR_BYTES: usize = 64;
/// Maximum number of decimals of a format.
const MAX_DECIMALS: u8 = 12;

/// The format of a placeholder. A value that doesn't suit it is written without a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Format {
    /// With thousands separators and up to 3 decimals, or exactly as many as given.
    Number(Option<u8>),
    /// A fraction of 1: `0.25` becomes `25%`.
    Percent,
    /// A size in bytes.
    Bytes,
    /// A duration in seconds, or in milliseconds.
    Duration { millis: bool },
    /// A time: RFC 3339, or seconds, milliseconds or microseconds since 1970.
    Time,
    /// An amount of money with two decimals and its currency.
    Currency(String),
    /// JSON on one line.
    Json,
}

/// The formats that a template may name after `|`.
pub(super) const FORMATS: &str =
    "one of `number`, `number:2`, `percent`, `bytes`, `duration`, `duration:ms`, `time`, `currency:EUR`, `json`";

impl Format {
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word.split_once(':').map_or((word, None), |(name, more)| (name, Some(more))) {
            ("number", None) => Self::Number(None),
            ("number", Some(decimals)) => Self::Number(Some(decimals.parse().ok().filter(|n| *n <= MAX_DECIMALS)?)),
            ("percent", None) => Self::Percent,
            ("bytes", None) => Self::Bytes,
            ("duration", None | Some("s")) => Self::Duration { millis: false },
            ("duration", Some("ms")) => Self::Duration { millis: true },
            ("time", None) => Self::Time,
            ("currency", Some(code)) if code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase()) => {
                Self::Currency(code.to_owned())
            }
            ("json", None) => Self::Json,
            _ => return None,
        })
    }

    pub(super) fn write(&self, value: &Value, max: usize) -> String {
        let short = || value.as_str().filter(|text| text.len() <= MAX_SCALAR_BYTES);
        let number = || value.as_f64().or_else(|| short()?.trim().parse().ok()).filter(|n: &f64| n.is_finite());
        let written = match self {
            Self::Number(decimals) => number().map(|n| grouped(n, *decimals)),
            Self::Percent => number().map(|n| format!("{}%", grouped(n * 100.0, None))),
            Self::Bytes => number().filter(|n| *n >= 0.0).map(|n| size_text(n as u64)),
            Self::Duration { millis } => number().map(|n| duration(if *millis { n / 1e3 } else { n })),
            Self::Time => moment(value).map(|at| at.strftime("%Y-%m-%d %H:%M UTC").to_string()),
            Self::Currency(code) => number().map(|n| currency(n, code)),
            Self::Json => Some(json(value, max)),
        };
        written.unwrap_or_else(|| plain(value, max))
    }
}

/// Returns a value without a format: an empty string for null, JSON for arrays and objects. It has at most about `max`
/// bytes.
pub(super) fn plain(value: &Value, max: usize) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => cut(text, max),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => json(value, max),
    }
}

/// Reads a time: an RFC 3339 string, or a number since 1970, whose size shows whether it is in seconds, milliseconds or
/// microseconds.
pub(super) fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) if text.len() <= MAX_SCALAR_BYTES => text.trim().parse().ok(),
        Value::Number(number) => {
            let n = number.as_f64()?;
            let micros = match n.abs() {
                size if size < 1e11 => n * 1e6,
                size if size < 1e14 => n * 1e3,
                _ => n,
            };
            Timestamp::from_microsecond(micros as i64).ok()
        }
        _ => None,
    }
}

/// Returns at most `max` bytes of a text, followed by `…` if it was longer.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mut short = text[..text.floor_char_boundary(max)].to_owned();
    short.push('…');
    short
}

/// Writes a value as JSON, and stops after `max` bytes.
fn json(value: &Value, max: usize) -> String {
    struct Room(Vec<u8>, usize);
    impl std::io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.len() > self.1 {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
            let taken = bytes.len().min((self.1 + 1).saturating_sub(self.0.len()));
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut room = Room(Vec::new(), max);
    let whole = serde_json::to_writer(&mut room, value).is_ok();
    let mut text = cut(&String::from_utf8_lossy(&room.0), max);
    if !whole && !text.ends_with('…') {
        text.push('…');
    }
    text
}

fn grouped(n: f64, decimals: Option<u8>) -> String {
    if n.abs() >= 1e15 {
        return n.to_string();
    }
    let written = if let Some(decimals) = decimals {
        format!("{:.*}", usize::from(decimals), n.abs())
    } else {
        let text = format!("{:.3}", n.abs());
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let mut text = String::new();
    if n < 0.0 && written.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        text.push('\u{2212}');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        let _ = write!(text, ".{fraction}");
    }
    text
}

/// Formats a duration: `0.4 s`, `12 s`, `4 min 12 s`, `1 h 02 min`, `3 d 4 h`.
fn duration(seconds: f64) -> String {
    let tenths = (seconds.max(0.0) * 10.0).min(1e15) as u64;
    let whole = tenths / 10;
    match whole {
        ..10 => format!("{whole}.{} s", tenths % 10),
        10..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3_600..86_400 => format!("{} h {:02} min", whole / 3_600, whole % 3_600 / 60),
        _ => format!("{} d {} h", whole / 86_400, whole % 86_400 / 3_600),
    }
}

fn currency(amount: f64, code: &str) -> String {
    let sign = match code {
        "USD" => "$",
        "EUR" => "€",
        "GBP" => "£",
        "JPY" => return format!("¥{}", grouped(amount, Some(0))),
        _ => return format!("{} {code}", grouped(amount, Some(2))),
    };
    let written = grouped(amount, Some(2));
    match written.strip_prefix('\u{2212}') {
        Some(positive) => format!("\u{2212}{sign}{positive}"),
        None => format!("{sign}{written}"),
    }
}
