//! Limits of every request.

/// Maximum nesting of arrays and objects in a JSON body.
pub const JSON_DEPTH: usize = 64;

/// Maximum number of values and keys in a JSON body: each object, array, string, number, `true`, `false`, `null` and
/// key counts as one. In memory each takes up to 250 bytes, whatever its length, and a request makes up to four copies.
pub const JSON_VALUES: usize = 50_000;

/// Maximum length of a search text, in characters.
pub const SEARCH_CHARS: usize = 500;
