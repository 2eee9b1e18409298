//! The package for Debian, in a Debian of its own.
use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};
use xtask::{step, tools};

use super::{Trial, deb_name, kept, use_it};

const SUITE: &str = "bookworm";

/// The files that are installed besides the program.
const FILES: [&str; 8] = [
    "usr/lib/systemd/user/verbatim.service",
    "usr/lib/systemd/user/verbatim.socket",
    "usr/share/bash-completion/completions/verbatim",
    "usr/share/doc/verbatim/THIRD-PARTY-LICENSES.txt",
    "usr/share/doc/verbatim/changelog.gz",
    "usr/share/fish/vendor_completions.d/verbatim.fish",
    "usr/share/man/man1/verbatim-serve.1.gz",
    "usr/share/zsh/vendor-completions/_verbatim",
];

/// Installs it with `dpkg`, uses it as a user, and removes it. Of another processor it is unpacked and used.
pub fn package(trial: &Trial<'_>) -> Result<()> {
    let processor = trial.target.linux.context("this target has no package for Debian")?;
    let package = deb_name(trial, processor);
    let root = trial.path("root");
    if trial.target.emulator.is_some() {
        tools::installed("dpkg-deb", "dpkg")?;
        step::run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&root))?;
        found(&root)?;
        return trial.used(&root.join("usr/bin/verbatim"));
    }
    step::run(Command::new("cp").arg("-a").arg(debian()?).arg(&root))?;
    fs::copy(package, root.join("verbatim.deb"))?;
    let inside = |user: &str, arguments: &[&str]| {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={user}")).arg(&root).args(arguments);
        // `dpkg` needs a path, and a user their home.
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", "/home/ada")
            .env("LANG", "C.UTF-8");
        command
    };
    step::output(&mut inside("0:0", &["dpkg", "--install", "/verbatim.deb"]))?;
    found(&root)?;
    let service = fs::read_to_string(root.join(FILES[0]))?;
    if !service.contains("ExecStart=\"/usr/bin/verbatim\" serve\n") {
        bail!("the service is {service}");
    }
    let completed = ". /usr/share/bash-completion/completions/verbatim && complete -p verbatim";
    step::output(&mut inside("0:0", &["bash", "-c", completed]))?;
    step::output(&mut inside("0:0", &["install", "--directory", "--owner=1000", "/home/ada"]))?;
    use_it::used(&trial.release.version, "/home/ada/data", &|arguments| {
        Ok(inside("1000:1000", &[&["/usr/bin/verbatim"], arguments].concat()))
    })?;
    step::output(&mut inside("0:0", &["dpkg", "--purge", "verbatim"]))?;
    match FILES.iter().find(|file| root.join(file).exists()) {
        Some(left) => bail!("`dpkg --purge` left {left}"),
        None => Ok(()),
    }
}

fn found(root: &Path) -> Result<()> {
    match FILES.iter().find(|file| !root.join(file).is_file()) {
        Some(missing) => bail!("the package has no {missing}"),
        None => Ok(()),
    }
}

/// A small Debian, made once.
fn debian() -> Result<std::path::PathBuf> {
    let root = kept(&format!("debian-{SUITE}"));
    if !root.is_dir() {
        let debootstrap = tools::installed("debootstrap", "debootstrap")?;
        let unfinished = root.with_added_extension("part");
        fs::create_dir_all(&unfinished)?;
        step::timed("debootstrap", || {
            let mut make = Command::new(debootstrap);
            step::output(make.args(["--variant=minbase", SUITE]).arg(&unfinished))
        })
        .context("a clean Debian needs root: run this as root")?;
        fs::rename(&unfinished, &root)?;
    }
    Ok(root)
}
