//! An event of a command hook, from standard input to the server and back.

use crate::cli::HookSend;
use anyhow::{Context as _, Result, bail};
use api::hooks::{HookAnswer, HookEvent, HookPath};
use std::io::Read as _;
use std::time::Duration;

/// How much longer than the agent waits the server may take.
const SLACK: Duration = Duration::from_secs(5);

/// Returns the answer for the agent, as JSON; None if there is none.
pub async fn send(args: &HookSend) -> Result<Option<String>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input can't be read")?;
    let event: HookEvent = serde_json::from_str(&text).context("standard input isn't an event of a hook")?;
    let path = HookPath { agent: "claude_code".to_owned(), wait: args.wait.to_string() };
    let longest = Duration::from_secs(args.wait.into()) + SLACK;
    let client = super::connect(&args.server)?.answers_within(longest);
    let answer = match client.client().report_hook(path, event).await {
        Ok(answer) => answer,
        Err(problem) => bail!("{problem}"),
    };
    Ok(if answer == HookAnswer::default() { None } else { Some(serde_json::to_string(&answer)?) })
}
