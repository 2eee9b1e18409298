//! One server takes over from another one on the same data directory, and no request fails.
//!
//! The running server has a Unix socket in the data directory ([`offer`]). A newer one that is started with `--take-over`
//! ([`claim()`]) gets the listening socket by it, so that connections wait in its backlog while one server closes the store and
//! the next one opens it. [`wire`] is what they say to each other. Until the running server has said `draining`, it goes on if
//! the other one ends.

mod claim;
mod offer;
mod wire;

pub use claim::{Claimed, claim};
pub use offer::Offer;

use crate::data_dir;
use std::path::{Path, PathBuf};

fn socket(dir: &Path) -> PathBuf {
    dir.join(data_dir::SOCKET)
}

/// Removes the socket of a server that ends.
pub fn remove_socket(dir: &Path) {
    let _ = std::fs::remove_file(socket(dir));
}
