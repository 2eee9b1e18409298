//! The process of an agent, in a group of its own.

use crate::Log;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
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
    pub(crate) fn spawn(&self) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).env_clear().envs(self.environment.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // What the agent starts ends with it, and a Ctrl-C in the server's terminal isn't the agent's.
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
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

    #[cfg(unix)]
    fn signal(self, signal: rustix::process::Signal) {
        let group = self.0.and_then(|id| rustix::process::Pid::from_raw(id as i32));
        if let Some(group) = group {
            // It may be gone already.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}
