//! Speed of the machine, so that figures of two machines, or of one at two times, can be compared.
use std::{fs, hint::black_box, io::Write as _, path::Path, thread};

use anyhow::Result;
use serde_json::{Value, json};

use crate::step;

pub struct Machine {
    cores: usize,
    /// Processes that wanted to run, in the mean of the last minute; 0 where the system doesn't tell.
    load: f32,
    /// A loop of 200 million dependent steps on one core.
    loop_ms: f32,
    /// Making 4 KiB at a file's end durable: the median of 50.
    fdatasync_ms: f32,
}

impl Machine {
    /// Measures; `folder` is where the benchmark writes.
    pub fn measure(folder: &Path) -> Result<Self> {
        Ok(Self {
            cores: thread::available_parallelism().map_or(1, usize::from),
            load: load(),
            loop_ms: step::measured(one_core).1 * 1000.0,
            fdatasync_ms: fdatasync(folder)?,
        })
    }

    pub fn line(&self) -> String {
        let Self { cores, load, loop_ms, fdatasync_ms } = self;
        format!("machine: {cores} cores, load {load:.1}, loop {loop_ms:.0} ms, fdatasync {fdatasync_ms:.2} ms")
    }

    pub fn json(&self) -> Value {
        json!({
            "cores": self.cores, "load": self.load, "loop_ms": self.loop_ms, "fdatasync_ms": self.fdatasync_ms,
        })
    }
}

/// Processes that wanted to run, in the mean of the last minute.
pub fn load() -> f32 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

fn one_core() {
    let mut state = 1_u64;
    for _ in 0..200_000_000_u32 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}

fn fdatasync(folder: &Path) -> Result<f32> {
    let path = folder.join("fdatasync");
    let mut file = fs::File::create(&path)?;
    let mut times = Vec::new();
    for _ in 0..50 {
        let (written, seconds) = step::measured(|| file.write_all(&[7; 4096]).and_then(|()| file.sync_data()));
        written?;
        times.push(seconds * 1000.0);
    }
    fs::remove_file(path)?;
    times.sort_by(f32::total_cmp);
    Ok(times[times.len() / 2])
}
