//! Write requests: the post, its files, and the reasons for refusals.

pub mod blobs;
pub mod entries;
pub mod older_words;
pub mod posting;
pub mod posts;
pub mod refusal;
pub mod reports;
