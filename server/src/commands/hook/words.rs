//! Waits for what people write in a session of Claude Code, and wakes it with that.
//!
//! Claude Code goes on meanwhile. Exit code 2 wakes it, and what stands on standard error is what it reads. Anything else
//! ends this without a word: the session in the terminal is as without the hook.

use super::super::note;
use crate::cli::HookWait;
use anyhow::{Context as _, Result};
use api::hooks::{HookEvent, HookPath, HookWaits, HookWords};
use std::io::Read as _;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// The exit code that wakes Claude Code.
const WAKES: u8 = 2;
/// How Claude Code calls itself in a terminal. Without one, a hook that waits would hold the run up.
const TERMINAL: &str = "cli";
/// Seconds of one request.
const REQUEST: u64 = 50;
/// How much longer than that the server may take.
const SLACK: Duration = Duration::from_secs(5);
/// How long a server that was there may be away, as for an update.
const AWAY: Duration = Duration::from_mins(10);
/// Time between two requests to a server that is away, and between two looks for the agent.
const PAUSE: Duration = Duration::from_secs(2);

pub async fn pass_on(args: &HookWait) -> ExitCode {
    if args.entrypoint.as_deref() != Some(TERMINAL) {
        return ExitCode::SUCCESS;
    }
    // Before it takes time to read what the agent says: one that has ended meanwhile is another parent by then.
    let agent = parent();
    tokio::select! {
        words = wait(args) => if let Ok(Some(words)) = words {
            note(&agents::claude::wrap_page_message(&words));
            return ExitCode::from(WAKES);
        },
        () = ends(agent) => {}
    }
    ExitCode::SUCCESS
}

/// Returns the words; None if nobody writes any, or another hook waits.
async fn wait(args: &HookWait) -> Result<Option<String>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input can't be read")?;
    let event: HookEvent = serde_json::from_str(&text).context("standard input isn't an event of a hook")?;
    let client = super::connect(&args.server)?.answers_within(Duration::from_secs(REQUEST) + SLACK);
    let mut input = HookWaits {
        session_id: event.session_id,
        hook_event_name: event.hook_event_name,
        source: event.source,
        hook: uuid::Uuid::now_v7().to_string(),
        is_new: true,
    };
    let end = Instant::now() + Duration::from_secs(args.wait.into());
    let mut heard = None;
    loop {
        let seconds = end.saturating_duration_since(Instant::now()).as_secs().min(REQUEST);
        if seconds == 0 {
            return Ok(None);
        }
        let path = HookPath { agent: "claude_code".to_owned(), wait: seconds.to_string() };
        match client.client().wait_for_words(path, input.clone()).await {
            Ok(HookWords { waits: true, .. }) => {
                heard = Some(Instant::now());
                input.is_new = false;
            }
            Ok(HookWords { words, .. }) => return Ok(words),
            // A server that refuses is there, and one that never answered is away for good.
            Err(problem) if problem.status != 0 && problem.status != 429 && problem.status < 500 => return Ok(None),
            Err(_) if heard.is_none_or(|heard| heard.elapsed() > AWAY) => return Ok(None),
            Err(_) => sleep_until(Instant::now() + PAUSE).await,
        }
    }
}

/// The process that started this one. Where the system doesn't tell, it stays the same.
fn parent() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    0
}

/// Ends when the agent that started this has ended.
async fn ends(agent: u32) {
    while parent() == agent {
        sleep(PAUSE).await;
    }
}
