//! One door to the data: the running server if there is one, else a hub of our own behind the same client.

use crate::cli::Data;
use crate::{data_dir, http};
use anyhow::{Context as _, Result, bail};
use api::Client;
use hub::{Caller, Hub, Scoped, Settings};
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

/// Opens a store, with a plain word if it can't be.
pub async fn open_store(database: &store::Database) -> Result<Store> {
    let name = match database {
        store::Database::Sqlite(file) => file.display().to_string(),
        store::Database::Postgres(_) => "the PostgreSQL database".to_owned(),
    };
    Store::open(database).await.map_err(|error| {
        let hint = match &error {
            store::StoreError::Newer { .. } => "\nUpdate Verbatim, or name another folder with `--data-dir`",
            store::StoreError::Full => "\nFree some space and start again: nothing is lost",
            _ => "",
        };
        anyhow::anyhow!("{name} can't be opened: {error}{hint}")
    })
}

fn settings() -> Settings {
    Settings { version: env!("CARGO_PKG_VERSION").to_owned(), ..Settings::default() }
}
