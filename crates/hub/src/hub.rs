//! An open store with everything that runs on it.

use crate::answers::type_settings;
use crate::audit::Refusals;
use crate::caller_cache::CallerCache;
use crate::clock;
use crate::compute::Compute;
use crate::doorbell;
use crate::driving::Driving;
use crate::edit_cache::EditCache;
use crate::feed::Feed;
use crate::hooks::{self, Held};
use crate::import::Jobs;
use crate::import::claims::Claims;
use crate::login::Logins;
use crate::memory::{Embedder, MemoryIndex};
use crate::message_waiters::MessageWaiters;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::open_channels::Channels;
use crate::pace::Pace;
use crate::pricing::Spent;
use crate::quotas::Quotas;
use crate::requests::{Requests, withdraw_for_keys};
use crate::routing;
use crate::types::DeclaredTypes;
use crate::writer::Writer;
use cost::Prices;
use drivers::environment::Environment;
use model::audit::Actor;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use store::{Store, Workspace};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// How the hub was set up.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Folders in which agents keep their projects, and whether naming them was consent.
    pub roots: Vec<Root>,
    /// The environment of agents that are started here: what is the server's own isn't part of it.
    pub agents: Environment,
    /// Where transcripts of agents that write none are kept. None keeps none: such agents can't be started.
    pub transcripts: Option<PathBuf>,
    /// This server's id, where several use one database: it is stored with the agents that it runs. None has the database alone.
    pub server: Option<String>,
    /// Names of hosts that channels reach wherever they are, and without TLS.
    pub channel_hosts: Vec<String>,
    /// Where the server listens: `http://127.0.0.1:7117`. Empty without a server.
    pub base_url: String,
    pub version: String,
    /// Prices of models of one's own. They replace those that come with the program.
    pub prices: Prices,
    /// Routing where neither the session nor the workspace sets it.
    pub routing: model::routing::Settings,
    /// Makes vectors of what is remembered. Without it memories are found by words.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// A folder in which an agent keeps files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    pub path: PathBuf,
    pub consent: Consent,
    /// The agent's name in the store.
    pub agent: &'static str,
    /// What kind of folder it is.
    pub folder: agents::Folder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Whatever is found is read, wherever links lead.
    All,
    /// The owner named the folder. What links in it lead to elsewhere waits for a click.
    Given,
    /// The folder was found: each project waits for a click.
    Asked,
}

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

pub struct Inner {
    pub store: Store,
    pub workspace: Workspace,
    pub settings: Settings,
    pub feed: Feed,
    pub jobs: Jobs,
    pub claims: Claims,
    /// Asks for a look at all followed files, as when another folder is to be read.
    pub look_again: Notify,
    /// Folders that the system can't watch for us: what changes below is found by looking.
    pub polled: RwLock<Vec<PathBuf>>,
    pub logins: Logins,
    pub refusals: Refusals,
    pub caller_cache: CallerCache,
    pub edit_cache: EditCache,
    pub held: Held,
    pub requests: Requests,
    pub writer: Writer,
    pub pace: Pace,
    pub compute: Compute,
    pub driving: Driving,
    pub channels: Channels,
    pub metrics: Metrics,
    pub quotas: Arc<Quotas>,
    pub types: DeclaredTypes,
    pub type_settings: type_settings::Held,
    pub routing: routing::Held,
    pub rooms: routing::Rooms,
    pub memory: MemoryIndex,
    pub notices: Notices,
    /// A schedule was changed: its time may be sooner.
    pub scheduled: Notify,
    pub prices: Prices,
    pub spent: Spent,
    /// Counts what was revoked: streams look whether it was theirs.
    pub revoked: watch::Sender<u64>,
    /// Every stream, long poll and worker ends with it.
    pub shutdown: CancellationToken,
}

impl Hub {
    /// The default workspace of `store`.
    pub async fn new(store: Store, settings: Settings, shutdown: CancellationToken) -> Result<Self, store::StoreError> {
        let workspace = store.workspace("default");
        let feed = Feed::new(workspace.feed_pos().await?);
        let logins = Logins::default();
        let metrics = Metrics::default();
        let messages = MessageWaiters::default();
        let (condition, counted) = (store.condition(), metrics.clone());
        let writer =
            Writer::start(workspace.clone(), feed.clone(), condition, counted, messages.clone(), shutdown.clone());
        spawn_until(&shutdown, messages.clone().follow(feed.clone()));
        let requests = Requests::new(workspace.clone(), writer.clone(), messages);
        let revoked = watch::Sender::new(0);
        spawn_until(&shutdown, withdraw_for_keys(requests.clone(), revoked.subscribe()));
        spawn_until(&shutdown, feed.clone().pump(workspace.clone()));
        let kept = store.clone();
        spawn_until(&shutdown, async move { kept.keep_up().await });
        let quotas = Arc::new(Quotas::default());
        let (ends, counted, of) = (shutdown.clone(), Arc::clone(&quotas), workspace.clone());
        tokio::spawn(async move { counted.keep(&of, &ends).await });
        let type_settings = type_settings::Held::default();
        type_settings.load(&workspace).await?;
        let routing = routing::Held::new(settings.routing.clone());
        routing.load(&workspace).await?;
        if let Store::Postgres(_) = store {
            spawn_until(&shutdown, type_settings.clone().follow(workspace.clone()));
            spawn_until(&shutdown, routing.clone().follow(workspace.clone()));
            let tell = doorbell::tell(feed.clone(), workspace.clone());
            let hear = doorbell::hear(feed.clone(), writer.waiters().clone(), workspace.clone(), revoked.clone());
            spawn_until(&shutdown, async { tokio::join!(tell, hear) });
        }
        let prices = Prices::built_in().with(settings.prices.clone());
        let channels = Channels::new(&settings.channel_hosts);
        let hub = Self(Arc::new(Inner {
            store,
            workspace,
            settings,
            feed,
            jobs: Jobs::default(),
            claims: Claims::default(),
            look_again: Notify::new(),
            polled: RwLock::default(),
            logins,
            refusals: Refusals::default(),
            caller_cache: CallerCache::default(),
            edit_cache: EditCache::default(),
            held: Held::default(),
            requests,
            writer,
            pace: Pace::default(),
            compute: Compute::new(shutdown.clone()),
            driving: Driving::default(),
            channels,
            metrics,
            quotas,
            types: DeclaredTypes::default(),
            type_settings,
            routing,
            rooms: routing::Rooms::default(),
            memory: MemoryIndex::default(),
            notices: Notices::default(),
            scheduled: Notify::new(),
            prices,
            spent: Spent::default(),
            revoked,
            shutdown,
        }));
        hooks::close_left(&hub).await;
        Ok(hub)
    }

    /// The workspace, with the server itself as the one who changes it.
    pub(crate) fn signed(&self) -> Workspace {
        self.workspace.signed(Actor::Verbatim, clock::now())
    }
}

/// Spawns a worker that ends with the hub. The end is looked for first: whoever cancels `shutdown` may close the store next,
/// and a worker that saw a closed store would log that as a fault.
fn spawn_until(shutdown: &CancellationToken, work: impl Future<Output: Send> + Send + 'static) {
    let shutdown = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {}
            _ = work => {}
        }
    });
}

impl std::ops::Deref for Hub {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}
