//! Maintenance of the store: disk space, checks, and permanent deletion.

pub mod condition;
pub mod trash;
