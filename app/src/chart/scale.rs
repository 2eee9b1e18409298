//! The vertical scale of a chart, which begins and ends at round numbers and has round steps.

use super::Chart;
use crate::figures::count;
use model::message_type::chart::ChartKind;

/// Values are clamped to this, so that differences stay finite.
const EDGE: f64 = 1e300;
/// Maximum length of a unit on the scale, in characters. A longer one follows the title only.
const UNIT: usize = 6;

/// The unit of a chart's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// Numbers without a unit.
    None,
    /// Counts: the scale has integers only.
    Whole,
    Dollars,
    Named(String),
}

impl Unit {
    /// Returns the label of a number, with the unit if it is short.
    fn mark(&self, number: String) -> String {
        match self {
            Self::Dollars => match number.strip_prefix('\u{2212}') {
                Some(number) => format!("\u{2212}${number}"),
                None => format!("${number}"),
            },
            Self::Named(unit) if unit.chars().count() <= UNIT => format!("{number} {unit}"),
            Self::None | Self::Whole | Self::Named(_) => number,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    pub from: f64,
    pub to: f64,
    step: f64,
}

impl Scale {
    pub fn of(chart: &Chart) -> Self {
        let values = chart.values().map(|value| value.clamp(-EDGE, EDGE));
        let (least, most) =
            values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
        // Bars and areas begin at zero, or their lengths would mislead. Lines far from zero may be close to each other:
        // their scale doesn't include zero, so that differences are visible.
        let from_zero = matches!(chart.kind, ChartKind::Bar | ChartKind::Area);
        let far = !from_zero && (most - least) * 4.0 < most.abs().min(least.abs()) && least.signum() == most.signum();
        let (least, most) = if far && most > least { (least, most) } else { (least.min(0.0), most.max(0.0)) };
        Self::between(least, most, chart.unit == Unit::Whole)
    }

    fn between(least: f64, most: f64, whole: bool) -> Self {
        if most <= least {
            return Self { from: least, to: least + 1.0, step: 1.0 };
        }
        let step = round_up((most - least) / 4.0);
        let step = if whole { step.max(1.0) } else { step };
        // A value on a step must not get another step because the division was rounded.
        let (from, to) = ((least / step + 1e-9).floor() * step, (most / step - 1e-9).ceil() * step);
        Self { from, to, step }
    }

    /// Returns the height of a value, from 0 (bottom) to 1 (top).
    pub fn height(&self, value: f64) -> f64 {
        (value.clamp(self.from, self.to) - self.from) / (self.to - self.from)
    }

    /// Returns the labels of the steps, from the top down.
    pub fn ticks(&self, unit: &Unit) -> Vec<String> {
        self.steps().map(|value| unit.mark(self.number(value))).collect()
    }

    /// Returns the values of the steps, from the top down.
    pub fn steps(&self) -> impl Iterator<Item = f64> {
        let steps = ((self.to - self.from) / self.step).round() as u32;
        let (from, step) = (self.from, self.step);
        (0..=steps).rev().map(move |n| from + f64::from(n) * step)
    }

    /// Formats a number with the decimals of the step, and with the same suffix (`k`, `M`) as all numbers of the scale.
    fn number(&self, value: f64) -> String {
        const SUFFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
        let largest = self.from.abs().max(self.to.abs());
        if !(1e-6..1e15).contains(&largest) {
            return if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}").replace('-', "\u{2212}") };
        }
        let suffix = SUFFIXES.into_iter().find(|(size, _)| largest >= *size);
        let (size, suffix) =
            suffix.map_or((1.0, ""), |(size, suffix)| (if suffix == "k" { 1e3 } else { size }, suffix));
        let decimals = (-(self.step / size).log10().floor()).clamp(0.0, 9.0) as usize;
        let text = format!("{:.decimals$}", (value / size).abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
        let sign = if value < 0.0 { "\u{2212}" } else { "" };
        let is_zero = value.abs() < self.step / 2.0;
        match fraction {
            _ if is_zero => "0".to_owned(),
            "" => format!("{sign}{whole}{suffix}"),
            fraction => format!("{sign}{whole}.{fraction}{suffix}"),
        }
    }
}

/// Rounds up to the next of 1, 2, 5, 10, 20, ...
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|n| *n >= value * (1.0 - 1e-9));
    round.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::{Scale, Unit};

    fn ticks(least: f64, most: f64, unit: &Unit) -> String {
        Scale::between(least, most, *unit == Unit::Whole).ticks(unit).join(" ")
    }

    #[test]
    fn scales_have_round_numbers() {
        let none = |least, most| ticks(least, most, &Unit::None);
        assert_eq!(none(0.0, 56.0), "60 40 20 0");
        assert_eq!(none(0.0, 1.0), "1.0 0.5 0");
        assert_eq!(none(-3.0, 8.0), "10 5 0 \u{2212}5");
        assert_eq!(none(0.0, 1_200_000.0), "1.5M 1.0M 0.5M 0");
        assert_eq!(none(0.0, 12_000.0), "15k 10k 5k 0");
        assert_eq!(none(98.2, 99.9), "100.0 99.5 99.0 98.5 98.0");
        assert_eq!(none(0.0, 3.4e20), "4.0e20 3.0e20 2.0e20 1.0e20 0");
        assert_eq!(none(-1e300, 1e300), "1.0e300 5.0e299 0 \u{2212}5.0e299 \u{2212}1.0e300");
        assert_eq!(ticks(0.0, 1.0, &Unit::Whole), "1 0");
        assert_eq!(ticks(0.0, 0.03, &Unit::Dollars), "$0.03 $0.02 $0.01 $0");
        assert_eq!(ticks(0.0, 90.0, &Unit::Named("ms".to_owned())), "100 ms 50 ms 0 ms");
        assert_eq!(ticks(0.0, 90.0, &Unit::Named("requests".to_owned())), "100 50 0");
    }
}
