//! Days, weeks or months: as many columns as a chart can show.

use api::stats::{Figures, Stats};
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan as _};
use std::collections::BTreeMap;

/// More days than this are shown by week, more weeks by month.
const MOST: i32 = 120;

/// The figures of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    pub from: Date,
    /// Included.
    pub to: Date,
    pub figures: Figures,
}

impl Bucket {
    pub fn first_text(&self) -> String {
        self.from.strftime("%-d %b %Y").to_string()
    }

    pub fn to_text(&self) -> String {
        self.to.strftime("%-d %b %Y").to_string()
    }

    /// `22 Nov`, `16 to 22 Nov`, `November 2026`.
    pub fn label(&self) -> String {
        let days = self.from.until(self.to).map_or(0, |span| span.get_days());
        if days == 0 {
            self.from.strftime("%-d %b %Y").to_string()
        } else if days > 7 && self.from.day() == 1 {
            self.from.strftime("%B %Y").to_string()
        } else {
            format!("{} to {}", self.from.strftime("%-d %b"), self.to_text())
        }
    }

    /// Under the chart, where there is little room. A chart of several years names them.
    pub fn short(&self, years: bool) -> String {
        self.from.strftime(if years { "%b %Y" } else { "%-d %b" }).to_string()
    }
}

#[derive(Clone, Copy)]
enum Step {
    Day,
    Week,
    Month,
}

/// How long a column is, in words; of one alone nothing is said.
pub fn unit(buckets: &[Bucket]) -> &'static str {
    let [.., before, last] = buckets else { return "" };
    match before.from.until(last.from).map_or(0, |span| span.get_days()) {
        1 => "per day",
        // The first column may begin within its week.
        2..=7 => "per week",
        _ => "per month",
    }
}

/// Columns without a gap from the first day to the last one. Of a range that begins before anything happened, the empty
/// time is left out.
pub fn buckets(stats: &Stats) -> Vec<Bucket> {
    let days: BTreeMap<Date, &Figures> =
        stats.days.iter().filter_map(|day| Some((day.day.parse().ok()?, &day.figures))).collect();
    let (Ok(from), Ok(to)) = (stats.from.parse::<Date>(), stats.to.parse::<Date>()) else { return Vec::new() };
    let first = days.keys().next().copied().unwrap_or(from);
    let length = |from: Date| from.until(to).map_or(0, |span| span.get_days());
    let from = if length(from) > 366 { first.max(from) } else { from };
    let step = match length(from) {
        ..MOST => Step::Day,
        MOST..840 => Step::Week,
        _ => Step::Month,
    };
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut start = begin(from, step);
    while start <= to {
        let next = start.checked_add(length_of(step)).unwrap_or(Date::MAX);
        let end = next.yesterday().unwrap_or(next);
        let mut figures = Figures::default();
        for (_, day) in days.range(start..=end) {
            add(&mut figures, day);
        }
        buckets.push(Bucket { from: start.max(from), to: end.min(to), figures });
        if next <= start {
            break;
        }
        start = next;
    }
    buckets
}

fn begin(day: Date, step: Step) -> Date {
    match step {
        Step::Day => day,
        Step::Week => {
            let back = i64::from(day.weekday().since(Weekday::Monday));
            day.checked_sub(back.days()).unwrap_or(day)
        }
        Step::Month => day.first_of_month(),
    }
}

fn length_of(step: Step) -> Span {
    match step {
        Step::Day => 1.day(),
        Step::Week => 1.week(),
        Step::Month => 1.month(),
    }
}

/// A session that went on for days counts once a day: sums of days say how busy they were.
fn add(sum: &mut Figures, day: &Figures) {
    sum.sessions += day.sessions;
    sum.messages += day.messages;
    sum.tool_calls += day.tool_calls;
    sum.usage += day.usage;
    if let Some(cost) = day.cost_usd {
        sum.cost_usd = Some(sum.cost_usd.unwrap_or(0.0) + cost);
    }
    if let Some(computed) = day.computed_usd {
        sum.computed_usd = Some(sum.computed_usd.unwrap_or(0.0) + computed);
    }
    sum.unpriced_tokens += day.unpriced_tokens;
}

#[cfg(test)]
mod tests {
    use super::buckets;
    use api::stats::{DayFigures, Figures, Stats};

    fn stats(from: &str, to: &str, days: &[&str]) -> Stats {
        let figures = Figures { messages: 1, ..Figures::default() };
        let days = days.iter().map(|day| DayFigures { day: (*day).to_owned(), figures: figures.clone() }).collect();
        Stats { from: from.to_owned(), to: to.to_owned(), days, ..Stats::default() }
    }

    fn told(stats: &Stats) -> Vec<String> {
        buckets(stats).iter().map(|b| format!("{} = {}", b.label(), b.figures.messages)).collect()
    }

    #[test]
    fn days_have_no_gaps() {
        let days = stats("2026-11-20", "2026-11-22", &["2026-11-20", "2026-11-22"]);
        assert_eq!(told(&days), ["20 Nov 2026 = 1", "21 Nov 2026 = 0", "22 Nov 2026 = 1"]);
    }

    #[test]
    fn a_long_time_is_told_by_week_and_by_month() {
        let weeks = stats("2026-05-01", "2026-11-22", &["2026-11-16", "2026-11-22"]);
        let told_weeks = told(&weeks);
        assert_eq!(told_weeks.first().map(String::as_str), Some("1 May to 3 May 2026 = 0"));
        assert_eq!(told_weeks.last().map(String::as_str), Some("16 Nov to 22 Nov 2026 = 2"));
        let months = stats("1970-01-01", "2026-11-22", &["2023-02-03", "2023-02-04", "2026-11-22"]);
        let told_months = told(&months);
        assert_eq!(told_months.first().map(String::as_str), Some("3 Feb to 28 Feb 2023 = 2"));
        assert_eq!(told_months.len(), 46);
    }
}
