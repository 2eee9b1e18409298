//! `comments`: a person's comments on lines of changed files, as data in addition to the text for the agent. The
//! comments of an agent's `CODE_REVIEW` have the same form.

use crate::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const KEY: &str = "comments";

words! {
    /// A side of a diff.
    Side {
        /// The lines before the change.
        Old = "old",
        /// The lines after the change.
        New = "new",
    }
    /// The severity of a comment, the highest first.
    Severity {
        /// Must be fixed before the change is accepted.
        Blocker = "blocker",
        /// Should be fixed.
        Major = "major",
        /// Worth fixing.
        Minor = "minor",
        /// A matter of taste.
        Nit = "nit",
    }
}

impl Severity {
    /// Returns the name for people: `Blocker`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocker => "Blocker",
            Self::Major => "Major",
            Self::Minor => "Minor",
            Self::Nit => "Nit",
        }
    }
}

/// A comment on lines of a changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineComment {
    /// Path of the file, as in the edit.
    pub file_path: String,
    /// The side of the diff whose lines are meant.
    pub side: Side,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// `seq` and index of an edit whose position in its file is unknown: `812.0`. Then lines are counted within the
    /// edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The commented lines. Empty if unknown.
    pub quote: String,
    /// The comment: plain text of a person, or markdown of an agent.
    pub body: String,
    /// Severity. Absent in comments of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Replacement for the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// True if a person resolved it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
}

/// Returns the comments of a message. Invalid ones are omitted.
pub fn line_comments(metadata: Option<&Map<String, Value>>) -> Vec<LineComment> {
    let comments = metadata.and_then(|metadata| metadata.get(KEY)?.as_array());
    comments.into_iter().flatten().filter_map(|comment| LineComment::deserialize(comment).ok()).collect()
}

impl LineComment {
    /// Returns the comments as an extra: key and value.
    pub fn extra(comments: &[Self]) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(comments).unwrap_or_default())
    }

    /// Returns true if both are the same comment, resolved or not.
    pub fn is(&self, other: &Self) -> bool {
        let alike = |comment: &Self| Self { resolved: false, ..comment.clone() };
        alike(self) == alike(other)
    }

    /// Sets `resolved` of this comment in a message's metadata. Returns false if the metadata doesn't contain it.
    pub fn put_in(&self, metadata: &mut Value) -> bool {
        let comments = metadata.get_mut(KEY).and_then(Value::as_array_mut);
        let mut comments = comments.into_iter().flatten();
        let found = comments.find(|it| Self::deserialize(&**it).is_ok_and(|it| it.is(self)));
        let Some(found) = found.and_then(Value::as_object_mut) else { return false };
        if self.resolved {
            found.insert("resolved".to_owned(), Value::Bool(true));
        } else {
            found.shift_remove("resolved");
        }
        true
    }
}
