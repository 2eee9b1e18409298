//! One file per page. Each takes one struct with what the server loaded, and gives the whole document; fragments of a
//! page are functions beside it that give the same HTML as the page holds.

pub mod changes;
pub mod context;
pub mod erase;
pub mod files;
pub mod folders;
pub mod gallery;
pub mod inbox;
pub mod login;
pub mod memory;
pub mod new_session;
pub mod offline;
pub mod palette;
pub mod panel;
pub mod printed;
pub mod problem;
pub mod redacted;
pub mod reference;
pub mod routing;
pub mod schedules;
pub mod search;
pub mod session;
pub mod session_pick;
pub mod sessions;
pub mod settings;
pub mod share;
pub mod stats;
