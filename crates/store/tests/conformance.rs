//! Every method of the store, on both engines: `SQLite` in a temporary folder always, `PostgreSQL` where
//! `VERBATIM_TEST_POSTGRES` names a server on which databases may be created.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "conformance/archive.rs"]
mod archive;
#[path = "conformance/audit.rs"]
mod audit;
#[path = "conformance/batches.rs"]
mod batches;
#[path = "conformance/blobs.rs"]
mod blobs;
#[path = "conformance/channels.rs"]
mod channels;
#[path = "conformance/chat_host.rs"]
mod chat_host;
#[path = "conformance/context_log.rs"]
mod context_log;
#[path = "conformance/damage.rs"]
mod damage;
#[path = "conformance/forget.rs"]
mod forget;
#[path = "conformance/forks.rs"]
mod forks;
#[path = "conformance/hooks.rs"]
mod hooks;
#[path = "conformance/live.rs"]
mod live;
#[path = "conformance/memory.rs"]
mod memory;
#[path = "conformance/opencode.rs"]
mod opencode;
#[path = "conformance/opening.rs"]
mod opening;
#[path = "conformance/paging.rs"]
mod paging;
#[path = "conformance/people.rs"]
mod people;
#[path = "conformance/rollups.rs"]
mod rollups;
#[path = "conformance/search.rs"]
mod search;
#[path = "conformance/sessions.rs"]
mod sessions;
#[path = "conformance/settings.rs"]
mod settings;
#[path = "conformance/sources.rs"]
mod sources;
#[path = "conformance/stats.rs"]
mod stats;
#[path = "conformance/support.rs"]
mod support;
#[path = "conformance/transfer.rs"]
mod transfer;
#[path = "conformance/work.rs"]
mod work;
