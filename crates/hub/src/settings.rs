//! People's preferences, and settings of message types.

pub mod endpoints;
pub mod type_settings;

pub(crate) use endpoints::*;
pub(crate) use type_settings::{edit_type_settings, get_type_settings};
