//! What keeps the store healthy: room on the disk, checks, and deletion for good.

pub mod condition;
pub mod retention;
