//! A driver on a process: reads, writes, waits and ends.

use crate::Folder;
use crate::driver::{Command, Driver, Effects, Job, Refusal};
use crate::event::{Event, Exit, Reason};
use crate::left::Process;
use crate::lines::{Lines, Piece};
use crate::log::{Direction, Writing};
use crate::process::{Group, Launch, Mark};
use crate::terminals::JobError;
use crate::terminals::{Served, Terminals, exited};
use serde_json::Value;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;
/// Events that wait until they are taken. While there are so many, nothing is read: an agent that floods waits.
pub(crate) const EVENTS: usize = 64;
/// Commands that wait.
pub(crate) const COMMANDS: usize = 16;
/// How often within the time of [`Limits::silence`] it is looked whether an agent that starts computes.
const LOOKS: u32 = 3;
/// Bytes of standard error that are kept.
const STDERR: usize = 4 << 10;

/// How long an agent may take, and how much may wait.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Silence after which an agent that owes an answer counts as hanging. One that starts isn't silent while its processes compute.
    pub silence: Duration,
    /// Time for an agent to begin, whatever it does meanwhile.
    pub start: Duration,
    /// Time for an agent to end by itself, and again after it was asked by a signal.
    pub grace: Duration,
    /// Bytes that may wait to be read by the agent.
    pub unread: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(30),
            start: Duration::from_mins(5),
            grace: Duration::from_secs(5),
            unread: 64 << 20,
        }
    }
}

/// A running agent. When all handles are dropped, it ends.
#[derive(Debug, Clone)]
pub struct Handle {
    orders: mpsc::Sender<Order>,
    process: watch::Receiver<Option<Process>>,
}

#[derive(Debug)]
pub(crate) struct Order {
    pub command: Command,
    pub done: oneshot::Sender<Result<(), Refusal>>,
}

impl Handle {
    /// Returns the handle of an agent whose process isn't ours.
    pub(crate) fn without_process(orders: mpsc::Sender<Order>) -> Self {
        Self { orders, process: watch::channel(None).1 }
    }

    /// Does what a person wants. Returns once it is on its way to the agent. Not to be awaited where the events are taken: what
    /// isn't taken holds up commands as well.
    ///
    /// # Errors
    ///
    /// Why it isn't done.
    pub async fn send(&self, command: Command) -> Result<(), Refusal> {
        let (done, answer) = oneshot::channel();
        self.orders.send(Order { command, done }).await.map_err(|_| Refusal::Ended)?;
        answer.await.unwrap_or(Err(Refusal::Ended))
    }

    /// Returns the agent's process, by which a later server recognises it. None for a joined one. Another one where the agent was started again, with the
    /// same mark.
    pub fn process(&self) -> Option<Process> {
        self.process.borrow().clone()
    }
}

/// Starts an agent. Its events end with [`Event::Ended`].
///
/// # Errors
///
/// The program or the folder isn't there, or may not be used.
pub async fn start(
    driver: Box<dyn Driver>,
    launch: Launch,
    limits: Limits,
) -> std::io::Result<(Handle, mpsc::Receiver<Event>)> {
    let folder = Folder::open(&launch.folder)?;
    let log = match launch.log.clone() {
        Some(log) => Some(log.open().await?),
        None => None,
    };
    let terminals = Terminals::new(launch.environment.clone());
    let mark = Mark::new();
    let mut child = launch.spawn(mark)?;
    let (tell_process, process) = watch::channel(mark.on(&child));
    let (send_event, events) = mpsc::channel(EVENTS);
    let (send_order, orders) = mpsc::channel(COMMANDS);
    let running = Running {
        group: Group::of(&child),
        mark,
        process: tell_process,
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
        child,
        launch,
        driver,
        folder,
        terminals,
        log,
        limits,
        lines: Lines::default(),
        unsent: VecDeque::new(),
        written: 0,
        errors: Vec::new(),
        events: send_event,
        jobs: JoinSet::new(),
        ending: None,
        restart: None,
        waiting: VecDeque::new(),
        starting: Starting::now(),
        heard: Instant::now(),
        was_silent: false,
    };
    tokio::spawn(running.run(orders));
    Ok((Handle { orders: send_order, process }, events))
}

struct Running {
    child: Child,
    launch: Launch,
    group: Group,
    mark: Mark,
    process: watch::Sender<Option<Process>>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    driver: Box<dyn Driver>,
    folder: Folder,
    terminals: Terminals,
    log: Option<Writing>,
    limits: Limits,
    lines: Lines,
    unsent: VecDeque<Vec<u8>>,
    /// Bytes of the first one of these that are written.
    written: usize,
    errors: Vec<u8>,
    events: mpsc::Sender<Event>,
    jobs: JoinSet<(String, Result<Value, JobError>)>,
    ending: Option<Ending>,
    /// Arguments of the process that follows this one, which is to end.
    restart: Option<Vec<OsString>>,
    /// Orders for that process.
    waiting: VecDeque<Order>,
    starting: Starting,
    /// When the agent wrote last, or began to owe an answer; while it starts, when it last did anything.
    heard: Instant,
    was_silent: bool,
}

/// An agent's start.
struct Starting {
    began: Instant,
    /// When it was last looked whether it computes.
    looked: Instant,
    /// The processor time that its processes had taken then.
    cpu: u64,
}

impl Starting {
    fn now() -> Self {
        Self { began: Instant::now(), looked: Instant::now(), cpu: 0 }
    }
}

/// An agent that is to end.
struct Ending {
    reason: Reason,
    /// When the next step is due.
    due: Instant,
    was_asked: bool,
}

impl Running {
    async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        let mut effects = Effects::default();
        self.driver.begin(&mut effects);
        self.carry_out(effects).await;
        let mut out = vec![0; BLOCK];
        let mut err = vec![0; BLOCK];
        let status = loop {
            let silent = self.silent_at();
            tokio::select! {
                status = self.child.wait() => {
                    let status = status.ok();
                    self.end_rest(status).await;
                    if !self.start_again().await {
                        break status;
                    }
                }
                read = read(&mut self.stdout, &mut out) => match read {
                    Some(count) => self.take_output(out.get(..count).unwrap_or_default()).await,
                    None => self.stdout = None,
                },
                read = read(&mut self.stderr, &mut err) => match read {
                    Some(count) => self.keep_errors(err.get(..count).unwrap_or_default()),
                    None => self.stderr = None,
                },
                written = write(&mut self.stdin, self.unsent.front(), self.written) => self.sent(written),
                Some(Ok((job, result))) = self.jobs.join_next() => {
                    let mut effects = Effects::default();
                    self.driver.served(job, result, &mut effects);
                    self.carry_out(effects).await;
                }
                order = orders.recv(), if self.ending.is_none() || self.restart.is_some() => match order {
                    Some(order) if self.restart.is_some() && order.command != Command::End => self.waiting.push_back(order),
                    Some(order) => self.handle(order).await,
                    None => self.end_for_good(),
                },
                () = due(silent) => self.report_silence().await,
                () = due(self.ending.as_ref().map(|ending| ending.due)) => self.press(),
            }
        };
        self.finish(status, out).await;
    }

    /// Ends what a process left behind, which would hold its output open. What one that ended in order left outside of its group is
    /// meant to go on, as a daemon.
    async fn end_rest(&mut self, status: Option<ExitStatus>) {
        self.group.kill();
        if status.is_none_or(|status| !status.success()) {
            self.mark.end(self.limits.grace).await;
        }
    }

    /// Starts the next process in place of one that ended. Returns false if there is none, or it can't be started.
    async fn start_again(&mut self) -> bool {
        let Some(arguments) = self.restart.take() else { return false };
        self.launch.arguments = arguments;
        self.child = match self.launch.spawn(self.mark) {
            Ok(started) => started,
            Err(error) => {
                self.emit(Event::Notice(format!("The agent can't be started again: {error}"))).await;
                return false;
            }
        };
        self.group = Group::of(&self.child);
        self.process.send_replace(self.mark.on(&self.child));
        (self.stdin, self.stdout) = (self.child.stdin.take(), self.child.stdout.take());
        self.stderr = self.child.stderr.take();
        (self.lines, self.written, self.ending) = (Lines::default(), 0, None);
        (self.heard, self.was_silent, self.starting) = (Instant::now(), false, Starting::now());
        let mut effects = Effects::default();
        self.driver.begin(&mut effects);
        self.carry_out(effects).await;
        while self.ending.is_none()
            && let Some(order) = self.waiting.pop_front()
        {
            self.handle(order).await;
        }
        true
    }

    /// Reads what is left, and reports the end.
    async fn finish(mut self, status: Option<ExitStatus>, mut out: Vec<u8>) {
        self.terminals.end();
        let grace = self.limits.grace;
        let drain = async {
            while let Some(count) = read_open(&mut self.stdout, &mut out).await {
                self.take_output(out.get(..count).unwrap_or_default()).await;
            }
        };
        let _ = timeout(grace, drain).await;
        let drain = async {
            while let Some(count) = read_open(&mut self.stderr, &mut out).await {
                self.keep_errors(out.get(..count).unwrap_or_default());
            }
        };
        let _ = timeout(grace, drain).await;
        if let Some(Piece::Half(half)) = self.lines.finish() {
            let bytes = half.len();
            self.emit(Event::Notice(format!("The agent ended in the middle of a line of {bytes} bytes"))).await;
        }
        for request in self.driver.open_requests() {
            self.emit(Event::Withdrawn { request }).await;
        }
        let exit = Exit {
            code: status.and_then(|status| status.code()),
            reason: self.ending.as_ref().map_or(Reason::Itself, |ending| ending.reason),
            stderr: String::from_utf8_lossy(&self.errors).into_owned(),
        };
        self.emit(Event::Ended(exit)).await;
    }

    async fn handle(&mut self, order: Order) {
        let ends = order.command == Command::End;
        let mut effects = Effects::default();
        let result = if self.unread() > self.limits.unread && !ends {
            Err(Refusal::Stuck)
        } else {
            self.driver.command(order.command, &mut effects)
        };
        self.carry_out(effects).await;
        if ends {
            self.end_for_good();
        }
        // Whoever asked may be gone.
        let _ = order.done.send(result);
    }

    async fn take_output(&mut self, bytes: &[u8]) {
        self.heard = Instant::now();
        self.was_silent = false;
        for piece in self.lines.push(bytes) {
            match piece {
                Piece::Line(line) | Piece::Half(line) => {
                    self.keep(Direction::FromAgent, &line).await;
                    let mut effects = Effects::default();
                    self.driver.line(&line, &mut effects);
                    self.carry_out(effects).await;
                }
                Piece::TooLong(bytes) => {
                    self.emit(Event::Notice(format!("A line of {bytes} bytes was left out: it is too long"))).await;
                }
            }
        }
    }

    async fn carry_out(&mut self, effects: Effects) {
        let Effects { send, events, jobs, close, restart } = effects;
        for line in send {
            self.keep(Direction::ToAgent, &line).await;
            if self.unsent.is_empty() {
                self.heard = Instant::now();
            }
            self.unsent.push_back(line);
        }
        for (name, job) in jobs {
            self.serve(name, job);
        }
        for event in events {
            self.emit(event).await;
        }
        if close {
            self.end(Reason::Asked);
        }
        if restart.is_some() && self.ending.is_none() {
            self.restart = restart;
            self.unsent.clear();
            self.end(Reason::Asked);
        }
        if self.unread() > 2 * self.limits.unread {
            self.end(Reason::Stuck);
        }
    }

    /// Begins a job; its result comes with the others.
    fn serve(&mut self, name: String, job: Job) {
        let folder = self.folder.clone();
        let job = match job {
            Job::Terminal(job) => job,
            Job::ReadText { path, line, limit } => {
                let read = move || folder.read_text(&path, line, limit).map_err(JobError::from);
                self.jobs.spawn_blocking(move || (name, read()));
                return;
            }
            Job::WriteText { path, content } => {
                let write = move || folder.write_text(&path, &content).map_err(JobError::from);
                self.jobs.spawn_blocking(move || (name, write()));
                return;
            }
        };
        match self.terminals.serve(&folder, job) {
            Served::Now(result) => self.jobs.spawn(async { (name, result) }),
            Served::AtExit(exit) => self.jobs.spawn(async { (name, exited(exit).await) }),
        };
    }

    async fn keep(&mut self, direction: Direction, line: &[u8]) {
        let Some(log) = &mut self.log else { return };
        if let Err(error) = log.write(direction, line).await {
            self.log = None;
            self.emit(Event::Notice(format!("The transcript of this session can't be written: {error}"))).await;
        }
    }

    async fn emit(&mut self, event: Event) {
        // Nobody takes them: the process ends, as its handles are dropped with them.
        if self.events.send(event).await.is_err() {
            self.end_for_good();
        }
    }

    fn keep_errors(&mut self, bytes: &[u8]) {
        if !self.driver.has_begun() {
            self.heard = Instant::now();
        }
        self.errors.extend_from_slice(bytes);
        let over = self.errors.len().saturating_sub(STDERR);
        self.errors.drain(..over);
    }

    /// Bytes that the agent hasn't taken.
    fn unread(&self) -> usize {
        self.unsent.iter().map(Vec::len).sum()
    }

    fn sent(&mut self, written: Option<usize>) {
        let Some(count) = written else {
            // It closed its input.
            self.stdin = None;
            self.unsent.clear();
            return;
        };
        self.written += count;
        if self.unsent.front().is_some_and(|line| self.written >= line.len()) {
            self.unsent.pop_front();
            self.written = 0;
        }
        if self.unsent.is_empty() && self.ending.is_some() {
            self.stdin = None;
        }
    }

    /// Begins the end, unless it has begun: the input is closed once all is sent.
    fn end(&mut self, reason: Reason) {
        if self.ending.is_some() {
            return;
        }
        let due = Instant::now() + self.limits.grace;
        self.ending = Some(Ending { reason, due, was_asked: false });
        if self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    /// Ends the agent: a process that was to follow isn't started.
    fn end_for_good(&mut self) {
        self.restart = None;
        self.end(Reason::Asked);
    }

    /// Asks by a signal, then kills.
    fn press(&mut self) {
        let next = Instant::now() + self.limits.grace;
        let Some(ending) = &mut self.ending else { return };
        ending.due = next;
        if std::mem::replace(&mut ending.was_asked, true) {
            self.group.kill();
            let _ = self.child.start_kill();
        } else {
            self.group.terminate();
        }
    }

    /// When the agent has been silent for too long, or is to be looked at; None if it owes nothing.
    fn silent_at(&self) -> Option<Instant> {
        let owes = !self.was_silent && self.ending.is_none() && self.driver.awaits().is_some();
        let silent = self.heard + self.limits.silence;
        let looks =
            || (self.starting.looked + self.limits.silence / LOOKS).min(self.starting.began + self.limits.start);
        owes.then(|| if self.driver.has_begun() { silent } else { silent.min(looks()) })
    }

    async fn report_silence(&mut self) {
        if !self.driver.has_begun() {
            return self.look_at_start().await;
        }
        self.was_silent = true;
        if let Some(awaits) = self.driver.awaits() {
            self.emit(Event::Silent { awaits }).await;
        }
    }

    /// Ends an agent that doesn't begin: one that computes isn't silent, but may not take for ever.
    async fn look_at_start(&mut self) {
        let cpu = self.group.cpu().await;
        let now = Instant::now();
        self.starting.looked = now;
        if cpu > self.starting.cpu {
            (self.starting.cpu, self.heard) = (cpu, now);
        }
        let reason = if now >= self.starting.began + self.limits.start {
            Reason::Slow
        } else if now >= self.heard + self.limits.silence {
            Reason::Silent
        } else {
            return;
        };
        self.was_silent = true;
        self.end(reason);
        self.press();
    }
}

async fn due(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Reads some bytes; None at the end. Waits for ever once the stream is gone.
async fn read(stream: &mut Option<impl AsyncRead + Unpin>, block: &mut [u8]) -> Option<usize> {
    match stream {
        Some(stream) => stream.read(block).await.ok().filter(|count| *count > 0),
        None => std::future::pending().await,
    }
}

/// Reads some bytes; None at the end and once the stream is gone.
async fn read_open(stream: &mut Option<impl AsyncRead + Unpin>, block: &mut [u8]) -> Option<usize> {
    stream.as_mut()?.read(block).await.ok().filter(|count| *count > 0)
}

/// Writes some bytes of a line, from `written` on; None if the stream is closed. Waits for ever if there is nothing to write.
async fn write(stream: &mut Option<ChildStdin>, line: Option<&Vec<u8>>, written: usize) -> Option<usize> {
    match (stream, line) {
        (Some(stream), Some(line)) => stream.write(line.get(written..).unwrap_or_default()).await.ok(),
        _ => std::future::pending().await,
    }
}
