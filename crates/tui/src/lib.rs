//! Sessions in the terminal: read, write to the agent, decide.
//!
//! A tour, top-down:
//! - [`run`] takes over the terminal, and gives it back however it ends. It turns keys and replies into calls of [`App`].
//! - [`App`] is the state: keys, replies and changes go in, requests come out. It has no clock, no connection and no terminal.
//! - [`Ask`] is a request, [`Told`] its reply; [`Server`] performs one. Reading is done as this machine's commands do it, what
//!   a person says and decides by a log-in of its own (`login`).
//! - [`draw`](fn@draw) draws the state: `screens` has a part for each screen. `transcript` places the cards, `card` draws one,
//!   `markdown` a text, `code` a difference; `wrap` fits lines into the width.
//! - `review` is what stands before a decision: all that it covers, each character of it visible. `form` has the fields of
//!   a request.
//! - `keys` is the table of keys.
//!
//! No byte of a message reaches the terminal unseen: `visible` replaces what can't be seen or would command the terminal, and
//! everything that is drawn goes through it.
//!
//! How to add a key: its line in `keys`, and what it does in `app/pressed.rs`, which no longer compiles.

#![warn(missing_docs)]

mod app;
mod ask;
mod card;
mod code;
mod compose;
mod form;
mod keys;
mod login;
mod markdown;
mod review;
mod run;
mod save;
mod screens;
mod theme;
mod transcript;
mod visible;
mod wrap;

pub use app::App;
pub use ask::{Ask, Server, Told};
pub use login::Person;
pub use run::{Failure, run};
pub use screens::draw;
pub use theme::Theme;
