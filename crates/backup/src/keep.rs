//! Which backups of a folder stay: the newest one of each of the last days, weeks, months or years that have one.

use crate::BackupError;
use crate::vault::{Lock, Vault};
use jiff::Zoned;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Of each unit, how many periods keep a backup: `7d,4w,12m`. The newest backup always stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep(Vec<(usize, Unit)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

const UNITS: [Unit; 5] = [Unit::Hour, Unit::Day, Unit::Week, Unit::Month, Unit::Year];

impl Unit {
    fn letter(self) -> char {
        match self {
            Self::Hour => 'h',
            Self::Day => 'd',
            Self::Week => 'w',
            Self::Month => 'm',
            Self::Year => 'y',
        }
    }

    /// Returns what all times of a period have in common.
    fn period(self, at: &Zoned) -> String {
        let form = match self {
            Self::Hour => "%Y-%m-%d %H",
            Self::Day => "%Y-%m-%d",
            Self::Week => "%G-%V",
            Self::Month => "%Y-%m",
            Self::Year => "%Y",
        };
        at.strftime(form).to_string()
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.0.iter().map(|(number, unit)| format!("{number}{}", unit.letter())).collect();
        f.write_str(&rules.join(","))
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rule = |rule: &str| {
            let rule = rule.trim();
            let (number, unit) = rule.split_at_checked(rule.len().saturating_sub(1))?;
            let unit = UNITS.into_iter().find(|it| unit.starts_with(it.letter()))?;
            Some((number.parse().ok().filter(|number| *number > 0)?, unit))
        };
        let rules = text.split(',').map(|it| {
            rule(it).ok_or_else(|| {
                format!("`{}` should be like `7d`: a number above 0 and one of h, d, w, m, y", it.trim())
            })
        });
        Ok(Self(rules.collect::<Result<_, _>>()?))
    }
}

impl Keep {
    /// Returns the indexes of what stays, of times with the oldest first.
    fn kept(&self, times: &[Zoned]) -> BTreeSet<usize> {
        let mut kept: BTreeSet<usize> = times.len().checked_sub(1).into_iter().collect();
        for (number, unit) in &self.0 {
            let mut periods = BTreeSet::new();
            for (at, time) in times.iter().enumerate().rev() {
                if periods.len() < *number && periods.insert(unit.period(time)) {
                    kept.insert(at);
                }
            }
        }
        kept
    }
}

/// Removes the backups of a folder that needn't stay, then parts that no backup has. A backup that can't be read stays,
/// and so do all parts then: it may be mended. Returns the names of what was removed.
pub(crate) fn prune(place: &Path, keep: &Keep) -> Result<Vec<String>, BackupError> {
    if !place.is_dir() {
        return Ok(Vec::new());
    }
    let _lock = Lock::take(place)?;
    let vault = Vault::open(place)?;
    let mut backups = Vec::new();
    let mut is_whole = true;
    for name in vault.backups()? {
        match vault.manifest(Some(&name)) {
            Ok((name, manifest)) => backups.push((name, manifest)),
            Err(_) => is_whole = false,
        }
    }
    backups.sort_by_key(|(_, manifest)| manifest.made_at());
    let times: Vec<Zoned> = backups.iter().map(|(_, it)| it.made_at().to_zoned(TimeZone::system())).collect();
    let kept = keep.kept(&times);
    let mut removed = Vec::new();
    let mut used = BTreeSet::new();
    for (at, (name, manifest)) in backups.iter().enumerate() {
        if kept.contains(&at) {
            used.extend(manifest.parts());
            continue;
        }
        let path = place.join("backups").join(name);
        std::fs::remove_file(&path).map_err(BackupError::at(&path))?;
        removed.push(name.clone());
    }
    if is_whole {
        Vault::remove_others(place, &used)?;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(rule: &str, days: &[&str]) -> Vec<String> {
        let keep = Keep::from_str(rule).unwrap_or_else(|error| panic!("{error}"));
        let time = |day: &&str| day.parse::<jiff::Timestamp>().map(|time| time.to_zoned(TimeZone::UTC));
        let times = days.iter().map(time).collect::<Result<Vec<_>, _>>().unwrap_or_else(|error| panic!("{error}"));
        keep.kept(&times).into_iter().filter_map(|at| days.get(at).map(|day| (*day).to_owned())).collect()
    }

    #[test]
    fn the_newest_of_each_period_stays() {
        let days = [
            "2025-12-31T23:00:00Z",
            "2026-01-01T01:00:00Z",
            "2026-01-30T01:00:00Z",
            "2026-02-01T01:00:00Z",
            "2026-02-02T01:00:00Z",
            "2026-02-02T05:00:00Z",
            "2026-02-03T05:00:00Z",
        ];
        assert_eq!(kept("2d", &days), ["2026-02-02T05:00:00Z", "2026-02-03T05:00:00Z"]);
        assert_eq!(kept("1d,2w", &days), ["2026-02-01T01:00:00Z", "2026-02-03T05:00:00Z"]);
        assert_eq!(kept("3m", &days), ["2025-12-31T23:00:00Z", "2026-01-30T01:00:00Z", "2026-02-03T05:00:00Z"]);
        assert_eq!(kept("9y", &days), ["2025-12-31T23:00:00Z", "2026-02-03T05:00:00Z"]);
        assert_eq!(kept("9h", &days).len(), 7);
        assert_eq!(kept("1h", &[]), Vec::<String>::new());
    }

    #[test]
    fn other_rules_are_refused_by_name() {
        for rule in ["", "7", "d", "0d", "7d,", "-1d", "7x", "7d 4w"] {
            let error = Keep::from_str(rule).unwrap_err();
            assert!(error.ends_with("should be like `7d`: a number above 0 and one of h, d, w, m, y"), "{error}");
        }
        assert_eq!(Keep::from_str(" 7d, 4w").map(|keep| keep.to_string()), Ok("7d,4w".to_owned()));
    }
}
