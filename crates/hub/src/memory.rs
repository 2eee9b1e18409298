//! Memory: what people said, found by words and by meaning.
//!
//! - [`Embedder`]: makes vectors of texts; the server has one that asks an endpoint.
//! - [`embed`]: gives each memory its vector, beside the writes. `vectors`: all vectors, searched exactly.
//! - [`MemoryIndex::recall`]: both rankings as one.

pub mod endpoints;
mod rank;
mod vectors;

pub(crate) use endpoints::*;

pub use vectors::{Vectors, normalised};

use crate::basics::clock;
use crate::context::embedder::Embedder;
use crate::context::{Hub, TopicState};
use model::sdk_format::model_text;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use store::{MemoryFilter, StoreError, Unembedded, Workspace};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Texts that are embedded by one request.
const BATCH: u32 = 32;
/// Bytes of a text that are embedded: its beginning says what it is about.
const BYTES: usize = 8 << 10;
/// Between two looks for new memories, at least.
const LOOK: Duration = Duration::from_secs(1);
/// And at most, where nothing is written: words that are renewed tell nobody.
const IDLE: Duration = Duration::from_secs(30);
/// After a request that failed; twice as long after each further one, up to the most.
const RETRY: Duration = Duration::from_secs(2);
const MOST_RETRY: Duration = Duration::from_mins(1);
/// A question waits so long for its vector.
const PATIENCE: Duration = Duration::from_secs(5);
/// After a failure, questions go without a vector for so long.
const REST: Duration = Duration::from_secs(10);
/// Memories of each ranking that are put together.
const RANKED: usize = 200;

/// The index of memories in memory.
#[derive(Default)]
pub struct MemoryIndex {
    vectors: Arc<RwLock<Vectors>>,
    /// Why the last request for vectors failed, and when.
    error: Mutex<Option<(String, Instant)>>,
    /// The model whose vectors are made: those of others are deleted.
    model: Mutex<Option<String>>,
    /// Rings when vectors are to be made now.
    wanted: Notify,
}

/// A memory that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The rid of its message.
    pub rid: i64,
    /// 0 to 1, for comparing within one answer.
    pub score: f64,
    /// It holds words of the query.
    pub by_words: bool,
    /// Its vector is near that of the query.
    pub by_meaning: bool,
}

impl TopicState for MemoryIndex {}

impl MemoryIndex {
    /// Returns why the last request for vectors failed; None if it didn't.
    pub fn error(&self) -> Option<String> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.as_ref().map(|(words, _)| words.clone())
    }

    /// Has vectors made at once, as after all of them were deleted.
    pub fn wake(&self) {
        self.wanted.notify_one();
    }

    /// Lets go of all vectors that are held, as after some were deleted: they are read again.
    pub fn drop_vectors(&self) {
        *self.vectors.write().unwrap_or_else(PoisonError::into_inner) = Vectors::default();
    }

    /// Finds memories by words, and by meaning where there is an endpoint and it answers. The best first. `all` is how
    /// many memories the filter leaves.
    pub async fn recall(
        &self,
        workspace: &Workspace,
        embedder: Option<&dyn Embedder>,
        text: &str,
        filter: &MemoryFilter,
        all: i64,
    ) -> Result<Vec<Found>, StoreError> {
        let by_words = workspace.memories_by_words(text, filter, all, RANKED).await?;
        let by_meaning = match embedder {
            Some(embedder) => self.near(workspace, embedder, text, filter).await?,
            None => Vec::new(),
        };
        Ok(rank::together(&by_words, &by_meaning))
    }

    async fn near(
        &self,
        workspace: &Workspace,
        embedder: &dyn Embedder,
        text: &str,
        filter: &MemoryFilter,
    ) -> Result<Vec<(i64, f32)>, StoreError> {
        self.refresh(workspace, embedder.model()).await?;
        let width = self.vectors.read().unwrap_or_else(PoisonError::into_inner).width();
        // One that failed a moment ago keeps nobody waiting.
        if width == 0 || self.has_just_failed() {
            return Ok(Vec::new());
        }
        let asked = tokio::time::timeout(PATIENCE, embedder.embed(vec![clip(text).to_owned()])).await;
        let vector = match asked.unwrap_or_else(|_| Err("the endpoint doesn't answer".to_owned())) {
            Ok(vectors) if vectors.iter().all(|vector| vector.len() == width) => {
                self.note(None);
                vectors.into_iter().next().and_then(normalised)
            }
            Ok(vectors) => {
                let has = vectors.first().map_or(0, Vec::len);
                self.note(Some(format!("its vectors have {has} numbers now, those of before {width}: make them anew")));
                None
            }
            Err(error) => {
                self.note(Some(error));
                None
            }
        };
        let Some(vector) = vector else { return Ok(Vec::new()) };
        let only = workspace.memory_sessions(filter).await?;
        let vectors = Arc::clone(&self.vectors);
        let search =
            move || vectors.read().unwrap_or_else(PoisonError::into_inner).nearest(&vector, only.as_ref(), RANKED);
        tokio::task::spawn_blocking(search).await.map_err(|error| StoreError::Io(std::io::Error::other(error)))
    }

    /// Reads what is new since the last look.
    async fn refresh(&self, workspace: &Workspace, model: &str) -> Result<(), StoreError> {
        loop {
            let after = {
                let mut vectors = self.vectors.write().unwrap_or_else(PoisonError::into_inner);
                vectors.of_model(model);
                vectors.last()
            };
            let new = workspace.vectors_after(model, after, vectors::PART).await?;
            let is_all = new.len() < vectors::PART as usize;
            self.vectors.write().unwrap_or_else(PoisonError::into_inner).add(new);
            if is_all {
                return Ok(());
            }
        }
    }

    /// Deletes the vectors of other models, once.
    async fn adopt(&self, workspace: &Workspace, model: &str) -> Result<(), StoreError> {
        let is_adopted = |known: &Option<String>| known.as_deref() == Some(model);
        if !is_adopted(&self.model.lock().unwrap_or_else(PoisonError::into_inner)) {
            workspace.adopt_model(model, clock::now()).await?;
            *self.model.lock().unwrap_or_else(PoisonError::into_inner) = Some(model.to_owned());
        }
        Ok(())
    }

    fn note(&self, error: Option<String>) {
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = error.map(|words| (words, Instant::now()));
    }

    fn has_just_failed(&self) -> bool {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.as_ref().is_some_and(|(_, at)| at.elapsed() < REST)
    }
}

/// Gives memories their vectors, as long as the server runs. Ends at once without an endpoint.
pub async fn embed(hub: Hub) {
    let Some(embedder) = hub.settings.embedder.clone() else { return };
    let mut news = hub.feed.news();
    let mut retry = RETRY;
    loop {
        news.borrow_and_update();
        let (pause, is_idle) = match embed_part(&hub, &*embedder).await {
            Ok(0) => (LOOK, true),
            Ok(_) => {
                retry = RETRY;
                (Duration::ZERO, false)
            }
            Err(error) => {
                tracing::warn!(%error, "memories get no vectors");
                let pause = retry;
                retry = (retry * 2).min(MOST_RETRY);
                (pause, false)
            }
        };
        let rest = async {
            tokio::time::sleep(pause).await;
            if is_idle {
                tokio::select! {
                    _ = news.changed() => {}
                    () = tokio::time::sleep(IDLE) => {}
                }
            }
        };
        tokio::select! {
            () = hub.shutdown.cancelled() => return,
            () = hub.state::<MemoryIndex>().wanted.notified() => {}
            () = rest => {}
        }
    }
}

/// Embeds the next texts. Returns how many those were.
pub async fn embed_part(hub: &Hub, embedder: &dyn Embedder) -> Result<usize, String> {
    hub.state::<MemoryIndex>().adopt(&hub.workspace, embedder.model()).await.map_err(|error| error.to_string())?;
    let texts = hub.workspace.unembedded(BATCH).await.map_err(|error| error.to_string())?;
    if texts.is_empty() {
        return Ok(0);
    }
    let asked = embedder.embed(texts.iter().map(|text| clip(&model_text(&text.draft)).to_owned()).collect()).await;
    let vectors = asked.and_then(|vectors| checked(vectors, texts.len()));
    let vectors = vectors.inspect_err(|error| hub.state::<MemoryIndex>().note(Some(error.clone())))?;
    hub.state::<MemoryIndex>().note(None);
    let many = texts.len();
    // A vector without a direction is like none: it is stored, so that it isn't asked for again.
    let bytes = |vector: Vec<f32>| normalised(vector).map(|vector| vectors::to_bytes(&vector)).unwrap_or_default();
    let made: Vec<(Unembedded, Vec<u8>)> = texts.into_iter().zip(vectors.into_iter().map(bytes)).collect();
    hub.workspace.put_vectors(embedder.model(), &made, clock::now()).await.map_err(|error| error.to_string())?;
    Ok(many)
}

/// Checks that there is a vector for each text, and that they can be compared.
fn checked(vectors: Vec<Vec<f32>>, texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let width = vectors.first().map_or(0, Vec::len);
    if vectors.len() != texts {
        return Err(format!("the endpoint gave {} vectors for {texts} texts", vectors.len()));
    }
    match vectors.iter().map(Vec::len).find(|other| *other != width || *other == 0) {
        Some(0) => Err("the endpoint gave a vector without numbers".to_owned()),
        Some(other) => Err(format!("the endpoint gave vectors of {width} and of {other} numbers")),
        None => Ok(vectors),
    }
}

/// The beginning of a text. Endpoints refuse an empty one.
fn clip(text: &str) -> &str {
    let start = text.get(..text.floor_char_boundary(BYTES)).unwrap_or_default();
    if start.trim().is_empty() { "-" } else { start }
}
