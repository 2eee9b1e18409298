//! The public Rust client of Verbatim.
//!
//! It sees what any outsider sees: the HTTP contract of `api`, never the store or the hub.
//!
//! - [`connect`]: a client of a server, by its address and a key.
//!
//! How to add a method: add the endpoint to the table of `api`; the client has it then.

use api::Client;
use api::transport::reqwest::Reqwest;

/// A client of the server at `url` (`http://127.0.0.1:7117`), which shows `key` with each request.
pub fn connect(url: &str, key: &str) -> Client {
    let base = url.trim_end_matches('/').to_owned();
    Client::new(Reqwest { base, key: Some(key.to_owned()), http: reqwest::Client::new() })
}
