//! A large store: how long it takes to make, and what pages, search, live messages, start and checks take on it.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{
    http::Connection,
    import::settled,
    input::{Input, megabytes},
    machine::{self, Machine},
    pages,
    program::{self, Scratch, Server},
    table::{self, Budget, Figure},
};
use crate::{pg::Cluster, step};

mod live;
mod transcripts;

use transcripts::{COMMON, MONTH, NONE, RARE, Transcript, YEAR};

/// Messages of a session, in the mean.
const MEAN: u64 = 500;
/// Messages that are written and imported at a time.
const SLICE: u64 = 20_000;
/// Disk that a message takes in a store with its indexes, as measured, and some more for the log of writes.
const SQLITE_BYTES: u64 = 2_800;
const POSTGRES_BYTES: u64 = 5_000;
/// Disk that must stay free beside the store: a slice, logs of writes, and room for others.
const SPARE: u64 = 2_000_000_000;
const REQUESTS: usize = 200;
/// Slow requests are repeated for so many seconds only.
const PATIENCE: f64 = 10.0;
const STARTS: usize = 5;
/// PostgreSQL looks once a minute for tables that grew, by whose figures it plans.
const ANALYZED: Duration = Duration::from_secs(75);

#[derive(Clone, Args)]
pub struct ScaleArguments {
    /// Messages of the store
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000)]
    messages: u64,
    /// Sessions that they are in [default: a five-hundredth of the messages]
    #[arg(long, value_name = "NUMBER")]
    sessions: Option<u64>,
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// Keep the SQLite store in this folder, and use or continue the one that is there
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    #[default]
    Sqlite,
    Postgres,
}

/// The program, and the store that its commands work on.
struct Store<'a> {
    program: &'a Path,
    data: PathBuf,
    /// The URL of PostgreSQL.
    database: Option<String>,
}

impl ScaleArguments {
    /// The name under which figures are kept.
    pub fn name(&self) -> String {
        let engine = if self.engine == Engine::Sqlite { "sqlite" } else { "postgres" };
        format!("scale-{engine}-{}", self.messages)
    }

    fn sessions(&self) -> u64 {
        self.sessions.unwrap_or(self.messages / MEAN).max(1)
    }
}

pub fn measure(program: &Path, arguments: &ScaleArguments) -> Result<Value> {
    let postgres = arguments.engine == Engine::Postgres;
    if postgres && arguments.keep.is_some() {
        bail!("--keep is for SQLite: the PostgreSQL of a benchmark ends with it; leave --keep out");
    }
    let scratch = Scratch::new("scale")?;
    let folder = arguments.keep.clone().unwrap_or_else(|| scratch.0.clone());
    fs::create_dir_all(&folder)?;
    let mut progress = Progress::read(&folder, arguments)?;
    let (disk, each) = if postgres { (env::temp_dir(), POSTGRES_BYTES) } else { (folder.clone(), SQLITE_BYTES) };
    fits(&disk, arguments.messages, progress.messages, each, postgres)?;
    let cluster = postgres.then(|| step::timed("PostgreSQL that keeps what it says", Cluster::start_durable));
    let cluster = cluster.transpose()?;
    let database = cluster.as_ref().map(|cluster| cluster.url.clone());
    let store = Store { program, data: folder.join("data"), database };
    let machine = Machine::measure(&scratch.0)?;
    let mut figures = Vec::new();
    make(&store, &folder, arguments, &mut progress, &mut figures)?;
    starts(&store, &mut figures)?;
    if postgres {
        step::say(&format!("waiting {} s for PostgreSQL to analyze what was imported", ANALYZED.as_secs()));
        thread::sleep(ANALYZED);
    }
    requests(&store, &mut figures)?;
    live(&store, &scratch.0, &mut figures)?;
    checks(&store, &mut figures)?;
    backup(&store, &folder, progress.messages * each, &mut figures)?;
    step::say(&format!(
        "{} messages in {} sessions, load now {:.1}",
        progress.messages,
        progress.sessions,
        machine::load()
    ));
    let mut result = table::present(&figures, &machine);
    result["messages"] = progress.messages.into();
    result["sessions"] = progress.sessions.into();
    Ok(result)
}

/// Refuses a store that the disk has no room for.
fn fits(disk: &Path, wanted: u64, made: u64, each: u64, postgres: bool) -> Result<()> {
    let free = free(disk)?;
    let missing = wanted.saturating_sub(made);
    let needed = missing * each + SPARE;
    if missing > 0 && needed > free {
        let fitting = made + free.saturating_sub(SPARE) / each / 100_000 * 100_000;
        let elsewhere = if postgres { "set TMPDIR to" } else { "name with --keep" };
        bail!(
            "{missing} messages need about {:.0} GB more in {}, where {:.1} GB are free: --messages {fitting} fits, or \
             {elsewhere} a folder on a larger disk",
            needed as f64 / 1e9,
            disk.display(),
            free as f64 / 1e9
        );
    }
    Ok(())
}

/// Bytes that are free on the disk of a folder.
fn free(folder: &Path) -> Result<u64> {
    let table = step::output(Command::new("df").arg("-Pk").arg(folder))?;
    let free = table.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    Ok(free.context("`df -Pk` doesn't say what is free")? * 1024)
}

/// The counts of a kept store: written after each slice.
struct Progress {
    file: PathBuf,
    /// Messages of a session, in the mean.
    mean: u64,
    sessions: u64,
    messages: u64,
}

impl Progress {
    fn read(folder: &Path, arguments: &ScaleArguments) -> Result<Self> {
        let file = folder.join("scale.json");
        let mean = (arguments.messages / arguments.sessions()).max(1);
        let Ok(text) = fs::read(&file) else {
            return Ok(Self { file, mean, sessions: 0, messages: 0 });
        };
        let kept: Value = serde_json::from_slice(&text)?;
        let number = |name: &str| kept[name].as_u64().with_context(|| format!("{} has no `{name}`", file.display()));
        let (kept_mean, sessions, messages) = (number("mean")?, number("sessions")?, number("messages")?);
        if kept_mean != mean || sessions > arguments.sessions() {
            bail!(
                "{} holds {messages} messages in {sessions} sessions, {kept_mean} in each in the mean: ask for as many or more with \
                 --messages and --sessions, or name another folder",
                folder.display()
            );
        }
        Ok(Self { file, mean, sessions, messages })
    }

    fn write(&self) -> Result<()> {
        let Self { file, mean, sessions, messages } = self;
        fs::write(file, json!({"mean": mean, "sessions": sessions, "messages": messages}).to_string())?;
        Ok(())
    }
}

/// Writes transcripts slice by slice, and lets the program import each.
fn make(
    store: &Store,
    folder: &Path,
    arguments: &ScaleArguments,
    progress: &mut Progress,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    let wanted = arguments.sessions();
    let (mut imported, mut seconds, mut bytes, mut peak) = (0, 0.0, 0, 0);
    let mut speeds = Vec::new();
    while progress.sessions < wanted {
        let slice = folder.join("slice");
        // One that was cut is written anew, with the same bytes: some of it may be in the store.
        let cut = slice.is_dir();
        if cut {
            fs::remove_dir_all(&slice)?;
        }
        let mut input = Input { folders: vec![slice.clone()], files: 0, bytes: 0 };
        let mut messages = 0;
        while progress.sessions < wanted && messages < SLICE {
            let mut transcript = Transcript::create(&slice.join("projects"), progress.sessions)?;
            transcript.fill(progress.sessions, transcripts::length(progress.sessions, progress.mean))?;
            messages += transcript.messages;
            input.bytes += transcript.bytes;
            input.files += 1;
            progress.sessions += 1;
        }
        let result = program::import(store.program, &store.data, &input, store.database.as_deref())?;
        if result.messages != messages && !cut {
            bail!("{} of {messages} messages were imported from {}", result.messages, slice.display());
        }
        fs::remove_dir_all(&slice)?;
        progress.messages += messages;
        progress.write()?;
        imported += result.messages;
        seconds += result.seconds;
        bytes += input.bytes;
        peak = peak.max(result.peak_rss);
        speeds.push(result.messages as f64 / result.seconds);
        let left = arguments.messages.saturating_sub(progress.messages) as f64 * seconds / imported.max(1) as f64;
        step::say(&format!(
            "{} of {} messages, {:.0}/s, load {:.1}, {} left",
            progress.messages,
            arguments.messages,
            speeds.last().copied().unwrap_or_default(),
            machine::load(),
            minutes(left)
        ));
    }
    if imported > 0 {
        figures.push(Figure::plain("import: transcripts", "MB", vec![megabytes(bytes)]));
        figures.push(Figure::plain("import", "msg/s", vec![imported as f64 / seconds]));
        let (first, last) = (speeds.first().copied(), speeds.last().copied());
        figures.push(Figure::plain("import: first slice", "msg/s", first.into_iter().collect()));
        figures.push(Figure::plain("import: last slice", "msg/s", last.into_iter().collect()));
        figures.push(Figure::plain("import: peak memory", "MB", vec![megabytes(peak)]));
    }
    Ok(())
}

fn minutes(seconds: f64) -> String {
    format!("{}:{:02} min", seconds as u64 / 60, seconds as u64 % 60)
}

impl Store<'_> {
    fn serve(&self, more: &[&str]) -> Result<(Server, f64)> {
        let mut arguments = vec!["--no-discover", "--posts-per-second", "0"];
        arguments.extend(self.database.iter().flat_map(|url| ["--database", url]));
        arguments.extend(more);
        Server::start(self.program, &self.data, &arguments)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.program);
        command.arg(name).arg("--data-dir").arg(&self.data);
        command.args(self.database.iter().flat_map(|url| ["--database", url]));
        command.stdin(Stdio::null());
        command
    }
}

/// After a clean end, and after a sudden one, when the store is looked over first.
fn starts(store: &Store, figures: &mut Vec<Figure>) -> Result<()> {
    let (mut clean, mut sudden) = (Vec::new(), Vec::new());
    store.serve(&[])?.0.end()?;
    for _ in 0..STARTS {
        let (server, seconds) = store.serve(&[])?;
        clean.push(seconds * 1000.0);
        drop(server);
        let (server, seconds) = store.serve(&[])?;
        sudden.push(seconds * 1000.0);
        server.end()?;
    }
    figures.push(Figure::budgeted(0, "start to first byte", "ms", clean, Budget::AtMost(1_000.0)));
    figures.push(Figure::plain("the same after a sudden end", "ms", sudden));
    Ok(())
}

/// Pages, parts of pages, lists and search.
fn requests(store: &Store, figures: &mut Vec<Figure>) -> Result<()> {
    let (server, _) = store.serve(&[])?;
    let mut connection = server.connect()?;
    let size = database_size(&mut connection)?;
    figures.push(Figure::plain("store on disk", "MB", vec![size]));
    let biggest = connection.json("/v1/sessions?sort=messages&limit=1")?["sessions"][0].take();
    let session = biggest["id"].as_str().context("a session without an id")?;
    let project = biggest["project"].as_str().context("a session without a project")?;
    let last = biggest["last_seq"].as_i64().unwrap_or(0);
    step::say(&format!("the biggest session has {last} messages"));
    let chunk = last / pages::CHUNK / 2;
    let list = Some(Budget::Percentiles(20.0, 100.0));
    let page = Some(Budget::Percentiles(100.0, 100.0));
    let targets = [
        ("list of sessions, API", "/v1/sessions".to_owned(), list),
        ("list of sessions, page, first byte", "/sessions".to_owned(), list),
        ("list of one project", format!("/v1/sessions?project={project}"), page),
        ("list of one agent", "/v1/sessions?agent=claude_code".to_owned(), page),
        ("list of some days", "/v1/sessions?since=2026-05-01&until=2026-05-20".to_owned(), page),
        ("list by words", "/v1/sessions?q=quernstone7".to_owned(), page),
        ("list, most messages first", "/v1/sessions?sort=messages".to_owned(), page),
        ("biggest session: its row", format!("/v1/sessions/{session}"), page),
        ("biggest session: page, first byte", format!("/s/{session}"), page),
        (
            "biggest session: messages in the middle",
            format!("/v1/sessions/{session}/messages?around={}", last / 2),
            page,
        ),
        ("biggest session: a chunk in the middle", format!("/fragments/sessions/{session}/chunks/{chunk}"), page),
        ("biggest session: messages of a type", format!("/v1/sessions/{session}/messages?type=CODE_EDIT"), page),
        ("search: a word of one message", format!("/v1/search?q={RARE}7%20"), page),
        ("search: the most common word", format!("/v1/search?q={COMMON}%20"), page),
        ("search: a common beginning of words", format!("/v1/search?q={COMMON}"), page),
        ("search: two common words", format!("/v1/search?q={COMMON}%20file%20"), page),
        ("search: a common word in one project", format!("/v1/search?q={COMMON}%20&project={project}"), page),
        (
            "search: a common word of some days",
            format!("/v1/search?q={COMMON}%20&since=2026-05-01&until=2026-05-03"),
            page,
        ),
        ("search: no word", format!("/v1/search?q={NONE}%20"), page),
        ("search of a common word, page, first byte", format!("/search?q={COMMON}"), page),
        ("statistics of a month", format!("/v1/stats?{MONTH}"), page),
        ("statistics of a year", format!("/v1/stats?{YEAR}"), page),
        ("statistics of a month, page, first byte", format!("/stats?{MONTH}"), page),
    ];
    for (metric, target, budget) in targets {
        let (times, bytes) = pages::time(&mut connection, &target, REQUESTS, PATIENCE)?;
        let metric = format!("{metric} ({} kB)", bytes / 1000);
        figures.push(Figure::budgeted(0, metric, "ms", times, budget));
    }
    let budget = Budget::AtMost(150.0);
    figures.push(Figure::budgeted(
        0,
        "memory of the server after all that",
        "MB",
        vec![megabytes(server.rss())],
        budget,
    ));
    figures.push(Figure::plain("its peak memory", "MB", vec![megabytes(server.peak_rss())]));
    server.end()
}

/// In MB, as the server tells it.
fn database_size(connection: &mut Connection) -> Result<f64> {
    let metrics = String::from_utf8(connection.get("/metrics")?)?;
    let size = metrics.lines().find_map(|line| line.strip_prefix("verbatim_store_size_bytes ")?.parse::<f64>().ok());
    Ok(size.context("the server doesn't tell the size of its database")? / 1e6)
}

/// Messages that are posted, and lines that are appended to a followed transcript, until their event.
fn live(store: &Store, scratch: &Path, figures: &mut Vec<Figure>) -> Result<()> {
    let folder = scratch.join("live");
    // Another session each time: a kept store has those of earlier runs.
    let number = (1 << 32) + u64::from(std::process::id());
    let mut transcript = Transcript::create(&folder.join("projects"), number)?;
    transcript.fill(number, 20)?;
    let path = folder.to_str().context("the folder's name is no UTF-8")?;
    let (server, _) = store.serve(&["--claude-dir", path])?;
    settled(&server)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (posted, appended) = runtime.block_on(live::measure(&server, &mut transcript))?;
    let budget = Budget::Percentiles(20.0, 100.0);
    figures.push(Figure::budgeted(0, "post until event", "ms", posted, budget));
    figures.push(Figure::budgeted(0, "line appended to a transcript until event", "ms", appended, budget));
    server.end()
}

/// All checks of `doctor`, which runs without a server.
fn checks(store: &Store, figures: &mut Vec<Figure>) -> Result<()> {
    let (output, seconds) = step::measured(|| step::output(&mut store.command("doctor")));
    output?;
    figures.push(Figure::budgeted(0, "doctor, all checks", "s", vec![f64::from(seconds)], Budget::AtMost(600.0)));
    Ok(())
}

/// Where the program has the command, and the disk has room for as much as the store takes.
fn backup(store: &Store, folder: &Path, needed: u64, figures: &mut Vec<Figure>) -> Result<()> {
    if step::output(Command::new(store.program).args(["backup", "--help"])).is_err() {
        step::say("backup: not measured, this program has no such command");
        return Ok(());
    }
    if free(folder)? < needed + SPARE {
        step::say(&format!(
            "backup: not measured, {} has no room for another {:.0} GB",
            folder.display(),
            needed as f64 / 1e9
        ));
        return Ok(());
    }
    let backup = folder.join("backup");
    let (output, seconds) = step::measured(|| step::output(store.command("backup").arg(&backup)));
    output?;
    figures.push(Figure::plain("backup, the first one", "s", vec![f64::from(seconds)]));
    fs::remove_dir_all(backup)?;
    Ok(())
}
