//! A write transaction on one workspace: its lock, the numbers that it gives, and the rows that it writes.

pub(crate) mod chunks;
mod lexemes;
pub(crate) mod table;

use crate::store::{Tx, on_tx};
use crate::{StoreError, dialect, meta};
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
    pub feed_pos: i64,
    last_rid: i64,
    /// Both as they are stored.
    stored: (i64, i64),
    /// Whether the workspace has channels, which are told of messages.
    pub has_channels: bool,
    /// How many forms of texts are erased from what is imported.
    pub erased: i64,
    /// Whether a channel is told anything by this transaction.
    pub has_deliveries: bool,
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

impl<'a> Step<'a> {
    /// Takes the workspace's row lock; creates the workspace at its first write.
    pub(crate) async fn begin(tx: &'a mut Tx, workspace: &'a str, now: Micros) -> Result<Step<'a>, StoreError> {
        // A concurrent first writer may have taken the id or the number.
        const CREATE: &str = "INSERT INTO workspace (id, no, feed_pos, last_rid) VALUES ($1, $2, 0, $3) \
            ON CONFLICT DO NOTHING";
        const ATTEMPTS: usize = 10;
        let lock = dialect::lock(tx);
        let mut found: Option<(i64, i64, i64, i64)> =
            on_tx!(tx, c => sqlx::query_as(lock).bind(workspace).fetch_optional(c).await)?;
        for _ in 0..ATTEMPTS {
            if found.is_some() {
                break;
            }
            let no: i64 = on_tx!(tx, c => {
                sqlx::query_scalar("SELECT CAST(COALESCE(MAX(no), -1) + 1 AS BIGINT) FROM workspace").fetch_one(c).await
            })?;
            on_tx!(tx, c => sqlx::query(CREATE).bind(workspace).bind(no).bind(no << RID_BITS).execute(c).await.map(drop))?;
            // Text that is written is indexed by the current rules.
            on_tx!(tx, c => {
                sqlx::query(meta::PUT_META).bind(workspace).bind(meta::WORDS).bind(meta::WORDS_VERSION).execute(c).await.map(drop)
            })?;
            found = on_tx!(tx, c => sqlx::query_as(lock).bind(workspace).fetch_optional(c).await)?;
        }
        let (feed_pos, last_rid, channels, erased) =
            found.ok_or_else(|| StoreError::Corrupt("a workspace vanished".to_owned()))?;
        let (waiting, notes, stored) = (Waiters::default(), Vec::new(), (feed_pos, last_rid));
        let (has_channels, has_deliveries) = (channels > 0, false);
        Ok(Self {
            tx,
            waiting,
            workspace,
            now,
            feed_pos,
            last_rid,
            stored,
            has_channels,
            erased,
            has_deliveries,
            notes,
        })
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

    /// Returns the position of the feed's next row.
    pub(crate) fn next_pos(&self) -> i64 {
        self.feed_pos + 1
    }
}
