//! The tools that agents call through the Model Context Protocol (MCP), on top of the Rust SDK.
//!
//! A tour: `tools` is the one table of tools, with a file for each; [`Client`] is whose calls they are and which session
//! they go to; `Call` is one call, which may wait for a person; [`Server`] answers the protocol;
//! [`serve_stdio`] does it on standard input and output, and [`Endpoint`] for HTTP requests.
//!
//! The tools can do no more than an outsider with the same key can do through the API: this crate sees neither store
//! nor hub.
//!
//! How to add a tool: a file in `tools/` with its arguments and its function, a line in the table of `tools`, and its
//! part in `docs/user/mcp.md`.

#![warn(missing_docs)]

mod call;
mod client;
mod endpoint;
mod schema;
mod server;
mod stdio;
mod tools;

pub use client::{Client, Settings, agent_of};
pub use endpoint::Endpoint;
pub use server::Server;
pub use stdio::{Ended, serve_stdio};
