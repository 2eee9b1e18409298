//! One server with a data directory of its own, and the measurement of a step.
use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use tokio::{
    runtime::{self, Runtime},
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    Lab,
    wire::{self, Client},
};
use crate::{
    input::megabytes,
    program::{self, Server},
    step,
};

/// Time between two requests to `/healthz`.
const PROBE: Duration = Duration::from_millis(20);
/// Time that a request to `/healthz` may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two looks at a process that should end.
const LOOK: Duration = Duration::from_millis(10);

/// The limit of a step.
#[derive(Clone, Copy)]
pub enum Goal {
    /// Memory above idle of one request, 50 MB.
    Request,
    /// Memory above idle of many requests, 200 MB.
    Mix,
    /// Seconds until the process has ended, 5.
    Shutdown,
}

impl Goal {
    fn limit(self) -> (f64, &'static str) {
        match self {
            Self::Request => (50.0, "MB"),
            Self::Mix => (200.0, "MB"),
            Self::Shutdown => (5.0, "s"),
        }
    }
}

/// The measurements of one step.
pub struct Row {
    name: String,
    /// Statuses of the answers, or why there are none.
    status: String,
    seconds: f64,
    /// Peak resident memory above idle, in MB.
    memory: f64,
    /// Times of `/healthz` in ms, sorted.
    health: Vec<f64>,
    goal: Goal,
    /// The server ended, or exceeded the timeout.
    is_failure: bool,
}

pub fn heading() -> String {
    format!("{:<58} {:<26} {:>7} {:>8} {:>8} {:>8}  {:<9}", "step", "status", "s", "MB", "health50", "health99", "goal")
}

impl Row {
    pub fn is_failure(&self) -> bool {
        self.is_failure
    }

    fn quantile(&self, part: f64) -> f64 {
        let last = self.health.len().saturating_sub(1);
        self.health.get((part * last as f64).ceil() as usize).copied().unwrap_or(f64::NAN)
    }

    fn is_kept(&self) -> bool {
        let value = if matches!(self.goal, Goal::Shutdown) { self.seconds } else { self.memory };
        !self.is_failure && value <= self.goal.limit().0
    }

    fn line(&self) -> String {
        let (limit, unit) = self.goal.limit();
        let verdict = if self.is_kept() { "ok" } else { "OVER" };
        format!(
            "{:<58} {:<26} {:>7.2} {:>8.1} {:>8.1} {:>8.1}  {:<9} {verdict}",
            self.name,
            self.status,
            self.seconds,
            self.memory,
            self.quantile(0.5),
            self.quantile(0.99),
            format!("<= {limit:.0} {unit}"),
        )
    }

    pub fn json(&self) -> Value {
        let (limit, unit) = self.goal.limit();
        json!({
            "step": self.name, "status": self.status, "seconds": self.seconds, "memory_above_idle_mb": self.memory,
            "healthz_p50_ms": self.quantile(0.5), "healthz_p99_ms": self.quantile(0.99),
            "goal": { "at_most": limit, "unit": unit, "ok": self.is_kept() },
        })
    }
}

/// Who and what a step asks.
#[derive(Clone)]
pub struct Target {
    /// With the credential of this machine.
    pub machine: Client,
    /// With a key that has the scope `post`.
    pub agent: Client,
    /// A session of that key.
    pub session: String,
}

/// One server with its data directory. It is ended with this value.
pub struct Stage<'l, 'a> {
    lab: &'l mut Lab<'a>,
    data: PathBuf,
    arguments: Vec<String>,
    /// The agent's key and its session.
    agent: Option<(String, String)>,
    server: Option<Server>,
}

impl<'l, 'a> Stage<'l, 'a> {
    /// A new data directory; the arguments go to `verbatim serve`.
    pub fn new(lab: &'l mut Lab<'a>, arguments: &[&str]) -> Result<Self> {
        let data = lab.scratch.join("data");
        if data.exists() {
            fs::remove_dir_all(&data)?;
        }
        fs::create_dir_all(&data)?;
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Ok(Self { lab, data, arguments, agent: None, server: None })
    }

    /// Starts the server anew, runs `work`, and adds a row with its status. Returns false where no further step makes sense.
    pub fn step<F: Future<Output = Result<String>>>(
        &mut self,
        name: &str,
        goal: Goal,
        work: impl FnOnce(Target) -> F,
    ) -> Result<bool> {
        self.server = None;
        let (server, target) = match self.start() {
            Ok(started) => started,
            Err(error) => return Ok(self.add(failed(name, format!("no start: {error}"), goal))),
        };
        let idle = server.rss();
        server.reset_peak_rss()?;
        let (limit, process) = (self.lab.timeout, server.id());
        let (stop, peak) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        // On a thread of its own: what the input takes to send isn't what the server takes to answer.
        let prober = thread::spawn({
            let (client, stop, peak) = (target.machine.clone(), stop.clone(), peak.clone());
            move || Ok::<_, io::Error>(single_threaded()?.block_on(probe(client, process, stop, peak)))
        });
        let (result, seconds) = self.lab.runtime.block_on(async {
            let start = Instant::now();
            (timeout(limit, work(target)).await, start.elapsed().as_secs_f64())
        });
        stop.store(true, Relaxed);
        let health = prober.join().map_err(|_| anyhow!("the probe panicked"))??;
        let peak = peak.load(Relaxed);
        let mut server = server;
        let (status, is_failure) = match (server.ended()?, result) {
            (Some(status), _) => (format!("CRASH: {status}"), true),
            (None, Err(_)) => ("HANG".to_owned(), true),
            (None, Ok(Ok(status))) => (status, false),
            (None, Ok(Err(error))) => (format!("{error:#}"), false),
        };
        let memory = megabytes(peak.max(server.peak_rss()).saturating_sub(idle));
        self.server = Some(server);
        Ok(self.add(Row { name: name.to_owned(), status, seconds, memory, health, goal, is_failure }))
    }

    /// Ends the server of the last step by SIGTERM, and adds a row with the time that it took.
    pub fn shutdown(&mut self, name: &str) -> Result<()> {
        let Some(mut server) = self.server.take() else { return Ok(()) };
        server.terminate()?;
        let limit = self.lab.timeout;
        let ((status, is_failure), seconds) = self.lab.runtime.block_on(async {
            let start = Instant::now();
            let ended = loop {
                if let Some(status) = server.ended()? {
                    break (status.to_string(), false);
                }
                if start.elapsed() > limit {
                    break ("HANG".to_owned(), true);
                }
                sleep(LOOK).await;
            };
            Ok::<_, anyhow::Error>((ended, start.elapsed().as_secs_f64()))
        })?;
        let goal = Goal::Shutdown;
        self.add(Row { name: name.to_owned(), status, seconds, memory: 0.0, health: Vec::new(), goal, is_failure });
        Ok(())
    }

    /// The status of the last step.
    pub fn last_status(&self) -> &str {
        self.lab.rows.last().map_or("", |row| &row.status)
    }

    fn add(&mut self, row: Row) -> bool {
        step::say(&row.line());
        let goes_on = !row.is_failure;
        self.lab.rows.push(row);
        goes_on
    }

    /// A server that has drawn each kind of message once, so that what is loaded at first use isn't counted.
    fn start(&mut self) -> Result<(Server, Target)> {
        let arguments: Vec<&str> =
            ["--no-discover"].into_iter().chain(self.arguments.iter().map(String::as_str)).collect();
        let errors = self.lab.scratch.join("errors");
        let (server, _) = Server::start_limited(self.lab.program, &self.data, &arguments, self.lab.memory, &errors)?;
        let machine = Client::new(server.address(), server.key());
        let (key, session) = self.lab.runtime.block_on(async {
            machine.get("/gallery").await?.success()?;
            let (key, session) = match &self.agent {
                Some(agent) => agent.clone(),
                None => agent(&machine).await?,
            };
            let agent = Client::new(server.address(), &key);
            let message = json!({ "content": "Reading the **parser**" }).to_string();
            agent.post(&format!("/v1/sessions/{session}/messages"), message.as_bytes()).await?.success()?;
            machine.get(&format!("/s/{session}")).await?;
            Ok::<_, anyhow::Error>((key, session))
        })?;
        self.agent = Some((key.clone(), session.clone()));
        let agent = Client::new(server.address(), &key);
        Ok((server, Target { machine, agent, session }))
    }
}

fn failed(name: &str, status: String, goal: Goal) -> Row {
    let (memory, seconds) = (0.0, 0.0);
    Row { name: name.to_owned(), status, seconds, memory, health: Vec::new(), goal, is_failure: true }
}

/// A key with the scope `post`, and a session of it.
async fn agent(machine: &Client) -> Result<(String, String)> {
    let body = json!({ "name": "abuse", "scopes": ["post"] }).to_string();
    let made = machine.post("/v1/keys", body.as_bytes()).await?.json()?;
    let key = made["key"].as_str().context("no key was made")?.to_owned();
    let agent = Client::new(machine.address(), &key);
    let made = agent.post("/v1/sessions", br#"{"agent": "abuse"}"#).await?.json()?;
    Ok((key, made["id"].as_str().context("no session was made")?.to_owned()))
}

fn single_threaded() -> io::Result<Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}

/// Asks `/healthz` all the time, and keeps the peak of the process's memory. A request that could not be sent when it was due,
/// since the one before was still open, counts from when it was due.
async fn probe(client: Client, process: u32, stop: Arc<AtomicBool>, peak: Arc<AtomicU64>) -> Vec<f64> {
    let mut times = Vec::new();
    let mut connection = None;
    let mut due = Instant::now();
    while !stop.load(Relaxed) {
        sleep_until(due).await;
        let answered = timeout(PROBE_TIMEOUT, wire::probe(&client, &mut connection)).await;
        if !matches!(answered, Ok(Ok(()))) {
            connection = None;
        }
        peak.fetch_max(program::peak_rss_of(process), Relaxed);
        times.push(due.elapsed().as_secs_f64() * 1000.0);
        due += PROBE;
    }
    // Those that were due by now and never sent.
    while due < Instant::now() {
        times.push(due.elapsed().as_secs_f64() * 1000.0);
        due += PROBE;
    }
    times.sort_by(f64::total_cmp);
    times
}
