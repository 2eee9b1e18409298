//! Channels: messengers and webhooks in which sessions are shown and answered, and their deliveries.

use crate::endpoint::{Input, Reply};
use model::policy::Verbosity;
use model::{Micros, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

model::words! {
    /// State of a delivery.
    DeliveryState {
        /// Queued. It is sent after the deliveries before it, with backoff while the channel fails.
        Pending = "pending",
        /// The channel accepted it.
        Sent = "sent",
        /// The channel rejected it permanently. Later deliveries went on. A person can retry or discard it.
        Dead = "dead",
        /// A person discarded it.
        Cleared = "cleared",
    }
    /// Action on a channel's deliveries.
    DeliveryAction {
        /// Sends the queued deliveries now, without waiting for their backoff.
        Now = "now",
        /// Sends the rejected deliveries again, in their original order.
        Retry = "retry",
        /// Discards the rejected deliveries.
        Clear = "clear",
    }
}

/// The channels, and the kinds that can be added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Channels {
    /// In the order in which they were added, without removed ones.
    pub channels: Vec<Channel>,
    /// The kinds of channels that can be added.
    pub kinds: Vec<ChannelKind>,
}
impl Reply for Channels {}

/// A channel, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Channel {
    /// Id of the channel.
    pub id: String,
    /// Kind of the channel: `matrix`, `slack`.
    pub kind: String,
    /// Display name.
    pub name: String,
    /// The owner's settings, without secrets.
    pub settings: BTreeMap<String, String>,
    /// Addresses of people in the channel, each with the name that their messages have here. Messages of others are
    /// refused.
    pub people: BTreeMap<String, String>,
    /// Whether the channel gets reasoning and costs.
    pub verbosity: Verbosity,
    /// True if it shows every session that is active after it was added, except those of sub-agents.
    pub every_session: bool,
    /// The sessions that it shows, or has a room for.
    pub sessions: Vec<ChannelSession>,
    /// When it was added.
    pub created_at: Micros,
    /// When it was paused. While it is paused, nothing is sent or read, and deliveries stay queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Micros>,
    /// Number of queued deliveries.
    pub waiting: i64,
    /// Number of deliveries that were rejected permanently.
    pub dead: i64,
    /// When it last accepted a delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Micros>,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When the next attempt is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Micros>,
    /// URL that accepts signed answers, if the kind has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incoming: Option<String>,
}

/// A session of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelSession {
    /// Id of the session.
    pub session: SessionId,
    /// Title of the session.
    pub title: String,
    /// True if a person chose the session. False if it only has a room, in a channel of every session.
    pub bound: bool,
    /// Address of the room in which it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A kind of channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelKind {
    /// Name in requests: `matrix`.
    pub name: String,
    /// Display name: `Matrix`.
    pub title: String,
    /// Description in one sentence.
    pub about: String,
    /// True if people can answer in it.
    pub answers: bool,
    /// The settings that the owner enters.
    pub fields: Vec<ChannelField>,
}

/// A setting of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelField {
    /// Its key in `settings`.
    pub name: String,
    /// Label of the input.
    pub label: String,
    /// Help text below the input, one sentence.
    pub help: String,
    /// True if it is a secret, which no reply has.
    pub secret: bool,
    /// True if a value is required.
    pub required: bool,
}

/// Path of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelPath {
    /// Id of the channel.
    pub channel: String,
}

/// Path of a session in a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelSessionPath {
    /// Id of the channel.
    pub channel: String,
    /// The session's id, the agent's own id, or a unique prefix of either.
    pub session: String,
}

/// A channel to add.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewChannel {
    /// The `name` of one of the `kinds`.
    pub kind: String,
    /// Display name, 1 to 200 characters; the kind's title if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Values by the names of the kind's fields.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Addresses of people in the channel, each with their name.
    #[serde(default)]
    pub people: BTreeMap<String, String>,
    /// Verbosity; `normal` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// True to show every session.
    #[serde(default)]
    pub every_session: bool,
    /// Sessions to show, from their next message on.
    #[serde(default)]
    pub sessions: Vec<String>,
}
impl Input for NewChannel {
    const EXAMPLE: &'static str = r#"{"kind": "webhook", "settings": {"url": "https://hooks.example.org/verbatim"}, "people": {"ada": "Ada"}, "every_session": true}"#;
}

/// The added channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelAdded {
    /// The channel.
    pub channel: Channel,
    /// The secret of its signatures, if one was generated. It can't be read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}
impl Reply for ChannelAdded {
    const STATUSES: &'static [u16] = &[201];
}

/// Changes to a channel. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EditChannel {
    /// New display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Settings to change; the others stay unchanged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Replaces the list of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<BTreeMap<String, String>>,
    /// Whether the channel gets reasoning and costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// True to show every session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_session: Option<bool>,
    /// True to pause it, false to resume it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// False restores a removed channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<bool>,
}
impl Input for EditChannel {
    const EXAMPLE: &'static str = r#"{"paused": true}"#;
}

/// A session to show in a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BindSession {
    /// The session's id, the agent's own id, or a unique prefix of either.
    pub session: String,
    /// The room: the `address` of one of `/v1/rooms`. If absent, the session's present room, or a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}
impl Input for BindSession {
    const EXAMPLE: &'static str = r#"{"session": "0198f2c4-6f0e-7d31-9a55-3c2b1d4e5f60"}"#;
}

/// Filter of the deliveries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeliveriesQuery {
    /// Only deliveries in this state; if absent, all that have a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<DeliveryState>,
    /// Limit, 1 to 500; 50 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for DeliveriesQuery {}

/// Deliveries of a channel, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deliveries {
    /// The deliveries.
    pub deliveries: Vec<ChannelDelivery>,
}
impl Reply for Deliveries {}

/// One message as it is sent to one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelDelivery {
    /// Id of the session.
    pub session: SessionId,
    /// `seq` of the message.
    pub seq: i64,
    /// State of the delivery.
    pub state: DeliveryState,
    /// The text that is sent. Absent until the first attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of failed attempts.
    pub attempts: i64,
    /// When the next attempt is made. Only of a queued delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Micros>,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When the message was queued.
    pub queued_at: Micros,
    /// When it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Micros>,
}

/// The deliveries of one message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageDeliveries {
    /// One for each channel that shows the message. Completed deliveries are kept for 30 days.
    pub deliveries: Vec<MessageDelivery>,
}
impl Reply for MessageDeliveries {}

/// The delivery of a message to one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageDelivery {
    /// Id of the channel.
    pub channel: String,
    /// Name of the channel.
    pub name: String,
    /// Its delivery.
    pub delivery: ChannelDelivery,
}

/// An action on a channel's deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SettleDeliveries {
    /// The action.
    pub action: DeliveryAction,
}
impl Input for SettleDeliveries {
    const EXAMPLE: &'static str = r#"{"action": "retry"}"#;
}

/// Number of deliveries that the action changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeliveriesSettled {
    /// The number.
    pub deliveries: u64,
}
impl Reply for DeliveriesSettled {}

/// A message that arrives by a signed webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChannelPost {
    /// Id of the session.
    pub session: String,
    /// The sender's address, as in the channel's `people`.
    pub sender: String,
    /// The message. To answer an approval: the number of an option, `approve`, `deny`, or free text where it is
    /// accepted.
    pub text: String,
    /// Id of the message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// Result of an incoming message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelPosted {
    /// `seq` of the stored message, or of the decided approval.
    pub seq: i64,
    /// True if it decided an approval.
    pub decided: bool,
    /// True if a request with the same `webhook-id` was processed before.
    pub replayed: bool,
}
impl Reply for ChannelPosted {}
