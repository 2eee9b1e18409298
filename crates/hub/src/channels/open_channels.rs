//! Channels that are open, and what is stored of one.

use crate::context::{Hub, TopicState};
use crate::writing::posting;
use ::channels::{Channel, Http, Kind, SettingError, Settings};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use store::ChannelRow;
use tokio::sync::watch;

/// State that all channels share.
pub struct OpenChannels {
    /// Made at the first channel: reading the system's certificates takes a while. None where no client can be made.
    http: OnceLock<Option<Http>>,
    /// Names of hosts that are reached wherever they are.
    hosts: Vec<String>,
    /// Names this server where several serve one database.
    pub lease: String,
    /// Counts changes of channels.
    pub changed: watch::Sender<u64>,
}

/// A channel that is open.
pub struct Open {
    pub kind: &'static Kind,
    pub channel: Box<dyn Channel>,
}

impl Default for OpenChannels {
    fn default() -> Self {
        let (http, lease) = (OnceLock::new(), posting::new_id().to_string());
        Self { http, hosts: Vec::new(), lease, changed: watch::Sender::new(0) }
    }
}

impl TopicState for OpenChannels {
    fn new(hub: &Hub) -> Self {
        Self { hosts: hub.settings.channel_hosts.clone(), ..Self::default() }
    }
}

impl OpenChannels {
    /// Returns the client for requests to other machines. None where none can be made.
    pub fn http(&self) -> Option<&Http> {
        let make = || {
            let made = Http::new(self.hosts.iter().cloned());
            made.inspect_err(|error| tracing::error!(%error, "channels can't be used")).ok()
        };
        self.http.get_or_init(make).as_ref()
    }

    /// Opens a channel.
    ///
    /// # Errors
    ///
    /// The setting that can't be used.
    pub fn open(&self, kind: &str, settings: &Settings) -> Result<Open, SettingError> {
        let wrong = |field, expected: &str| SettingError { field, expected: expected.to_owned() };
        let kind = channels::kind(kind).ok_or_else(|| wrong("kind", "a kind that this version knows"))?;
        let http = self
            .http()
            .ok_or_else(|| wrong("kind", "used where requests can be made; the server's log says why not"))?;
        Ok(Open { kind, channel: (kind.open)(settings, http)? })
    }

    /// Has the workers look at all channels again.
    pub fn ring(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
}

/// The settings of a channel.
pub fn settings(row: &ChannelRow) -> Settings {
    serde_json::from_str(&row.settings).unwrap_or_default()
}

/// The people of a channel: their addresses, each with a name.
pub fn people(row: &ChannelRow) -> BTreeMap<String, String> {
    serde_json::from_str(&row.people).unwrap_or_default()
}
