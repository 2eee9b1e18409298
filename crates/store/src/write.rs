//! One transaction, step by step.

mod blobs;
mod callers;
pub(crate) mod changes;
pub(crate) mod covered;
mod deliveries;
pub(crate) mod feed;
pub(crate) mod forgotten;
pub(crate) mod listed;
mod live;
mod messages;
mod reading;
mod restore;
pub(crate) mod rollup;
mod runs;
pub(crate) mod sessions;
pub(crate) mod source;
pub(crate) mod words;
mod work;

pub use restore::{NextLine, Restored};

use crate::masks::Masks;
use crate::step::Step;
use crate::{Batch, Origin, StoreError, Workspace, Written, prepare, settings};

/// A batch as its rows: packed, hashed, cut into words. Importers make it while the batch before is being written.
#[derive(Clone)]
pub struct PreparedBatch(prepare::Prepared);

impl PreparedBatch {
    /// Costs ten milliseconds of processor time per MB or so: not for a thread that serves others.
    ///
    /// `masks` are those of the workspace: a batch that was prepared with others is refused.
    pub fn new(batch: Batch, masks: &Masks) -> Result<Self, StoreError> {
        prepare::prepare(batch, masks).map(Self)
    }
}

impl Workspace {
    /// Writes all of the batch in one transaction, or nothing. Bytes that are stored already, as when the answer to a
    /// commit was lost, are no news.
    pub async fn write_batch(&self, batch: Batch) -> Result<Written, StoreError> {
        let masks = self.masks().await?;
        let prepared = tokio::task::spawn_blocking(move || PreparedBatch::new(batch, &masks))
            .await
            .map_err(|error| StoreError::Io(std::io::Error::other(error)))??;
        self.write_prepared(prepared).await
    }

    /// Writes a batch that was prepared before.
    pub async fn write_prepared(&self, PreparedBatch(prepared): PreparedBatch) -> Result<Written, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), prepared.now).await?;
        if prepared.masks.count() as i64 != step.erased {
            return Err(StoreError::TextErased);
        }
        let written = write(&mut step, prepared).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(written)
    }
}

async fn write(step: &mut Step<'_>, mut batch: prepare::Prepared) -> Result<Written, StoreError> {
    // Within the transaction: what is written after a folder was forgotten would stay.
    for permission in &batch.permissions {
        if !settings::may_follow(step, permission).await? {
            return Err(StoreError::NotFollowed(permission.folder.clone()));
        }
    }
    let mut sessions = sessions::load(step, &batch.sessions, Origin::Transcript, batch.machine.as_deref()).await?;
    if batch.machine.is_some() {
        // Those of its own sessions alone.
        batch.retractions.retain(|retraction| sessions.find(&retraction.session_key).is_some());
    }
    batch.messages.retain(|message| !sessions.is_purged(&message.session_key));
    batch.runs.retain(|run| !sessions.is_purged(&run.session_key));
    batch.blobs.retain(|blob| !sessions.is_purged(&blob.session_key));
    let source = match batch.source {
        Some(source) => {
            match source::write(step, source, sessions.any_kept(), &batch.masks, &mut sessions.rollup).await? {
                Some(written) => Some(written),
                None => return Ok(Written { pos: step.feed_pos, ..Written::default() }),
            }
        }
        None => None,
    };
    // The removed part of a rewritten file is known at its end.
    let rewritten = source.as_ref().filter(|source| source.rewritten && source.at_end).map(|source| source.rid);
    if let Some(source) = source {
        sessions::link(step, &sessions, source.rid).await?;
        for rid in source.emptied {
            let index = sessions::loaded(step, &mut sessions, rid).await?;
            sessions.row(index).forget_runs();
        }
    }
    let mut changes = changes::Changes::default();
    let calls = calls(&sessions, &batch.messages)?;
    messages::write(step, &mut sessions, batch.messages, messages::Copies::Possible, &mut changes).await?;
    callers::find(step, &mut sessions).await?;
    callers::claim(step, &mut sessions, &calls).await?;
    messages::rewind::mark(step, &mut sessions, &batch.rewinds, &mut changes).await?;
    messages::retract::named(step, &mut sessions, &batch.retractions, &mut changes).await?;
    if let Some(source) = rewritten {
        messages::retract::vanished(step, &mut sessions, source, &mut changes).await?;
    }
    messages::store_counts(step, &mut sessions, &changes).await?;
    runs::write(step, &mut sessions, batch.runs).await?;
    blobs::write(step, &sessions, batch.blobs).await?;
    sessions.finish(step.now, &changes, step.next_pos());
    sessions::store(step, &mut sessions).await?;
    feed::write(step, &sessions, &changes).await?;
    Ok(Written {
        messages_added: changes.added,
        messages_changed: changes.changed,
        sessions_added: sessions.added(),
        pos: step.feed_pos,
        has_deliveries: step.has_deliveries,
    })
}

/// The tool calls among messages, each with the index of its session.
fn calls(
    sessions: &sessions::Sessions,
    messages: &[prepare::PreparedMessage],
) -> Result<Vec<(usize, String)>, StoreError> {
    let calls = messages.iter().filter(|message| message.tool.is_some());
    calls.map(|message| Ok((sessions.index(&message.session_key)?, message.id.clone()))).collect()
}
