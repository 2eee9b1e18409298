//! `review_info`: people's answers to the comments of a review, by the index of the comment.

use super::one_of;
use crate::strict::{Mismatch, token};
use crate::{Micros, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Name of the extra.
pub const REVIEW_INFO: &str = "review_info";

words! {
    /// State of a comment. An open one has none.
    ReviewState {
        /// The agent was asked to apply the suggestion.
        Accepted = "accepted",
        /// A person resolved or dismissed it.
        Resolved = "resolved",
    }
}

/// A person's answer to a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewInfo {
    /// State of the comment.
    pub state: ReviewState,
    /// When it was answered.
    pub at: Micros,
}

/// Returns the answers by the index of the comment. Invalid ones are omitted.
pub fn review_info(metadata: Option<&Map<String, Value>>) -> BTreeMap<usize, ReviewInfo> {
    let infos = metadata.and_then(|metadata| metadata.get(REVIEW_INFO)?.as_object());
    let read = |(index, info): (&String, &Value)| Some((index.parse().ok()?, ReviewInfo::deserialize(info).ok()?));
    infos.into_iter().flatten().filter_map(read).collect()
}

/// Returns the answers as an extra: key and value.
pub fn extra(infos: &BTreeMap<usize, ReviewInfo>) -> (String, Value) {
    (REVIEW_INFO.to_owned(), serde_json::to_value(infos).unwrap_or_default())
}

/// Validates the extra: an object per index. Other keys are kept.
pub(crate) fn check(extras: &Map<String, Value>) -> Result<(), Mismatch> {
    let Some(infos) = extras.get(REVIEW_INFO) else { return Ok(()) };
    let root = format!("/{REVIEW_INFO}");
    let Some(infos) = infos.as_object() else { return Err(Mismatch::new(root, "an object by index of the comment")) };
    for (index, info) in infos {
        let at = root.clone() + &token(index);
        if index.parse::<usize>().is_err() {
            return Err(Mismatch::new(at, "the index of a comment, from 0"));
        }
        let Some(info) = info.as_object() else { return Err(Mismatch::new(at, "an object")) };
        one_of(info.get("state").unwrap_or(&Value::Null), ReviewState::WORDS, &format!("{at}/state"))?;
        if !info.get("at").is_some_and(Value::is_i64) {
            return Err(Mismatch::new(format!("{at}/at"), "microseconds since 1970"));
        }
    }
    Ok(())
}
