//! `CODE_REVIEW`: comments on lines of a file, each with a severity.

use super::{Mismatch, Payload, strict};
pub use crate::extras::Severity;
use crate::extras::{LineComment, ReviewState, Side, review_info};
use crate::{Draft, Role, search_text::SearchText, text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A review of one file. People's answers to its comments are in the envelope's `review_info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeReview {
    /// The path of the file, as in the edits of the session.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub file_path: String,
    /// May be empty if there is a `summary`.
    #[serde(deserialize_with = "strict::objects")]
    pub comments: Vec<ReviewComment>,
    /// The overall verdict, in markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A comment on lines of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReviewComment {
    /// The comment, in markdown.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub body: String,
    /// The side of the diff whose lines are meant; `new` if absent.
    #[serde(default = "new_side")]
    pub side: Side,
    /// The first line, from 1.
    #[serde(deserialize_with = "line")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub start_line: u32,
    /// The last line, included; `start_line` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_line")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub end_line: Option<u32>,
    /// The severity.
    pub severity: Severity,
    /// The text to replace the lines with. If it is empty, they are to be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

const fn new_side() -> Side {
    Side::New
}

fn line<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    use serde::de::{Error as _, Unexpected};
    let given = Value::deserialize(from)?;
    let number = given.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| D::Error::invalid_value(Unexpected::Other("value"), &"a line number from 1 to 4294967295"))
}

fn maybe_line<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    match Option::<Value>::deserialize(from)? {
        Some(given) => line(given).map(Some).map_err(serde::de::Error::custom),
        None => Ok(None),
    }
}

impl ReviewComment {
    /// Returns the last line (inclusive), which is never before the first.
    pub fn last_line(&self) -> u32 {
        self.end_line.unwrap_or(self.start_line).max(self.start_line)
    }

    /// Returns the lines for people: `line 3`, `lines 3-4 before the change`.
    pub fn lines(&self) -> String {
        let (first, last) = (self.start_line, self.last_line());
        let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        match self.side {
            Side::Old => format!("{lines} before the change"),
            Side::New => lines,
        }
    }
}

impl CodeReview {
    /// Returns the number of comments of each severity that occurs, the highest first.
    pub fn counts(&self) -> Vec<(Severity, usize)> {
        let count = |severity| self.comments.iter().filter(|comment| comment.severity == severity).count();
        Severity::ALL.iter().map(|severity| (*severity, count(*severity))).filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the place of a comment: `src/parser.rs:3-4`.
    pub fn place(&self, comment: &ReviewComment) -> String {
        let (first, last) = (comment.start_line, comment.last_line());
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let side = if comment.side == Side::Old { " (before the change)" } else { "" };
        format!("{}:{lines}{side}", self.file_path)
    }

    /// Converts a comment into one like those that people write on the changes page, without a quote.
    pub fn line_comment(&self, comment: &ReviewComment, state: Option<ReviewState>) -> LineComment {
        LineComment {
            file_path: self.file_path.clone(),
            side: comment.side,
            start_line: comment.start_line,
            end_line: comment.last_line(),
            edit: None,
            quote: String::new(),
            body: comment.body.clone(),
            severity: Some(comment.severity),
            suggestion: comment.suggestion.clone(),
            resolved: state.is_some(),
        }
    }

    /// Returns the answers to an earlier version of the review, by the current index of each comment. Answers to
    /// comments that no longer exist are dropped.
    pub fn carry(&self, earlier: &Self, metadata: Option<&Map<String, Value>>) -> Option<(String, Value)> {
        let mut infos = review_info(metadata);
        let mut carried = BTreeMap::new();
        for (index, comment) in self.comments.iter().enumerate() {
            let same = |before: &usize| earlier.comments.get(*before) == Some(comment);
            let before = Some(index).filter(same).or_else(|| infos.keys().copied().find(same));
            if let Some(info) = before.and_then(|before| infos.remove(&before)) {
                carried.insert(index, info);
            }
        }
        (!carried.is_empty()).then(|| review_info::extra(&carried))
    }

    /// Returns the number of comments as text: `2 major, 1 nit`.
    fn in_numbers(&self) -> String {
        let words = |(severity, count): (Severity, usize)| match severity {
            Severity::Blocker | Severity::Nit => text::count(count, severity.as_str()),
            Severity::Major | Severity::Minor => format!("{count} {severity}"),
        };
        let words: Vec<String> = self.counts().into_iter().map(words).collect();
        if words.is_empty() { "no comments".to_owned() } else { words.join(", ") }
    }

    fn verdict(&self) -> Option<&str> {
        self.summary.as_deref().map(str::trim).filter(|summary| !summary.is_empty())
    }
}

impl Payload for CodeReview {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let head = format!("Review of {}: {}", self.file_path, self.in_numbers());
        // Without a verdict, the comment of the highest severity is the most useful.
        let heaviest = || self.comments.iter().min_by_key(|comment| comment.severity).map(|comment| &*comment.body);
        match self.verdict().or_else(heaviest) {
            Some(words) => format!("{head}. {words}"),
            None => head,
        }
    }

    fn to_markdown(&self) -> String {
        let mut parts = vec![format!("**Review of {}**: {}", text::code(&self.file_path), self.in_numbers())];
        parts.extend(self.verdict().map(str::to_owned));
        for comment in &self.comments {
            let suggestion = comment.suggestion.as_deref().map(|code| text::fence("suggestion", code));
            parts.push(format!("**{}**, {}", comment.severity.name(), comment.lines()));
            parts.push(comment.body.trim().to_owned());
            parts.extend(suggestion);
        }
        parts.join("\n\n")
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
        text.push(&self.file_path);
        text.push(self.verdict().unwrap_or_default());
        for comment in &self.comments {
            text.push(&comment.body);
            text.push(comment.suggestion.as_deref().unwrap_or_default());
        }
    }

    fn example() -> Self {
        Self {
            file_path: "src/parser.rs".to_owned(),
            comments: vec![
                ReviewComment {
                    body: "Reads past the end where the text has no line end".to_owned(),
                    side: Side::New,
                    start_line: 41,
                    end_line: Some(42),
                    severity: Severity::Blocker,
                    suggestion: Some("    let end = text.find('\\n').unwrap_or(text.len());".to_owned()),
                },
                ReviewComment {
                    body: "This import was used by `next()` alone".to_owned(),
                    side: Side::Old,
                    start_line: 3,
                    end_line: None,
                    severity: Severity::Nit,
                    suggestion: None,
                },
            ],
            summary: Some("One bug, else good to go".to_owned()),
        }
    }

    fn check(&self, extras: &Map<String, Value>) -> Result<(), Mismatch> {
        if self.comments.is_empty() && self.verdict().is_none() {
            return Err(Mismatch::new("/payload/comments", "at least one comment, or a `summary`"));
        }
        let backwards = |comment: &ReviewComment| comment.end_line.is_some_and(|end| end < comment.start_line);
        if let Some(index) = self.comments.iter().position(backwards) {
            let expected = "a line number that isn't smaller than `start_line`";
            return Err(Mismatch::new(format!("/payload/comments/{index}/end_line"), expected));
        }
        review_info::check(extras)
    }
}
