//! The types of messages and sessions, and their rules. No input or output.
//!
//! A tour, top-down:
//! - [`message`]: one row of a session, [`Message`], and what a writer hands in, [`Draft`].
//! - [`envelope`]: the JSON metadata `{message_type, version, payload, ...extras}`: strict [`envelope::normalize`],
//!   lenient [`envelope::parse`]. `extras`: what stands in it beside the payload; `version`: the payload's.
//! - [`message_type`]: the table of message types, one file per type; [`Body`] is a message's typed content.
//! - [`declared`]: message types that others declare by a document.
//! - [`policy`]: role and type decide storage, context, memory, dashboard and channels. `voice`: whose word a sender
//!   is.
//! - [`session`], [`run`], [`source`]: the other entities; [`copies`]: what shows that a message is a copy.
//! - [`hook`]: what an agent asked by a hook. [`closed`]: why a request was closed without a decision.
//! - [`audit`]: entries of the audit log. [`browser`]: names of browsers.
//! - [`mod@summary`], [`markdown`], [`search_text`]: every message as one line, as markdown, and as the words it is
//!   found by.
//! - [`routing`]: which messages wake the agent, and which are control words.
//! - [`derived`], [`mod@todo_state`]: ids of messages made from a tool call; the to-do list of a session.
//! - [`strict`]: strict reading of JSON, with the place of what is wrong.
//! - [`sdk_format`]: stored messages as the input of a model. [`run_prompt`]: that input as the exact bytes that are
//!   given.
//! - [`model_context`]: what a model's context held when it wrote a reply.
//! - [`words!`]: closed sets of words, as the roles are.
//! - [`terminal`]: what a terminal shows of an output.
//! - [`view`]: view models that `diff` computes and `app` draws.
//!
//! This crate knows no clock, no randomness, no file and no database: time and ids are arguments.
//!
//! How to add a message type: `docs/ARCHITECTURE.md` lists the files.

#![warn(missing_docs)]

pub mod asked;
pub mod audit;
pub mod browser;
pub mod closed;
pub mod copies;
pub mod declared;
pub mod derived;
pub mod envelope;
pub mod exact;
mod extras;
pub mod hidden;
pub mod hook;
pub mod id;
pub mod length;
pub mod markdown;
pub mod message;
pub mod message_type;
pub mod model_context;
pub mod policy;
pub mod routing;
pub mod run;
pub mod run_prompt;
pub mod sdk_format;
pub mod search_text;
pub mod session;
pub mod source;
pub mod strict;
pub mod summary;
pub mod terminal;
pub mod text;
pub mod time;
pub mod todo_state;
mod version;
pub mod view;
mod voice;
mod words;
pub mod worktree;

pub use copies::{CopyMarks, Twin};
pub use id::{ALL_SESSIONS, MessageId, SessionId, SourceId};
pub use message::{Context, Draft, Message, Origin, Part, Provenance, RecordRef, Role, Status};
pub use message_type::{Body, MessageType, Payload};
pub use run::{Run, RunOutcome, Spent, Usage};
pub use session::{Session, SessionFacts, SessionState};
pub use time::Micros;
pub use voice::AssistantName;
#[doc(hidden)]
pub use words::read_word;
