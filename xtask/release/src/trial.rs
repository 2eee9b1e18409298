//! Each package, installed on a clean root and used: its program serves an example, which its commands read.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use xtask::{step, tools, workspace};

use crate::{
    PACKAGE, Release, deb, image, install, npm, sums,
    targets::{self, TARGETS, Target},
    wheel,
};

mod containers;
mod debian;
mod use_it;

/// A package of one system, and where it is installed: a folder of its own, gone afterwards.
struct Trial<'r> {
    release: &'r Release,
    target: &'static Target,
    folder: TempDir,
}

type Step = fn(&Trial<'_>) -> Result<()>;

/// Of each system whose programs run here.
const STEPS: [(&str, Step); 6] = [
    ("archive", archive),
    ("install.sh", script),
    ("wheel", python),
    ("npm", node),
    ("deb", debian::package),
    ("image", containers::image),
];

/// Of this machine alone.
const HERE: [(&str, Step); 3] = [
    ("SDK for Python", use_it::python_sdk),
    ("SDK for TypeScript", use_it::typescript_sdk),
    ("from pip to the first session", use_it::first_session),
];

/// Tries all packages of a release; every one is tried, and the last line counts.
pub fn all(release: &Release) -> Result<()> {
    sums::check(release)?;
    let (mut passed, mut failed) = (0, 0);
    for target in TARGETS.iter().filter(|target| release.folder.join(archive_name(release, target)).is_file()) {
        if !target.runs() {
            step::say(&format!("not tried: {}, whose programs don't run here", target.name));
            continue;
        }
        let here = if target.emulator.is_none() { HERE.as_slice() } else { &[] };
        for (name, run) in STEPS.iter().chain(here) {
            let trial = Trial { release, target, folder: tempfile::tempdir()? };
            match step::timed(&format!("{name}, {}", target.name), || run(&trial)) {
                Ok(()) => passed += 1,
                Err(error) => {
                    failed += 1;
                    step::say(&format!("ERROR: {name}, {}: {error:#}", target.name));
                }
            }
        }
    }
    step::say(&format!("test result: {passed} passed; {failed} failed"));
    if failed > 0 || passed == 0 {
        bail!("{failed} of the packages failed");
    }
    Ok(())
}

fn archive_name(release: &Release, target: &Target) -> String {
    format!("verbatim-{}-{}.tar.gz", release.version, target.name)
}

impl Trial<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn package(&self, name: &str) -> PathBuf {
        self.release.folder.join(name)
    }

    /// Uses a program that is installed at a path of this machine.
    fn used(&self, program: &Path) -> Result<()> {
        let data = self.path("data").display().to_string();
        use_it::used(&self.release.version, &data, &|arguments| {
            let mut command = targets::command(self.target, program)?;
            command.args(arguments).env("HOME", self.folder.path());
            Ok(command)
        })
    }
}

fn archive(trial: &Trial<'_>) -> Result<()> {
    let package = trial.package(&archive_name(trial.release, trial.target));
    step::run(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(trial.folder.path()))?;
    trial.used(&trial.path(&format!("verbatim-{}-{}/verbatim", trial.release.version, trial.target.name)))
}

/// The script installs from its own folder, by `file://` and into a folder that is named, and refuses what it can't check.
fn script(trial: &Trial<'_>) -> Result<()> {
    if !trial.target.is_static {
        not_tried("install.sh names no development builds");
        return Ok(());
    }
    let script = trial.package(install::SCRIPT_NAME);
    // A machine with this processor.
    let machine = trial.target.name.split('-').next().unwrap_or_default();
    fs::create_dir(trial.path("bin"))?;
    let uname = format!("#!/bin/sh\ncase $1 in -m) echo {machine} ;; *) echo Linux ;; esac\n");
    fs::write(trial.path("bin/uname"), uname)?;
    step::run(Command::new("chmod").arg("755").arg(trial.path("bin/uname")))?;
    let path = format!("{}:/usr/bin:/bin", trial.path("bin").display());
    let install = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.arg(&script).args(arguments).env("HOME", trial.folder.path()).env("PATH", &path);
        step::output(&mut command)
    };
    install(&[])?;
    trial.used(&trial.path(".local/bin/verbatim"))?;
    let to = trial.path("elsewhere").display().to_string();
    install(&["--from", &format!("file://{}", trial.release.folder.display()), "--to", &to])?;
    // A program that is there is replaced.
    install(&["--from", &trial.release.folder.display().to_string(), "--to", &to])?;
    same(&trial.path(".local/bin/verbatim"), &trial.path("elsewhere/verbatim"))?;

    let forged = trial.path("forged");
    fs::create_dir(&forged)?;
    fs::copy(trial.package(sums::NAME), forged.join(sums::NAME))?;
    fs::write(forged.join(archive_name(trial.release, trial.target)), "another archive")?;
    let forged = forged.display().to_string();
    let untouched = trial.path("untouched").display().to_string();
    let refused = [
        (&forged, "nothing is installed"),
        (&"http://127.0.0.1:1".to_owned(), "expected a folder, or an address that begins with https://"),
        (&"https://127.0.0.1:1".to_owned(), "can't be read"),
        (&trial.path("bin").display().to_string(), "can't be read"),
    ];
    for (from, reason) in refused {
        let error = install(&["--from", from, "--to", &untouched]).err();
        let error = error.with_context(|| format!("install.sh took {from}"))?.to_string();
        if !error.contains(reason) || Path::new(&untouched).exists() {
            bail!("install.sh answered for {from}: {error}");
        }
    }
    Ok(())
}

fn same(one: &Path, other: &Path) -> Result<()> {
    if fs::read(one)? != fs::read(other)? {
        bail!("{} and {} differ", one.display(), other.display());
    }
    Ok(())
}

fn not_tried(why: &str) {
    step::say(&format!("not tried: {why}"));
}

fn python(trial: &Trial<'_>) -> Result<()> {
    let file = trial.package(&wheel::file_name(&trial.release.version, trial.target.wheel));
    let python = environment(&trial.path("venv"))?;
    let mut pip = pip(&python, &["--no-index"]);
    if trial.target.emulator.is_none() {
        step::run(pip.arg(&file))?;
        let installed = trial.path("venv/bin/verbatim");
        trial.used(&installed)?;
        // No script of Python's: it runs without one.
        let program = trial.package(&archive_name(trial.release, trial.target));
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(program).args(["--strip-components", "1", "-C"]).arg(trial.folder.path());
        step::run(&mut tar)?;
        return same(&installed, &trial.path("verbatim"));
    }
    // pip refuses a wheel of another processor, unless it is told of its platform.
    let platform = trial.target.wheel.split('.').next().unwrap_or_default();
    pip.args(["--platform", platform, "--only-binary", ":all:", "--target"]).arg(trial.path("there"));
    step::run(pip.arg(&file))?;
    trial.used(&trial.path("there/bin/verbatim"))
}

fn environment(folder: &Path) -> Result<PathBuf> {
    step::run(Command::new(tools::python()?).args(["-m", "venv"]).arg(folder))?;
    Ok(folder.join("bin/python"))
}

fn pip(python: &Path, options: &[&str]) -> Command {
    let mut pip = tools::pip(python);
    pip.args(options).env_remove("PIP_INDEX_URL").env_remove("SOURCE_DATE_EPOCH");
    pip
}

/// Without scripts and without a registry, as both files are there.
fn node(trial: &Trial<'_>) -> Result<()> {
    let platform = npm::platform_name(trial.target);
    let file = |name: &str| trial.package(&npm::file_name(name, &trial.release.version));
    fs::write(trial.path("package.json"), "{}")?;
    let mut install = Command::new("npm");
    install.args(["install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel", "error"]);
    install.arg(file(&platform)).current_dir(trial.folder.path()).env("npm_config_cache", trial.path("cache"));
    if trial.target.emulator.is_some() {
        let (os, processor) = trial.target.node;
        // By force: npm refuses the package of another processor.
        step::run(install.args(["--os", os, "--cpu", processor, "--force"]))?;
        return trial.used(&trial.path(&format!("node_modules/{platform}/verbatim")));
    }
    step::run(install.arg(file(PACKAGE)))?;
    trial.used(&trial.path("node_modules/.bin/verbatim"))
}

/// The example that a program serves has this session.
const EXAMPLE: &str = "Fix the board on the night the clocks change";

/// A folder in `target` that outlasts a trial, as it takes long to make.
fn kept(name: &str) -> PathBuf {
    workspace::target().join("release-trial-kept").join(name)
}

/// The file of an image, or of a package for Debian.
fn image_name(trial: &Trial<'_>) -> PathBuf {
    trial.package(&image::file_name(&trial.release.version))
}

fn deb_name(trial: &Trial<'_>, processor: &str) -> PathBuf {
    trial.package(&deb::file_name(&trial.release.version, processor))
}
