//! One door to the data: the running server if there is one, else a hub of our own behind the same client.

use crate::cli::{Data, Remote};
use crate::data_dir::{self, Credential};
use crate::http;
use crate::printing::note;
use anyhow::{Context as _, Result, bail};
use api::{Client, Nothing};
use hub::{Caller, Hub, Scoped, Settings};
use model::routing::bare;
use sdk::Verbatim;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{DataDirLock, LockError, Store, Tuning};
use tokio_util::sync::CancellationToken;

pub struct Door {
    /// As an agent's program uses it.
    pub verbatim: Verbatim,
    /// Every endpoint.
    pub client: Client,
    /// Ours, where no server runs.
    own: Option<(Store, DataDirLock, CancellationToken)>,
}

impl Door {
    pub async fn open(data: &Data) -> Result<Self> {
        let dir = data_dir::path(data)?;
        match DataDirLock::acquire(&dir) {
            Ok(lock) => {
                let store = open_store(&data_dir::database(data, &dir)?, Tuning::default()).await?;
                let shutdown = CancellationToken::new();
                let hub = Hub::new(store.clone(), settings(), shutdown.clone()).await.map_err(hub::problem)?;
                let client = http::in_process(&Scoped::new(hub, Caller::Local));
                Ok(Self { verbatim: Verbatim::over(client.clone()), client, own: Some((store, lock, shutdown)) })
            }
            Err(LockError::Held { .. }) => {
                let credential = data_dir::credential(&dir).with_context(|| {
                    format!("{} is in use by another process that can't be reached\nWait until it ends", dir.display())
                })?;
                Ok(Self::at(connect_here(&dir, &credential)?))
            }
            Err(LockError::Io { dir, error }) => {
                bail!("{} can't be used: {error}\nName another folder with `--data-dir`", dir.display())
            }
        }
    }

    /// Like [`Self::open`]. Where no directory is named and the usual one holds nothing, this finds a server that runs
    /// on another one, as that of the example does. A directory that is named must hold a store: its name may be
    /// mistyped.
    pub async fn find(data: &Data) -> Result<Self> {
        let dir = data_dir::path(data)?;
        if data.data_dir.is_some() && holds_nothing(data, &dir) {
            bail!(
                "{} isn't a data directory of Verbatim\nCheck the path. `verbatim serve` and `verbatim import` create a new one",
                dir.display()
            );
        }
        Self::find_or_make(data).await
    }

    /// Like [`Self::find`], for what may be the first thing in a new directory.
    pub async fn find_or_make(data: &Data) -> Result<Self> {
        let dir = data_dir::path(data)?;
        if holds_nothing(data, &dir)
            && let Some((dir, credential)) = elsewhere(data).await
        {
            return Ok(Self::at(connect_here(&dir, &credential)?));
        }
        Self::open(data).await
    }

    /// The server that is named, else what [`Self::find`] finds.
    pub async fn to(data: &Data, remote: &Remote) -> Result<Self> {
        match named(data, remote)? {
            Some(verbatim) => Ok(Self::at(verbatim)),
            None => Self::find(data).await,
        }
    }

    /// The server that is named, else what [`Self::find_or_make`] finds.
    pub async fn to_or_make(data: &Data, remote: &Remote) -> Result<Self> {
        match named(data, remote)? {
            Some(verbatim) => Ok(Self::at(verbatim)),
            None => Self::find_or_make(data).await,
        }
    }

    fn at(verbatim: Verbatim) -> Self {
        Self { client: verbatim.client().clone(), verbatim, own: None }
    }

    /// The store itself, where no server has it.
    pub fn store(&self) -> Option<&Store> {
        self.own.as_ref().map(|(store, ..)| store)
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

/// Says on standard error that a list is what a key may see, which may be less than a person expects: its variable may
/// be set for an agent's sake.
pub fn note_key(remote: &Remote) {
    if remote.key.is_some() {
        note("Using the agent's key from `VERBATIM_KEY` or `--key`: only its own data is shown");
    }
}

fn holds_nothing(data: &Data, dir: &Path) -> bool {
    data.database.is_none() && !dir.join(data_dir::DATABASE).exists() && data_dir::credential(dir).is_none()
}

/// The server that is named, else the one that runs on the data directory: for what makes no sense without one.
pub async fn running(data: &Data, remote: &Remote) -> Result<Verbatim> {
    match named(data, remote)? {
        Some(verbatim) => Ok(verbatim),
        None => answering(data).await,
    }
}

/// The server that runs on the data directory.
pub async fn answering(data: &Data) -> Result<Verbatim> {
    let dir = data_dir::path(data)?;
    match server(&dir).await {
        Server::Answers(credential) => connect_here(&dir, &credential),
        Server::None | Server::Gone(_) => match elsewhere(data).await {
            Some((dir, credential)) => connect_here(&dir, &credential),
            None => bail!("no server is running on {}\nStart one with `verbatim serve`", dir.display()),
        },
        Server::Silent { url, process, reason } => {
            bail!("process {process} holds {}, but no server answers at {url}: {reason}", dir.display())
        }
    }
}

/// Returns a server that runs on another data directory than the usual, where no directory is named.
async fn elsewhere(data: &Data) -> Option<(PathBuf, Credential)> {
    let dir = data_dir::elsewhere().filter(|_| data.data_dir.is_none())?;
    match server(&dir).await {
        Server::Answers(credential) => Some((dir, credential)),
        _ => None,
    }
}

/// The server that the options name, if they name any. What one of the two leaves open, this machine's credential
/// tells.
fn named(data: &Data, remote: &Remote) -> Result<Option<Verbatim>> {
    let dir = || data_dir::path(data);
    let own = || anyhow::Ok(data_dir::credential(&dir()?));
    Ok(Some(match (&remote.server, &remote.key) {
        (None, None) => return Ok(None),
        (Some(url), Some(key)) => connect(url, key)?,
        (None, Some(key)) => {
            let own = own()?.context("a key requires a server\nSet it with `--server` or `VERBATIM_URL`")?;
            connect(&own.url, key)?
        }
        (Some(url), None) => {
            let own = own()?.filter(|own| own.url == url.trim_end_matches('/'));
            let own = own.context(
                "a server requires a key\nSet it with `--key` or `VERBATIM_KEY`; `verbatim key create` creates one there",
            )?;
            connect_here(&dir()?, &own)?
        }
    }))
}

/// Somebody waits at the terminal: sooner than an agent's program would, it gives up.
pub fn connect(url: &str, key: &str) -> Result<Verbatim> {
    Ok(Verbatim::connect(url, key)?.patience(PATIENCE))
}

/// Like [`connect`], with the credential of a directory. Each start of its server writes a new one, and whoever waits
/// goes on with that: of the same address, since what is anywhere else may be anybody.
fn connect_here(dir: &Path, own: &Credential) -> Result<Verbatim> {
    let (dir, url) = (dir.to_owned(), own.url.clone());
    let newer = move || data_dir::credential(&dir).filter(|newer| newer.url == url).map(|newer| newer.key);
    Ok(Verbatim::connect_or_else(&own.url, &own.key, newer)?.patience(PATIENCE))
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

/// Looks for the server of a data directory, and asks it. Without a process that holds the directory nobody is asked:
/// the address may be somebody else's by now.
pub async fn server(dir: &Path) -> Server {
    let Some(credential) = data_dir::credential(dir) else { return Server::None };
    let Err(LockError::Held { holder, .. }) = DataDirLock::acquire(dir) else { return Server::Gone(credential) };
    let asked = async {
        let verbatim = Verbatim::connect(&credential.url, &credential.key).map_err(|error| error.to_string())?;
        verbatim.client().me(Nothing {}, Nothing {}).await.map_err(|problem| problem.to_string())
    };
    let reason = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(_)) => return Server::Answers(credential),
        Ok(Err(reason)) => reason,
        Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
    };
    Server::Silent { url: credential.url, process: holder, reason }
}

/// Opens a store, with a plain word if it can't be.
pub async fn open_store(database: &store::Database, tuning: Tuning) -> Result<Store> {
    let store = Store::open_with(database, tuning).await.map_err(|error| unopened(database, &error))?;
    if let Some(copy) = store.update_copy() {
        note(&format!(
            "The database was updated for this version. A copy from before is {}; `verbatim doctor` lists copies",
            copy.display()
        ));
    }
    Ok(store)
}

/// Says why a store isn't opened, and what to do.
pub fn unopened(database: &store::Database, error: &store::StoreError) -> anyhow::Error {
    let name = match database {
        store::Database::Sqlite(file) => file.display().to_string(),
        store::Database::Postgres(_) => "the PostgreSQL database".to_owned(),
    };
    let hint = error.advice().map_or_else(String::new, |advice| format!("\n{advice}"));
    anyhow::anyhow!("{name} can't be opened: {error}{hint}")
}

/// The assistant has the name that a server would give it in this environment.
fn settings() -> Settings {
    let name = std::env::var_os("ASSISTANT_NAME").and_then(|name| name.into_string().ok());
    let name = name.filter(|name| !bare(name).is_empty());
    let routing = model::routing::Settings { name, ..model::routing::Settings::default() };
    Settings { version: env!("CARGO_PKG_VERSION").to_owned(), routing, ..Settings::default() }
}
