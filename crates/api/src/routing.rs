//! Routing: which messages wake the agent, by workspace and session; and unregistered rooms.

use crate::endpoint::{Input, Reply};
use model::Micros;
use model::routing::Settings;
use serde::{Deserialize, Serialize};

impl Input for Settings {
    const EXAMPLE: &'static str = r#"{"aliases": ["ghost"], "trigger": "mention", "ignored": "accumulate"}"#;
}

/// Routing settings, and their effective values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Routing {
    /// The settings of this session or workspace.
    pub settings: Settings,
    /// The effective settings: from the session, otherwise the workspace, otherwise the server's environment. An absent
    /// field has its built-in default.
    pub applies: Settings,
}
impl Reply for Routing {}

/// A room of a channel that isn't registered. Its messages aren't stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Room {
    /// Id of the channel.
    pub channel: String,
    /// The room's address in the channel.
    pub address: String,
    /// Display name, if the channel reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address of the person who invited the channel's bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by: Option<String>,
    /// True if the bot was invited by somebody who isn't one of the channel's people, and hasn't joined. Registering
    /// the room accepts the invitation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invitation: bool,
    /// Time of the first message or of the invitation.
    pub first_at: Micros,
    /// Time of the last message, to the minute.
    pub last_at: Micros,
}

/// Unregistered rooms, latest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rooms {
    /// At most 200.
    pub rooms: Vec<Room>,
}
impl Reply for Rooms {}

/// A room to leave, or whose invitation to decline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeaveRoom {
    /// Id of the channel.
    pub channel: String,
    /// The room's address, as in `/v1/rooms`.
    pub address: String,
}
impl Input for LeaveRoom {
    const EXAMPLE: &'static str = r#"{"channel": "8c1f0a2b3d", "address": "!kitchen:example.org"}"#;
}
