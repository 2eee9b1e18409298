//! Input of the benches: real transcripts where there are some, and made-up ones for size.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use walkdir::WalkDir;

use crate::{step, tools, workspace};

/// The design's measure.
const SESSIONS: u64 = 200;
/// Records of the long session that pages are measured with.
const LONG_SESSION: u64 = 12_000;
/// Bytes of a record that is made up, in the mean.
const BYTES_PER_RECORD: u64 = 2_240;
/// Real transcripts beside the project, on machines that have them.
const CORPUS: &str = "../shared/corpus/claude";

#[derive(Clone, Args)]
pub struct InputArguments {
    /// Folder of transcripts [default: ../shared/corpus/claude, where it exists]
    #[arg(long, value_name = "DIR")]
    dir: Vec<PathBuf>,
    /// Add made-up sessions up to so many MB, `--sessions` together; 150 without any folder
    #[arg(long, value_name = "MB")]
    size: Option<u64>,
    /// How many sessions there are together with those that are made up
    #[arg(long, value_name = "NUMBER", default_value_t = SESSIONS)]
    sessions: u64,
}

/// Folders of transcripts, and what is in them.
pub struct Input {
    pub folders: Vec<PathBuf>,
    pub files: u64,
    pub bytes: u64,
}

impl InputArguments {
    /// Finds the folders, and writes the made-up sessions into `target/bench` unless they are there.
    pub fn prepare(&self) -> Result<Input> {
        let mut input = Input { folders: Vec::new(), files: 0, bytes: 0 };
        for folder in &self.dir {
            input.add(folder).with_context(|| format!("{} can't be read", folder.display()))?;
        }
        let corpus = workspace::root().join(CORPUS);
        if self.dir.is_empty() && corpus.is_dir() {
            input.add(&corpus)?;
        }
        let size = self.size.or_else(|| input.folders.is_empty().then_some(150)).unwrap_or(0) * 1_000_000;
        if size > input.bytes {
            let sessions = self.sessions.saturating_sub(input.files).max(1);
            input.add(&made_up(size - input.bytes, sessions)?)?;
        }
        input.checked()
    }

    /// Like [`Self::prepare`], with a long session: one of 12,000 records.
    pub fn prepare_with_long_session(&self) -> Result<Input> {
        let mut input = self.prepare()?;
        input.add(&made_up(LONG_SESSION * BYTES_PER_RECORD, 1)?)?;
        input.checked()
    }
}

impl Input {
    fn checked(self) -> Result<Self> {
        if self.files == 0 {
            bail!("there are no transcripts (`*.jsonl`) to read; `--size 150` makes some");
        }
        step::say(&format!("input: {} files, {:.1} MB", self.files, megabytes(self.bytes)));
        Ok(self)
    }

    fn add(&mut self, folder: &Path) -> Result<()> {
        let folder = folder.canonicalize()?;
        for entry in WalkDir::new(&folder) {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "jsonl") {
                self.files += 1;
                self.bytes += entry.metadata()?.len();
            }
        }
        self.folders.push(folder);
        Ok(())
    }
}

pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The folder of made-up sessions: kept, since the same sizes give the same bytes.
fn made_up(bytes: u64, sessions: u64) -> Result<PathBuf> {
    let folder = workspace::root().join(format!("target/bench/sessions-{sessions}-{bytes}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    let node = tools::find(["node"]).context("Node.js is needed to make up sessions")?;
    step::timed(&format!("make up {sessions} sessions"), || {
        let unfinished = folder.with_added_extension("part");
        if unfinished.is_dir() {
            fs::remove_dir_all(&unfinished)?;
        }
        let mut command = Command::new(node);
        command.arg(workspace::root().join("end2end/perf/make-many.mjs")).arg(&unfinished);
        step::run(command.args([bytes.to_string(), sessions.to_string()]))?;
        fs::rename(&unfinished, &folder)?;
        Ok(())
    })?;
    Ok(folder)
}
