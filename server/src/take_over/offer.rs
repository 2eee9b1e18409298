//! The running server's side.

use super::wire::{Message, Wire};
use crate::http::Stopping;
use anyhow::Result;
use hub::Hub;
use hub::account::login::same_secret;
use hub::driving::Driving;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;
use store::{DataDirLock, Store};
use tokio::net::{TcpListener, UnixListener};
use tokio::time::{Instant, timeout};

/// How long the other side may take for its next message.
const PATIENCE: Duration = Duration::from_secs(10);

/// The resources that a running server offers to a newer one.
pub struct Offer {
    listener: OwnedFd,
    socket: Option<UnixListener>,
    key: String,
    hub: Hub,
    stopping: Stopping,
}

/// A server that took over waits for the data directory.
pub struct Offered(Wire);

impl Offered {
    /// Gives up the data directory: the store is closed.
    pub async fn release(self, lock: &DataDirLock) {
        if let Err(error) = self.0.send(&Message::Released, Some(lock.as_fd())).await {
            tracing::warn!(%error, "the server that was to take over is gone");
        }
    }
}

impl Offer {
    /// Of a data directory whose lock is ours, and of the socket on which this server listens.
    ///
    /// # Errors
    ///
    /// If the listening socket can't be duplicated.
    pub fn new(dir: &Path, listener: &TcpListener, key: String, hub: Hub, stopping: Stopping) -> Result<Self> {
        let socket = bind(dir)
            .inspect_err(|error| {
                tracing::warn!(%error, "a newer server can't take over from this one: its socket can't be made");
            })
            .ok();
        Ok(Self { listener: listener.as_fd().try_clone_to_owned()?, socket, key, hub, stopping })
    }

    /// Waits for a server that takes over. Returns None if this one stops without one.
    pub async fn run(self) -> Option<Offered> {
        let Some(listener) = &self.socket else {
            self.stopping.asked().await;
            return None;
        };
        loop {
            let stream = tokio::select! {
                () = self.stopping.asked() => return None,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        tracing::warn!(%error, "a newer server can't reach this one");
                        continue;
                    }
                },
            };
            let mut wire = Wire::new(stream);
            match self.answer(&mut wire).await {
                Ok(true) => return Some(Offered(wire)),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "a take-over failed, and this server goes on"),
            }
        }
    }

    /// Returns true once the other server may have the port. The connection stays open until the store is closed.
    async fn answer(&self, wire: &mut Wire) -> Result<bool> {
        let Some(Message::Hello { key, schema }) = timeout(PATIENCE, wire.receive()).await?? else { return Ok(false) };
        if let Some(reason) = self.refusal(wire, &key, schema) {
            wire.send(&Message::Refused { reason: reason.to_owned() }, None).await?;
            return Ok(false);
        }
        wire.send(&Message::Port, Some(self.listener.as_fd())).await?;
        let go = timeout(PATIENCE, wire.receive()).await??;
        let Some(Message::Go { agents_wait_seconds }) = go else { return Ok(false) };
        let Some(agents) = self.wait_for_agents(wire, Duration::from_secs(agents_wait_seconds)).await? else {
            return Ok(false);
        };
        wire.send(&Message::Draining { agents }, None).await?;
        self.stopping.set_taken_over();
        self.stopping.ask();
        Ok(true)
    }

    fn refusal(&self, wire: &Wire, key: &str, schema: i64) -> Option<&'static str> {
        if !wire.is_of_same_user() || !same_secret(key, &self.key) {
            return Some("it belongs to another user, or was started again\nTry again");
        }
        if self.stopping.port_goes_on() {
            return Some("systemd holds its port\nUpdate it by `systemctl --user restart verbatim`: no request fails");
        }
        if schema < Store::newest_schema() {
            return Some("it is of a newer version, which its database needs\nUpdate this program");
        }
        None
    }

    /// Waits until no agent is at work, at most so long. Returns how many still are; None if the other server ended.
    async fn wait_for_agents(&self, wire: &mut Wire, most: Duration) -> Result<Option<usize>> {
        let (driving, until) = (self.hub.state::<Driving>(), Instant::now() + most);
        let (mut changes, mut told) = (driving.changes(), 0);
        loop {
            changes.borrow_and_update();
            let agents = driving.at_work();
            if agents == 0 || Instant::now() >= until || self.stopping.is_asked() {
                return Ok(Some(agents));
            }
            if agents != told {
                wire.send(&Message::Waiting { agents }, None).await?;
                told = agents;
            }
            tokio::select! {
                changed = changes.changed() => changed?,
                () = tokio::time::sleep_until(until) => {}
                () = self.stopping.asked() => {}
                received = wire.receive() => if received?.is_none() { return Ok(None) },
            }
        }
    }
}

/// Makes the socket, for its owner alone, in place of one that another server left.
fn bind(dir: &Path) -> std::io::Result<UnixListener> {
    let path = super::socket(dir);
    super::remove_socket(dir);
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
