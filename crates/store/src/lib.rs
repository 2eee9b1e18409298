//! Where everything is kept: `SQLite` or `PostgreSQL`, and the only crate that knows SQL.
//!
//! A tour, top-down:
//! - [`Store`] is an open database; [`Workspace`] is the handle on one workspace of it, with every read and write.
//! - [`batch`]: what one transaction writes ([`Batch`]) and what it changed ([`Written`]).
//! - [`live`]: what agents and people write one by one: posts, updates, edits of sessions.
//! - [`query`]: what reads ask for and answer. [`stats`]: history in numbers. [`spending`]: requests to models.
//!   `history`: which part of it.
//! - `write/`: one transaction, part by part: source bytes, sessions, messages, runs, search, feed. `step`: the
//!   transaction, its lock and the rows that it writes. `prepare`: what is done before it. `session_row`: a session as
//!   its row.
//! - `read/`: sessions, messages, records, runs, feed, search.
//! - [`settings`]: projects, log-ins, small values. [`people`]: who may log in, and who sees which projects. `login_methods`: passwords, passkeys, accounts at providers. [`keys`]: agent keys. `declared`: message types that others
//!   declare. `driven`: agents that the server starts; `agent_runs`: those that run; `growing`: what they are writing.
//!   `channels`: where sessions are shown besides the page, and what is sent there. `hooks`: what agents ask by hooks,
//!   and what is always allowed. `blobs`: files by their content. `forget`: deletes what a person wants gone. `erase`:
//!   covers a text that a person wants gone; `masks` knows it by its hash.
//! - [`tokens`] and [`snippet`]: search text is cut into words here, so that both engines find the same.
//! - `sight`: the sessions that a reader may see.
//! - [`memory`]: what is remembered beyond its session.
//! - `context_log`: the exact bytes that agents were given.
//! - `archive`: sessions with everything that hangs on them, as lines; `write/restore` reads them.
//! - [`transfer`]: a whole database as parts of rows, for backups and to move to another engine.
//! - `audit`: the audit log. [`Workspace::signed`] says who does what a write tells there.
//! - [`Bell`]: rings between servers on one database. `check`: is what is stored whole? `upkeep`: what is done beside
//!   the writes. `files`: files of the data directory. `size`: the size of the database. `disk`: the space of its disk.
//!   `reserve`: what of it is kept for a full disk.
//! - `pack`: how a message and its references lie in a row. `columns`: what is selected. `dialect`: where the engines
//!   differ. `migrations`: how the schema came to be. `update_copy`: the copy that is made before it changes.
//! - [`DataDirLock`]: one process per data directory. [`foreign`]: databases that aren't ours; [`opencode`],
//!   [`chat_host`] and [`session_rows`] read some.
//!
//! Each statement is written once and run on either engine by the `on!` macros of `store.rs`. A message lies in its row
//! as one packed JSON blob, beside the few columns that SQL filters by: both engines then keep NUL bytes and the order
//! of keys. `workspace_id` leads every key. A write takes the row lock of its workspace first, so that positions of the
//! feed are in the order of commits.
//!
//! How to add one: a statement goes into the file of its subject as a method of [`Workspace`], a table into a new
//! migration of the same name in `migrations/sqlite` and `migrations/postgres`; both get a test in
//! `tests/conformance`, which runs on both engines.

mod agent_runs;
mod archive;
mod audit;
pub mod batch;
mod bell;
mod blobs;
mod channels;
pub mod chat_host;
mod check;
mod columns;
mod condition;
mod context_log;
pub mod cursor_chat;
mod declared;
mod dialect;
mod disk;
mod display;
mod driven;
mod erase;
mod error;
mod files;
mod fold;
pub mod foreign;
mod forget;
mod growing;
mod hex;
mod history;
mod hooks;
mod integrity;
pub mod keys;
mod literals;
pub mod live;
mod lock;
mod login_methods;
mod machines;
mod masks;
pub mod memory;
mod meta;
mod migrations;
pub mod opencode;
mod opening;
mod pack;
pub mod people;
mod permission;
mod prepare;
mod push;
pub mod query;
mod read;
mod repair;
mod reserve;
mod rollup;
pub mod schedules;
mod session_row;
pub mod session_rows;
pub mod settings;
mod shares;
mod sight;
mod size;
pub mod snippet;
pub mod spending;
mod statistics;
pub mod stats;
mod step;
mod store;
pub mod tokens;
pub mod transfer;
mod update_copy;
mod upkeep;
mod verify;
mod workspace;
mod write;

pub use agent_runs::{AgentPhase, AgentProcess, AgentRun};
pub use archive::{Archive, BEGINS as ARCHIVE_BEGINS, Mask};
pub use audit::{AuditCheck, AuditFault, FaultReason};
pub use batch::{
    Batch, Derive, FileChanged, MessageUpsert, NewBlob, RecordChunk, Retraction, Rewind, RunUpsert, SessionUpsert,
    SourceBatch, Written,
};
pub use bell::Bell;
pub use blobs::{BlobReader, Upload};
pub use channels::{
    Bound, ChannelCounts, ChannelRow, Delivery, DeliveryChange, DeliveryKey, DeliveryState, DueDelivery, EventResult,
    Queueing, Told,
};
pub use condition::Condition;
pub use context_log::{ContextCheck, ContextEntry};
pub use declared::DeclaredType;
pub use disk::DiskSpace;
pub use driven::{Driven, DrivenState};
pub use erase::{Erased, ErasedSession, Erasing};
pub use error::StoreError;
pub use files::{private_dir, private_file, sync_dir, with_suffix};
pub use growing::GrowingText;
pub use hooks::{AgentSession, AllowRule};
pub use integrity::Checkup;
pub use keys::{AgentKey, Credentials, Usage};
pub use live::{
    Changed, ChannelEvent, Ended, GivenRun, LiveBegin, LiveChange, LiveDone, LiveDue, LiveEdit, LiveEndRun, LivePost,
    LiveTake, LiveWrite, LiveWritten, MissedRuns, NewMessage, NewSession, Objection, Origin, PostDone, Queue, Refusal,
    Rule, SignOfLife, Sums, Takes,
};
pub use lock::{DataDirLock, LockError};
pub use login_methods::LogInMethod;
pub use machines::{Machine, OFFLINE};
pub use masks::{LONGEST as LONGEST_ERASED, Masks, SHORTEST as SHORTEST_ERASED};
pub use memory::{Memory, MemoryCounts, MemoryFilter, StoredVector, Unembedded};
pub use people::Person;
pub use permission::{Following, Permission};
pub use push::{PushDevice, PushKind, PushNotice, PushState, PushSubject};
pub use query::{
    Among, Archived, Blob, Count, Facet, Facets, FeedCounts, FeedEntry, FeedKind, FeedRow, FileEdit, FileEdits,
    FileQuery, FileSession, HiddenRow, Landmark, MessageQuery, MessageRecords, Order, Page, Parents, Range, Replaced,
    SearchHit, SearchQuery, SessionFilter, Sort, SourceChunk, StoredMessage, Stretch, Unread,
};
pub use read::{Listing, OpenAsk, Resting, RestingFilter, SearchHits};
pub use repair::{DamagedSession, RecoveredTable, Recovery, Repair};
pub use schedules::{Outcome, Schedule, ScheduleRun};
pub use settings::{Login, Project};
pub use shares::{Revisions, Share};
pub use sight::Sight;
pub use snippet::Snippet;
pub use store::{Database, Durability, Store, Tuning};
pub use update_copy::update_copies;
pub use workspace::Workspace;
pub use write::{NextLine, PreparedBatch, Restored};
