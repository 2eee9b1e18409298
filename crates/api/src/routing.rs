//! Which messages wake the agent: the settings of the workspace and of its sessions, and rooms that nobody registered.

use crate::endpoint::{Input, Reply};
use model::Micros;
use model::routing::Settings;
use serde::{Deserialize, Serialize};

impl Input for Settings {
    const EXAMPLE: &'static str = r#"{"aliases": ["ghost"], "trigger": "mention", "ignored": "accumulate"}"#;
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
    /// The address of who invited the channel's bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by: Option<String>,
    /// The bot isn't in the room: who invited it isn't one of the channel's people. Registering the room accepts the invitation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invitation: bool,
    /// When somebody first wrote there, or invited the bot.
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

/// A room that is to be left, or whose invitation is to be declined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeaveRoom {
    /// Id of the channel.
    pub channel: String,
    /// The room's address, as `/v1/rooms` has it.
    pub address: String,
}
impl Input for LeaveRoom {
    const EXAMPLE: &'static str = r#"{"channel": "8c1f0a2b3d", "address": "!kitchen:example.org"}"#;
}
