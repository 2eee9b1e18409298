//! State that all topics share: the open store, its writer and feed, and the topics' own state. Independent of topics.

pub mod caller_cache;
pub mod compute;
pub mod doorbell;
pub mod embedder;
pub mod feed;
pub mod message_waiters;
pub mod metrics;
pub mod pages;
pub mod preferences;
pub mod quotas;
pub mod request_span;
pub mod retry;
pub mod scoped;
pub mod writer;

pub use scoped::Scoped;

use crate::basics::clock;
use crate::context::caller_cache::CallerCache;
use crate::context::compute::Compute;
use crate::context::embedder::Embedder;
use crate::context::feed::Feed;
use crate::context::message_waiters::MessageWaiters;
use crate::context::metrics::Metrics;
use crate::context::quotas::Quotas;
use crate::context::writer::Writer;
use cost::Prices;
use drivers::environment::Environment;
use model::audit::Actor;
use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use store::{Store, StoreError, Workspace};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// How the hub was set up.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Folders in which agents keep their projects, and whether naming them was consent.
    pub roots: Vec<Root>,
    /// Folders with files of agents that no reader reads: they are counted.
    pub unread: Vec<AgentFolder>,
    /// The environment of agents that are started here: what is the server's own isn't part of it.
    pub agents: Environment,
    /// Where transcripts of agents that write none are kept. None keeps none: such agents can't be started.
    pub transcripts: Option<PathBuf>,
    /// Where files of other machines are kept, by its real path. None keeps none.
    pub machines: Option<PathBuf>,
    /// This server's id, where several use one database: it is stored with the agents that it runs. None has the
    /// database alone.
    pub server: Option<String>,
    /// Names of hosts that channels reach wherever they are, and without TLS.
    pub channel_hosts: Vec<String>,
    /// The public URL, or where the server listens: `http://127.0.0.1:7117`. Empty without a server.
    pub base_url: String,
    /// Viewers export sessions byte for byte, too.
    pub viewers_export: bool,
    /// What people call the provider of single sign-on, if there is one.
    pub provider: Option<String>,
    pub version: String,
    /// Prices of models of one's own. They replace those that come with the program.
    pub prices: Prices,
    /// Routing where neither the session nor the workspace sets it.
    pub routing: model::routing::Settings,
    /// Makes vectors of what is remembered. Without it memories are found by words.
    pub embedder: Option<Arc<dyn Embedder>>,
}

impl Settings {
    /// Returns true if other devices reach the server.
    pub fn is_public(&self) -> bool {
        self.base_url.starts_with("https://")
    }
}

/// A folder of an agent on this machine, whether or not it exists yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFolder {
    pub agent: &'static agents::Agent,
    pub folder: agents::Folder,
    pub path: PathBuf,
}

/// A folder in which an agent keeps files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    pub path: PathBuf,
    pub consent: Consent,
    /// The agent's name in the store.
    pub agent: &'static str,
    /// Kind of the folder.
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
    /// The server keeps files of other machines there, which their owners sent: a folder for each machine. They are read.
    Machines,
}

/// State that one topic keeps while the hub is open: made when it is first asked for, and shared by all clones of the
/// hub.
pub trait TopicState: Default + Send + Sync + 'static {
    /// Empty, unless how the hub was set up says more.
    fn new(_: &Hub) -> Self {
        Self::default()
    }
}

/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

pub struct Inner {
    pub store: Store,
    pub workspace: Workspace,
    pub settings: Settings,
    pub feed: Feed,
    pub writer: Writer,
    pub(crate) message_waiters: MessageWaiters,
    pub compute: Compute,
    pub metrics: Metrics,
    pub quotas: Arc<Quotas>,
    pub caller_cache: CallerCache,
    pub prices: Prices,
    /// Counts what was revoked: streams look whether it was theirs.
    pub revoked: watch::Sender<u64>,
    /// Every stream, long poll and worker ends with it.
    pub shutdown: CancellationToken,
    tasks: TaskTracker,
    states: OnceLock<Box<Kept>>,
}

/// The states of topics, in the order in which they were first asked for: a list that only grows, so that none of them
/// moves.
struct Kept {
    state: Box<dyn Any + Send + Sync>,
    next: OnceLock<Box<Self>>,
}

impl Hub {
    /// Opens the default workspace of `store`. What it says is stale until its workers run.
    pub(crate) async fn open(
        store: Store,
        settings: Settings,
        shutdown: CancellationToken,
    ) -> Result<Self, StoreError> {
        let workspace = store.workspace("default");
        let feed = Feed::new(workspace.feed_pos().await?);
        let metrics = Metrics::default();
        let waiters = MessageWaiters::default();
        let (condition, counted) = (store.condition(), metrics.clone());
        let writer =
            Writer::start(workspace.clone(), feed.clone(), condition, counted, waiters.clone(), shutdown.clone());
        let prices = Prices::built_in().with(settings.prices.clone());
        Ok(Self(Arc::new(Inner {
            store,
            workspace,
            settings,
            feed,
            writer,
            message_waiters: waiters,
            compute: Compute::new(shutdown.clone()),
            metrics,
            quotas: Arc::default(),
            caller_cache: CallerCache::default(),
            prices,
            revoked: watch::Sender::new(0),
            shutdown,
            tasks: TaskTracker::new(),
            states: OnceLock::new(),
        })))
    }

    /// Returns the state of a topic. What makes it asks for no other one.
    pub fn state<T: TopicState>(&self) -> &T {
        let mut next = &self.states;
        loop {
            let found = next.get_or_init(|| Box::new(Kept { state: Box::new(T::new(self)), next: OnceLock::new() }));
            if let Some(state) = found.state.downcast_ref() {
                return state;
            }
            next = &found.next;
        }
    }

    /// The workspace, with the server itself as the one who changes it.
    pub(crate) fn signed(&self) -> Workspace {
        self.workspace.signed(Actor::Verbatim, clock::now())
    }

    /// Spawns a worker: a task with a name, for which [`Hub::join`] waits.
    pub(crate) fn spawn(&self, name: &'static str, work: impl Future<Output: Send> + Send + 'static) {
        let work = async move {
            work.await;
            tracing::debug!("worker ended");
        };
        self.tasks.spawn(work.instrument(tracing::debug_span!("worker", name)));
    }

    /// Spawns a worker that is dropped when the hub ends. The end is looked for first: whoever cancels `shutdown` may
    /// close the store next, and a worker that saw a closed store would log that as a fault.
    pub(crate) fn spawn_until_end(&self, name: &'static str, work: impl Future<Output: Send> + Send + 'static) {
        let shutdown = self.shutdown.clone();
        self.spawn(name, async move {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => {}
                _ = work => {}
            }
        });
    }

    /// Waits until all workers ended, which they do once `shutdown` is cancelled.
    pub async fn join(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl std::ops::Deref for Hub {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}
