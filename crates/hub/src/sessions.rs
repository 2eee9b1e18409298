//! Sessions: listed, made, changed, deleted, and looked through.

pub mod events;
pub mod lifecycle;
mod machine_names;
pub mod outline;
pub mod pages;
pub mod records;

pub(crate) use events::list_session_events;
pub(crate) use lifecycle::{
    create_session, delete_session, edit_session, edit_sessions, end_session, heartbeat, restore_session,
};
pub(crate) use outline::{find, get_outline};
pub(crate) use pages::{get_session, list_children, list_sessions};
pub(crate) use records::list_records;
