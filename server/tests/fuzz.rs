//! Fuzz targets: what reads untrusted bytes gets inputs that are made up from own ones, and is asked what always holds.
//!
//! | File | What it is |
//! |---|---|
//! | `engine` | runs a target: its stored inputs, then random ones; shrinks and stores what fails |
//! | `inputs` | own inputs, and how they are bent: texts by their lines and words, JSON by its values |
//! | `html` | what HTML of ours may hold |
//! | the others | one target each |
//!
//! Here, each target reads its stored inputs, and random ones that are the same in each run. `cargo xtask fuzz` goes on
//! with other ones for as long as it is told to. An input that fails is stored in `fixtures/fuzz/<target>`, where it
//! stays as a test.
//!
//! How to add one: a file with a test that calls [`engine::run`], and a line in `TARGETS` of `xtask/src/fuzz.rs`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "fuzz/ansi.rs"]
mod ansi;
#[path = "fuzz/diff.rs"]
mod diff;
#[path = "fuzz/engine.rs"]
mod engine;
#[path = "fuzz/envelope.rs"]
mod envelope;
#[path = "fuzz/html.rs"]
mod html;
#[path = "fuzz/inputs.rs"]
mod inputs;
#[path = "fuzz/json.rs"]
mod json;
#[path = "../../crates/agents/tests/transcripts/support.rs"]
#[expect(dead_code, reason = "the tests of the readers use the rest of it")]
mod last;
#[path = "fuzz/markdown.rs"]
mod markdown;
#[path = "fuzz/names.rs"]
mod names;
#[path = "fuzz/query.rs"]
mod query;
#[path = "program/support.rs"]
#[expect(dead_code, reason = "the other tests of the program use the rest of it")]
mod support;
#[path = "fuzz/transcript.rs"]
mod transcript;
