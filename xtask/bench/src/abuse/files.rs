//! Odd files in a followed folder: created while the server runs.
use std::{
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{
    Lab,
    stage::{Goal, Stage, Target},
};
use crate::step;

/// Time that a new transcript may take to be listed.
const FOLLOWED: Duration = Duration::from_secs(15);

pub fn fifo(name: &str, lab: &mut Lab) -> Result<()> {
    run(name, lab, |project| make_fifo(&project.join("00000000-0000-4000-8000-0000000000aa.jsonl")))
}

pub fn fifo_sidecar(name: &str, lab: &mut Lab) -> Result<()> {
    run(name, lab, |project| make_fifo(&sidecar(project)?))
}

pub fn zeros(name: &str, lab: &mut Lab) -> Result<()> {
    run(name, lab, |project| link_to_zeros(&project.join("00000000-0000-4000-8000-0000000000ab.jsonl")))
}

pub fn zeros_sidecar(name: &str, lab: &mut Lab) -> Result<()> {
    run(name, lab, |project| link_to_zeros(&sidecar(project)?))
}

pub fn long_line(name: &str, lab: &mut Lab) -> Result<()> {
    run(name, lab, |project| {
        let mut file = fs::File::create(project.join("00000000-0000-4000-8000-0000000000ac.jsonl"))?;
        let piece = "a".repeat(1 << 20);
        file.write_all(br#"{"type":"user","message":{"role":"user","content":""#)?;
        for _ in 0..200 {
            file.write_all(piece.as_bytes())?;
        }
        Ok(file.write_all(b"\"}}\n")?)
    })
}

fn make_fifo(path: &Path) -> Result<()> {
    step::run(Command::new("mkfifo").arg(path))
}

fn link_to_zeros(path: &Path) -> Result<()> {
    Ok(symlink("/dev/zero", path)?)
}

/// The path of a sub-agent's sidecar, beside its transcript.
fn sidecar(project: &Path) -> Result<PathBuf> {
    let folder = project.join(format!("{}/subagents", session(1)));
    fs::create_dir_all(&folder)?;
    transcript(&folder.join("agent-a1.jsonl"), 1)?;
    Ok(folder.join("agent-a1.meta.json"))
}

fn session(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// A transcript of one prompt.
fn transcript(path: &Path, number: u32) -> Result<()> {
    let session = session(number);
    let line = serde_json::json!({
        "type": "user", "uuid": format!("00000000-0000-4000-9000-{number:012}"), "parentUuid": null, "sessionId": session,
        "cwd": "/home/ada/dome", "isSidechain": false, "userType": "external", "version": "2.0.0",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": { "role": "user", "content": format!("Prompt {number}") },
    });
    Ok(fs::write(path, format!("{line}\n"))?)
}

/// Follows a folder, puts the hostile file into it and then a further transcript, and ends the server.
fn run(name: &str, lab: &mut Lab, hostile: impl Fn(&Path) -> Result<()> + Send + 'static) -> Result<()> {
    let claude = lab.scratch.join("claude");
    if claude.exists() {
        fs::remove_dir_all(&claude)?;
    }
    let project = claude.join("projects/-home-ada-dome");
    fs::create_dir_all(&project)?;
    transcript(&project.join(format!("{}.jsonl", session(1))), 1)?;
    let folder = claude.display().to_string();
    let mut stage = Stage::new(lab, &["--claude-dir", &folder])?;
    let goes_on = stage.step(name, Goal::Mix, |target| async move {
        if !listed(&target, 1).await {
            return Ok("nothing followed".to_owned());
        }
        hostile(&project)?;
        // It is looked at first.
        sleep(Duration::from_secs(2)).await;
        transcript(&project.join(format!("{}.jsonl", session(2))), 2)?;
        Ok(if listed(&target, 2).await { "still following" } else { "NO LONGER FOLLOWING" }.to_owned())
    })?;
    if goes_on { stage.shutdown(&format!("{name}: shutdown")) } else { Ok(()) }
}

/// Waits until a transcript's session is there.
async fn listed(target: &Target, number: u32) -> bool {
    let start = Instant::now();
    while start.elapsed() < FOLLOWED {
        let path = format!("/v1/sessions/{}", session(number));
        if target.machine.get(&path).await.is_ok_and(|answer| answer.status == 200) {
            return true;
        }
        sleep(Duration::from_millis(100)).await;
    }
    false
}
