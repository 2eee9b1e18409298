//! The handle on one workspace. Its methods lie in the files of their subjects.

use crate::Store;
use std::sync::Arc;

/// One workspace of a store. Clones share the store.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(crate) store: Store,
    pub(crate) id: Arc<str>,
}

impl Workspace {
    pub fn id(&self) -> &str {
        &self.id
    }
}

// The bodies follow.
use crate::{Batch, Blob, Count, Facets, FeedRow, HiddenRow, MessageQuery, Page, SearchHits, SearchQuery, SessionFilter, SourceChunk, StoreError, StoredMessage, Written};
use model::{MessageId, Micros, Run, Session, SessionId, SourceId, source::Source};
impl Workspace {
    /// Writes all of the batch in one transaction, or nothing.
    pub async fn write_batch(&self, batch: Batch) -> Result<Written, StoreError> { unimplemented!() }
    /// Rows after `pos`, ascending.
    pub async fn feed_after(&self, pos: i64, limit: u32) -> Result<Vec<FeedRow>, StoreError> { unimplemented!() }
    pub async fn feed_pos(&self) -> Result<i64, StoreError> { unimplemented!() }
    pub async fn sessions(&self, filter: &SessionFilter) -> Result<Page<Session>, StoreError> { unimplemented!() }
    pub async fn session(&self, id: &SessionId, now: Micros) -> Result<Option<Session>, StoreError> { unimplemented!() }
    /// By the agent's own id.
    pub async fn session_by_key(&self, agent: &str, key: &str, now: Micros) -> Result<Option<Session>, StoreError> { unimplemented!() }
    /// Sessions whose id, or the agent's own id, starts with `prefix`; latest activity first.
    pub async fn find_sessions(&self, prefix: &str, limit: u32, now: Micros) -> Result<Vec<Session>, StoreError> { unimplemented!() }
    /// Sessions of sub-agents, in the order of their creation.
    pub async fn children(&self, id: &SessionId, now: Micros) -> Result<Vec<Session>, StoreError> { unimplemented!() }
    pub async fn facets(&self) -> Result<Facets, StoreError> { unimplemented!() }
    /// Ascending by `seq` (by time for `Range::Since`).
    pub async fn messages(&self, session: &SessionId, query: &MessageQuery) -> Result<Vec<StoredMessage>, StoreError> { unimplemented!() }
    /// Light rows of a stretch with a display class above `max_display`.
    pub async fn hidden(&self, session: &SessionId, from_seq: i64, to_seq: i64, max_display: i16) -> Result<Vec<HiddenRow>, StoreError> { unimplemented!() }
    pub async fn counts(&self, session: &SessionId) -> Result<Vec<Count>, StoreError> { unimplemented!() }
    pub async fn message(&self, session: &SessionId, id: &MessageId) -> Result<Option<StoredMessage>, StoreError> { unimplemented!() }
    pub async fn message_at(&self, session: &SessionId, seq: i64) -> Result<Option<StoredMessage>, StoreError> { unimplemented!() }
    /// `len` stored bytes at `offset`; None if the source doesn't hold them all.
    pub async fn record(&self, source: &SourceId, offset: u64, len: u64) -> Result<Option<Vec<u8>>, StoreError> { unimplemented!() }
    pub async fn source(&self, id: &SourceId) -> Result<Option<Source>, StoreError> { unimplemented!() }
    pub async fn source_by_path(&self, path: &str) -> Result<Option<Source>, StoreError> { unimplemented!() }
    pub async fn sources(&self) -> Result<Vec<Source>, StoreError> { unimplemented!() }
    pub async fn session_sources(&self, session: &SessionId) -> Result<Vec<Source>, StoreError> { unimplemented!() }
    /// The next stored bytes of a source from `offset` on: call with 0, then with `next` until it is None.
    pub async fn source_chunk(&self, source: &SourceId, offset: u64) -> Result<Option<SourceChunk>, StoreError> { unimplemented!() }
    pub async fn runs(&self, session: &SessionId) -> Result<Vec<Run>, StoreError> { unimplemented!() }
    pub async fn search(&self, query: &SearchQuery) -> Result<SearchHits, StoreError> { unimplemented!() }
    pub async fn blob(&self, sha256: &str) -> Result<Option<Blob>, StoreError> { unimplemented!() }
    /// Deletes every session of the project, their sources and all that hangs on them. Returns their ids.
    pub async fn forget_sessions_of_project(&self, project: &str) -> Result<Vec<SessionId>, StoreError> { unimplemented!() }
    /// Deletes a source, and the sessions that came from it alone. Returns their ids.
    pub async fn forget_source(&self, source: &SourceId) -> Result<Vec<SessionId>, StoreError> { unimplemented!() }
}
