//! Agents' transcript formats, read as changes to sessions and messages.
//!
//! A tour:
//! - [`change`]: what every reader hands out.
//! - [`claude`]: Claude Code's session files, one JSON object a line.
//! - [`recognise()`]: what a file is, by its content.
//!
//! Rules that hold for every reader:
//! - It is pure and incremental: bytes in, changes out. No file access, no clock.
//! - Everything is an upsert, keyed by the agent's own ids. Splitting a file differently gives the same last state.
//! - Every line is a message, a part of one, or a note. Unknown line types, tools and fields are kept and shown.
//! - A bad line becomes a note, never a failure; a torn last line is held back until its line end arrives.
//! - Tokens: of each API message the largest usage counts once.
//!
//! This crate knows no store, no network and no clock.
//!
//! How to add an agent: one file `src/<agent>.rs` with a `Reader` of the same four functions (`new`, `push`, `finish`,
//! `offset`) and its parts in `src/<agent>/`; its line in the table of `src/recognise.rs`; own fixtures in
//! `fixtures/transcripts/<agent>/`, which `tests/` reads whole and split at every byte.

#![warn(missing_docs)]

pub mod change;
pub mod claude;
mod recognise;

pub use change::{Change, SessionKey, Span, Stretch};
pub use recognise::{Recognised, recognise};
