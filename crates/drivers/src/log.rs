//! A transcript for agents that write none: each message of both sides, a line each.
//!
//! `{"ts": 1767955200000, "direction": "out", "message": {...}}`, with the time in milliseconds since 1970; `in` is what the
//! agent got, `out` what it wrote.

use serde_json::value::RawValue;
use std::path::PathBuf;
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt as _;

/// Where a transcript is written.
#[derive(Debug, Clone)]
pub struct Log {
    /// The file; what it has stays.
    pub path: PathBuf,
    /// The clock, in milliseconds since 1970.
    pub now: fn() -> i64,
}

/// A transcript that is being written.
pub(crate) struct Writing {
    file: File,
    now: fn() -> i64,
}

#[derive(serde::Serialize)]
struct Frame<'a> {
    ts: i64,
    direction: &'static str,
    message: &'a RawValue,
}

/// Which way a message went.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    ToAgent,
    FromAgent,
}

impl Log {
    pub(crate) async fn open(self) -> std::io::Result<Writing> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        options.mode(0o600);
        Ok(Writing { file: options.open(&self.path).await?, now: self.now })
    }
}

impl Writing {
    /// Adds a message. What is no JSON isn't part of a transcript.
    pub(crate) async fn write(&mut self, direction: Direction, line: &[u8]) -> std::io::Result<()> {
        let Ok(message) = serde_json::from_slice::<&RawValue>(line) else { return Ok(()) };
        let direction = match direction {
            Direction::ToAgent => "in",
            Direction::FromAgent => "out",
        };
        let mut frame = serde_json::to_vec(&Frame { ts: (self.now)(), direction, message })?;
        frame.push(b'\n');
        self.file.write_all(&frame).await?;
        self.file.flush().await
    }
}
