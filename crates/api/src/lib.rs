//! The HTTP contract. Server and clients share these types, so that they can't diverge.
//!
//! A tour, top-down:
//! - [`contract`]: the endpoint table. One line per endpoint yields the [`Api`] trait that the hub implements for one
//!   authenticated caller, the axum router and the typed client.
//! - [`sessions`], [`messages`], [`lifecycle`], [`posting`], [`driving`], [`channels`], [`runs`], [`context`],
//!   [`host`], [`keys`], [`people`], [`blobs`], [`search`], [`stats`], [`projects`], [`imports`], [`account`], [`audit`],
//!   [`preferences`], [`retention`], [`types`], [`events`]: requests and replies.
//! - [`problem`]: the only error that crosses the wire (RFC 9457).
//! - `openapi`, with the feature `schema`: the table as an OpenAPI document.
//! - [`client`], [`transport`]: one [`Client`] over a [`Transport`]: reqwest, the browser's fetch, or in process.
//!
//! How to add an endpoint: put its request and reply types in the file of its topic, add a row to the table, and a
//! function of its name to the topic's folder in `hub`. A server without the function doesn't compile.

#![warn(missing_docs)]

pub mod account;
pub mod audit;
pub mod blobs;
pub mod channels;
pub mod client;
pub mod context;
pub mod contract;
pub mod cost;
pub mod driving;
pub mod endpoint;
pub mod events;
pub mod files;
pub mod hooks;
pub mod host;
pub mod imports;
pub mod inspector;
pub mod json;
pub mod keys;
pub mod lifecycle;
pub mod limits;
pub mod machines;
pub mod memory;
pub mod messages;
pub mod net;
pub mod notices;
#[cfg(feature = "schema")]
pub mod openapi;
pub mod outline;
pub mod people;
pub mod posting;
pub mod preferences;
pub mod problem;
pub mod problem_code;
pub mod projects;
pub mod push;
pub mod reading;
pub mod redaction;
pub mod retention;
pub mod routing;
pub mod runs;
pub mod schedules;
pub mod search;
#[cfg(feature = "axum")]
pub mod serve;
pub mod sessions;
pub mod shares;
pub mod stats;
pub mod transport;
pub mod type_settings;
pub mod types;

pub use client::Client;
#[cfg(feature = "axum")]
pub use contract::router;
pub use contract::{Api, ENDPOINTS};
pub use endpoint::{Access, Endpoint, EndpointInfo, Input, Method, Nothing, Reply, Route};
pub use problem::Problem;
pub use problem_code::ProblemCode;
pub use transport::{Answer, Transport};
