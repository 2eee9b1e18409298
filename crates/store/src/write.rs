//! One transaction, step by step.

mod blobs;
mod callers;
mod changes;
pub(crate) mod chunks;
mod deliveries;
pub(crate) mod feed;
pub(crate) mod forgotten;
mod lexemes;
mod live;
mod messages;
mod prepare;
mod reading;
mod restore;
mod runs;
mod session_row;
pub(crate) mod sessions;
pub(crate) mod source;
pub(crate) mod table;
mod words;
pub(crate) mod work;

pub use live::LivePrepared;
pub(crate) use prepare::content_hash;
pub use restore::{NextLine, Restored, SearchText};
pub(crate) use session_row::{SELECTED as SESSION_SELECTED, SESSION_COLUMNS, SessionRow};

use crate::store::{Tx, on_tx};
use crate::{Batch, StoreError, Workspace, Written, dialect, settings};
use model::Micros;
use model::audit::Note;
use std::borrow::Cow;
use table::{Kind, Table, Verb, Waiters};

/// A write transaction on one workspace. Its row lock is held until the end, so that there is one writer of order.
pub(crate) struct Step<'a> {
    /// Not to be asked while rows wait: [`crate::store::on_step`].
    pub tx: &'a mut Tx,
    waiting: Waiters,
    pub workspace: &'a str,
    pub now: Micros,
    feed_pos: i64,
    last_rid: i64,
    /// Both as they are stored.
    stored: (i64, i64),
    /// Whether the workspace has channels, which are told of messages.
    has_channels: bool,
    /// Whether a channel is told anything by this transaction.
    has_deliveries: bool,
    /// For the audit log, at the end of the transaction.
    pub notes: Vec<Note>,
}

static WORKSPACE: Table = Table {
    name: "workspace",
    columns: Cow::Borrowed(&[("id", Kind::Text), ("feed_pos", Kind::Int), ("last_rid", Kind::Int)]),
    has_workspace: false,
    verb: Verb::Update,
};

/// A workspace's rids are its number in the upper bits and a count in the lower 40.
pub(crate) const RID_BITS: u32 = 40;

/// A batch as its rows: packed, hashed, cut into words. Importers make it while the batch before is being written.
#[derive(Clone)]
pub struct PreparedBatch(prepare::Prepared);

impl PreparedBatch {
    /// Costs ten milliseconds of processor time per MB or so: not for a thread that serves others.
    pub fn new(batch: Batch) -> Result<Self, StoreError> {
        prepare::prepare(batch).map(Self)
    }
}

impl Workspace {
    /// Writes all of the batch in one transaction, or nothing. Bytes that are stored already, as when the answer to a
    /// commit was lost, are no news.
    pub async fn write_batch(&self, batch: Batch) -> Result<Written, StoreError> {
        let prepared = tokio::task::spawn_blocking(move || PreparedBatch::new(batch))
            .await
            .map_err(|error| StoreError::Io(std::io::Error::other(error)))??;
        self.write_prepared(prepared).await
    }

    /// Writes a batch that was prepared before.
    pub async fn write_prepared(&self, PreparedBatch(prepared): PreparedBatch) -> Result<Written, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), prepared.now).await?;
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
    let mut sessions = sessions::load(step, &batch.sessions).await?;
    batch.messages.retain(|message| !sessions.is_purged(&message.session_key));
    batch.runs.retain(|run| !sessions.is_purged(&run.session_key));
    batch.blobs.retain(|blob| !sessions.is_purged(&blob.session_key));
    let source = match batch.source {
        Some(source) => match source::write(step, source, sessions.any_kept()).await? {
            Some(written) => Some(written),
            None => return Ok(Written { pos: step.feed_pos, ..Written::default() }),
        },
        None => None,
    };
    // What a rewritten file no longer holds is known at its end.
    let rewritten = source.as_ref().filter(|source| source.rewritten && source.at_end).map(|source| source.rid);
    if let Some(source) = source {
        sessions::link(step, &sessions, source.rid).await?;
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
    messages::store_counts(step, &changes).await?;
    runs::write(step, &mut sessions, batch.runs).await?;
    blobs::write(step, &sessions, batch.blobs).await?;
    sessions.finish(step.now, &changes, step.next_pos());
    sessions::store(step, &sessions).await?;
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

impl<'a> Step<'a> {
    /// Takes the workspace's row lock; creates the workspace at its first write.
    pub(crate) async fn begin(tx: &'a mut Tx, workspace: &'a str, now: Micros) -> Result<Step<'a>, StoreError> {
        // Who writes first at the same time may have taken the id, or the number.
        const CREATE: &str = "INSERT INTO workspace (id, no, feed_pos, last_rid) VALUES ($1, $2, 0, $3) \
            ON CONFLICT DO NOTHING";
        const ATTEMPTS: usize = 10;
        let lock = dialect::lock(tx);
        let mut found: Option<(i64, i64, i64)> =
            on_tx!(tx, c => sqlx::query_as(lock).bind(workspace).fetch_optional(c).await)?;
        for _ in 0..ATTEMPTS {
            if found.is_some() {
                break;
            }
            let no: i64 = on_tx!(tx, c => {
                sqlx::query_scalar("SELECT CAST(COALESCE(MAX(no), -1) + 1 AS BIGINT) FROM workspace").fetch_one(c).await
            })?;
            on_tx!(tx, c => sqlx::query(CREATE).bind(workspace).bind(no).bind(no << RID_BITS).execute(c).await.map(drop))?;
            // What will be written has its words as they are cut now.
            on_tx!(tx, c => {
                sqlx::query(settings::PUT_META).bind(workspace).bind(words::KEY).bind(words::VERSION).execute(c).await.map(drop)
            })?;
            found = on_tx!(tx, c => sqlx::query_as(lock).bind(workspace).fetch_optional(c).await)?;
        }
        let (feed_pos, last_rid, channels) =
            found.ok_or_else(|| StoreError::Corrupt("a workspace vanished".to_owned()))?;
        let (waiting, notes, stored) = (Waiters::default(), Vec::new(), (feed_pos, last_rid));
        let (has_channels, has_deliveries) = (channels > 0, false);
        Ok(Self { tx, waiting, workspace, now, feed_pos, last_rid, stored, has_channels, has_deliveries, notes })
    }

    /// Stores how far it came. A transaction that wrote nothing stays one that the disk needn't hear of.
    pub(crate) async fn end(&mut self) -> Result<(), StoreError> {
        if (self.feed_pos, self.last_rid) != self.stored {
            let row = vec![self.workspace.into(), self.feed_pos.into(), self.last_rid.into()];
            self.write(&WORKSPACE, &[row]).await?;
        }
        self.flush().await
    }

    pub(crate) fn rid(&mut self) -> i64 {
        self.last_rid += 1;
        self.last_rid
    }

    pub(crate) fn pos(&mut self) -> i64 {
        self.feed_pos = self.next_pos();
        self.feed_pos
    }

    /// Of the feed's next row.
    fn next_pos(&self) -> i64 {
        self.feed_pos + 1
    }
}

/// A text column's value: `PostgreSQL` refuses NUL there.
pub(crate) fn text(value: &str) -> Cow<'_, str> {
    if value.contains('\0') { Cow::Owned(value.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(value) }
}
