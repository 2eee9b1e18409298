//! The new server's side.

use super::wire::{Message, Wire};
use crate::cli::Serve;
use crate::printing::note;
use crate::{data_dir, door, listening};
use anyhow::{Context as _, Result, anyhow, bail};
use std::fs::File;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;
use store::{DataDirLock, Database, LockError, Store};
use tokio::net::UnixStream;
use tokio::time::Instant;

/// How long a server may take to have its socket, and the lock of one that ended to be free.
const SOON: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// The resources that a server took over from the one before.
pub struct Claimed {
    pub lock: DataDirLock,
    pub listener: TcpListener,
    /// The key of this machine's credential stays: no command and no request fails for it.
    pub key: String,
}

/// Takes the port and the data directory over from the server that has them. Returns once that has closed the store.
///
/// # Errors
///
/// If that server goes on: it is of another version, or the store couldn't be opened. The error says what to do.
pub async fn claim(args: &Serve, dir: &Path, holder: &str, database: &Database) -> Result<Claimed> {
    let credential = data_dir::credential(dir).with_context(|| {
        format!(
            "{} is in use by process {holder}, which is no server\nWait until it ends, and try again",
            dir.display()
        )
    })?;
    let refused =
        |reason: &str| anyhow!("process {holder}, the server on {}, can't be taken over: {reason}", dir.display());
    let stream = connect(dir).await.map_err(|error| {
        refused(&format!("{error}\nStop it first (`kill {holder}`), then start this one; requests fail in between"))
    })?;
    let mut wire = Wire::new(stream);
    let hello = Message::Hello { key: credential.key.clone(), schema: Store::newest_schema() };
    // It may end at any moment.
    let answer = if wire.send(&hello, None).await.is_ok() { wire.receive().await? } else { None };
    match answer {
        Some(Message::Port) => {}
        Some(Message::Refused { reason }) => return Err(refused(&reason)),
        _ => return Err(refused("it ended, or another server takes over\nTry again")),
    }
    let listener = listening::check(TcpListener::from(wire.take_descriptor()?))?;
    // While that server is still there.
    Store::check_update(database, args.tuning()).await.map_err(|error| door::unopened(database, &error))?;
    wire.send(&Message::Go { agents_wait_seconds: args.agents_wait }, None).await?;
    let lock = loop {
        match wire.receive().await? {
            Some(Message::Waiting { agents }) => {
                note(&format!("Waiting for {}, {} s at most", at_work(agents), args.agents_wait));
            }
            Some(Message::Draining { agents }) => {
                if agents > 0 {
                    note(&format!("Ending {}: their sessions can be continued", at_work(agents)));
                }
                note("The server before finishes its requests");
            }
            Some(Message::Released) => break DataDirLock::adopt(dir, File::from(wire.take_descriptor()?))?,
            Some(other) => {
                bail!("process {holder} sent what isn't understood: {other:?}\nIt may go on: see `verbatim doctor`")
            }
            None => break free(dir).await?,
        }
    };
    Ok(Claimed { lock, listener, key: credential.key })
}

/// Connects to a server that may be starting.
async fn connect(dir: &Path) -> std::io::Result<UnixStream> {
    let until = Instant::now() + SOON;
    loop {
        match UnixStream::connect(super::socket(dir)).await {
            Err(_) if Instant::now() < until => tokio::time::sleep(PAUSE).await,
            connected => return connected,
        }
    }
}

fn at_work(agents: usize) -> String {
    format!("{} at work", app::figures::counted(agents as i64, "agent"))
}

/// Takes the lock of a server that ended without giving it.
async fn free(dir: &Path) -> Result<DataDirLock> {
    let until = Instant::now() + SOON;
    loop {
        match DataDirLock::acquire(dir) {
            Ok(lock) => return Ok(lock),
            Err(LockError::Held { .. }) if Instant::now() < until => tokio::time::sleep(PAUSE).await,
            Err(error) => bail!(
                "the take-over broke off: {error}\nThe server before goes on, or another one took over: see `verbatim doctor`"
            ),
        }
    }
}
