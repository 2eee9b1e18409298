//! Small values of a workspace, by their keys.

pub(crate) const META: &str = "SELECT value FROM meta WHERE workspace_id = $1 AND key = $2";

pub(crate) const PUT_META: &str = "INSERT INTO meta (workspace_id, key, value) VALUES ($1, $2, $3) \
    ON CONFLICT (workspace_id, key) DO UPDATE SET value = excluded.value";

/// The key of the words that messages are found by: a version, and how far the messages have it, `1` or `1:rid`.
pub(crate) const WORDS: &str = "words";

/// Raise it when [`crate::tokens`] cuts words otherwise, or when more of a message is searched or listed.
pub(crate) const WORDS_VERSION: &str = "3";
