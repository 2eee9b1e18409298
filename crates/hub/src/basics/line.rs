//! Names that people give.

use model::text::is_blank;

/// Returns true if a name has one line, something that is seen, and at most so many characters.
pub fn is_line(name: &str, most: usize) -> bool {
    name.chars().count() <= most && !is_blank(name) && !name.chars().any(char::is_control)
}
