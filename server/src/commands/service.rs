//! `verbatim service`: the server as a systemd service of its user, who alone can read the transcripts in their home.

use super::print;
use crate::cli::Service;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NAME: &str = "verbatim.service";
/// What to do where systemd doesn't run.
const BY_HAND: &str = "Start the server by hand: `verbatim serve`";

pub fn run(args: &Service) -> Result<()> {
    match args {
        Service::Install { print: true } => print(&unit(&program()?)?),
        Service::Install { print: false } => install(),
        Service::Status => status(),
        Service::Uninstall => uninstall(),
    }
}

fn install() -> Result<()> {
    let file = file()?;
    let unit = unit(&program()?)?;
    // Before anything is written.
    systemctl(&["show-environment"])?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
    }
    std::fs::write(&file, unit).with_context(|| format!("{} can't be written", file.display()))?;
    systemctl(&["daemon-reload"])?;
    systemctl(&["enable", NAME])?;
    // Also where an older program runs as the service.
    systemctl(&["restart", NAME])?;
    print(&format!(
        "{} is written, and the service runs\n`verbatim open` prints a link to it; `journalctl --user -u verbatim` shows its log.\n\
         `loginctl enable-linger` keeps it running while you are logged out.\n",
        file.display()
    ))
}

fn status() -> Result<()> {
    let file = file()?;
    if !file.exists() {
        return print("Not installed. `verbatim service install` installs the service\n");
    }
    let word = |question: &str| -> Result<String> {
        let output = output(&[question, NAME])?;
        let word = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(if word.is_empty() { "unknown".to_owned() } else { word })
    };
    print(&format!("file     {}\nenabled  {}\nactive   {}\n", file.display(), word("is-enabled")?, word("is-active")?))
}

fn uninstall() -> Result<()> {
    let file = file()?;
    if !file.exists() {
        return print("Not installed\n");
    }
    systemctl(&["disable", "--now", NAME])?;
    std::fs::remove_file(&file).with_context(|| format!("{} can't be removed", file.display()))?;
    systemctl(&["daemon-reload"])?;
    print(&format!("The service is stopped, and {} is removed. The data stays\n", file.display()))
}

/// Where systemd looks for services of a user.
fn file() -> Result<PathBuf> {
    if cfg!(not(target_os = "linux")) {
        bail!("services are for systemd, which this system doesn't have\n{BY_HAND}");
    }
    let folder = dirs::config_dir().context("this system names no folder for configuration")?;
    Ok(folder.join("systemd").join("user").join(NAME))
}

fn program() -> Result<PathBuf> {
    std::env::current_exe().context("the path of this program is unknown")
}

/// The service. `KillMode=mixed` gives agents that the server started time to end with it.
fn unit(program: &Path) -> Result<String> {
    // systemd refuses them, however they are written.
    let is_refused = |c: char| c.is_control() || matches!(c, '"' | '\'' | '\\');
    let path = program.to_str().filter(|path| !path.contains(is_refused)).with_context(|| {
        format!("systemd starts no program with quotes or backslashes in its path\nMove {}", program.display())
    })?;
    let path = path.replace('%', "%%");
    Ok(format!(
        "[Unit]\nDescription=Verbatim, the sessions of coding agents\n\n\
         [Service]\nExecStart=\"{path}\" serve\nRestart=on-failure\nRestartSec=2\nKillMode=mixed\nTimeoutStopSec=10\n\n\
         [Install]\nWantedBy=default.target\n"
    ))
}

fn systemctl(arguments: &[&str]) -> Result<()> {
    let output = output(arguments)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`systemctl --user {}` failed: {}\n{BY_HAND}", arguments.join(" "), said.trim());
    }
    Ok(())
}

fn output(arguments: &[&str]) -> Result<Output> {
    let output = Command::new("systemctl").arg("--user").args(arguments).output();
    output.with_context(|| format!("`systemctl` can't be started\n{BY_HAND}"))
}
