//! The process of an agent, in a group of its own, and with a mark of its own.

use crate::Log;
use crate::environment::MARK;
use crate::left::{Process, started};
use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// How an agent's process is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program: a path, or a name that is looked up in the `PATH` of `environment`.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder that it works in.
    pub folder: PathBuf,
    /// Its whole environment: see [`crate::environment::filtered`].
    pub environment: Vec<(OsString, OsString)>,
    /// Where what both sides write is kept, for an agent without a transcript.
    pub log: Option<Log>,
}

impl Launch {
    pub(crate) fn spawn(&self, mark: Mark) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).env_clear().envs(self.environment.iter().cloned());
        command.env(MARK, mark.0.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // Processes of the agent end with it, and a Ctrl-C in the server's terminal doesn't reach it.
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }
}

/// The mark of a run: the value of a variable in the environment of its agent, and of all that it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(u64);

impl Mark {
    /// Makes a mark that no other run has.
    pub fn new() -> Self {
        // Each `RandomState` has keys of its own.
        Self(RandomState::new().hash_one(()))
    }

    /// Ends all processes with the mark: asks by a signal, and kills what still runs after `grace`. On Linux alone.
    pub async fn end(self, grace: Duration) {
        #[cfg(target_os = "linux")]
        {
            let mark = self.0.to_string();
            // Its only failure is a runtime that ends.
            let _ = tokio::task::spawn_blocking(move || crate::proc::end(&mark, None, grace)).await;
        }
        #[cfg(not(target_os = "linux"))]
        let _ = grace;
    }

    /// Returns what a later server knows the process by; None where a system doesn't tell.
    pub fn on(self, child: &Child) -> Option<Process> {
        let id = i32::try_from(child.id()?).ok()?;
        Some(Process { mark: self.0.to_string(), id, started: started(id)? })
    }
}

/// The group of a process.
#[derive(Debug, Clone, Copy)]
pub struct Group(Option<u32>);

impl Group {
    /// Returns the group that a process leads.
    pub fn of(child: &Child) -> Self {
        Self(child.id())
    }

    /// Asks all processes of the group to end.
    pub(crate) fn terminate(self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all processes of the group.
    pub fn kill(self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
    }

    /// Returns the processor time that its processes and all that these started have taken, in the system's own unit. On Linux alone.
    pub(crate) async fn cpu(self) -> u64 {
        #[cfg(target_os = "linux")]
        if let Some(id) = self.0.and_then(|id| i32::try_from(id).ok()) {
            return tokio::task::spawn_blocking(move || crate::proc::cpu(id)).await.unwrap_or(0);
        }
        0
    }

    #[cfg(unix)]
    fn signal(self, signal: rustix::process::Signal) {
        let group = self.0.and_then(|id| rustix::process::Pid::from_raw(id as i32));
        if let Some(group) = group {
            // It may be gone already.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}
