//! `apt install ./FILE.deb`: the program, a service of systemd that each user enables, man pages and completions.
use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use ar::{Builder, Header};
use xtask::step;

use crate::{
    Release, SUMMARY,
    files::{Files, gzip},
    targets::{self, Program},
    text,
};

const PROGRAM: &str = "usr/bin/verbatim";

/// The shells that a Debian package brings completions for, and where these lie.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/verbatim"),
    ("fish", "usr/share/fish/vendor_completions.d/verbatim.fish"),
    ("zsh", "usr/share/zsh/vendor-completions/_verbatim"),
];

/// Makes the package for one processor.
pub fn make(release: &Release, program: &Program, processor: &str) -> Result<()> {
    let mut files = Files::default();
    files.add_program(PROGRAM, program.read()?);
    describe(program, &mut files)?;
    for (path, text) in release.licences(program.target)? {
        files.add(&format!("usr/share/doc/verbatim/{path}"), text);
    }
    files.add("usr/share/doc/verbatim/copyright", COPYRIGHT);
    files.add("usr/share/doc/verbatim/changelog.gz", gzip(text("CHANGELOG.md")?.as_bytes())?);
    let size: usize = files.iter().map(|(_, _, content)| content.len().div_ceil(1024)).sum();
    let depends = if program.target.is_static { "" } else { "Depends: libc6, libgcc-s1\n" };
    let control = format!(
        "Package: verbatim\nVersion: {}\nArchitecture: {processor}\nMaintainer: The Verbatim authors <verbatim@localhost>\n\
         Installed-Size: {size}\n{depends}Recommends: ca-certificates\nSection: devel\nPriority: optional\n\
         Description: {SUMMARY}\n One program that collects what coding agents write and shows it in the browser.\n \
         `systemctl --user enable --now verbatim.socket verbatim` runs it in the background.\n",
        release.version
    );
    let mut about = Files::default();
    about.add("control", control);
    let mut package = Builder::new(Vec::new());
    let mut append = |name: &str, content: &[u8]| {
        let mut header = Header::new(name.into(), content.len() as u64);
        header.set_mtime(release.time);
        header.set_mode(0o100_644);
        package.append(&header, content)
    };
    append("debian-binary", b"2.0\n")?;
    append("control.tar.gz", &gzip(&about.tar("./", release.time)?)?)?;
    append("data.tar.gz", &gzip(&files.tar("./", release.time)?)?)?;
    release.write(&file_name(&release.version, processor), &package.into_inner()?)
}

pub fn file_name(version: &str, processor: &str) -> String {
    format!("verbatim_{version}_{processor}.deb")
}

/// Adds what the program itself writes: man pages, completions and the service.
fn describe(program: &Program, files: &mut Files) -> Result<()> {
    let folder = tempfile::tempdir()?;
    // Where it will lie, since the service names the program that wrote it.
    let installed = folder.path().join(PROGRAM);
    fs::create_dir_all(installed.parent().context("the program has a folder")?)?;
    fs::copy(&program.file, &installed)?;
    let says = |arguments: &[&str]| step::output(targets::command(program.target, &installed)?.args(arguments));
    let pages = folder.path().join("man");
    step::output(targets::command(program.target, &installed)?.arg("man").arg(&pages))?;
    for (name, page) in read(&pages)? {
        files.add(&format!("usr/share/man/man1/{name}.gz"), gzip(&page)?);
    }
    for (shell, path) in COMPLETIONS {
        files.add(path, says(&["completions", shell])?);
    }
    // With the port that the server has by itself, whatever is set on this machine.
    let mut print = targets::command(program.target, &installed)?;
    print.args(["service", "install", "--print"]).env("VERBATIM_CONFIG", "").env("VERBATIM_LISTEN", "");
    let printed = step::output(print.env("HOME", folder.path()).env_remove("XDG_CONFIG_HOME"))?;
    let here = folder.path().canonicalize()?.display().to_string();
    for (name, unit) in units(&printed) {
        files.add(&format!("usr/lib/systemd/user/{name}"), unit.replace(&here, ""));
    }
    Ok(())
}

/// The units in what `verbatim service install --print` prints: each below its name.
fn units(printed: &str) -> Vec<(&str, String)> {
    let mut units: Vec<(&str, String)> = Vec::new();
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("# verbatim").and(line.strip_prefix("# ")) {
            units.push((name, String::new()));
        } else if let Some((_, unit)) = units.last_mut() {
            unit.push_str(line);
            unit.push('\n');
        }
    }
    units
}

fn read(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let files = fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?))
    });
    files.collect()
}

const COPYRIGHT: &str = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Verbatim

Files: *
Copyright: The Verbatim authors
License: MIT or Apache-2.0
 LICENSE-MIT and LICENSE-APACHE lie beside this file, and the licences of all
 parts of the program in THIRD-PARTY-LICENSES.txt.
";

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn each_unit_that_is_printed_is_a_file() {
        let printed = "# verbatim.service\n[Unit]\n\n[Service]\n\n# verbatim.socket\n[Socket]\n";
        assert_eq!(
            units(printed),
            [("verbatim.service", "[Unit]\n\n[Service]\n\n".to_owned()), ("verbatim.socket", "[Socket]\n".to_owned()),]
        );
    }
}
