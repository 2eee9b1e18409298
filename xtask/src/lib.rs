//! Code that the project's commands share: the build of the program, a PostgreSQL, steps with their times, the places
//! of files.
//!
//! How to add one: here what the crate `bench` needs too, else a file beside, as `main.rs` says.

pub mod interface;
pub mod pg;
pub mod sbom;
pub mod serve;
pub mod step;
pub mod tools;
pub mod workspace;
