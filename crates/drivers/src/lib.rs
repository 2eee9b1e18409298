//! Agents that Verbatim starts itself: their processes, and the protocols by which they are driven.
//!
//! A tour:
//! - [`Driver`]: one agent's protocol, without IO: a line of the agent or a [`Command`] of a person goes in, lines to send and
//!   [`Event`]s come out.
//! - [`start`]: runs a driver on a process of its own, and returns a [`Handle`] to it with its events. `process`: the process,
//!   its group and its mark. [`end_left`]: ends what a server left that was killed. [`lines`]: its output, cut into lines within limits. [`log`]: a transcript for agents that write none.
//! - [`join`]: does the same with an agent that somebody else started, on the socket that it offers.
//! - [`programs`]: the agents that can be started. `claude`, `codex`, `acp`: the protocols of Claude Code, of Codex, and the Agent
//!   Client Protocol, which most others speak. `rpc`: what the last two are made of. `form`: answers to forms.
//! - [`environment`]: what of the server's environment an agent gets.
//! - [`Folder`]: the files that an agent may ask us for. `terminals`: the commands.
//!
//! Rules that hold for every driver:
//! - It never approves by itself: an unknown answer, a lost connection and an end are no approval.
//! - A request of the agent is answered once. A second answer is a [`Refusal::NoRequest`].
//! - What it doesn't know is an [`Event::Unknown`] for the log, never a failure.
//! - Its messages come from a transcript: the agent's own, or [`log`]. Events carry what no transcript has: state, growing
//!   texts, requests, tokens so far.
//!
//! This crate knows no store, no hub and no HTTP.
//!
//! How to add an agent: its line in [`programs::PROGRAMS`], `src/<agent>.rs` with a type that implements [`Driver`], and its tests,
//! which feed it lines and compare all that comes out.

#![warn(missing_docs)]

mod acp;
mod attached;
mod claude;
mod codex;
mod driver;
pub mod environment;
mod event;
mod folder;
mod form;
mod join_error;
mod left;
pub mod lines;
pub mod log;
#[cfg(target_os = "linux")]
mod proc;
mod process;
pub mod programs;
mod rpc;
mod run;
mod terminals;

pub use attached::{ControlSocket, Identity, Thread, Threads, join};
pub use driver::{Answer, Command, Driver, Effects, Job, Opening, Picture, Prompt, Refusal, Resume, When};
pub use event::{Ask, AskKind, Choice, Content, Event, Exit, Outcome, Reason, State, Suggestion, Tokens, Turn, Voice};
pub use folder::{Folder, OutsideFolder};
pub use join_error::JoinError;
pub use left::{Left, Process, end_left};
pub use log::Log;
pub use process::{Group, Launch};
pub use run::{Handle, Limits, start};
pub use terminals::{JobError, TerminalJob};
