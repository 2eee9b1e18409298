//! Numbers as people read them: short, with a unit, the same on the server and in the browser.

use model::message_type::file::size_text;

/// `1,204`.
pub fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if n < 0 {
        text.push('\u{2212}');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 session`, `1,204 sessions`.
pub fn counted(n: i64, one: &str) -> String {
    format!("{} {one}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Tokens: `812`, `7.0k`, `122k`, `1.9M`.
pub fn tokens(n: i64) -> String {
    let size = n as f64;
    match n {
        ..1_000 => n.to_string(),
        1_000..10_000 => format!("{:.1}k", size / 1e3),
        10_000..1_000_000 => format!("{:.0}k", size / 1e3),
        1_000_000..10_000_000 => format!("{:.1}M", size / 1e6),
        _ => format!("{:.0}M", size / 1e6),
    }
}

/// Bytes: `812 B`, `7.0 KB`, `48 MB`. Decimal units, as file managers use them.
pub fn bytes(n: u64) -> String {
    size_text(n)
}

/// US dollars: `$0.84`, and `$0.003` where two places would say nothing.
pub fn dollars(amount: f64) -> String {
    match amount {
        _ if amount > 0.0 && amount < 0.0005 => "<$0.001".to_owned(),
        _ if amount > 0.0 && amount < 0.01 => format!("${amount:.3}"),
        _ => format!("${amount:.2}"),
    }
}

/// How long ago, for less than a week: `now`, `12 min`, `3 h`, `2 d`. A moment that is still to come is now.
pub fn ago(seconds: i64) -> Option<String> {
    match seconds {
        ..60 => Some("now".to_owned()),
        60..3_600 => Some(format!("{} min", seconds / 60)),
        3_600..86_400 => Some(format!("{} h", seconds / 3_600)),
        86_400..604_800 => Some(format!("{} d", seconds / 86_400)),
        _ => None,
    }
}

/// An age within a sentence: `now`, `12 min ago`. None from a week on.
pub fn said_ago(seconds: i64) -> Option<String> {
    ago(seconds).map(|age| if seconds < 60 { age } else { format!("{age} ago") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567, -4_200].map(count), ["0", "999", "1,000", "1,234,567", "\u{2212}4,200"]);
        assert_eq!([1, 2].map(|n| counted(n, "session")), ["1 session", "2 sessions"]);
    }

    #[test]
    fn sizes_have_two_or_three_digits() {
        assert_eq!([999, 1_000, 12_345, 999_999, 1_900_000].map(tokens), ["999", "1.0k", "12k", "1000k", "1.9M"]);
        assert_eq!([12, 7_000, 48_000_000, 2_300_000_000].map(bytes), ["12 B", "7.0 KB", "48 MB", "2.3 GB"]);
        assert_eq!([0.0, 0.004, 0.84, 12.5].map(dollars), ["$0.00", "$0.004", "$0.84", "$12.50"]);
    }

    #[test]
    fn an_age_ends_after_a_week() {
        let ages = [-5, 59, 60, 3_599, 7_200, 86_400, 604_800].map(ago);
        let words = ["now", "now", "1 min", "59 min", "2 h", "1 d"].map(|w| Some(w.to_owned()));
        assert_eq!(ages[..6], words);
        assert_eq!(ages[6], None);
        let said = [5, 60].map(said_ago);
        assert_eq!(said, ["now", "1 min ago"].map(|words| Some(words.to_owned())));
    }
}
