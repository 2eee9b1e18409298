//! Channels: places besides the page where a session is shown and answered, and the protocols by which they are reached.
//!
//! A tour:
//! - [`Channel`]: one place of one kind. A message goes in as [`Outgoing`], is frozen as a body by [`Channel::render`], and sent by
//!   [`Channel::send`]. What people write there comes back as [`Incoming`].
//! - [`KINDS`]: the table of kinds, each a [`Kind`] with its settings and abilities. One file per kind, as `webhook`.
//! - [`Http`]: requests with limits, and to no private address unless it is allowed by name. `address`: which those are.
//! - [`PushAddress`]: a browser that shows notifications while no page is open. It is no channel: it shows that something waits.
//! - [`signature`]: signed webhooks, as the Standard Webhooks specification has them.
//!
//! Rules that hold for every kind:
//! - `render` is a function of its input alone: a body is stored before it is sent, and the same body is sent again after a crash.
//! - `send` uses the key of a [`Sending`] wherever the other side can drop a repetition.
//! - A [`Failure`] says whether a repetition may help. A kind doesn't repeat by itself.
//!
//! This crate knows no store and no hub: `hub::channels` says what is sent, in which order, and who may answer.
//!
//! How to add a kind: `src/<kind>.rs` with a type that implements [`Channel`] and a [`Kind`] that opens it, and its line in
//! [`KINDS`]. `docs/user/channels.md` has an example.

#![warn(missing_docs)]

// Kinds name this crate as the example in the documentation does.
extern crate self as channels;

/// The example of the documentation, which compiles as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/user/channels.md")]
struct Documented;

mod address;
mod addressed;
mod channel;
mod discord;
mod failure;
mod http;
mod kinds;
mod matrix;
mod push;
pub mod signature;
mod slack;
mod webhook;

pub use channel::{
    Abilities, Channel, Field, Incoming, Kind, Lane, Outgoing, Place, Received, Receives, Sending, Sent, Settings,
    What, continuation,
};
pub use failure::{Failure, SettingError};
pub use http::{Http, HttpError, Reply};
pub use kinds::{KINDS, kind};
pub use push::{MOST_BYTES as MOST_PUSH_BYTES, PushAddress, PushKey, PushMessage};
