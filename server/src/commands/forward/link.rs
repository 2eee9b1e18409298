//! The server, and what its refusals mean.

use anyhow::{Result, bail};
use api::machines::{AppendFiles, CompareFiles, FilePiece, MachineFile, MachineReport, MachineWelcome, StoredFile};
use api::{Client, Nothing, Problem};
use sdk::Verbatim;
use std::time::Duration;

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

pub struct Link {
    client: Client,
    pub address: String,
    /// The server's copies that were compared with.
    copies: Option<String>,
    /// How often other copies were met.
    moved: u32,
}

impl Link {
    pub fn new(url: &str, key: &str, authority: Option<&[u8]>) -> Result<Self> {
        let verbatim = match authority {
            Some(pem) => Verbatim::connect_trusting(url, key, pem)?,
            None => Verbatim::connect(url, key)?,
        };
        let address = verbatim.url().unwrap_or(url).to_owned();
        let is_local = ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|own| address.starts_with(own));
        if address.starts_with("http://") && !is_local {
            bail!("{address} would get the key and the sessions without encryption\nUse an address that begins with `https://`");
        }
        Ok(Self { client: verbatim.client().clone(), address, copies: None, moved: 0 })
    }

    pub fn is_welcome(&self) -> bool {
        self.copies.is_some()
    }

    /// Says that this machine is there. Returns true with the answer if the server's copies aren't those of before.
    pub async fn hello(&mut self) -> std::result::Result<(MachineWelcome, bool), Failure> {
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let report = MachineReport { platform, version: env!("CARGO_PKG_VERSION").to_owned() };
        let welcome = self.client.report_machine(Nothing {}, report).await.map_err(|problem| self.failure(problem))?;
        let is_other = self.copies.as_ref() != Some(&welcome.copies);
        self.copies = Some(welcome.copies.clone());
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
        let at = &self.address;
        match (problem.status, problem.code.as_str()) {
            (0, "transport") => Failure::passing(problem.title),
            (409, "other_copies") => {
                self.copies = None;
                self.moved += 1;
                // A restored server has other copies, once. Two servers take turns.
                let reason = if self.moved > 2 {
                    format!("Several servers answer at {at}, and each keeps copies of its own: name one of them with `--to`")
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
