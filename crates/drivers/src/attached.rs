//! Agents that somebody else started, and that are joined while they run.
//!
//! - `socket`: the socket of a running agent, and what is checked before it is used. `run`: a driver on it. `threads`: the sessions
//!   that a running Codex has.
//!
//! A joined agent is shared with its own terminal. It goes on when we leave, and what we can't answer is left to the terminal.

mod run;
mod socket;
mod threads;

pub use run::join;
pub use socket::{ControlSocket, Identity};
pub use threads::{Thread, Threads};
