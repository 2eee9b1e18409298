//! Basics without dependencies: the clock, ids, hashes, times, problems of the store.

pub mod clock;
pub mod hash;
pub mod hex;
pub mod line;
pub mod moment;
pub mod new_id;
pub mod pause;
pub mod problem;
pub mod query;

pub use hex::hex;
pub use problem::problem;
