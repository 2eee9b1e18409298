//! `cargo xtask release`: programs and packages of one commit, in `target/release-artifacts`, and the checklist of a release.
//!
//! | File | What it is |
//! |---|---|
//! | `targets` | the systems, and how the program is built for them |
//! | `files` | archives that are the same for the same files |
//! | `wheel`, `npm`, `deb`, `image`, `install` | a package each, from the built program |
//! | `sdks` | the packages of the SDKs |
//! | `licences`, `sums` | what lies beside: licences of all parts, SHA-256 sums |
//! | `check` | the checklist of `docs/releasing.md` |
//! | `trial` | each package, installed on a clean root and used |
//! | `files/` | scripts and texts that go into packages as they are |
//!
//! How to add a package: a file with its name, a line in [`make`], and what installs and uses it in `trial`.

mod check;
mod deb;
mod files;
mod image;
mod install;
mod licences;
mod npm;
mod sdks;
mod sums;
mod targets;
mod trial;
mod wheel;

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use xtask::{sbom, step, workspace};

use targets::{DEFAULT, Program, Target};

/// The name of the packages in registries of languages, where `verbatim` is somebody else's.
const PACKAGE: &str = "verbatim-server";
const SUMMARY: &str = "Collects the sessions of coding agents and shows them in the browser while they work";

#[derive(Parser)]
#[command(name = "cargo xtask release", about = "Programs and packages of one commit, in target/release-artifacts")]
struct Arguments {
    /// Target to build for; repeat it for several [default: both of Linux with musl]
    #[arg(long = "target", value_name = "TRIPLE")]
    targets: Vec<String>,
    /// Package this program instead of building any, into `target/release-trial`. It is for the first target, or for this machine
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Install and use each package that was made
    #[arg(long = "try")]
    is_tried: bool,
    /// Walk the checklist of docs/releasing.md over what was made, and make nothing
    #[arg(long, conflicts_with_all = ["targets", "program"])]
    check: bool,
}

/// State that the packages of one release share.
pub struct Release {
    version: String,
    commit: String,
    /// When the commit was made, in seconds since 1970: the time of all files.
    time: u64,
    /// Where the packages go.
    folder: PathBuf,
    /// The licences of all parts, by target.
    parts: RefCell<BTreeMap<&'static str, String>>,
}

impl Release {
    fn of_commit(folder: &str) -> Result<Self> {
        let git = |arguments: &[&str]| step::output(Command::new("git").args(arguments).current_dir(workspace::root()));
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: git(&["rev-parse", "HEAD"])?.trim().to_owned(),
            time: git(&["log", "-1", "--format=%ct"])?.trim().parse()?,
            folder: workspace::target().join(folder),
            parts: RefCell::default(),
        })
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        fs::write(self.folder.join(name), content).with_context(|| format!("{name} can't be written"))?;
        step::say(&format!("made {name}, {:.1} MB", content.len() as f64 / 1e6));
        Ok(())
    }

    /// Returns the files that lie beside the program in each package.
    fn licences(&self, target: &'static Target) -> Result<Vec<(&'static str, String)>> {
        let mut parts = self.parts.borrow_mut();
        let parts = match parts.entry(target.triple) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(licences::list(target)?),
        };
        Ok(vec![
            ("LICENSE-APACHE", text("LICENSE-APACHE")?),
            ("LICENSE-MIT", text("LICENSE-MIT")?),
            ("THIRD-PARTY-LICENSES.txt", parts.clone()),
        ])
    }
}

/// Reads a file of the workspace.
fn text(name: &str) -> Result<String> {
    fs::read_to_string(workspace::root().join(name)).with_context(|| format!("{name} can't be read"))
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            step::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if arguments.check {
        return check::walk(&Release::of_commit("release-artifacts")?);
    }
    let named = arguments.targets.iter().map(|triple| Target::named(triple)).collect::<Result<Vec<_>>>()?;
    let (release, programs) = if let Some(file) = &arguments.program {
        let target = match &*named {
            [] => Target::of_host()?,
            [target] => target,
            _ => bail!("`--program` names one program, for one `--target`"),
        };
        (Release::of_commit("release-trial")?, vec![Program { target, file: file.clone() }])
    } else {
        let release = Release::of_commit("release-artifacts")?;
        check::clean()?;
        let default = DEFAULT.into_iter().map(Target::named).collect::<Result<Vec<_>>>()?;
        let programs = targets::build(&release, if named.is_empty() { &default } else { &named })?;
        (release, programs)
    };
    step::timed("packages", || make(&release, &programs))?;
    if arguments.is_tried { trial::all(&release) } else { Ok(()) }
}

/// Makes all packages anew.
fn make(release: &Release, programs: &[Program]) -> Result<()> {
    if release.folder.exists() {
        fs::remove_dir_all(&release.folder)?;
    }
    fs::create_dir_all(&release.folder)?;
    for program in programs {
        let target = program.target;
        for (name, text) in release.licences(target)? {
            if name.starts_with("THIRD") {
                release.write(&format!("verbatim-{}-{}-{name}", release.version, target.name), text.as_bytes())?;
            }
        }
        install::make_archive(release, program)?;
        wheel::make(release, program)?;
        npm::make(release, program)?;
        if let Some(processor) = target.linux {
            deb::make(release, program, processor)?;
        }
        sbom::write_for(target.triple, &release.folder, &format!("verbatim-{}-{}", release.version, target.name))?;
    }
    let images: Vec<_> = programs.iter().filter_map(|program| Some((program, program.target.linux?))).collect();
    if !images.is_empty() {
        image::make(release, &images)?;
    }
    npm::make_launcher(release, programs)?;
    install::make_scripts(release)?;
    sdks::make(release)?;
    sums::write(release)
}
