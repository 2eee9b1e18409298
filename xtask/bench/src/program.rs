//! The release program under measurement: its commands, its server, its processor time and memory.
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use super::{http::Connection, input::Input};
use crate::{interface, serve, step, workspace};

/// How often a running process is asked for its memory.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Clone, Default, Args)]
pub struct ProgramArguments {
    /// Measure this program instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Build with this profile
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
}

#[derive(Clone, Copy, Default, clap::ValueEnum)]
enum Profile {
    /// As the tests use it; its times are longer
    Dev,
    #[default]
    Release,
}

impl ProgramArguments {
    /// Builds what changed, unless a program was named.
    pub fn find(&self) -> Result<PathBuf> {
        if let Some(program) = &self.program {
            return program.canonicalize().with_context(|| format!("{} isn't there", program.display()));
        }
        match self.profile {
            Profile::Dev => {
                interface::build()?;
                serve::program()
            }
            Profile::Release => {
                serve::build()?;
                Ok(workspace::target().join("release/verbatim"))
            }
        }
    }
}

/// A folder of our own on the disk that holds `target`, gone in the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Result<Self> {
        let folder = workspace::root().join(format!("target/bench/scratch-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The rest is in `target`, where nobody minds it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The counts of `import --json`, with its time and memory.
pub struct Imported {
    pub messages: u64,
    pub sessions: u64,
    pub seconds: f64,
    /// Processor time of all threads.
    pub cpu_seconds: f64,
    pub peak_rss: u64,
}

/// Imports everything, into the database of an URL or that of `data`, and watches the process while it works.
pub fn import(program: &Path, data: &Path, input: &Input, database: Option<&str>) -> Result<Imported> {
    let mut command = Command::new(program);
    command.arg("import").args(&input.folders).arg("--json").arg("--data-dir").arg(data);
    command.args(database.iter().flat_map(|url| ["--database", url]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (result, seconds) = step::measured(|| {
        let mut child = command.spawn().context("the release program did not start")?;
        let (mut peak_rss, mut cpu_seconds) = (0, 0.0);
        let status = loop {
            peak_rss = memory(child.id(), "VmHWM:").max(peak_rss);
            cpu_seconds = processor_seconds(child.id()).max(cpu_seconds);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            thread::sleep(LOOK);
        };
        if !status.success() {
            bail!("the import failed: {status}");
        }
        let report: Value = serde_json::from_reader(child.stdout.take().context("no output")?)?;
        Ok((report, peak_rss, cpu_seconds))
    });
    let (report, peak_rss, cpu_seconds) = result?;
    let count = |name: &str| report[name].as_u64().unwrap_or(0);
    Ok(Imported {
        messages: count("messages"),
        sessions: count("sessions"),
        seconds: f64::from(seconds),
        cpu_seconds,
        peak_rss,
    })
}

/// A running `verbatim serve` at a port of its own; ends with this value.
pub struct Server {
    child: Child,
    address: String,
    key: String,
}

impl Server {
    /// Starts it and waits for its first byte, which took the seconds that come along.
    pub fn start(program: &Path, data: &Path, arguments: &[&str]) -> Result<(Self, f64)> {
        let mut command = Command::new(program);
        command.stderr(Stdio::null());
        Self::spawn(command, data, arguments)
    }

    /// Like [`start`](Self::start), with an address space of at most `bytes` and with standard error in a file.
    pub fn start_limited(
        program: &Path,
        data: &Path,
        arguments: &[&str],
        bytes: u64,
        errors: &Path,
    ) -> Result<(Self, f64)> {
        let mut command = Command::new("sh");
        let limit = format!("ulimit -v {} && exec \"$0\" \"$@\"", bytes / 1024);
        command.arg("-c").arg(limit).arg(program);
        command.stderr(fs::File::options().create(true).append(true).open(errors)?);
        Self::spawn(command, data, arguments)
    }

    fn spawn(mut command: Command, data: &Path, arguments: &[&str]) -> Result<(Self, f64)> {
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let (server, seconds) = step::measured(|| {
            let mut server = Self {
                child: command.spawn().context("the program did not start")?,
                address: String::new(),
                key: String::new(),
            };
            let output = server.child.stdout.take().context("no output")?;
            let mut line = String::new();
            BufReader::new(output).read_line(&mut line)?;
            let url = line.split("http://").nth(1).context("the server printed no link")?;
            url.split('/').next().unwrap_or_default().clone_into(&mut server.address);
            let mut connection = server.connect()?;
            connection.get("/healthz")?;
            Ok::<_, anyhow::Error>(server)
        });
        let mut server = server?;
        let credential: Value = serde_json::from_slice(&fs::read(data.join("server.json"))?)?;
        credential["key"].as_str().unwrap_or_default().clone_into(&mut server.key);
        Ok((server, f64::from(seconds)))
    }

    /// Sets the peak that [`peak_rss`](Self::peak_rss) returns to the current value. Linux only.
    pub fn reset_peak_rss(&self) -> Result<()> {
        let file = format!("/proc/{}/clear_refs", self.child.id());
        fs::write(&file, "5").with_context(|| format!("{file} can't be written"))
    }

    /// The exit status, once the process has ended.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// The process, for [`peak_rss_of`].
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) -> Result<()> {
        step::run(Command::new("kill").arg(self.child.id().to_string()))
    }

    /// Ends it as `kill` does, and waits for that.
    pub fn end(mut self) -> Result<()> {
        self.terminate()?;
        self.child.wait()?;
        Ok(())
    }

    pub fn connect(&self) -> Result<Connection> {
        Connection::open(&self.address, &self.key)
    }

    /// `host:port`
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the key of commands of this machine.
    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn rss(&self) -> u64 {
        memory(self.child.id(), "VmRSS:")
    }

    pub fn peak_rss(&self) -> u64 {
        memory(self.child.id(), "VmHWM:")
    }

    pub fn cpu_seconds(&self) -> f64 {
        processor_seconds(self.child.id())
    }

    /// Bytes that it has caused to be written to a disk.
    pub fn written(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap_or_default();
        number_after(&text, "write_bytes:")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A sudden end. It keeps nothing that a sudden end could harm.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The largest resident memory of a process since its start or the last reset, in bytes; 0 once it has ended.
pub fn peak_rss_of(process: u32) -> u64 {
    memory(process, "VmHWM:")
}

/// Bytes, as Linux tells them of a process; 0 elsewhere.
fn memory(process: u32, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    number_after(&text, name) * 1024
}

/// Returns the processor time of all living threads on Linux; 0 elsewhere.
fn processor_seconds(process: u32) -> f64 {
    // The command's name, in brackets, may hold anything: the numbers come after it.
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let numbers: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| numbers.get(index).and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn number_after(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
