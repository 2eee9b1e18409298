//! Which messages wake the agent: the settings of the workspace and of its sessions, and rooms that nobody registered.

use crate::endpoint::{Input, Reply};
use model::Micros;
use model::routing::Settings;
use serde::{Deserialize, Serialize};

impl Input for Settings {
    const EXAMPLE: &'static str =
        r#"{"name": "Pynchy", "aliases": ["ghost"], "trigger": "mention", "ignored": "accumulate"}"#;
}

/// Settings of routing, and what applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Routing {
    /// What is set here.
    pub settings: Settings,
    /// What applies: the settings here, else of the workspace, else of the server's environment. A field that is absent here is as
    /// it is built in.
    pub applies: Settings,
}
impl Reply for Routing {}

/// A room of a channel that nobody registered. Its messages aren't stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Room {
    /// Id of the channel.
    pub channel: String,
    /// The room's address in the channel.
    pub address: String,
    /// Its name for people, where the channel says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When somebody first wrote there.
    pub first_at: Micros,
    /// When somebody last wrote there, to the minute.
    pub last_at: Micros,
}

/// Rooms that were heard of and that nobody registered, the last one first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rooms {
    /// At most 200.
    pub rooms: Vec<Room>,
}
impl Reply for Rooms {}
