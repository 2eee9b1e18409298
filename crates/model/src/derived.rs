//! Ids of messages that are derived from a tool call.

use crate::{MessageId, id::IdError};

/// Returns `<call id>~<word>~<n>`: the id of the `n`-th diff, list or question of a call, from 0. `word` is `edit`,
/// `todo` or `approval`.
///
/// # Errors
///
/// [`IdError::TooLong`] if the call's id is too long.
pub fn derived_id(call_id: &str, word: &str, n: usize) -> Result<MessageId, IdError> {
    MessageId::parse(format!("{call_id}~{word}~{n}"))
}

#[cfg(test)]
mod tests {
    use super::derived_id;

    #[test]
    fn the_form_is_fixed() {
        assert_eq!(derived_id("toolu_01", "edit", 2).expect("an id").as_str(), "toolu_01~edit~2");
        assert!(derived_id(&"x".repeat(128), "edit", 0).is_err());
    }
}
