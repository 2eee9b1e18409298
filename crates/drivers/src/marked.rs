//! Processes that are found by a variable of their environment, in whatever group and session they are.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs::{self, DirEntry};
use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;
use tokio::time::Instant;

/// The pause between two searches for processes that still run.
const STEP: Duration = Duration::from_millis(20);

/// Ends all processes with a variable, as `NAME=value`: asks by a signal, kills what still runs after `grace`, and gives up after
/// as much time again. Blocks meanwhile.
pub fn end(variable: &[u8], grace: Duration) {
    let began = Instant::now();
    let mut signal = Some(Signal::TERM);
    loop {
        let mut is_gone = true;
        for process in find(variable) {
            is_gone = false;
            if let Some(signal) = signal {
                // It may be gone already.
                let _ = pidfd_send_signal(process, signal);
            }
        }
        if is_gone || began.elapsed() > 2 * grace {
            return;
        }
        thread::sleep(STEP);
        // A process may have started another one before it ended: all are looked for again.
        signal = (began.elapsed() > grace).then_some(Signal::KILL);
    }
}

/// The processes with a variable. Those of other users aren't among them: their environment can't be read.
fn find(variable: &[u8]) -> impl Iterator<Item = OwnedFd> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|process| handle(&process).filter(|_| has(&process, variable)))
}

/// A handle is taken before the environment is read: if the process ends in between and its id is used again, a signal reaches
/// nobody.
fn handle(process: &DirEntry) -> Option<OwnedFd> {
    let id = process.file_name().to_str()?.parse().ok()?;
    pidfd_open(Pid::from_raw(id)?, PidfdFlags::empty()).ok()
}

fn has(process: &DirEntry, variable: &[u8]) -> bool {
    let environment = fs::read(process.path().join("environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|one| one == variable)
}
