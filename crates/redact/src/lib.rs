//! Masks keys, tokens, passwords, e-mail addresses and names of home folders in texts.
//!
//! A tour, top-down:
//! - [`Redactor`] masks texts and JSON values. What it found comes as [`Found`], never with the secret itself.
//! - `rule`: the rules of `rules/rules.jsonl`, one a line: id, title, where the format is documented, words without which it can't
//!   match, and a regular expression, whose first group that matched is the secret.
//! - `plausible`: decides whether the text after a name like `password` is a secret's value, or code that refers to
//!   one.
//!
//! Pure: no files, no clock, no network. A regular expression is compiled when one of its words is seen for the first time.
//!
//! How to add one: a line in `rules/rules.jsonl`, and a text that it finds in `tests/rules.rs`, which fails for a rule without one.

mod plausible;
mod rule;

use regex::Regex;
use rule::Rules;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Most bytes of a pattern of one's own.
pub const MOST_PATTERN: usize = 1000;
/// Most patterns of one's own.
pub const MOST_PATTERNS: usize = 50;
/// Characters that an example shows before and behind a mask.
const AROUND: usize = 24;

static RULES: LazyLock<Rules> = LazyLock::new(Rules::read);

static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b[a-z0-9._%+\-]+@(?:[a-z0-9\-]+\.)+[a-z]{2,24}\b").ok());
/// The first group is the folder, which becomes `~`; the second one is the name in a folder's name that is made of a path.
static HOME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"((?:/home/|/Users/|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/))[^/\\\s"'`:;,<>|()\[\]{}]+)|[/\\]-(?:home|Users)-([A-Za-z0-9_.]+)"#,
    )
    .ok()
});

/// Why a pattern of one's own can't be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadPattern {
    /// It is no regular expression.
    #[error("expected a regular expression, got `{pattern}`: {reason}")]
    Syntax {
        /// As it was given.
        pattern: String,
        /// In one line.
        reason: String,
    },
    /// It has more than [`MOST_PATTERN`] bytes, or matches texts without any characters.
    #[error(
        "expected a regular expression of 1 to {MOST_PATTERN} bytes that matches at least one character, got `{0}`"
    )]
    Size(String),
    /// There are more than [`MOST_PATTERNS`].
    #[error("expected at most {MOST_PATTERNS} patterns, got {0}")]
    TooMany(usize),
}

/// Something that was masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Id of the rule: `github-token`, `email`, `home`, or `own`.
    pub rule: &'static str,
    /// For people.
    pub title: &'static str,
    /// The mask with a little of what stands around it.
    pub example: String,
}

/// A place in a text.
#[derive(Debug, Clone)]
struct Hit {
    range: Range<usize>,
    rule: &'static str,
    title: &'static str,
}

/// Masks texts.
#[derive(Debug, Default)]
pub struct Redactor {
    own: Vec<Regex>,
}

impl Redactor {
    /// Masks by all rules, and by patterns of one's own: regular expressions.
    ///
    /// # Errors
    ///
    /// Fails for a pattern that can't be used.
    pub fn new(own: &[String]) -> Result<Self, BadPattern> {
        if own.len() > MOST_PATTERNS {
            return Err(BadPattern::TooMany(own.len()));
        }
        let compiled = own.iter().map(|pattern| {
            if pattern.is_empty() || pattern.len() > MOST_PATTERN {
                return Err(BadPattern::Size(pattern.clone()));
            }
            let regex = Regex::new(pattern).map_err(|error| {
                let reason = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
                BadPattern::Syntax { pattern: pattern.clone(), reason }
            })?;
            if regex.is_match("") { Err(BadPattern::Size(pattern.clone())) } else { Ok(regex) }
        });
        Ok(Self { own: compiled.collect::<Result<_, _>>()? })
    }

    /// Masks a text, and tells what was found in it.
    pub fn text<'a>(&self, text: &'a str, found: &mut dyn FnMut(Found)) -> Cow<'a, str> {
        let hits = self.hits(text);
        if hits.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let (mut at, mut masks) = (0, Vec::with_capacity(hits.len()));
        for hit in hits {
            masked.push_str(text.get(at..hit.range.start).unwrap_or_default());
            let start = masked.len();
            match hit.rule {
                "home" => masked.push('~'),
                rule => masked.extend(["[", rule, "]"]),
            }
            masks.push((start..masked.len(), hit.rule, hit.title));
            at = hit.range.end;
        }
        masked.push_str(text.get(at..).unwrap_or_default());
        for (range, rule, title) in masks {
            found(Found { rule, title, example: around(&masked, range) });
        }
        Cow::Owned(masked)
    }

    /// Masks all texts of a value: strings, and names of fields. A field's name says what its string is.
    pub fn value(&self, value: &mut Value, found: &mut dyn FnMut(Found)) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = self.text(text, found) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item, found)),
            Value::Object(fields) => self.fields(fields, found),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Like [`Self::value`], of an object.
    pub fn fields(&self, fields: &mut Map<String, Value>, found: &mut dyn FnMut(Found)) {
        for (name, value) in fields.iter_mut() {
            let before = value.as_str().map(str::len);
            self.value(value, found);
            if let Value::String(text) = value
                && before == Some(text.len())
                && rule::names_secret(name)
                && plausible::is_value(text, true)
            {
                let example = format!("{name}: [assigned-secret]");
                found(Found { rule: "assigned-secret", title: "Value of a secret's name", example });
                "[assigned-secret]".clone_into(text);
            }
        }
        if fields.keys().any(|name| matches!(self.text(name, &mut |_| {}), Cow::Owned(_))) {
            let old = std::mem::take(fields);
            fields.extend(old.into_iter().map(|(name, value)| (self.text(&name, found).into_owned(), value)));
        }
    }

    /// Returns the ranges to mask, in order and without overlaps.
    fn hits(&self, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for regex in &self.own {
            hits.extend(regex.find_iter(text).map(|it| hit(it.range(), "own", "Pattern of your own")));
        }
        RULES.find(text, &mut |range, rule, title| hits.push(hit(range, rule, title)));
        if text.contains('@')
            && let Some(regex) = &*EMAIL
        {
            let addresses = regex.find_iter(text).filter(|it| !it.as_str().starts_with("git@"));
            let new: Vec<Hit> = addresses
                .filter(|it| !hits.iter().any(|hit| hit.range.start < it.end() && it.start() < hit.range.end))
                .map(|it| hit(it.range(), "email", "E-mail address"))
                .collect();
            hits.extend(new);
        }
        if let Some(regex) = &*HOME {
            let names = regex.captures_iter(text).filter_map(|it| it.get(1).or(it.get(2)));
            hits.extend(names.map(|it| hit(it.range(), "home", "Home folder")));
        }
        hits.retain(|hit| !hit.range.is_empty());
        // Two overlapping ranges are merged into the earlier one.
        hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end)));
        let mut joined: Vec<Hit> = Vec::with_capacity(hits.len());
        for hit in hits {
            match joined.last_mut().filter(|last| hit.range.start < last.range.end) {
                Some(last) => last.range.end = last.range.end.max(hit.range.end),
                None => joined.push(hit),
            }
        }
        joined
    }
}

fn hit(range: Range<usize>, rule: &'static str, title: &'static str) -> Hit {
    Hit { range, rule, title }
}

/// A mask with what stands around it, in one line.
fn around(masked: &str, range: Range<usize>) -> String {
    let before: String = masked.get(..range.start).unwrap_or_default().chars().rev().take(AROUND).collect();
    let before: String = before.chars().rev().collect();
    let behind: String = masked.get(range.end..).unwrap_or_default().chars().take(AROUND).collect();
    let mask = masked.get(range).unwrap_or_default();
    format!("{before}{mask}{behind}").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the ids of all rules, with their titles and where their formats are documented.
pub fn rules() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    RULES.all.iter().map(|rule| (rule.id, rule.title, rule.source))
}
