//! What the edits of a session come to, kept as long as nothing happens in it.
//!
//! A page of changes asks for its files one by one, and each answer follows from all edits of the session.

use api::Problem;
use api::messages::Changes;
use api::net::{NetFile, NetPart};
use model::SessionId;
use quick_cache::{Weighter, sync::Cache};
use std::sync::Arc;

/// Of each of the two kinds, so many bytes are kept.
const BYTES: u64 = 16 << 20;
/// Answers that this is roughly enough for.
const MANY: usize = 256;
/// A path, a reference to an edit, a text: beside its characters, each takes about so much.
const EACH: usize = 128;

/// A session as it was when the feed told of it last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub session: SessionId,
    pub pos: i64,
}

/// Which edits: those after a `seq`, up to and with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope {
    pub after: i64,
    pub to: Option<i64>,
}

pub struct Folded {
    lists: Cache<State, Arc<Changes>, Bytes>,
    /// With their texts, since whoever asks for the files asks for those next.
    nets: Cache<(State, Scope), Arc<[NetFile]>, Bytes>,
}

impl Default for Folded {
    fn default() -> Self {
        Self { lists: Cache::with_weighter(MANY, BYTES, Bytes), nets: Cache::with_weighter(MANY, BYTES, Bytes) }
    }
}

impl Folded {
    /// Whoever asks meanwhile waits, instead of doing it too.
    pub async fn list(
        &self,
        state: State,
        make: impl Future<Output = Result<Changes, Problem>>,
    ) -> Result<Arc<Changes>, Problem> {
        self.lists.get_or_insert_async(&state, async { make.await.map(Arc::new) }).await
    }

    /// The same for net changes.
    pub async fn net(
        &self,
        state: State,
        scope: Scope,
        make: impl Future<Output = Result<Vec<NetFile>, Problem>>,
    ) -> Result<Arc<[NetFile]>, Problem> {
        self.nets.get_or_insert_async(&(state, scope), async { make.await.map(Into::into) }).await
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<State, Arc<Changes>> for Bytes {
    fn weight(&self, _: &State, changes: &Arc<Changes>) -> u64 {
        let files = changes.files.iter().map(|file| file.path.len() + EACH * (1 + file.edits.len()));
        (EACH + files.sum::<usize>()) as u64
    }
}

impl Weighter<(State, Scope), Arc<[NetFile]>> for Bytes {
    fn weight(&self, _: &(State, Scope), files: &Arc<[NetFile]>) -> u64 {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let part = |part: &NetPart| EACH + length(&part.old) + length(&part.new);
        let files = files.iter().map(|file| {
            let texts = file.texts.as_ref().map_or(0, |texts| {
                texts.parts.iter().map(part).sum::<usize>() + texts.patches.iter().map(String::len).sum::<usize>()
            });
            file.path.len() + EACH * (1 + file.edits.len()) + texts
        });
        (EACH + files.sum::<usize>()) as u64
    }
}
