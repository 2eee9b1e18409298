//! The application: what Verbatim does for one authenticated caller.
//!
//! The top level is a table of contents, from below: a module uses those above it in this list, and none below.
//! - `basics`: the clock, ids, hashes, moments, problems of the store. `caller`: who calls.
//! - `context`: what every topic may use. [`Hub`] is an open store with what is written to it and heard of it; each
//!   topic keeps its own state there ([`TopicState`]). [`Scoped`] is the hub as one [`Caller`] may use it.
//! - [`account`]: log-ins, keys, the audit log. [`upkeep`]: room on the disk, checks, deletion for good. [`types`]:
//!   message types that others declare. [`notices`]: what an agent should know in one run. [`derived`]: what is stored
//!   of a message besides itself. `project_groups`: which projects are one for people.
//! - `may`: what a caller may see and do, and what may go to a model.
//! - [`imports`]: files become sources, sessions and messages; folders that are followed. `machines`: other machines,
//!   which send their agents' files. `files`: what sessions changed in files. `costs`, [`memory`], `model_context`, `search`: what their names say. [`routing`]: which
//!   messages wake the agent. [`settings`]: what people prefer. [`redaction`]: replies with secrets masked.
//! - [`writing`]: what becomes of a request to write.
//! - `requests`: what waits for a person: posted, waited for, decided, closed. [`host`]: what the host says to people.
//!   [`demo`]: the built-in example session. [`retention`]: rules by which old sessions are deleted.
//! - [`driving`]: agents that the server starts itself. `hooks`: what agents report by hooks. `sessions`: listed, made,
//!   changed. [`watch`]: what the host looks for by itself.
//! - `messages`: read, posted, changed, given to the agent. [`schedules`]: prompts at a time.
//! - [`shares`]: links by which somebody without a log-in reads a part of a session.
//! - `runs`: what an agent was given. [`channels`]: places besides the page where sessions are shown and answered.
//!   [`push`]: notifications that browsers show while no page is open.
//! - `api`: the answer to each endpoint. `workers`: what goes on in the background.
//!
//! No SQL (that is `store`), no HTTP (that is `server`), no HTML (that is `app`).
//!
//! How to add an endpoint's answer: a function with the endpoint's name in the folder of its topic.

pub mod account;
mod api;
pub mod basics;
mod caller;
pub mod channels;
pub mod context;
mod costs;
pub mod demo;
pub mod derived;
pub mod driving;
mod files;
mod hooks;
pub mod host;
pub mod imports;
mod machines;
mod may;
pub mod memory;
mod messages;
mod model_context;
pub mod notices;
pub mod people;
mod project_groups;
pub mod push;
pub mod redaction;
mod requests;
pub mod retention;
pub mod routing;
mod runs;
pub mod schedules;
mod search;
mod sessions;
pub mod settings;
pub mod shares;
pub mod types;
pub mod upkeep;
pub mod watch;
mod workers;
pub mod writing;

pub use basics::pause::random;
pub use basics::{clock, hex, problem};
pub use caller::{Agent, Caller, Person, Surface, User};
pub use context::embedder::Embedder;
pub use context::metrics::{Metrics, Stream, milliseconds};
pub use context::request_span::with_session;
pub use context::{AgentFolder, Consent, Hub, Root, Scoped, Settings, TopicState, compute, feed, writer};
pub use imports::{discover, follow};
pub use writing::posting::{MOST_EDITS, read_metadata};
