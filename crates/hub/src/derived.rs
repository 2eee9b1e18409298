//! Derived data of messages in the store: search text, and changed files.

pub mod edit_lines;
pub mod reindex;
pub mod search_text;
