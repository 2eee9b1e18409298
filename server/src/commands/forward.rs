//! `verbatim forward`: this machine's agents in a server on another machine.
//!
//! - `found`: the files of this machine's agents. `project`: which of them belong to a project.
//! - `content`: the bytes of a file that are sent: as they are, with secrets masked, or a copy of a database.
//! - `link`: the server, and what its refusals mean. `sender`: what of which file is sent next.
//!
//! The files are the queue. What is to be sent follows from what the server has, so that nothing is stored here, and a
//! restart of either side goes on where it stopped.

mod content;
mod found;
mod link;
mod project;
mod sender;

use super::{note, print, read_key};
use crate::cli::Forward;
use crate::signals::Signals;
use anyhow::{Result, bail};
use found::Finder;
use link::{Failure, Link};
use notify::{RecursiveMode, Watcher as _};
use sender::{Sender, Sum};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

/// How often all files are looked at, in case the system didn't tell that one changed.
const SWEEP: Duration = Duration::from_secs(15);
/// An agent writes several lines at once: what comes within this time is sent together.
const TOGETHER: Duration = Duration::from_millis(50);
/// The first and the longest pause after a failure.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);
/// Failures in a row after which `--once` ends.
const ATTEMPTS: u32 = 6;
/// Changed paths that may wait: all files are looked at anyway.
const QUEUE: usize = 1024;

pub async fn run(args: Forward) -> Result<()> {
    let key = read_key(&args.key, "\n`verbatim machine add NAME --key-file FILE` on the server creates it")?;
    let link = Link::new(&args.to, &key, args.ca.as_deref())?;
    let finder = Finder::new(&args)?;
    if args.redact {
        note("Secrets are masked: what the server has isn't byte for byte what is here");
    }
    let mut forwarding =
        Forwarding { sender: Sender::new(link, args.redact)?, finder, failures: 0, said: String::new() };
    if args.once { forwarding.once().await } else { forwarding.follow().await }
}

struct Forwarding {
    sender: Sender,
    finder: Finder,
    failures: u32,
    /// The last line about the state, which isn't said twice.
    said: String,
}

impl Forwarding {
    /// Sends what is there and compares it with the server's copies.
    async fn once(&mut self) -> Result<()> {
        let mut passes = 0;
        loop {
            passes += 1;
            let files = self.finder.all();
            let sent = self.send(&files).await;
            match self.settle(sent)? {
                None if !self.sender.is_behind() => {}
                None if passes >= ATTEMPTS => bail!("Some files change faster than they are sent: try again later"),
                None => continue,
                Some(_) if self.failures >= ATTEMPTS => bail!("{}", self.said),
                Some(pause) => {
                    sleep(pause).await;
                    continue;
                }
            }
            let compared = self.sender.compare(&files).await;
            match compared {
                Ok(Sum { files, bytes, different }) if different.is_empty() => {
                    if let Some((unread, reason)) = self.sender.unread() {
                        bail!("{} can't be sent: {reason}", app::figures::counted(unread, "file"));
                    }
                    let files = app::figures::counted(files, "file");
                    return print(&format!("{files}, {bytes} bytes: all hashes agree\n"));
                }
                Ok(Sum { different, .. }) if passes >= ATTEMPTS => {
                    let first = different.first().map(String::as_str).unwrap_or_default();
                    bail!("{} files differ from the server's copies, {first} among them", different.len())
                }
                // A file changed meanwhile.
                Ok(_) => {}
                Err(failure) => {
                    let pause = self.settle(Err(failure))?;
                    if self.failures >= ATTEMPTS {
                        bail!("{}", self.said);
                    }
                    sleep(pause.unwrap_or(FIRST)).await;
                }
            }
        }
    }

    /// Sends what is there and what changes, until the program is asked to end.
    async fn follow(&mut self) -> Result<()> {
        let mut signals = Signals::hear()?;
        let (send, mut changed) = mpsc::channel::<PathBuf>(QUEUE);
        let mut watcher = hub::follow::watcher(send);
        let mut watched: Vec<PathBuf> = Vec::new();
        loop {
            for (folder, is_shallow) in Finder::folders() {
                let mode = if is_shallow { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
                let is_new = !watched.contains(&folder) && folder.is_dir();
                if is_new && watcher.as_mut().is_some_and(|watcher| watcher.watch(&folder, mode).is_ok()) {
                    watched.push(folder);
                }
            }
            let mut files = self.finder.all();
            let sweep = Instant::now() + SWEEP;
            loop {
                let sent = tokio::select! {
                    sent = self.send(&files) => sent,
                    () = signals.next() => return Ok(()),
                };
                let wake = match self.settle(sent)? {
                    Some(pause) => Instant::now() + pause,
                    None if self.sender.is_behind() => Instant::now() + FIRST,
                    None => sweep,
                };
                let mut paths = Vec::new();
                tokio::select! {
                    () = signals.next() => return Ok(()),
                    () = sleep_until(wake.min(sweep)) => {}
                    Some(path) = changed.recv(), if wake == sweep => {
                        paths.push(path);
                        sleep(TOGETHER).await;
                        while let Ok(path) = changed.try_recv() {
                            paths.push(path);
                        }
                    }
                }
                if Instant::now() >= sweep {
                    break;
                }
                if !paths.is_empty() {
                    files = self.finder.of(&paths);
                }
            }
        }
    }

    async fn send(&mut self, files: &[found::Found]) -> Result<(), Failure> {
        if self.sender.is_due() {
            let welcome = self.sender.hello().await?;
            self.say(&format!("Connected to {} as {}", self.sender.address(), welcome.name));
        }
        let sent = self.sender.send(files).await?;
        if sent > 0 && !self.sender.is_behind() {
            tracing::debug!(bytes = sent, "sent");
        }
        Ok(())
    }

    /// How long to wait after a failure. None after none.
    ///
    /// # Errors
    ///
    /// A failure that doesn't pass.
    fn settle(&mut self, sent: Result<(), Failure>) -> Result<Option<Duration>> {
        let (reason, asked) = match sent {
            Ok(()) => {
                self.failures = 0;
                return Ok(None);
            }
            Err(Failure::Final(reason)) => bail!("{reason}"),
            Err(Failure::Passing { reason, asked }) => (reason, asked),
        };
        self.failures += 1;
        self.say(&format!("{reason}; trying again"));
        let doubled = FIRST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        let millis = u64::try_from(doubled.as_millis()).unwrap_or(u64::MAX);
        let chance = Duration::from_millis(hub::random(millis / 2));
        Ok(Some(doubled.saturating_sub(chance).max(asked)))
    }

    fn say(&mut self, line: &str) {
        if self.said != line {
            note(line);
            line.clone_into(&mut self.said);
        }
    }
}
