//! Cache of the net changes of a session, valid until one of its messages changes.
//!
//! A changes page requests its files one by one, and each reply depends on all edits of the session.

use crate::context::TopicState;
use api::Problem;
use api::messages::Changes;
use api::net::{NetFile, NetPart};
use model::SessionId;
use quick_cache::{Weighter, sync::Cache};
use std::sync::Arc;

/// Maximum size of each of the two caches, in bytes.
const BYTES: u64 = 16 << 20;
/// Answers that this is roughly enough for. So few aren't divided into shards, of which each would take its part of the
/// bytes alone: what a large session comes to is kept, too.
const MANY: usize = 32;
/// A path, a reference to an edit, a text: beside its characters, each takes about so much.
const EACH: usize = 128;

/// A session as it was when its messages changed last.
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

pub struct EditCache {
    lists: Cache<State, Arc<Changes>, Bytes>,
    /// With their texts, since whoever asks for the files asks for those next.
    nets: Cache<(State, Scope), Arc<[NetFile]>, Bytes>,
}

impl TopicState for EditCache {}

impl Default for EditCache {
    fn default() -> Self {
        Self { lists: Cache::with_weighter(MANY, BYTES, Bytes), nets: Cache::with_weighter(MANY, BYTES, Bytes) }
    }
}

impl EditCache {
    /// Whoever asks meanwhile waits, instead of doing it too.
    pub async fn list(
        &self,
        state: State,
        make: impl Future<Output = Result<Changes, Problem>>,
    ) -> Result<Arc<Changes>, Problem> {
        self.lists.get_or_insert_async(&state, async { make.await.map(Arc::new) }).await
    }

    /// Returns the net changes of a session within a scope, made once for each state.
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

#[cfg(test)]
mod tests {
    use super::{EditCache, Scope, State};
    use api::Problem;
    use api::net::{NetFile, NetPart, NetTexts};
    use model::SessionId;
    use model::view::FileChange;

    fn file(number: usize, bytes: usize) -> NetFile {
        let part =
            NetPart { old: None, new: Some("x".repeat(bytes)), first_line: Some((1, 1)), whole: true, edit: None };
        NetFile {
            path: number.to_string(),
            change: FileChange::Added,
            moved_from: None,
            added: 1,
            removed: 0,
            changes: 1,
            hash: String::new(),
            broken: false,
            too_large: false,
            language: None,
            edits: Vec::new(),
            texts: Some(NetTexts { parts: vec![part], patches: Vec::new() }),
        }
    }

    /// Whoever asks for the files of a large session one by one has it read once.
    #[tokio::test]
    async fn a_large_session_is_kept() {
        let folded = EditCache::default();
        let state = State { session: SessionId::parse("s1").unwrap(), pos: 1 };
        let scope = Scope { after: 0, to: None };
        let all: Vec<NetFile> = (0..30).map(|number| file(number, 400 << 10)).collect();
        let made = folded.net(state.clone(), scope, async { Ok(all.clone()) }).await.unwrap();
        let again = folded.net(state, scope, async { Err(Problem::internal()) }).await.unwrap();
        assert_eq!((made.to_vec(), again.len()), (all, 30));
    }
}
