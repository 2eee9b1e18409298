//! Agents that a server left running when it was killed: a later one recognises and ends them.

use std::time::Duration;

/// The process of an agent, as a later server recognises it: by all three together, never by its id alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The value of `VERBATIM_AGENT_RUN` in its environment.
    pub mark: String,
    /// The system's id of it.
    pub id: i32,
    /// When it started, as the system says it.
    pub started: String,
}

/// State of an agent whose server stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It and all that it started have ended.
    Gone,
    /// A process with this id still runs: it couldn't be ended, or nobody can say that it is the agent.
    Runs(i32),
}

/// Ends the agent that a server left, with all processes of its group and all with its mark: asks by a signal, kills what still runs
/// after `grace`, and gives up after as much time again. A process that has only the same id isn't touched.
pub async fn end_left(process: Process, grace: Duration) -> Left {
    // Its only failure is a runtime that ends.
    let id = process.id;
    tokio::task::spawn_blocking(move || system::end(&process, grace)).await.unwrap_or(Left::Runs(id))
}

/// Returns when a process started; None where the system doesn't tell.
pub(crate) fn started(id: i32) -> Option<String> {
    system::started(id)
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Left, Process};
    use crate::proc::{self, Found};
    use std::time::Duration;

    pub use proc::started;

    pub fn end(process: &Process, grace: Duration) -> Left {
        let found = proc::find(process.id, &process.started, &process.mark);
        let leader = (found == Found::Agent).then_some(process.id);
        match proc::end(&process.mark, leader, grace).first() {
            Some(id) => Left::Runs(*id),
            None if found == Found::Unclear => Left::Runs(process.id),
            None => Left::Gone,
        }
    }
}

/// Other systems than Linux have no `/proc`: `ps` tells the start, and the environment of one's own processes.
#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    use super::{Left, Process};
    use crate::environment::MARK;
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    const STEP: Duration = Duration::from_millis(100);

    pub fn started(id: i32) -> Option<String> {
        ps(id, &["-o", "lstart="])
    }

    fn ps(id: i32, options: &[&str]) -> Option<String> {
        let output = Command::new("ps").args(options).args(["-p", &id.to_string()]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    pub fn end(process: &Process, grace: Duration) -> Left {
        let runs = || started(process.id).as_ref() == Some(&process.started);
        let mark = format!("{MARK}={}", process.mark);
        let is_agent = || ps(process.id, &["-E", "-ww", "-o", "command="]).is_some_and(|text| text.contains(&mark));
        if !runs() {
            return Left::Gone;
        }
        let Some(group) = Pid::from_raw(process.id).filter(|_| is_agent()) else { return Left::Runs(process.id) };
        let began = Instant::now();
        // It may be gone already.
        let _ = kill_process_group(group, Signal::TERM);
        while runs() {
            if began.elapsed() > 2 * grace {
                return Left::Runs(process.id);
            }
            thread::sleep(STEP);
            if began.elapsed() > grace {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
        Left::Gone
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Left, Process};
    use std::time::Duration;

    pub fn started(_: i32) -> Option<String> {
        None
    }

    pub fn end(_: &Process, _: Duration) -> Left {
        Left::Gone
    }
}
