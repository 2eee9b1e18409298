//! Processes of this machine, as `/proc` has them.

use crate::environment::MARK;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::thread;
use std::time::Duration;
use tokio::time::Instant;

/// The pause between two searches for processes that still run.
const STEP: Duration = Duration::from_millis(20);
/// How long it may take until a process that begins another program has the variables of that.
const BEGINS: Duration = Duration::from_secs(1);
/// The flag of threads of the kernel, which have no variables.
const KERNEL: u64 = 0x0020_0000;

/// Data of a process from `/proc/ID/stat`.
#[derive(Debug, Clone, Copy)]
struct Stat {
    parent: i32,
    group: i32,
    /// Clock ticks of processor time, with those of its children that have ended.
    cpu: u64,
    /// Clock ticks between the start of the machine and its own.
    started: u64,
    /// It ended, and only nobody asked how.
    is_over: bool,
    /// It is a thread of the kernel.
    is_kernel: bool,
}

/// Reads the fields behind the name of the program, which may hold blanks and parentheses.
fn stat(id: i32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        cpu: (11..15).filter_map(number).sum(),
        started: number(19)?,
        is_over: matches!(*fields.first()?, "Z" | "X"),
        is_kernel: number(6)? & KERNEL != 0,
    })
}

fn all() -> HashMap<i32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| Some((id, stat(id)?))).collect()
}

/// Returns when a process started, as text that no other process with this id has: the boot and the clock ticks since.
pub fn started(id: i32) -> Option<String> {
    Some(format!("{}/{}", boot(), stat(id)?.started))
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Returns the processor time of a process, of its group and of all that these started, in clock ticks.
pub fn cpu(id: i32) -> u64 {
    let all = all();
    let mut tree: HashSet<i32> =
        all.iter().filter(|(of, stat)| **of == id || stat.group == id).map(|(of, _)| *of).collect();
    loop {
        let more: Vec<i32> = all
            .iter()
            .filter(|(of, stat)| tree.contains(&stat.parent) && !tree.contains(of))
            .map(|(of, _)| *of)
            .collect();
        if more.is_empty() {
            return tree.iter().filter_map(|of| all.get(of)).map(|stat| stat.cpu).sum();
        }
        tree.extend(more);
    }
}

/// Result of looking for an agent's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It ended, or another process has its id.
    Gone,
    /// It runs.
    Agent,
    /// It started at that moment, and whether it has the mark can't be read.
    Unclear,
}

/// Looks for a process by its id, its start and the mark in its environment together.
pub fn find(id: i32, started_at: &str, mark: &str) -> Found {
    if stat(id).is_none_or(|stat| stat.is_over) || started(id).as_deref() != Some(started_at) {
        return Found::Gone;
    }
    match fs::read(format!("/proc/{id}/environ")) {
        Ok(environment) => {
            let prefix = format!("{MARK}=");
            let marks = environment.split(|byte| *byte == 0).find_map(|one| one.strip_prefix(prefix.as_bytes()));
            match marks {
                Some(found) if found == mark.as_bytes() => Found::Agent,
                Some(_) => Found::Gone,
                // One that ends has no environment any more.
                None if stat(id).is_none_or(|stat| stat.is_over) => Found::Gone,
                None => Found::Unclear,
            }
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Found::Unclear,
        Err(_) => Found::Gone,
    }
}

/// Ends all processes with a mark, and all of the group that `leader` leads: asks by a signal, kills what still runs after `grace`, and
/// gives up after as much time again. Blocks meanwhile. Returns the ids of those that still run.
pub fn end(mark: &str, leader: Option<i32>, grace: Duration) -> Vec<i32> {
    let variable = format!("{MARK}={mark}");
    let began = Instant::now();
    // A group that lost its leader is found by those of it that were there before.
    let mut known: HashMap<i32, u64> = HashMap::new();
    loop {
        let mut running = Vec::new();
        let mut begins = false;
        let is_late = began.elapsed() > grace;
        for (id, stat) in all().into_iter().filter(|(_, stat)| !stat.is_over && !stat.is_kernel) {
            let is_known = known.get(&id) == Some(&stat.started) || leader == Some(stat.group);
            let marked = if is_known { Some(true) } else { has(id, variable.as_bytes()) };
            begins |= marked.is_none();
            if marked == Some(true) {
                let is_new = known.insert(id, stat.started) != Some(stat.started);
                running.push(id);
                if is_late {
                    send(id, stat.started, Signal::KILL);
                } else if is_new {
                    send(id, stat.started, Signal::TERM);
                }
            }
        }
        let waits = begins && began.elapsed() < BEGINS.min(grace);
        if (running.is_empty() && !waits) || began.elapsed() > 2 * grace {
            return running;
        }
        thread::sleep(STEP);
        // A process may have started another one before it ended: all are looked for again.
    }
}

/// A handle is taken before the start is looked at: if the process ends in between and its id is used again, the signal reaches nobody.
fn send(id: i32, started: u64, signal: Signal) {
    let Some(handle) = Pid::from_raw(id).and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok()) else { return };
    if stat(id).is_some_and(|stat| stat.started == started) {
        // It may be gone already.
        let _ = pidfd_send_signal(handle, signal);
    }
}

/// Whether a process has a variable. None of one that begins another program, as a command that was just started: it has neither
/// arguments nor variables for a moment. Those of other users have no variables: their environment can't be read.
fn has(id: i32, variable: &[u8]) -> Option<bool> {
    let Ok(environment) = fs::read(format!("/proc/{id}/environ")) else { return Some(false) };
    if environment.is_empty() && fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|arguments| arguments.is_empty()) {
        return None;
    }
    // It may have got both in between.
    let environment = if environment.is_empty() { fs::read(format!("/proc/{id}/environ")).ok()? } else { environment };
    Some(environment.split(|byte| *byte == 0).any(|one| one == variable))
}

#[cfg(test)]
mod tests {
    use super::has;
    use std::process::Command;

    /// The command begins while it is looked for.
    #[test]
    fn a_command_that_begins_is_not_taken_for_another_one() {
        for _ in 0..100 {
            let mut command = Command::new("sleep").arg("600").env("ORCHARD", "pears").spawn().unwrap();
            let id = i32::try_from(command.id()).unwrap();
            let seen = has(id, b"ORCHARD=pears");
            command.kill().unwrap();
            command.wait().unwrap();
            assert_ne!(seen, Some(false));
        }
    }
}
