//! Trials of a program or an SDK once it is installed.
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use xtask::{step, tools, workspace};

use super::{EXAMPLE, Trial, environment, kept, pip};
use crate::wheel;

/// Ends with its last owner.
pub struct Server {
    child: Child,
}

impl Server {
    /// Starts one and waits until it answers.
    pub fn start(command: &mut Command) -> Result<Self> {
        // A group of its own: a launcher that is killed ends nothing.
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        let child = command.spawn().context("the server did not start")?;
        let mut server = Self { child };
        let out = server.child.stdout.take().context("the server has no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        if !line.starts_with("Verbatim is at http://127.0.0.1:") {
            bail!("the server says {line:?}");
        }
        Ok(server)
    }

    /// Asks it to end, and waits for that.
    pub fn end(mut self) -> Result<()> {
        self.signal("-TERM")?;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the server ended with {status}");
        }
        Ok(())
    }

    fn signal(&self, name: &str) -> Result<()> {
        step::output(Command::new("kill").arg(name).arg(self.child.id().to_string())).map(drop)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status();
            let _ = self.child.wait();
        }
    }
}

/// Makes a command of an installed program with these arguments.
pub type Start<'a> = &'a dyn Fn(&[&str]) -> Result<Command>;

/// Lets a program serve the example, and its commands read it. `data` is a folder that the program may make.
pub fn used(version: &str, data: &str, start: Start<'_>) -> Result<()> {
    let expect = |arguments: &[&str], expected: &str| {
        let said = step::output(&mut start(arguments)?)?;
        if said.contains(expected) { Ok(()) } else { bail!("`verbatim {}` prints {said}", arguments.join(" ")) }
    };
    expect(&["--version"], &format!("verbatim {version}\n"))?;
    let server = Server::start(&mut start(&["serve", "--demo", "--listen", "127.0.0.1:0", "--data-dir", data])?)?;
    expect(&["sessions", "--data-dir", data], EXAMPLE)?;
    expect(&["doctor", "--health", "--data-dir", data], "ok\n")?;
    server.end()
}

/// Posts a message with an SDK and lets the program show it.
fn posted(trial: &Trial<'_>, post: impl FnOnce(&str, &str) -> Result<()>) -> Result<()> {
    let program = super::targets::command(trial.target, &unpacked(trial)?)?;
    let program = program.get_program().to_owned();
    let data = trial.path("data");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).env("VERBATIM_DATA_DIR", &data).env("HOME", trial.folder.path());
        command
    };
    let server = Server::start(&mut run(&["serve", "--no-discover", "--listen", "127.0.0.1:0"]))?;
    let key = step::output(&mut run(&["key", "create", "--name", "trial"]))?;
    let credential: serde_json::Value = serde_json::from_slice(&fs::read(data.join("server.json"))?)?;
    post(credential["url"].as_str().context("server.json has no url")?, key.trim())?;
    let shown = step::output(&mut run(&["sessions"]))?;
    if !shown.contains("trial") {
        bail!("`verbatim sessions` prints {shown}");
    }
    server.end()
}

fn unpacked(trial: &Trial<'_>) -> Result<std::path::PathBuf> {
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(trial.package(&super::archive_name(trial.release, trial.target)));
    step::run(tar.args(["--strip-components", "1", "-C"]).arg(trial.folder.path()))?;
    Ok(trial.path("verbatim"))
}

const PYTHON: &str = "from verbatim_sdk import Verbatim
with Verbatim.from_env() as verbatim:
    session = verbatim.create_session('trial')
    session.send_message('All tests pass.')
    session.end()
";

/// The wheel and the source archive: both make the same package.
pub fn python_sdk(trial: &Trial<'_>) -> Result<()> {
    let version = &trial.release.version;
    let python = environment(&trial.path("venv"))?;
    for file in [format!("verbatim_sdk-{version}.tar.gz"), format!("verbatim_sdk-{version}-py3-none-any.whl")] {
        step::run(pip(&python, &["--force-reinstall"]).arg(trial.package(&file)))?;
    }
    posted(trial, |url, key| {
        let mut post = Command::new(&python);
        post.args(["-c", PYTHON]).current_dir(trial.folder.path());
        step::run(post.env("VERBATIM_URL", url).env("VERBATIM_KEY", key))
    })
}

const NODE: &str = "import { Verbatim } from 'verbatim-sdk';
const session = await Verbatim.fromEnv().createSession('trial');
await session.sendMessage('All tests pass.');
await session.end();
";

pub fn typescript_sdk(trial: &Trial<'_>) -> Result<()> {
    fs::write(trial.path("package.json"), "{}")?;
    fs::write(trial.path("post.mjs"), NODE)?;
    let mut install = Command::new("npm");
    install.args(["install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel", "error"]);
    install.arg(trial.package(&format!("verbatim-sdk-{}.tgz", trial.release.version)));
    step::run(install.current_dir(trial.folder.path()).env("npm_config_cache", trial.path("cache")))?;
    posted(trial, |url, key| {
        let mut post = Command::new("node");
        post.arg("post.mjs").current_dir(trial.folder.path());
        step::run(post.env("VERBATIM_URL", url).env("VERBATIM_KEY", key))
    })
}

const FIRST_SESSION: &str = "xtask/release/files/first_session.py";
const SESSIONS: &str = "300";
const BYTES: &str = "100000000";
/// How long it may take from `pip install` to the first session.
const SECONDS: f32 = 60.0;

/// From the file of a package to a page that shows a session, with 300 sessions on the disk.
pub fn first_session(trial: &Trial<'_>) -> Result<()> {
    let sessions = kept("sessions");
    if !sessions.is_dir() {
        let node = tools::find(["node"]).context("Node.js is needed to make up sessions")?;
        let unfinished = kept("sessions.part");
        let mut make = Command::new(node);
        make.arg(workspace::root().join("end2end/perf/make-many.mjs")).arg(&unfinished).args([BYTES, SESSIONS]);
        step::run(&mut make)?;
        fs::rename(unfinished, &sessions)?;
    }
    let projects = trial.path("home/.claude/projects");
    fs::create_dir_all(&projects)?;
    copy(&sessions, &projects.join("-home-ada-boat"))?;
    let python = environment(&trial.path("venv"))?;
    let file = trial.package(&wheel::file_name(&trial.release.version, trial.target.wheel));
    let mut show = Command::new(&python);
    show.arg(workspace::root().join(FIRST_SESSION)).arg(&file).env("HOME", trial.path("home"));
    let (said, seconds) = step::measured(|| step::output(&mut show));
    step::say(&format!("{}{seconds:.1} s in all, {SECONDS} s at most", said?));
    if seconds > SECONDS {
        bail!("the first session took {seconds:.1} s");
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    step::run(Command::new("cp").arg("-R").arg(from).arg(to))
}
