//! What the project's commands share: how the program is built, a PostgreSQL, steps with their times, where things lie.
//!
//! How to add one: here what the crate `bench` needs too, else a file beside, as `main.rs` says.

pub mod interface;
pub mod pg;
pub mod sbom;
pub mod serve;
pub mod step;
pub mod tools;
pub mod workspace;
