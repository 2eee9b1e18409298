//! Notifications that browsers show while no page is open (Web Push): requests that wait, turns that failed or are over.
//!
//! - `worker`: looks at what is open after each commit, and at what its browsers show already. `plan`: what to do about
//!   the difference. `turns`: sessions whose turn ended. `text`: what the browser's worker gets. `quiet`: quiet hours.
//!
//! What a browser shows stands in rows, so that a request is told once, whichever server sees it, and is closed on all
//! browsers when it is decided. Nothing is decided by a notification: its click opens the card.

pub mod endpoints;
mod plan;
mod quiet;
mod text;
mod turns;
mod worker;

pub(crate) use endpoints::*;

pub use worker::run;

use crate::basics::{clock, problem};
use crate::channels::open_channels::OpenChannels;
use crate::context::{Hub, TopicState};
use crate::push::text::PushText;
use ::channels::{Failure, Http, MOST_PUSH_BYTES, PushAddress, PushKey, PushMessage};
use api::Problem;
use api::push::PushSettings;
use model::Micros;
use store::PushDevice;
use tokio::sync::{OnceCell, watch};

/// The name of the value that has the server's key.
const KEY: &str = "push_key";
/// Seconds for which a push service tries to reach a browser.
const LIFE: u32 = 24 * 3600;
/// Where a push service finds who sends, if the server has no public URL.
const NOBODY: &str = "mailto:owner@localhost";

/// State of all browsers.
#[derive(Default)]
pub struct Push {
    /// Read, or made, when it is first needed.
    key: OnceCell<PushKey>,
    /// Counts changes of browsers.
    changed: watch::Sender<u64>,
}

impl TopicState for Push {}

impl Push {
    /// Has the worker look again.
    fn ring(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
}

/// Returns the server's key. Servers on one database share it.
async fn key(hub: &Hub) -> Result<&PushKey, Problem> {
    let make = async || {
        let workspace = &hub.workspace;
        let read = async || workspace.meta(KEY).await.map_err(problem);
        let mut stored = read().await?;
        if stored.is_none() {
            let made = PushKey::make().map_err(|_| Problem::internal())?;
            // Another server on the database may be first.
            let keep = |stored: Option<String>| (stored.is_none().then_some(made), None);
            workspace.change_meta(KEY, clock::now(), keep).await.map_err(problem)?;
            stored = read().await?;
        }
        stored.as_deref().and_then(PushKey::read).ok_or_else(|| {
            tracing::error!("the stored key for notifications can't be read");
            Problem::internal()
        })
    };
    hub.state::<Push>().key.get_or_try_init(make).await
}

/// Returns the client for requests to push services, which follows the rules of channels.
fn http(hub: &Hub) -> Result<&Http, Problem> {
    hub.state::<OpenChannels>().http().ok_or_else(Problem::internal)
}

/// Returns the settings of a browser. What another version wrote and we can't read is as if nothing was set.
fn settings(device: &PushDevice) -> PushSettings {
    serde_json::from_str(&device.settings).unwrap_or_default()
}

/// Sends a message to a browser.
async fn send(hub: &Hub, device: &PushDevice, text: &PushText, is_urgent: bool) -> Result<(), Failure> {
    let body = serde_json::to_string(text).map_err(|error| Failure::never(error.to_string()))?;
    if body.len() > MOST_PUSH_BYTES {
        return Err(Failure::never("the message is too long"));
    }
    let unusable = |problem: Problem| Failure::later(problem.title);
    let (key, http) = (key(hub).await.map_err(unusable)?, http(hub).map_err(unusable)?);
    let address = PushAddress::read(http, &device.endpoint, &device.receiver, &device.secret)
        .map_err(|error| Failure::never(error.to_string()))?;
    let subject = if hub.settings.is_public() { &hub.settings.base_url } else { NOBODY };
    let message = PushMessage { body: &body, topic: &text.tag, is_urgent, seconds: LIFE };
    address.send(http, key, subject, clock::now().0 / Micros::SECOND, message).await
}

/// Returns true if the browser takes no messages any more.
fn is_gone(failure: &Failure) -> bool {
    matches!(failure, Failure::Never { status: Some(404 | 410), .. })
}
