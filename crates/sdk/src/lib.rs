//! The Rust client of Verbatim: an agent posts typed messages, asks people, and waits for what they say.
//!
//! ```no_run
//! use sdk::{EndOutcome, Verbatim};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), sdk::Error> {
//!     // VERBATIM_URL and VERBATIM_KEY; `verbatim key create --name nightly-bot` makes a key.
//!     let session = Verbatim::from_env()?.create_session("nightly-bot").await?;
//!     session.send_message("All **412** tests pass.").await?;
//!     let answer = session.ask("Shall I publish version 1.4?").await?;
//!     session.send_message(format!("Understood: {}", answer.text())).await?;
//!     session.end(EndOutcome::Done).await
//! }
//! ```
//!
//! A tour, top-down:
//! - [`Verbatim`]: a server and the key to it. [`Session`]: one conversation of an agent.
//! - [`Session::send_message`] posts anything; [`Session::send_structured_message`] any type, with thin wrappers for
//!   diffs, to-do lists, tool calls, files, errors, charts, reviews and progress; [`Session::update`] changes what was posted; [`Streaming`] is a text that grows.
//! - [`Session::ask`] and [`Session::ask_approval`] ask people. Their waiting survives a restart of the server;
//!   [`Question`] and [`ApprovalRequest`] are the same in two steps. [`approval`] has approvals that are ready to be asked.
//! - What people write comes with the answer to each post, as [`Sent::queued_user_messages`], and by
//!   [`Session::pending`]; each [`Message`] once. Its [`Message::body`] is typed.
//! - [`Session::begin_run`] gives the agent its input for one run, once and in order, after a crash as well; [`Run`] is it.
//! - [`Watch`]: the event stream, which resumes itself.
//! - [`Error`]: what went wrong, by what one may do about it.
//! - [`blocking`]: the same without an async runtime.
//! - [`api`], [`model`]: the contract and the message types underneath. [`Verbatim::client`] has every endpoint.
//!
//! A request that fails for the moment (no connection, 429, 502, 503, 504) is repeated with growing pauses, for as long as
//! [`Verbatim::patience`] says and never before the server's `Retry-After`. That doubles nothing: whatever makes something
//! new carries an id that was made here, and an appended text the revision that it is meant for.
//!
//! This crate sees what any outsider sees: the HTTP contract, never the store or the hub.
//!
//! How to add a method: the endpoint in the table of `api`, the method beside its like here, and its line in [`blocking`]
//! (a test compares the two).

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod approval;
pub mod blocking;

mod connection;
mod error;
mod inbox;
mod message;
mod retry;
mod session;
mod verbatim;
mod watch;

pub use api::lifecycle::{EditSession, EndOutcome, NewSession};
pub use api::messages::ListMessages;
pub use api::posting::{PostMessage, UpdateMessage};
pub use api::runs::{BeginRun, EndRun, EndedAs};
pub use api::{self, Problem};
pub use error::Error;
pub use message::{Message, Sent, Structured};
pub use model::message_type::approval::{Approval, ApprovalState};
pub use model::message_type::chart::Chart;
pub use model::message_type::code_edit::Edit;
pub use model::message_type::code_review::{CodeReview, ReviewComment, Severity};
pub use model::message_type::error::Error as ErrorReport;
pub use model::message_type::file::{FileItem, FileState};
pub use model::message_type::progress::{Progress, ProgressState};
pub use model::message_type::todo::{TodoItem, TodoStatus};
pub use model::message_type::tool_call::ToolCall;
pub use model::{self, Body, Role, Status};
pub use session::{Answer, ApprovalRequest, Decided, Question, Run, Session, Streaming};
pub use verbatim::Verbatim;
pub use watch::{Event, Watch};

/// The examples of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
