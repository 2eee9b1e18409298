//! The messages of a session: read, posted, changed, taken back, given to the agent, and marked as read.

pub mod control;
pub mod message_edit;
pub mod pace;
pub mod pages;
pub mod pending;
pub mod reading;
pub mod todos;
pub mod updates;

pub(crate) use control::{post_message, post_messages};
pub(crate) use pages::{get_message, list_messages};
pub(crate) use pending::take_pending;
pub(crate) use reading::{list_unread, mark_read};
pub(crate) use todos::{get_todos, tick_todo};
pub(crate) use updates::{retract_message, update_message};
