//! Channels: places besides the page where sessions are shown and answered.
//!
//! - `deliver`: sends the waiting messages, each channel by a task of its own, in its order. `outgoing`: the text of a
//!   message in a channel.
//! - `listen`: reads people's messages and reactions from channels that are polled. `incoming`: acts on them. `answer`:
//!   the meaning of words and signs for an approval.
//!
//! Messages to send are rows that the store writes together with the messages of the session. A row is begun before it
//! is
//! sent: its body is stored, and the same body goes out under the same key until the channel took it, whatever happens
//! to this server in between. The protocols are in the crate `channels`.

mod answer;
mod deliver;
pub mod endpoints;
pub mod incoming;
mod listen;
pub mod open_channels;
mod outgoing;

pub(crate) use endpoints::*;

use crate::channels::open_channels::{Open, OpenChannels, settings};
use crate::context::Hub;
use ::channels::SettingError;
use model::Micros;
use std::collections::HashMap;
use std::time::Duration;
use store::{ChannelRow, StoreError};
use tokio::task::JoinHandle;

/// How often workers look at what may have changed without a sign: another server on the same database, or its end.
const LOOK: Duration = Duration::from_secs(30);
/// How long a channel is left to the server that sends for it, where several serve one database.
const LEASE: i64 = 60 * Micros::SECOND;

/// Sends and reads until the hub shuts down: each channel in a task of its own, so that one that is slow or fails
/// delays no other. What is under way then is sent again at the next start.
pub async fn run(hub: Hub) {
    let mut changed = hub.state::<OpenChannels>().changed.subscribe();
    let mut tasks: HashMap<String, AbortOnDrop> = HashMap::new();
    while !hub.shutdown.is_cancelled() {
        changed.borrow_and_update();
        match hub.workspace.channels().await {
            Ok(rows) => {
                tasks.retain(|_, task| !task.0.is_finished());
                for row in rows.into_iter().filter(|row| row.removed_at.is_none()) {
                    tasks.entry(row.id.clone()).or_insert_with(|| AbortOnDrop(tokio::spawn(work(hub.clone(), row.id))));
                }
            }
            Err(error) => tracing::warn!(%error, "the channels can't be read"),
        }
        tokio::select! {
            () = hub.shutdown.cancelled() => {}
            _ = changed.changed() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// A task that ends with what holds it.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends and reads for one channel until it is removed.
async fn work(hub: Hub, id: String) {
    tokio::select! {
        ((), ()) = async { tokio::join!(deliver::run(&hub, &id), listen::run(&hub, &id)) } => {}
        () = hub.shutdown.cancelled() => {}
    }
}

/// The channel as it is stored. None once it is removed.
async fn load(hub: &Hub, id: &str) -> Result<Option<ChannelRow>, StoreError> {
    let rows = hub.workspace.channels().await?;
    Ok(rows.into_iter().find(|row| row.id == id && row.removed_at.is_none()))
}

/// A channel that stays open for as long as its settings are the same.
#[derive(Default)]
struct Kept(Option<(String, Open)>);

impl Kept {
    fn open(&mut self, hub: &Hub, row: &ChannelRow) -> Result<&Open, SettingError> {
        if self.0.as_ref().is_none_or(|(known, _)| *known != row.settings) {
            let open = hub.state::<OpenChannels>().open(&row.kind, &settings(row))?;
            return Ok(&self.0.insert((row.settings.clone(), open)).1);
        }
        self.0.as_ref().map(|(_, open)| open).ok_or(SettingError { field: "kind", expected: String::new() })
    }
}
