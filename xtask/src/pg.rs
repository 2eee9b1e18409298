//! A throwaway PostgreSQL: a cluster of our own in a temporary folder, on loopback, gone with us however we end.
use std::{
    env, fs,
    net::{Ipv4Addr, TcpListener},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{step, tools, workspace};

/// The variable through which tests learn the cluster's URL, and the one that names the program which makes databases in it.
const URL: &str = "VERBATIM_TEST_POSTGRES";
const CREATEDB: &str = "VERBATIM_TEST_CREATEDB";

/// Nothing in it outlives the tests, so nothing needs to reach the disk.
const SETTINGS: &str =
    "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_connections=200 -c shared_buffers=64MB";

/// As people run it: what is committed is on the disk.
const DURABLE: &str = "-c max_connections=200 -c shared_buffers=256MB";

/// Waits until its standard input closes, which happens when we end in whatever way, then takes the cluster away.
const UNDERTAKER: &str = r#"trap '' HUP INT TERM; cat >/dev/null
folder=$1; shift
"$@" stop -D "$folder/data" -m immediate -s; rm -rf "$folder""#;

/// A running cluster.
pub struct Cluster {
    /// Where it answers: `postgres://verbatim@127.0.0.1:PORT/postgres`.
    pub url: String,
    programs: PathBuf,
    undertaker: Child,
}

impl Cluster {
    /// Makes one and starts it.
    pub fn start() -> Result<Self> {
        Self::start_with(SETTINGS)
    }

    /// One whose commits outlast a loss of power, to be measured.
    pub fn start_durable() -> Result<Self> {
        Self::start_with(DURABLE)
    }

    fn start_with(settings: &str) -> Result<Self> {
        let programs = tools::postgres()?;
        let folder = env::temp_dir().join(format!("verbatim-pg-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("{} can't be made", folder.display()))?;
        let user = Servant::for_folder(&folder)?;
        let mut undertaker = user.command(Path::new("sh"));
        // In a process group of its own: the terminal's Ctrl-C doesn't reach it.
        undertaker.process_group(0).arg("-c").arg(UNDERTAKER).arg("sh").arg(&folder);
        undertaker.arg(programs.join("pg_ctl")).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let port = free_port()?;
        let cluster = Self {
            url: format!("postgres://verbatim@{}:{port}/postgres", Ipv4Addr::LOCALHOST),
            undertaker: undertaker.current_dir("/").spawn()?,
            // Some of the programs may be links elsewhere; what they point to has all of them beside it.
            programs: programs.join("initdb").canonicalize()?.parent().map_or_else(|| programs.clone(), Path::to_owned),
        };
        let data = folder.join("data");
        let mut initdb = user.command(&programs.join("initdb"));
        initdb.args(["--username=verbatim", "--auth=trust", "--encoding=UTF8", "--no-locale"]);
        initdb.args(["--no-sync", "--no-instructions"]).arg("-D").arg(&data);
        step::output(&mut initdb)?;
        let options = format!("-h {} -p {port} -k {} {settings}", Ipv4Addr::LOCALHOST, folder.display());
        let mut start = user.command(&programs.join("pg_ctl"));
        start.arg("start").arg("-D").arg(&data).arg("-l").arg(folder.join("log")).args(["-w", "-s", "-o", &options]);
        // The server inherits the streams: a pipe of ours would never see its end.
        start.stdout(Stdio::null()).stderr(Stdio::null());
        step::run(&mut start).with_context(|| {
            format!("PostgreSQL did not start: {}", fs::read_to_string(folder.join("log")).unwrap_or_default())
        })?;
        Ok(cluster)
    }

    /// Tells a command where the cluster is.
    pub fn tell<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(URL, &self.url).env(CREATEDB, self.programs.join("createdb"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.undertaker.stdin.take());
        // It works by itself from here on; waiting only keeps the terminal tidy.
        let _ = self.undertaker.wait();
    }
}

/// Runs a command with a cluster of its own and hands on its exit status.
pub fn with_cluster(command: &[String]) -> Result<ExitCode> {
    let Some((program, arguments)) = command.split_first() else { bail!("no command given") };
    let cluster = step::timed("PostgreSQL: start a throwaway cluster", Cluster::start)?;
    let status = cluster
        .tell(workspace::as_by_hand(&mut Command::new(program)).args(arguments))
        .status()
        .with_context(|| format!("`{program}` did not start"))?;
    drop(cluster);
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// PostgreSQL refuses to run as root: then the user `postgres`, which its package made, runs it.
enum Servant {
    Ourselves,
    Postgres { setpriv: PathBuf },
}

impl Servant {
    fn for_folder(folder: &Path) -> Result<Self> {
        if step::output(Command::new("id").arg("-u"))?.trim() != "0" {
            return Ok(Self::Ourselves);
        }
        step::run(Command::new("chown").arg("postgres:").arg(folder))?;
        let setpriv =
            tools::find(["setpriv"]).context("`setpriv` (util-linux) is needed to leave root for PostgreSQL")?;
        Ok(Self::Postgres { setpriv })
    }

    fn command(&self, program: &Path) -> Command {
        match self {
            Self::Ourselves => Command::new(program),
            Self::Postgres { setpriv } => {
                let mut command = Command::new(setpriv);
                command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
                command
            }
        }
    }
}

/// A port below those that the system hands out by itself, so that no outgoing connection takes it in between.
fn free_port() -> Result<u16> {
    let first = 20_000 + std::process::id() as u16 % 10_000;
    (first..32_000)
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .context("no free port between 20000 and 32000")
}
