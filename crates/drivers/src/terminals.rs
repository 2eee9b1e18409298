//! Commands that an agent runs through us. They begin in the session's folder, with the agent's environment, and end with it.

use crate::Folder;
use crate::process::Group;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Most commands at a time, released ones not counted.
const MOST: usize = 16;
/// Most bytes of output that are kept of a command.
const OUTPUT: usize = 1 << 20;
/// How long the rest of the output of a command that has ended is waited for.
const REST: Duration = Duration::from_millis(500);

/// Why a job wasn't done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobError {
    /// True if the file doesn't exist, which an agent that is about to create it ignores.
    pub is_missing: bool,
    /// For people.
    pub message: String,
}

impl From<String> for JobError {
    fn from(message: String) -> Self {
        Self { is_missing: false, message }
    }
}

impl From<std::io::Error> for JobError {
    fn from(error: std::io::Error) -> Self {
        Self { is_missing: error.kind() == std::io::ErrorKind::NotFound, message: error.to_string() }
    }
}

/// Something about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalJob {
    /// Run it: `{"terminalId": "..."}`.
    Create {
        /// The program; without arguments, a line for the shell.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables beside the agent's own.
        environment: Vec<(String, String)>,
        /// The folder that it begins in, within the session's; None is the session's folder.
        folder: Option<String>,
        /// Bytes of output to keep, the last ones; at most 1 MiB.
        limit: Option<usize>,
    },
    /// Output so far, by the terminal's id: `{"output": "...", "truncated": false, "exitStatus": {...}}`.
    Output(String),
    /// How it ended, once it has: `{"exitCode": 0, "signal": null}`.
    Wait(String),
    /// End it; its output can still be read.
    Kill(String),
    /// End and forget it.
    Release(String),
}

/// Result of a job.
pub(crate) enum Served {
    Now(Result<Value, JobError>),
    /// Once the command has ended.
    AtExit(watch::Receiver<Option<Value>>),
}

/// The commands of one agent.
pub(crate) struct Terminals {
    environment: Vec<(OsString, OsString)>,
    open: HashMap<String, Terminal>,
    last: u64,
}

struct Terminal {
    group: Group,
    output: Arc<Mutex<Output>>,
    exit: watch::Receiver<Option<Value>>,
}

impl Terminals {
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        Self { environment, open: HashMap::new(), last: 0 }
    }

    pub fn serve(&mut self, folder: &Folder, job: TerminalJob) -> Served {
        let id = match &job {
            TerminalJob::Create { .. } => return Served::Now(self.create(folder, job)),
            TerminalJob::Output(id) | TerminalJob::Wait(id) | TerminalJob::Kill(id) | TerminalJob::Release(id) => id,
        };
        let Some(terminal) = self.open.get(id) else {
            let message = format!("`terminalId`: there is no terminal `{id}`");
            return Served::Now(Err(JobError { is_missing: true, message }));
        };
        match &job {
            TerminalJob::Wait(_) => return Served::AtExit(terminal.exit.clone()),
            TerminalJob::Output(_) => return Served::Now(Ok(terminal.output())),
            _ => terminal.group.kill(),
        }
        if let TerminalJob::Release(id) = &job {
            self.open.remove(id);
        }
        Served::Now(Ok(json!({})))
    }

    /// Ends all commands.
    pub fn end(&mut self) {
        for (_, terminal) in self.open.drain() {
            terminal.group.kill();
        }
    }

    fn create(&mut self, folder: &Folder, job: TerminalJob) -> Result<Value, JobError> {
        let TerminalJob::Create { command, arguments, environment, folder: inside, limit } = job else {
            return Err("not a command".to_owned().into());
        };
        if self.open.len() >= MOST {
            return Err(format!("{MOST} terminals are open. Release one first").into());
        }
        let begins_in = folder.resolve(inside.as_deref().unwrap_or(".")).map_err(|error| error.to_string())?;
        let mut process = if arguments.is_empty() { shell(&command) } else { Command::new(&command) };
        process.args(&arguments).current_dir(begins_in).env_clear().envs(self.environment.iter().cloned());
        process.envs(environment).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        process.process_group(0);
        let mut child = process.spawn().map_err(|error| format!("`{command}` can't be run: {error}"))?;
        let output =
            Arc::new(Mutex::new(Output { bytes: Vec::new(), limit: limit.unwrap_or(OUTPUT).min(OUTPUT), cut: false }));
        let (group, exit) = (Group::of(&child), watch::channel(None));
        let followers = [
            tokio::spawn(follow(child.stdout.take(), output.clone())),
            tokio::spawn(follow(child.stderr.take(), output.clone())),
        ];
        tokio::spawn(wait(child, followers, exit.0));
        self.last += 1;
        let id = format!("terminal-{}", self.last);
        self.open.insert(id.clone(), Terminal { group, output, exit: exit.1 });
        Ok(json!({ "terminalId": id }))
    }
}

impl Terminal {
    fn output(&self) -> Value {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut result = json!({ "output": output.text(), "truncated": output.cut });
        if let Some(exit) = self.exit.borrow().clone() {
            result["exitStatus"] = exit;
        }
        result
    }
}

/// The last bytes that a command wrote.
struct Output {
    bytes: Vec<u8>,
    limit: usize,
    cut: bool,
}

impl Output {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let over = self.bytes.len().saturating_sub(self.limit);
        self.cut |= over > 0;
        self.bytes.drain(..over);
    }

    /// As text, from a whole character on.
    fn text(&self) -> String {
        let inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let skipped = if self.cut { self.bytes.iter().take(3).take_while(inside).count() } else { 0 };
        String::from_utf8_lossy(self.bytes.get(skipped..).unwrap_or_default()).into_owned()
    }
}

/// Waits for the end of a command.
pub(crate) async fn exited(mut exit: watch::Receiver<Option<Value>>) -> Result<Value, JobError> {
    let ended = exit.wait_for(Option::is_some).await.map_err(|_| "the command is gone".to_owned())?;
    Ok(ended.clone().unwrap_or_default())
}

async fn follow(stream: Option<impl AsyncRead + Unpin>, output: Arc<Mutex<Output>>) {
    let Some(mut stream) = stream else { return };
    let mut block = vec![0; 8 << 10];
    while let Ok(count @ 1..) = stream.read(&mut block).await {
        let bytes = block.get(..count).unwrap_or_default();
        output.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

/// The end is reported once the output is there, unless something else holds it open.
async fn wait(mut child: Child, followers: [JoinHandle<()>; 2], exit: watch::Sender<Option<Value>>) {
    let status = child.wait().await.ok();
    let _ = timeout(REST, async {
        for follower in followers {
            let _ = follower.await;
        }
    })
    .await;
    // Whoever asked may be gone.
    let _ = exit
        .send(Some(json!({ "exitCode": status.and_then(|status| status.code()), "signal": status.and_then(signal) })));
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<String> {
    std::os::unix::process::ExitStatusExt::signal(&status).map(|number| number.to_string())
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<String> {
    None
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    shell
}

#[cfg(not(unix))]
fn shell(line: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", line]);
    shell
}
