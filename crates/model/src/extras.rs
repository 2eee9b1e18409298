//! Extras of built-in types: fields of an envelope beside its payload.

pub(crate) mod edit_info;
mod line_comments;
pub mod review_info;
pub(crate) mod todo_info;

pub use edit_info::{EditInfo, EditScope, EditState, INTERRUPTED, WITH_A_DENIED_ONE, WITH_A_FAILED_ONE, edit_info};
pub use line_comments::{LineComment, Severity, Side, line_comments};
pub use review_info::{ReviewInfo, ReviewState, review_info};
pub use todo_info::{TodoInfo, TodoInfoState, todo_info};

use crate::strict::Mismatch;
use serde_json::Value;

/// Validates one value of an extra.
fn one_of(value: &Value, words: &[&str], pointer: &str) -> Result<(), Mismatch> {
    if value.as_str().is_some_and(|word| words.contains(&word)) {
        return Ok(());
    }
    Err(Mismatch::new(pointer, format!("one of `{}`", words.join("`, `"))))
}
