//! How old a transcript is, from its bytes alone: forks repeat the lines of what they were made from, times included.
//!
//! Quotes inside a text are escaped, so what is looked for here is found as a key or not at all.

use crate::parts::at::micros;
use memchr::memmem;
use model::Micros;

const TIME: &[u8] = b"\"timestamp\":\"";
const COPIED: &[u8] = b"\"forkedFrom\":{";
/// Longest time that is tried to be read.
const MAX_TIME: usize = 40;

/// Returns the first time in a piece of a transcript; None if there is none. It looks for the key and reads no JSON, so
/// times of nested objects count too.
pub fn first_time(bytes: &[u8]) -> Option<Micros> {
    memmem::find_iter(bytes, TIME).find_map(|at| time_at(bytes, at))
}

/// Returns the last time in a piece of a transcript, as [`first_time`] the first one.
pub fn last_time(bytes: &[u8]) -> Option<Micros> {
    memmem::rfind_iter(bytes, TIME).find_map(|at| time_at(bytes, at))
}

/// Returns whether a line says that it was copied from the session that this one was forked from. Older versions of the
/// agent don't say so.
pub fn is_copied(line: &[u8]) -> bool {
    memmem::find(line, COPIED).is_some()
}

fn time_at(bytes: &[u8], at: usize) -> Option<Micros> {
    let rest = &bytes[at + TIME.len()..];
    let end = memchr::memchr(b'"', &rest[..rest.len().min(MAX_TIME)])?;
    micros(std::str::from_utf8(&rest[..end]).ok()?)
}
