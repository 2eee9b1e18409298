//! `comments`: what a person's message says of lines of changed files, one by one, beside the text that says it to the agent.
//! The comments of an agent's `CODE_REVIEW` are read as the same.

use crate::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const KEY: &str = "comments";

words! {
    /// Of a difference.
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
    /// As the edit names the file.
    pub file_path: String,
    /// Which side of the difference the lines are counted on.
    pub side: Side,
    /// First and last line, from 1 on.
    pub start_line: u32,
    /// The last line, included. Equal to `start_line` for one line.
    pub end_line: u32,
    /// `812.0`, the `seq` and the index of an edit whose place in its file isn't known: the lines are counted within it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The lines as they were. Empty where that isn't known.
    pub quote: String,
    /// What there is to say about them: a person's as it was typed, an agent's in markdown.
    pub body: String,
    /// How much it matters; people don't say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What should stand there instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// A person has seen to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
}

/// Returns the comments of a message, read leniently: those that don't validate are left out.
pub fn line_comments(metadata: Option<&Map<String, Value>>) -> Vec<LineComment> {
    let comments = metadata.and_then(|metadata| metadata.get(KEY)?.as_array());
    comments.into_iter().flatten().filter_map(|comment| LineComment::deserialize(comment).ok()).collect()
}

impl LineComment {
    /// Returns the comments as the envelope's extra: key and value.
    pub fn extra(comments: &[Self]) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(comments).unwrap_or_default())
    }

    /// Returns whether it is the same comment, resolved or not.
    pub fn is(&self, other: &Self) -> bool {
        let alike = |comment: &Self| Self { resolved: false, ..comment.clone() };
        alike(self) == alike(other)
    }

    /// Puts `resolved` of this comment into a message's metadata. Returns false if the metadata hasn't got the comment.
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
