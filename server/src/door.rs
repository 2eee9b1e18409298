//! One door to the data: the running server if there is one, else a hub of our own behind the same client.

use crate::cli::Data;
use crate::data_dir::{self, Credential};
use crate::http;
use anyhow::{Context as _, Result, bail};
use api::{Client, Nothing};
use hub::{Caller, Hub, Scoped, Settings};
use std::path::Path;
use std::time::Duration;
use store::{DataDirLock, LockError, Store};
use tokio_util::sync::CancellationToken;

pub struct Door {
    pub client: Client,
    /// Ours, where no server runs.
    own: Option<(Store, DataDirLock, CancellationToken)>,
}

impl Door {
    pub async fn open(data: &Data) -> Result<Self> {
        let dir = data_dir::path(data)?;
        match DataDirLock::acquire(&dir) {
            Ok(lock) => {
                let store = open_store(&data_dir::database(data, &dir)?).await?;
                let shutdown = CancellationToken::new();
                let hub = Hub::new(store.clone(), settings(), shutdown.clone()).await.map_err(hub::problem)?;
                let client = http::in_process(&Scoped { hub, caller: Caller::Local });
                Ok(Self { client, own: Some((store, lock, shutdown)) })
            }
            Err(LockError::Held { .. }) => {
                let credential = data_dir::credential(&dir).with_context(|| {
                    format!("{} is in use by another process that can't be reached\nWait until it ends", dir.display())
                })?;
                Ok(Self { client: sdk::connect(&credential.url, &credential.key), own: None })
            }
            Err(LockError::Io { dir, error }) => {
                bail!("{} can't be used: {error}\nName another folder with `--data-dir`", dir.display())
            }
        }
    }

    /// Ends what is ours. Nothing is lost without it, but the next start is quicker.
    pub async fn close(self) {
        if let Some((store, lock, shutdown)) = self.own {
            shutdown.cancel();
            store.close().await;
            drop(lock);
        }
    }
}

/// The server of a data directory.
pub enum Server {
    None,
    /// Its credential is there, but no process holds the directory: it ended without cleaning up.
    Gone(Credential),
    /// A process holds the directory, but nobody answers.
    Silent {
        url: String,
        process: String,
        reason: String,
    },
    Answers(Credential),
}

/// How long a server may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks for the server of a data directory, and asks it. Without a process that holds the directory nobody is asked: the
/// address may be somebody else's by now.
pub async fn server(dir: &Path) -> Server {
    let Some(credential) = data_dir::credential(dir) else { return Server::None };
    let Err(LockError::Held { holder, .. }) = DataDirLock::acquire(dir) else { return Server::Gone(credential) };
    let client = sdk::connect(&credential.url, &credential.key);
    let reason = match tokio::time::timeout(PATIENCE, client.me(Nothing {}, Nothing {})).await {
        Ok(Ok(_)) => return Server::Answers(credential),
        Ok(Err(problem)) => problem.to_string(),
        Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
    };
    Server::Silent { url: credential.url, process: holder, reason }
}

/// Opens a store, with a plain word if it can't be.
pub async fn open_store(database: &store::Database) -> Result<Store> {
    let name = match database {
        store::Database::Sqlite(file) => file.display().to_string(),
        store::Database::Postgres(_) => "the PostgreSQL database".to_owned(),
    };
    Store::open(database).await.map_err(|error| {
        let hint = error.advice().map_or_else(String::new, |advice| format!("\n{advice}"));
        anyhow::anyhow!("{name} can't be opened: {error}{hint}")
    })
}

fn settings() -> Settings {
    Settings { version: env!("CARGO_PKG_VERSION").to_owned(), ..Settings::default() }
}
