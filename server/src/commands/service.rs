//! `verbatim service`: the server as a systemd service of its user, who alone can read the transcripts in their home.
//!
//! systemd holds the port in a socket unit, so that no request fails while the service restarts.

use super::print;
use crate::cli::{self, Service};
use crate::config::Config;
use anyhow::{Context as _, Result, bail};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NAME: &str = "verbatim.service";
const SOCKET: &str = "verbatim.socket";
/// The advice for systems where systemd doesn't run.
const BY_HAND: &str = "Start the server by hand: `verbatim serve`";

pub fn run(args: &Service) -> Result<()> {
    match args {
        Service::Install { print: true } => {
            print(&format!("# {NAME}\n{}\n# {SOCKET}\n{}", unit(&program()?)?, socket_unit(address()?)))
        }
        Service::Install { print: false } => install(),
        Service::Status => status(),
        Service::Uninstall => uninstall(),
    }
}

fn install() -> Result<()> {
    let (file, socket) = (file(NAME)?, file(SOCKET)?);
    let (unit, socket_unit) = (unit(&program()?)?, socket_unit(address()?));
    // Before anything is written.
    systemctl(&["show-environment"])?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
    }
    let is_listening = std::fs::read_to_string(&socket).is_ok_and(|found| found == socket_unit)
        && word("is-active", SOCKET)? == "active";
    for (file, unit) in [(&file, unit), (&socket, socket_unit)] {
        std::fs::write(file, unit).with_context(|| format!("{} can't be written", file.display()))?;
    }
    systemctl(&["daemon-reload"])?;
    systemctl(&["enable", NAME, SOCKET])?;
    if !is_listening {
        // A service that listens itself, or elsewhere, is in the way.
        systemctl(&["stop", SOCKET, NAME])?;
        systemctl(&["start", SOCKET])?;
    }
    // Also where an older program runs as the service.
    systemctl(&["restart", NAME])?;
    print(&format!(
        "{} is written, and the service runs\n`verbatim open` prints a link to it; `journalctl --user -u verbatim` shows its log.\n\
         `loginctl enable-linger` keeps it running while you are logged out.\n",
        file.display()
    ))
}

fn status() -> Result<()> {
    let file = file(NAME)?;
    if !file.exists() {
        return print("Not installed. `verbatim service install` installs the service\n");
    }
    let (enabled, active, socket) = (word("is-enabled", NAME)?, word("is-active", NAME)?, word("is-active", SOCKET)?);
    print(&format!("file     {}\nenabled  {enabled}\nactive   {active}\nsocket   {socket}\n", file.display()))
}

/// Returns systemd's word for the state of a unit.
fn word(question: &str, unit: &str) -> Result<String> {
    let output = output(&[question, unit])?;
    let word = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(if word.is_empty() { "unknown".to_owned() } else { word })
}

fn uninstall() -> Result<()> {
    let file = file(NAME)?;
    if !file.exists() {
        return print("Not installed\n");
    }
    for unit in [SOCKET, NAME] {
        let file = self::file(unit)?;
        // An older version had no socket unit.
        if file.exists() {
            systemctl(&["disable", "--now", unit])?;
            std::fs::remove_file(&file).with_context(|| format!("{} can't be removed", file.display()))?;
        }
    }
    systemctl(&["daemon-reload"])?;
    print(&format!("The service is stopped, and {} is removed. The data stays\n", file.display()))
}

/// Where systemd looks for units of a user.
fn file(unit: &str) -> Result<PathBuf> {
    if cfg!(not(target_os = "linux")) {
        bail!("services are for systemd, which this system doesn't have\n{BY_HAND}");
    }
    let folder = dirs::config_dir().context("this system names no folder for configuration")?;
    Ok(folder.join("systemd").join("user").join(unit))
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
        "[Unit]\nDescription=Verbatim, the sessions of coding agents\nRequires={SOCKET}\nAfter={SOCKET}\n\n\
         [Service]\nExecStart=\"{path}\" serve\nRestart=on-failure\nRestartSec=2\nKillMode=mixed\nTimeoutStopSec=10\n\n\
         [Install]\nWantedBy=default.target\n"
    ))
}

/// The port of the service: connections wait in it while the service restarts.
fn socket_unit(address: SocketAddr) -> String {
    format!(
        "[Unit]\nDescription=The port of Verbatim\n\n[Socket]\nListenStream={address}\nNoDelay=true\n\n[Install]\nWantedBy=sockets.target\n"
    )
}

/// The address that is set for the server.
fn address() -> Result<SocketAddr> {
    let command = cli::command();
    let settings = Config::read(&command)?.settings(command)?;
    let value = |option: &str| settings.iter().find(|setting| setting.option == option)?.value.as_deref();
    let listen = value("listen");
    let address: SocketAddr = listen.context("`listen` has no value")?.parse().context("`listen` isn't an address")?;
    if address.port() == 0 {
        bail!("`listen` is {address}\nA service needs a port of its own, such as 127.0.0.1:7117");
    }
    let has_tls = value("tls-cert").or(value("trusted-proxy")).is_some() || value("tls-acme") == Some("true");
    if !address.ip().is_loopback() && !has_tls {
        bail!(
            "`listen` is {address}, which other machines reach, and nothing serves it with TLS\n\
             Set `public-url`, and `tls-cert` and `tls-key`, `tls-acme`, or `trusted-proxy`, in `config.toml` first"
        );
    }
    Ok(address)
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
