//! Background work. [`Hub::new`] starts the hub's own tasks, [`Hub::spawn_workers`] those of a server.

use crate::context::{Hub, Settings, doorbell};
use crate::derived::reindex;
use crate::imports::follow;
use crate::requests::{Requests, withdraw_for_keys};
use crate::routing::RoutingTable;
use crate::settings::type_settings::CurrentTypeSettings;
use crate::upkeep::{condition, trash};
use crate::{channels, driving, hooks, memory, push, retention, schedules, watch};
use std::path::Path;
use std::time::Duration;
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

impl Hub {
    /// Opens the default workspace of `store`.
    pub async fn new(store: Store, settings: Settings, shutdown: CancellationToken) -> Result<Self, StoreError> {
        let hub = Self::open(store, settings, shutdown).await?;
        let (workspace, feed) = (hub.workspace.clone(), hub.feed.clone());
        hub.spawn_until_end("message waiters", hub.message_waiters.clone().follow(feed.clone()));
        hub.spawn_until_end("requests of ended keys", withdraw_for_keys(Requests::of(&hub), hub.revoked.subscribe()));
        hub.spawn_until_end("feed", feed.clone().pump(workspace.clone()));
        let store = hub.store.clone();
        hub.spawn_until_end("store", async move { store.keep_up().await });
        let (quotas, used, shutdown) = (hub.quotas.clone(), workspace.clone(), hub.shutdown.clone());
        hub.spawn("quotas", async move { quotas.keep(&used, &shutdown).await });
        let (types, routing) = (hub.state::<CurrentTypeSettings>(), hub.state::<RoutingTable>());
        types.load(&workspace).await?;
        routing.load(&workspace).await?;
        if let Store::Postgres(_) = hub.store {
            hub.spawn_until_end("settings of types", types.clone().follow(workspace.clone()));
            hub.spawn_until_end("routing", routing.clone().follow(workspace.clone()));
            hub.spawn_until_end("bell to other servers", doorbell::tell(feed.clone(), workspace.clone()));
            let waiters = hub.writer.waiters().clone();
            hub.spawn_until_end("bell of other servers", doorbell::hear(feed, waiters, workspace, hub.revoked.clone()));
        }
        hooks::close_left(&hub).await;
        Ok(hub)
    }

    /// Starts the work of a server with this data directory, until the hub ends. What is stored is checked once in each
    /// `check_every`.
    pub fn spawn_workers(&self, dir: &Path, check_every: Duration) {
        // It ends what it reads.
        self.spawn("follow", follow::follow(self.clone()));
        self.spawn_until_end("running agents", driving::look_for_agents(self.clone()));
        self.spawn_until_end("channels", channels::run(self.clone()));
        self.spawn_until_end("notifications", push::run(self.clone()));
        self.spawn_until_end("trash", trash::purge(self.clone()));
        self.spawn_until_end("retention", retention::work(self.clone()));
        self.spawn_until_end("reindex", reindex::renew(self.clone()));
        self.spawn_until_end("memory", memory::embed(self.clone()));
        self.spawn_until_end("check", condition::check(self.clone(), check_every));
        self.spawn_until_end("reserve", condition::keep_reserve(self.clone(), dir.to_owned()));
        self.spawn_until_end("schedules", schedules::work(self.clone()));
        self.spawn_until_end("watch", watch::watch(self.clone(), dir.to_owned()));
    }
}
