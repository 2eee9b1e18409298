//! What becomes of a request to write: the post, its files, and why it was refused.

pub mod blobs;
pub mod entries;
pub mod older_words;
pub mod posting;
pub mod posts;
pub mod refusal;
pub mod reports;
