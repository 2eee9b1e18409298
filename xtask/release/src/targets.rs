//! The systems that there are packages for, and how the program is built for them.
//!
//! `zig` compiles C for all of them, and links for macOS without Apple's SDK. Programs for Linux are linked by the linker that comes
//! with rustc, which joins functions of the same code.
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use xtask::{interface, step, tools, workspace};

use crate::Release;

/// A system, and its names in each kind of package.
pub struct Target {
    pub triple: &'static str,
    /// In the names of files.
    pub name: &'static str,
    /// The oldest systems on which the program of a wheel runs.
    pub wheel: &'static str,
    /// `process.platform` and `process.arch` of Node.js.
    pub node: (&'static str, &'static str),
    /// Debian's and OCI's name of the processor, where there are such packages.
    pub linux: Option<&'static str>,
    /// The emulator that runs the program on another processor, and the package that has it.
    pub emulator: Option<(&'static str, &'static str)>,
    /// It needs no library of the system.
    pub is_static: bool,
}

/// Which are built if none is named.
pub const DEFAULT: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// How to add one: a row here, its processor in `files/install.sh`, and a line in `docs/releasing.md`.
pub const TARGETS: [Target; 5] = [
    Target {
        triple: DEFAULT[0],
        name: "x86_64-linux",
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        node: ("linux", "x64"),
        linux: Some("amd64"),
        emulator: if cfg!(target_arch = "x86_64") { None } else { Some(("qemu-x86_64-static", "qemu-user-static")) },
        is_static: true,
    },
    Target {
        triple: DEFAULT[1],
        name: "aarch64-linux",
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        node: ("linux", "arm64"),
        linux: Some("arm64"),
        emulator: if cfg!(target_arch = "aarch64") { None } else { Some(("qemu-aarch64-static", "qemu-user-static")) },
        is_static: true,
    },
    Target {
        triple: "aarch64-apple-darwin",
        name: "aarch64-macos",
        wheel: "macosx_11_0_arm64",
        node: ("darwin", "arm64"),
        linux: None,
        emulator: None,
        is_static: false,
    },
    // The target of a development build: it runs on systems as new as this one.
    Target {
        triple: "x86_64-unknown-linux-gnu",
        name: "x86_64-linux-gnu",
        wheel: "linux_x86_64",
        node: ("linux", "x64"),
        linux: Some("amd64"),
        emulator: None,
        is_static: false,
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        name: "aarch64-linux-gnu",
        wheel: "linux_aarch64",
        node: ("linux", "arm64"),
        linux: Some("arm64"),
        emulator: None,
        is_static: false,
    },
];

impl Target {
    pub fn named(triple: &str) -> Result<&'static Self> {
        let known = || TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
        let target = TARGETS.iter().find(|target| target.triple == triple);
        target.with_context(|| format!("`{triple}` is no target of a release: expected one of {}", known()))
    }

    /// Returns the target of this machine's own compiler.
    pub fn of_host() -> Result<&'static Self> {
        Self::named(step::output(Command::new("rustc").args(["--print", "host-tuple"]))?.trim())
    }

    /// Returns true if its programs run here, if need be in an emulator.
    pub const fn runs(&self) -> bool {
        self.linux.is_some() && cfg!(target_os = "linux")
    }
}

/// A program that is to be packaged.
pub struct Program {
    pub target: &'static Target,
    pub file: PathBuf,
}

impl Program {
    pub fn read(&self) -> Result<Vec<u8>> {
        fs::read(&self.file).with_context(|| format!("{} can't be read", self.file.display()))
    }
}

/// Returns the command that runs a program of a target here.
pub fn command(target: &Target, program: &Path) -> Result<Command> {
    Ok(match target.emulator {
        Some((emulator, package)) => {
            let mut command = Command::new(tools::installed(emulator, package)?);
            command.arg(program);
            command
        }
        None => Command::new(program),
    })
}

/// Builds the program for each target, with the interface inside.
pub fn build(release: &Release, targets: &[&'static Target]) -> Result<Vec<Program>> {
    interface::build()?;
    targets.iter().map(|target| build_one(release, target)).collect()
}

fn build_one(release: &Release, target: &'static Target) -> Result<Program> {
    tools::for_target(target.triple)?;
    let python = environment()?;
    let tools = python.parent().context("the environment of the build tools has no folder")?;
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([tools.to_owned()].into_iter().chain(env::split_paths(&path)))?;
    let mut cargo = Command::new(tools.join("cargo-zigbuild"));
    workspace::as_by_hand(cargo.current_dir(workspace::root()));
    cargo.args(["rustc", "--locked", "--profile", "dist", "--package", "server", "--bin", "verbatim"]);
    cargo.args(["--target", target.triple]).env("PATH", path).env("SOURCE_DATE_EPOCH", release.time.to_string());
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rust_options(target).join("\x1f")).env("CFLAGS", c_options());
    cargo.arg("--");
    if target.is_static {
        cargo.args(LINKED);
    } else if target.linux.is_some() {
        bail!("{} is packaged from a program that is built: name it with `--program`", target.triple);
    } else {
        // Zig links with these instead of the SDK: the names of the functions of macOS that are called.
        let names = workspace::root().join("xtask/release/files/macos").display().to_string();
        cargo.args(["-F", "-L"].map(|option| format!("-Clink-arg={option}{names}")));
    }
    step::timed(&format!("compile for {}", target.triple), || step::run(&mut cargo))?;
    let file = workspace::target().join(target.triple).join("dist/verbatim");
    if !file.is_file() {
        bail!("cargo made no {}", file.display());
    }
    Ok(Program { target, file })
}

/// How a static program is linked: functions of the same code are one.
const LINKED: [&str; 3] = ["-Clinker=rust-lld", "-Clink-self-contained=yes", "-Clink-arg=--icf=all"];

/// Returns the interpreter beside which the tools lie that builds need.
pub fn environment() -> Result<PathBuf> {
    tools::environment("release-tools", &workspace::root().join("xtask/release/needs.txt"))
}

fn rust_options(target: &Target) -> Vec<String> {
    let mut options = workspace::remapped();
    if target.is_static {
        // A fixed address needs no table of relocations, which is 4 MB here.
        options.push("-Crelocation-model=static".to_owned());
    }
    options
}

/// No C unwinds, and no source has the path that it has here.
fn c_options() -> OsString {
    let mut options = OsString::from("-fno-asynchronous-unwind-tables -fno-unwind-tables");
    for option in workspace::remapped() {
        options.push(option.replace("--remap-path-prefix=", " -ffile-prefix-map="));
    }
    options
}
