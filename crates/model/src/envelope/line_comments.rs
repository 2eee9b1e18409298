//! `comments`: what a person's message says of lines of changed files, one by one, beside the text that says it to the agent.

use crate::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const KEY: &str = "comments";

words! {
    /// Of a difference.
    Side {
        Old = "old",
        New = "new",
    }
}

/// A comment on lines of a changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineComment {
    pub file_path: String,
    pub side: Side,
    /// First and last line, from 1 on.
    pub start_line: u32,
    pub end_line: u32,
    /// `812.0`, the `seq` and the index of an edit whose place in its file isn't known: the lines are counted within it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The lines as they were.
    pub quote: String,
    pub body: String,
    /// A person has seen to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
}

/// The comments of a message, read leniently: what isn't understood is none.
pub fn line_comments(metadata: Option<&Map<String, Value>>) -> Vec<LineComment> {
    let comments = metadata.and_then(|metadata| metadata.get(KEY)?.as_array());
    comments.into_iter().flatten().filter_map(|comment| LineComment::deserialize(comment).ok()).collect()
}

impl LineComment {
    /// As the envelope's extra.
    pub fn extra(comments: &[Self]) -> (String, Value) {
        (KEY.to_owned(), serde_json::to_value(comments).unwrap_or_default())
    }

    /// The same comment, whatever became of it?
    pub fn is(&self, other: &Self) -> bool {
        let alike = |comment: &Self| Self { resolved: false, ..comment.clone() };
        alike(self) == alike(other)
    }

    /// Puts what became of it into a message's metadata. Says whether it is there.
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
