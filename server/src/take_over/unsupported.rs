//! Where the system has no way to pass a socket to another process.

use crate::cli::Serve;
use crate::http::Stopping;
use anyhow::{Result, bail};
use hub::Hub;
use std::convert::Infallible;
use std::net::TcpListener;
use std::path::Path;
use store::{DataDirLock, Database};

pub struct Claimed {
    pub lock: DataDirLock,
    pub listener: TcpListener,
    pub key: String,
}

pub async fn claim(_args: &Serve, _dir: &Path, holder: &str, _database: &Database) -> Result<Claimed> {
    bail!("`--take-over` needs Linux, macOS or another Unix\nStop process {holder}, then start this one")
}

pub struct Offered(Infallible);

impl Offered {
    pub async fn release(self, _lock: &DataDirLock) {
        match self.0 {}
    }
}

pub struct Offer(Stopping);

impl Offer {
    pub fn new(
        _dir: &Path,
        _listener: &tokio::net::TcpListener,
        _key: String,
        _hub: Hub,
        stopping: Stopping,
    ) -> Result<Self> {
        Ok(Self(stopping))
    }

    pub async fn run(self) -> Option<Offered> {
        self.0.asked().await;
        None
    }
}

pub fn remove_socket(_dir: &Path) {}
