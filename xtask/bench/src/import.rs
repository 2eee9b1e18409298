//! From transcripts to a searchable store, the start on that store, and a server that only watches.
use std::{fs, path::Path, thread, time::Duration};

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    input::{Input, InputArguments, megabytes},
    machine::{self, Machine},
    program::{self, Scratch, Server},
    table::{self, Budget, Figure},
};
use crate::step;

/// The budget is 150 MB in 8 seconds: cost grows linearly with bytes.
const SECONDS_PER_MB: f64 = 8.0 / 150.0;
const IDLE: Duration = Duration::from_secs(10);
/// Memory that became free is given back within this.
const REST: Duration = Duration::from_secs(2);

pub fn measure(program: &Path, arguments: &InputArguments, runs: usize) -> Result<Value> {
    let input = arguments.prepare()?;
    let scratch = Scratch::new("import")?;
    let machine = Machine::measure(&scratch.0)?;
    let mb = megabytes(input.bytes);
    let (mut seconds, mut cpu, mut peak, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut messages = 0;
    for run in 1..=runs.max(1) {
        let data = fresh(&scratch.0.join("data"))?;
        let load = machine::load();
        let imported = program::import(program, &data, &input, None)?;
        messages = imported.messages;
        step::say(&format!(
            "run {run}: {:.2} s, {:.2} s of processor time, {} messages of {} sessions, load before {load:.1}",
            imported.seconds, imported.cpu_seconds, imported.messages, imported.sessions
        ));
        seconds.push(imported.seconds);
        cpu.push(imported.cpu_seconds);
        peak.push(megabytes(imported.peak_rss));
        sizes.push(megabytes(size_of(&data)?));
    }
    let speed = |amount: f64| seconds.iter().map(|seconds| amount / seconds).collect::<Vec<_>>();
    let mut figures = vec![
        Figure::budgeted(1, format!("import of {mb:.0} MB"), "s", seconds.clone(), Budget::AtMost(mb * SECONDS_PER_MB)),
        Figure::budgeted(1, "import", "MB/s", speed(mb), Budget::AtLeast(1.0 / SECONDS_PER_MB)),
        Figure::plain("import", "msg/s", speed(messages as f64)),
        Figure::plain("import: processor time", "s", cpu),
        Figure::plain("import: peak memory", "MB", peak),
        Figure::plain("store on disk", "MB", sizes),
    ];
    let data = scratch.0.join("data");
    start(program, &data, runs, &mut figures)?;
    idle(program, &data, &input, &mut figures)?;
    serving(program, &fresh(&data)?, &input, &mut figures)?;
    Ok(table::present(&figures, &machine))
}

/// After a clean end, and after a sudden one, when the store is looked over first.
fn start(program: &Path, data: &Path, runs: usize, figures: &mut Vec<Figure>) -> Result<()> {
    let (mut clean, mut sudden, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs.max(1) {
        let (server, seconds) = Server::start(program, data, &["--no-discover"])?;
        clean.push(seconds * 1000.0);
        memory.push(megabytes(server.rss()));
        drop(server);
        let (server, seconds) = Server::start(program, data, &["--no-discover"])?;
        sudden.push(seconds * 1000.0);
        server.end()?;
    }
    figures.push(Figure::budgeted(3, "start on that store to first byte", "ms", clean, Budget::AtMost(300.0)));
    let gigabyte = Budget::AtMost(2_000.0);
    figures.push(Figure::budgeted(3, "the same after a sudden end", "ms", sudden, gigabyte));
    figures.push(Figure::plain("memory after that start", "MB", memory));
    Ok(())
}

/// All files are followed and none grows.
fn idle(program: &Path, data: &Path, input: &Input, figures: &mut Vec<Figure>) -> Result<()> {
    let mut arguments = vec!["--no-discover"];
    for folder in &input.folders {
        arguments.extend(["--claude-dir", folder.to_str().unwrap_or_default()]);
    }
    let (server, _) = Server::start(program, data, &arguments)?;
    let (waited, seconds) = step::measured(|| settled(&server));
    waited?;
    figures.push(Figure::plain("start until all files are known unchanged", "s", vec![f64::from(seconds)]));
    let (cpu, written) = (server.cpu_seconds(), server.written());
    thread::sleep(IDLE);
    let busy = (server.cpu_seconds() - cpu) / IDLE.as_secs_f64() * 100.0;
    let sessions = input.files;
    figures.push(Figure::budgeted(
        21,
        format!("idle, {sessions} files watched"),
        "% cpu",
        vec![busy],
        Budget::AtMost(0.1),
    ));
    let rss = megabytes(server.rss());
    figures.push(Figure::budgeted(21, "idle: memory", "MB", vec![rss], Budget::AtMost(25.0)));
    let written = megabytes(server.written() - written);
    figures.push(Figure::budgeted(21, "idle: written to disk", "MB", vec![written], Budget::AtMost(0.0)));
    Ok(())
}

/// A running server imports: its memory when it is done.
fn serving(program: &Path, data: &Path, input: &Input, figures: &mut Vec<Figure>) -> Result<()> {
    let (server, _) = Server::start(program, data, &["--no-discover"])?;
    let (imported, seconds) = step::measured(|| {
        server.connect()?.post("/v1/imports", &json!({ "paths": input.folders }))?;
        settled(&server)
    });
    imported?;
    figures.push(Figure::plain("import by a running server", "s", vec![f64::from(seconds)]));
    thread::sleep(REST);
    let rss = megabytes(server.rss());
    figures.push(Figure::budgeted(2, "memory of the server after it", "MB", vec![rss], Budget::AtMost(45.0)));
    figures.push(Figure::plain("its peak memory", "MB", vec![megabytes(server.peak_rss())]));
    Ok(())
}

/// Waits until no import runs.
pub(super) fn settled(server: &Server) -> Result<()> {
    let mut connection = server.connect()?;
    loop {
        let jobs = connection.json("/v1/imports")?;
        let all = jobs["imports"].as_array().map(Vec::as_slice).unwrap_or_default();
        if !all.is_empty() && all.iter().all(|job| job["done"] == true) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// An empty data directory.
fn fresh(folder: &Path) -> Result<std::path::PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    Ok(folder.to_owned())
}

fn size_of(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in folder.read_dir()? {
        sum += entry?.metadata()?.len();
    }
    Ok(sum)
}
