//! Channels: places besides the page where sessions are shown and answered, and what is sent there.

use crate::endpoint::{Input, Reply};
use model::policy::Verbosity;
use model::{Micros, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

model::words! {
    /// How far a delivery got.
    DeliveryState {
        /// It is sent as soon as those before it are, and after pauses where the channel doesn't take it.
        Pending = "pending",
        /// The channel took it.
        Sent = "sent",
        /// The channel refused it for good, and the next ones went on. A person sends it again, or gives it up.
        Dead = "dead",
        /// A person gave it up.
        Cleared = "cleared",
    }
    /// What to do with deliveries.
    DeliveryAction {
        /// Send what waits for its next attempt now.
        Now = "now",
        /// Send what was refused again, in its old order.
        Retry = "retry",
        /// Give up what was refused.
        Clear = "clear",
    }
}

/// The channels, and the kinds that can be added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Channels {
    /// In the order in which they were added; without those that were removed.
    pub channels: Vec<Channel>,
    /// What can be added.
    pub kinds: Vec<ChannelKind>,
}
impl Reply for Channels {}

/// A channel, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Channel {
    /// Names it.
    pub id: String,
    /// What it is: `matrix`, `slack`.
    pub kind: String,
    /// For people.
    pub name: String,
    /// What the owner set, without secrets.
    pub settings: BTreeMap<String, String>,
    /// Addresses of people in the channel, each with the name by which they speak here. Others are refused.
    pub people: BTreeMap<String, String>,
    /// Whether it gets reasoning and costs.
    pub verbosity: Verbosity,
    /// It shows every session that goes on after it was added, but for those of sub-agents.
    pub every_session: bool,
    /// The sessions that it shows, or has a place for.
    pub sessions: Vec<ChannelSession>,
    /// When it was added.
    pub created_at: Micros,
    /// Nothing is sent or read since then. What is to be sent waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Micros>,
    /// Deliveries that wait.
    pub waiting: i64,
    /// Deliveries that were refused for good.
    pub dead: i64,
    /// When it took something last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Micros>,
    /// Why it didn't take what waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Micros>,
    /// Where signed answers are posted to, of a kind that takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incoming: Option<String>,
}

/// A session of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelSession {
    /// Its id.
    pub session: SessionId,
    /// Its title.
    pub title: String,
    /// A person chose it. Otherwise it has a place only, in a channel of every session.
    pub bound: bool,
    /// Where in the channel it is shown: a room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A kind of channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelKind {
    /// Names it: `matrix`.
    pub name: String,
    /// For people: `Matrix`.
    pub title: String,
    /// What it does, in a sentence.
    pub about: String,
    /// Whether people can answer there.
    pub answers: bool,
    /// What the owner sets.
    pub fields: Vec<ChannelField>,
}

/// A setting of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelField {
    /// Its key in `settings`.
    pub name: String,
    /// What stands before the input.
    pub label: String,
    /// A sentence below it.
    pub help: String,
    /// It is never shown again.
    pub secret: bool,
    /// It can't be absent.
    pub required: bool,
}

/// Names a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelPath {
    /// Its id.
    pub channel: String,
}

/// Names a session of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelSessionPath {
    /// The channel's id.
    pub channel: String,
    /// The session's id, the agent's own id, or a unique prefix of either.
    pub session: String,
}

/// A channel to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewChannel {
    /// What it is: the `name` of one of the `kinds`.
    pub kind: String,
    /// For people; 1 to 200 characters. The kind's title, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// By the names of the kind's fields.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Addresses of people in the channel, each with a name.
    #[serde(default)]
    pub people: BTreeMap<String, String>,
    /// `normal`, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// Whether it shows every session.
    #[serde(default)]
    pub every_session: bool,
    /// The sessions that it shows, from their next message on.
    #[serde(default)]
    pub sessions: Vec<String>,
}
impl Input for NewChannel {
    const EXAMPLE: &'static str = r#"{"kind": "webhook", "settings": {"url": "https://hooks.example.org/verbatim"}, "people": {"ada": "Ada"}, "every_session": true}"#;
}

/// A channel that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelAdded {
    /// The channel.
    pub channel: Channel,
    /// The secret of its signatures, where one was made. It can't be read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}
impl Reply for ChannelAdded {
    const STATUSES: &'static [u16] = &[201];
}

/// What changes of a channel. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EditChannel {
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Settings that change; the others stay.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// All people from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<BTreeMap<String, String>>,
    /// Whether it gets reasoning and costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// Whether it shows every session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_session: Option<bool>,
    /// Whether it is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// False takes a removal back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<bool>,
}
impl Input for EditChannel {
    const EXAMPLE: &'static str = r#"{"paused": true}"#;
}

/// A session that a channel is to show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BindSession {
    /// Its id, the agent's own id, or a unique prefix of either.
    pub session: String,
    /// Where in the channel: the `address` of one of `/v1/rooms`. The place that it has or is given there, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}
impl Input for BindSession {
    const EXAMPLE: &'static str = r#"{"session": "0198f2c4-6f0e-7d31-9a55-3c2b1d4e5f60"}"#;
}

/// Which deliveries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeliveriesQuery {
    /// All that have something to say, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<DeliveryState>,
    /// 1 to 500; 50 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for DeliveriesQuery {}

/// Deliveries of a channel, the latest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deliveries {
    /// The deliveries.
    pub deliveries: Vec<ChannelDelivery>,
}
impl Reply for Deliveries {}

/// What a channel is told of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelDelivery {
    /// The session.
    pub session: SessionId,
    /// The message's position in it.
    pub seq: i64,
    /// How far it got.
    pub state: DeliveryState,
    /// What it says there. Absent until it is being sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How often the sending failed.
    pub attempts: i64,
    /// Of one that waits: when it is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Micros>,
    /// Why it wasn't taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When the message came.
    pub queued_at: Micros,
    /// When it was taken last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Micros>,
}

/// What channels are told of one message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageDeliveries {
    /// One for each channel that shows the message. Deliveries that ended are kept for 30 days.
    pub deliveries: Vec<MessageDelivery>,
}
impl Reply for MessageDeliveries {}

/// What one channel is told of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageDelivery {
    /// Id of the channel.
    pub channel: String,
    /// Its name.
    pub name: String,
    /// How far it got.
    pub delivery: ChannelDelivery,
}

/// What to do with a channel's deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SettleDeliveries {
    /// What to do.
    pub action: DeliveryAction,
}
impl Input for SettleDeliveries {
    const EXAMPLE: &'static str = r#"{"action": "retry"}"#;
}

/// How many deliveries it concerned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeliveriesSettled {
    /// The number.
    pub deliveries: u64,
}
impl Reply for DeliveriesSettled {}

/// What somebody writes by a signed webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChannelPost {
    /// The session's id.
    pub session: String,
    /// The writer's address, as the channel's people have it.
    pub sender: String,
    /// What they wrote. Of an answer to an approval: the number of an option, `approve`, `deny`, or words where it takes any.
    pub text: String,
    /// The id of the message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelPosted {
    /// The position of the message that was stored, or of the approval that was decided.
    pub seq: i64,
    /// It decided an approval.
    pub decided: bool,
    /// It was taken before, under the same `webhook-id`.
    pub replayed: bool,
}
impl Reply for ChannelPosted {}
