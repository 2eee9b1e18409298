//! What is stored of a message besides itself: the words by which it is found, and the files that it changed.

pub mod edit_lines;
pub mod reindex;
pub mod search_text;
