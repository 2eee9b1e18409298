//! The bodies of [`crate::Scoped`]'s methods, one file per topic.

pub mod account;
mod archive;
pub mod asks;
pub mod audit;
pub mod blobs;
mod buttons;
pub mod changes;
pub mod channels;
pub mod context;
pub mod control;
pub mod decisions;
mod declared;
pub mod driving;
pub mod events;
mod file_actions;
pub mod files;
pub mod host;
pub mod imports;
pub mod lifecycle;
pub mod memory;
pub mod messages;
pub mod net;
pub mod notices;
pub mod outline;
mod pages;
pub mod pending;
pub mod posts;
pub mod preferences;
pub mod projects;
pub mod reading;
pub mod records;
pub mod redaction;
mod review_actions;
pub mod routing;
pub mod runs;
pub mod schedules;
pub mod search;
pub mod sessions;
pub mod spending;
pub mod stats;
pub mod todos;
pub mod type_settings;
pub mod types;
pub mod updates;
pub mod waterfall;

use crate::may::{find_session, gone, message, message_id, own_session, session, session_id, session_to_change};
use api::Problem;

/// A filter that says something: forms send their empty fields too.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|t| !t.trim().is_empty())
}

/// The values of a repeated filter that say something.
fn any_of(values: Vec<String>) -> Vec<String> {
    values.into_iter().filter(|value| !value.is_empty()).collect()
}

/// A page size within its bounds.
fn limit(given: Option<u32>, default: u32, max: u32) -> Result<u32, Problem> {
    match given {
        None => Ok(default),
        Some(n) if (1..=max).contains(&n) => Ok(n),
        Some(_) => Err(Problem::field("limit", &format!("a number from 1 to {max}"))),
    }
}
