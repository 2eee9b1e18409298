//! The work of a server for many agents and readers: writes, their answers, events, open streams.
use std::{path::Path, time::Duration};

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{
    machine::Machine,
    program::{Scratch, Server},
    table::{self, Budget, Figure},
};
use crate::{pg::Cluster, step};

mod channels;
pub mod client;
pub mod streams;
mod writes;

use client::Target;

/// Agents that post at a time.
const WRITERS: usize = 64;
const SESSIONS: usize = 200;
/// Messages that are offered in a second where the time to the answer counts.
const OFFERED: u32 = 2_000;

#[derive(Clone, Args)]
pub struct HubArguments {
    /// How often throughput is measured
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Length of each measurement
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    seconds: u64,
    /// Event streams to hold open, each number by itself
    #[arg(long, value_name = "NUMBER", default_values_t = [1_000, 10_000])]
    streams: Vec<usize>,
    /// Only what the name of a part holds: `sqlite`, `postgres`, `channels`, `streams`
    #[arg(long, value_name = "PART")]
    only: Option<String>,
}

pub fn measure(program: &Path, arguments: &HubArguments) -> Result<Value> {
    let scratch = Scratch::new("hub")?;
    let machine = Machine::measure(&scratch.0)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let wanted = |part: &str| arguments.only.as_ref().is_none_or(|only| only == part);
    let mut figures = Vec::new();
    if wanted("sqlite") {
        engine(&runtime, program, &scratch.0.join("sqlite"), None, arguments, &mut figures)?;
    }
    if wanted("postgres") {
        let cluster = step::timed("PostgreSQL that keeps what it says", Cluster::start_durable)?;
        engine(&runtime, program, &scratch.0.join("postgres"), Some(&cluster.url), arguments, &mut figures)?;
    }
    if wanted("channels") {
        let length = Duration::from_secs(arguments.seconds);
        let data = scratch.0.join("channels");
        runtime.block_on(channels::measure(program, &data, arguments.runs, length, &mut figures))?;
    }
    if wanted("streams") {
        for count in &arguments.streams {
            let server = start(program, &scratch.0.join(format!("streams-{count}")), None)?;
            runtime.block_on(streams::measure(&server, *count, &mut figures))?;
        }
    }
    Ok(table::present(&figures, &machine))
}

fn start(program: &Path, data: &Path, database: Option<&str>) -> Result<Server> {
    let mut arguments = vec!["--no-discover", "--posts-per-second", "0", "--connections", "24576"];
    arguments.extend(database.iter().flat_map(|url| ["--database", url]));
    Ok(Server::start(program, data, &arguments)?.0)
}

fn engine(
    runtime: &Runtime,
    program: &Path,
    data: &Path,
    database: Option<&str>,
    arguments: &HubArguments,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    let (name, row) = if database.is_some() { ("PostgreSQL", 9) } else { ("SQLite", 8) };
    let server = start(program, data, database)?;
    let length = Duration::from_secs(arguments.seconds);
    runtime.block_on(async {
        let target = Target::new(&server, SESSIONS).await?;
        let one = target.of(&target.sessions[..1]);
        for (target, sessions) in [(&target, "200 sessions"), (&one, "one session")] {
            let mut speeds = Vec::new();
            for run in 1..=arguments.runs.max(1) {
                let cpu = server.cpu_seconds();
                let speed = writes::throughput(target, WRITERS, length).await?;
                let cpu = (server.cpu_seconds() - cpu) / (speed * length.as_secs_f64()) * 1e6;
                step::say(&format!("{name}, {sessions}, run {run}: {speed:.0}/s, {cpu:.0} µs of processor time each"));
                speeds.push(speed);
            }
            let metric = format!("{name}: durable messages, {WRITERS} writers, {sessions}");
            figures.push(Figure::budgeted(row, metric, "/s", speeds, Budget::AtLeast(7_000.0)));
        }
        let times = writes::latency(&target, WRITERS, OFFERED, length).await?;
        let metric = format!("{name}: answer at {OFFERED} messages/s offered");
        figures.push(Figure::budgeted(row, metric, "ms", times, Budget::Percentiles(3.0, 25.0)));
        let times = streams::post_to_event(&server, &one, length).await?;
        figures.push(Figure::budgeted(
            7,
            format!("{name}: post until event"),
            "ms",
            times,
            Budget::Percentiles(10.0, 50.0),
        ));
        Ok(())
    })
}
