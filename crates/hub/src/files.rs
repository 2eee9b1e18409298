//! Files of agents: how they are named, and how they are opened, whatever they are.

pub mod name;
pub mod open;
