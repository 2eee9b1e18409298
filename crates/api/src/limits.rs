//! Limits that hold for every request.

/// Deepest nesting of arrays and objects in a JSON body.
pub const JSON_DEPTH: usize = 64;

/// Most values and keys in a JSON body: each object, array, string, number, `true`, `false`, `null` and key counts as one. In
/// memory one of them takes up to 250 bytes, whatever its length in the body, and a request makes up to four copies.
pub const JSON_VALUES: usize = 50_000;

/// Longest text to look for, in characters.
pub const SEARCH_CHARS: usize = 500;
