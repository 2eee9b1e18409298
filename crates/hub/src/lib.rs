//! The application: what Verbatim does for one authenticated caller.
//!
//! A tour, top-down:
//! - [`Hub`]: an open store with everything that runs on it. [`Scoped`] is the hub as one [`Caller`] may use it, and
//!   implements [`api::Api`]; the methods are in `answers/`, one file per topic.
//! - [`import`]: files become sources, sessions and messages. [`discover`]: where agents keep their transcripts.
//!   [`follow`]: files that grow.
//! - [`feed`]: what the event stream carries. `doorbell`: several servers on one database.
//! - [`writer`]: what agents and people write, in the order of its commits. `posting`: what a request becomes.
//!   `pace`: texts that grow. `message_edit`: a change of a message. `refusal`: why a write wasn't done. `retry`: what the database
//!   refuses for the moment.
//! - [`driving`]: agents that the server starts itself.
//! - [`channels`]: places besides the page where sessions are shown and answered. `open_channels`: their protocols, once they are open.
//! - [`compute`]: the threads on which content is compared, drawn and searched.
//! - [`types`]: message types that others declare. [`host`]: what the host says to people. [`watch`]: what it looks for by itself.
//! - [`notices`]: what an agent should know in one run. [`schedules`]: prompts at a time.
//! - `hooks`: what agents report by hooks, and the permissions that they ask for. `allow_rules`: what is always allowed.
//! - `requests`: what waits for a person: posted, waited for, decided, closed. `message_waiters`: who waits for a change of one message.
//! - `preferences`: what a person prefers, as it is stored. `pricing`: what requests to models cost.
//! - [`redaction`]: replies with secrets masked.
//! - [`memory`]: what people said, found by words and by meaning.
//! - [`routing`]: which messages wake the agent. `answers/control`: words that the server carries out instead of the agent.
//! - `project_groups`: which projects are one for people.
//! - `may`: what a caller may see and do, and what may go to a model.
//! - `audit`: who an entry of the audit log is by.
//! - [`Metrics`]: what `/metrics` and `verbatim doctor` show of the hub. `request_span`: the session of a request in the log.
//! - [`login`]: one-time codes and log-ins. [`keys`]: agents' keys. `caller_cache`: whose keys and sessions are. `edit_cache`: what edits come to.
//!   `edit_lines`: which edits count. [`retention`]: what was deleted goes for good. [`reindex`]: what is stored is found as what is written now.
//! - [`demo`]: the built-in example session. [`clock`]: the only clock.
//!
//! No SQL (that is `store`), no HTTP (that is `server`), no HTML (that is `app`).
//!
//! How to add an endpoint's answer: the method in `scoped.rs`, its body in the file of its topic in `answers/`.

mod allow_rules;
mod answers;
mod audit;
mod caller_cache;
pub mod channels;
pub mod clock;
pub mod compute;
pub mod condition;
mod context;
pub mod demo;
pub mod discover;
mod doorbell;
pub mod driving;
mod edit_cache;
mod edit_lines;
mod embedder;
mod entries;
pub mod feed;
mod files;
pub mod follow;
mod hash;
mod hex;
mod hooks;
pub mod host;
pub mod import;
pub mod keys;
pub mod login;
mod may;
pub mod memory;
mod message_edit;
mod message_waiters;
mod metrics;
mod moment;
mod new_id;
pub mod notices;
mod older_words;
mod open_channels;
mod pace;
mod posting;
mod preferences;
mod pricing;
mod problem;
mod project_groups;
mod quotas;
pub mod redaction;
mod refusal;
pub mod reindex;
mod reports;
mod request_span;
mod requests;
pub mod retention;
mod retry;
pub mod routing;
pub mod schedules;
mod scoped;
mod search_text;
pub mod types;
pub mod watch;
mod workers;
pub mod writer;

pub use context::{Consent, Hub, Root, Settings, TopicState};
pub use embedder::Embedder;
pub use hex::hex;
pub use login::random;
pub use metrics::{Metrics, Stream, milliseconds};
pub use posting::MOST_EDITS;
pub use posting::read_metadata;
pub use problem::problem;
pub use request_span::with_session;
pub use scoped::{Agent, Caller, Person, Scoped, Surface};
