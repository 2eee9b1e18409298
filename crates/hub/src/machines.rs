//! Other machines, whose agents' files are sent here.
//!
//! - `copies`: the copies of their files, which are followed as files of this machine are. The source files are the queue:
//!   what is to be sent follows from what is here.
//! - `endpoints`: machines and their keys, and what a machine sends.

mod copies;
pub mod endpoints;

pub(crate) use endpoints::*;
