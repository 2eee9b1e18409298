//! Signals that stop the program: a key at the terminal, its closing, a service manager, `timeout`.

use anyhow::{Context as _, Result};

/// Heard from the making on: a signal that came before would kill the process, and leave what it holds open.
#[cfg(unix)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None under `nohup`.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    pub fn hear() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let hear = |kind| signal(kind).context("signals can't be heard");
        let hangup = if ignores_hangup() { None } else { Some(hear(SignalKind::hangup())?) };
        Ok(Self { interrupt: hear(SignalKind::interrupt())?, terminate: hear(SignalKind::terminate())?, hangup })
    }

    /// The next one.
    pub async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Was the program told to outlive its terminal? To listen for that would undo it. Only Linux says.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    const HANGUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & HANGUP != 0)
}

#[cfg(not(unix))]
pub struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    pub fn hear() -> Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self).context("signals can't be heard")
    }

    /// The next one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}
