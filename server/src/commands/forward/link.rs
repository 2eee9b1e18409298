//! The server, and what its refusals mean.

use crate::commands::connect;
use anyhow::{Result, bail};
use api::machines::{AppendFiles, CompareFiles, FilePiece, MachineFile, MachineReport, MachineWelcome, StoredFile};
use api::{Client, Nothing, Problem};
use reqwest::Url;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// Why nothing was sent.
#[derive(Debug)]
pub enum Failure {
    /// It doesn't pass by itself.
    Final(String),
    /// It may pass. `asked` is how long the server asks to wait.
    Passing { reason: String, asked: Duration },
}

impl Failure {
    pub fn passing(reason: impl Into<String>) -> Self {
        Self::Passing { reason: reason.into(), asked: Duration::ZERO }
    }
}

/// How often the server hears that this machine is there.
const HELLO: Duration = Duration::from_secs(30);

pub struct Link {
    client: Client,
    pub address: String,
    /// The server's copies that were compared with.
    copies: Option<String>,
    /// How often other copies were met.
    moved: u32,
    /// When the server last heard that this machine is there.
    heard_at: Option<Instant>,
}

impl Link {
    pub fn new(url: &str, key: &str, authority: Option<&Path>) -> Result<Self> {
        let verbatim = connect(url, key, authority)?;
        let address = verbatim.url().unwrap_or(url).to_owned();
        if !is_safe(&address) {
            bail!(
                "{address} would get the key and the sessions without encryption\nUse an address that begins with `https://`"
            );
        }
        Ok(Self { client: verbatim.client().clone(), address, copies: None, moved: 0, heard_at: None })
    }

    /// Returns true if the server is to hear that this machine is there.
    pub fn is_due(&self) -> bool {
        self.copies.is_none() || self.heard_at.is_none_or(|at| at.elapsed() >= HELLO)
    }

    /// Says that this machine is there. Returns true with the answer if the server's copies aren't those of before.
    pub async fn hello(&mut self) -> std::result::Result<(MachineWelcome, bool), Failure> {
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let report = MachineReport { platform, version: env!("CARGO_PKG_VERSION").to_owned() };
        let welcome = self.client.report_machine(Nothing {}, report).await.map_err(|problem| self.failure(problem))?;
        let is_other = self.copies.as_ref() != Some(&welcome.copies);
        self.copies = Some(welcome.copies.clone());
        self.heard_at = Some(Instant::now());
        Ok((welcome, is_other))
    }

    pub async fn compare(&mut self, files: Vec<MachineFile>) -> std::result::Result<Vec<StoredFile>, Failure> {
        let copies = self.copies.clone().unwrap_or_default();
        let compared = self.client.compare_files(Nothing {}, CompareFiles { copies, files }).await;
        compared.map(|stored| stored.files).map_err(|problem| self.failure(problem))
    }

    pub async fn append(&mut self, pieces: Vec<FilePiece>) -> std::result::Result<Vec<u64>, Failure> {
        let copies = self.copies.clone().unwrap_or_default();
        let appended = self.client.append_files(Nothing {}, AppendFiles { copies, pieces }).await;
        let sizes = appended.map(|appended| appended.sizes).map_err(|problem| self.failure(problem))?;
        self.moved = 0;
        Ok(sizes)
    }

    fn failure(&mut self, problem: Problem) -> Failure {
        self.heard_at = None;
        let at = &self.address;
        match (problem.status, problem.code.as_str()) {
            (0, "transport") => Failure::passing(problem.title),
            (409, "other_copies") => {
                self.copies = None;
                self.moved += 1;
                // A restored server has other copies, once. Two servers take turns.
                let reason = if self.moved > 2 {
                    format!(
                        "Several servers answer at {at}, and each keeps copies of its own: name one of them with `--to`"
                    )
                } else {
                    format!("{at} has other copies of the files than before")
                };
                Failure::passing(reason)
            }
            (401, _) => Failure::Final(format!(
                "{at} refuses the key: it is unknown, or was revoked\n`verbatim machine add` on the server creates a new one"
            )),
            (404, "not_found") | (405, _) => Failure::Final(format!(
                "{at} doesn't take files of other machines: Verbatim {} or newer is needed there",
                env!("CARGO_PKG_VERSION")
            )),
            (429 | 500.., _) => Failure::Passing {
                reason: format!("{at} can't take anything now: {}", problem.title),
                asked: Duration::from_secs(problem.retry_after.unwrap_or(0).into()),
            },
            _ => Failure::Final(format!("{at} refuses what is sent: {problem}")),
        }
    }
}

/// Returns true for an address to which a key may be sent: with TLS, or on this machine.
fn is_safe(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    url.scheme() == "https" || is_here
}
