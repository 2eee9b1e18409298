//! Links by which somebody without a log-in reads a part of a session.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// A link to create. It shows the messages as they are now: later messages, and later changes of a message, aren't shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewShare {
    /// Session id, as in paths.
    pub session: String,
    /// First `seq`; 1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// Last `seq`; the last message if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// False to show secrets, files and pictures too; true if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<bool>,
    /// Days until the link expires, 1 to 365; 7 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 365)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<i64>,
    /// A note for the list of links, such as for whom it is. Readers of the link don't see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
impl Input for NewShare {
    const EXAMPLE: &'static str = r#"{"session": "s1", "days": 7, "label": "For the review"}"#;
    const REFUSALS: &'static [u16] = &[404, 409];
}

/// A new link, which no other reply has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShareMade {
    /// The link. It can't be read again.
    pub url: String,
    /// The link without its secret.
    pub share: Share,
}
impl Reply for ShareMade {
    const STATUSES: &'static [u16] = &[201];
}

/// A link without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// Id of the link. It is no secret.
    pub id: String,
    /// Id of the session.
    pub session: String,
    /// Title of the session. Absent if the session was deleted: the link doesn't open then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// First `seq`.
    pub from: i64,
    /// Last `seq`.
    pub to: i64,
    /// True if secrets are masked, and files and pictures left out.
    pub redacted: bool,
    /// Note of who created it; empty if there is none.
    pub label: String,
    /// Who shared it, as the page says.
    pub shared_by: String,
    /// When it was created.
    pub created_at: Micros,
    /// When it expires.
    pub expires_at: Micros,
    /// When it was revoked. Null if it wasn't.
    pub revoked_at: Option<Micros>,
    /// How often it was opened.
    pub opened: i64,
    /// When it was last opened. Null if it never was.
    pub last_opened_at: Option<Micros>,
}

impl Share {
    /// Returns true if the link opens at this time.
    pub fn is_open(&self, now: Micros) -> bool {
        self.revoked_at.is_none() && self.expires_at > now && self.session_title.is_some()
    }
}

/// Links, newest first. Those that ended are listed for 90 days more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shares {
    /// All links, including revoked and expired ones.
    pub shares: Vec<Share>,
}
impl Reply for Shares {}

/// Path of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharePath {
    /// Id of the link, as `GET /v1/shares` lists it.
    pub share: String,
}
