//! The Rust client of Verbatim. An agent posts typed messages, asks people, and waits for their answers.
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
//! Overview:
//! - [`Verbatim`]: a server and a key. [`Session`]: one conversation of an agent.
//! - [`Session::send_message`] posts any message. [`Session::send_structured_message`] posts any type, with wrappers
//!   for diffs, todo lists, tool calls, files, errors, charts, reviews and progress. [`Session::update`] updates a
//!   message; [`Streaming`] is a streaming one.
//! - [`Session::ask`] and [`Session::ask_approval`] ask people and wait, across restarts of the server. [`Question`]
//!   and [`ApprovalRequest`] do the same in two steps. [`approval`] has constructors for common approvals.
//! - Messages of people arrive with the reply to each post, as [`Sent::queued_user_messages`], and by
//!   [`Session::pending`]; each [`Message`] once. Its [`Message::body`] is typed.
//! - [`Session::begin_run`] returns the agent's input for one [`Run`], once and in order, even after a crash.
//! - [`Watch`]: the event stream, which reconnects by itself.
//! - [`Error`]: errors, by how a caller can handle them.
//! - [`blocking`]: the same without an async runtime.
//! - [`api`], [`model`]: the HTTP contract and the message types. [`Verbatim::client`] has all endpoints.
//!
//! A temporary failure (no connection, 429, 502, 503, 504) is retried with exponential backoff, for as long as
//! [`Verbatim::patience`] allows and never before the server's `Retry-After`. A retry never duplicates anything: each
//! new message has an id that the client generated, and each appended text the revision to which it is appended.
//!
//! This crate only uses the HTTP API, never the store or the hub.
//!
//! How to add a method: add the endpoint to the table of `api`, the method here, and its line to [`blocking`]; a test
//! compares the two.

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
