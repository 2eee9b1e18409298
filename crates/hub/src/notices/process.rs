//! Runs a command for a notice: with a time-out, a bounded output, and none of the server's environment.

use crate::notices::BYTES;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

pub struct Output {
    pub text: String,
    /// It wrote more than a notice holds.
    pub cut: bool,
    /// Exit code; None if it was killed.
    pub code: Option<i32>,
    /// How it ended, unless well.
    pub failed: Option<String>,
}

/// Runs a command. The error says why there is no output.
pub async fn run(
    command: &[String],
    folder: Option<&Path>,
    environment: &[(OsString, OsString)],
    limit: Duration,
) -> Result<Output, String> {
    let Some((program, arguments)) = command.split_first() else { return Err("there is no command".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    // A group of its own, so that what it started ends with it.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(|error| format!("`{program}` can't be started: {error}"))?;
    let mut bytes = Vec::new();
    let ended = tokio::time::timeout(limit, async {
        if let Some(stdout) = child.stdout.take() {
            stdout.take(BYTES as u64 + 1).read_to_end(&mut bytes).await?;
        }
        if bytes.len() > BYTES { Ok(None) } else { child.wait().await.map(Some) }
    })
    .await;
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    match ended {
        Ok(Ok(Some(status))) => {
            let failed = (!status.success()).then(|| status.to_string());
            Ok(Output { text: text(), cut: false, code: status.code(), failed })
        }
        Ok(Ok(None)) => {
            kill(&mut child).await;
            Ok(Output { text: text(), cut: true, code: None, failed: None })
        }
        Ok(Err(error)) => {
            kill(&mut child).await;
            Err(format!("its output can't be read: {error}"))
        }
        Err(_) => {
            kill(&mut child).await;
            Err(format!("`{program}` took longer than {} seconds", limit.as_secs()))
        }
    }
}

/// Ends the command and what it started.
async fn kill(child: &mut Child) {
    drivers::Group::of(child).kill();
    let _ = child.kill().await;
}
