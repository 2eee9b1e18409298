//! Notifications that a browser shows while no page is open.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// Notifications of the caller's browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Push {
    /// Public key of the server, in Base64 for URLs: the `applicationServerKey` of a subscription.
    pub key: String,
    /// The browser of this request. Absent if it takes no notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<PushDevice>,
}
impl Reply for Push {}

/// A browser that takes notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PushDevice {
    /// Name of its push service: `fcm.googleapis.com`.
    pub service: String,
    /// When it began to take notifications.
    pub created_at: Micros,
    /// Why the push service refused the last message. Absent if it took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it is told, and when.
    pub settings: PushSettings,
}

/// What a browser is told, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "independent choices of a person")]
pub struct PushSettings {
    /// True for requests that wait for a person.
    pub needs_you: bool,
    /// True for turns that fail.
    pub failed: bool,
    /// True for turns that are over.
    pub finished: bool,
    /// True for messages in which another person mentions this one: `@Ines`.
    pub mentions: bool,
    /// True to show what a request is about, beside the names of session and project.
    pub details: bool,
    /// Begin of the quiet hours: `22:00`. Empty: there are none.
    pub quiet_from: String,
    /// End of the quiet hours: `07:00`. Requests that still wait are told then.
    pub quiet_until: String,
    /// Time zone of the quiet hours: `Europe/Berlin`.
    pub zone: String,
}

impl Default for PushSettings {
    fn default() -> Self {
        Self {
            needs_you: true,
            failed: true,
            finished: false,
            mentions: true,
            details: false,
            quiet_from: String::new(),
            quiet_until: String::new(),
            zone: "UTC".to_owned(),
        }
    }
}

/// Subscribes the caller's browser, or changes what it is told. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditPush {
    /// Address at the push service, as `PushSubscription` has it; together with `p256dh` and `auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Public key of the subscription, in Base64 for URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p256dh: Option<String>,
    /// Secret of the subscription, in Base64 for URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<String>,
    /// True for requests that wait for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_you: Option<bool>,
    /// True for turns that fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// True for turns that are over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<bool>,
    /// True for messages in which another person mentions this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mentions: Option<bool>,
    /// True to show what a request is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<bool>,
    /// Begin of the quiet hours: `22:00`. Empty: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_from: Option<String>,
    /// End of the quiet hours: `07:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_until: Option<String>,
    /// Time zone of the quiet hours: `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}
impl Input for EditPush {
    const EXAMPLE: &'static str = r#"{"finished": true, "quiet_from": "22:00", "quiet_until": "07:00"}"#;
}
