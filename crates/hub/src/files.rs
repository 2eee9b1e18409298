//! Changes of files by sessions.

pub mod changes;
pub mod edit_cache;
pub mod net;
pub mod pages;

pub(crate) use changes::get_changes;
pub(crate) use net::get_net_changes;
pub(crate) use pages::list_files;
