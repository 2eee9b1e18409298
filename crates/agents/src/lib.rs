//! Agents' transcript formats, read as changes to sessions and messages.
//!
//! A tour:
//! - [`AGENTS`]: the agents, a line each. [`recognise()`]: whose a file is, by its content.
//! - [`Reader`]: what reads a file. [`change`]: what every reader hands out.
//! - [`claude`]: Claude Code's session files, one JSON object a line. A module for each other agent, as `pi`.
//! - [`context`]: what a model's context held, rebuilt from records.
//! - `parts`: what the readers share.
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
//! How to add an agent:
//! 1. `src/<agent>.rs`, with its parts in `src/<agent>/`: a type that implements `parts::lines::Records` (a file of JSON lines) or
//!    `parts::document::Document` (a file that is one JSON document). It says what it read to a `parts::book::Book`.
//! 2. Its line in [`AGENTS`]: `.read(VERSION, None, |path, _| Box::new(JsonLines::new(Rollout::new(path))))`, and the folders.
//! 3. Own fixtures in `fixtures/transcripts/<agent>/`, which `tests/` reads whole and split at every byte.

#![warn(missing_docs)]

mod acp;
mod age;
mod agent;
mod aider;
mod antigravity;
pub mod change;
pub mod chat_host;
pub mod claude;
mod cline;
mod codex;
pub mod context;
mod copilot;
mod crush;
mod cursor;
mod droid;
pub mod form;
mod gemini;
mod goose;
mod grok;
mod hermes;
mod kimi;
mod kiro;
mod opencode;
mod openhands;
mod parts;
mod pi;
mod qwen;
mod reader;
mod recognise;
mod swe_agent;

pub use age::{first_time, is_copied, last_time};
pub use agent::{AGENTS, Agent, Base, CLAUDE, CRUSH, CURSOR_CHAT, Folder, LOGS, Reading, agent, agent_of, keeper};
pub use change::{Change, SessionKey, Span, Stretch};
pub use crush::crush_folders;
pub use parts::proposal::{proposed_change, proposed_diff, proposed_edits, says_what};
pub use reader::Reader;
pub use recognise::{Recognised, recognise, recognise_kept, recognise_tables};

/// The most bytes of a line, or of an entry of a document, that is read. A longer one becomes a note.
pub const LONGEST_LINE: usize = parts::lines::Lines::LONGEST;
