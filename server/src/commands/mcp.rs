//! `verbatim mcp`: the tools of the Model Context Protocol, for the agent that started it.

use crate::cli::{self, Remote};
use crate::door;
use crate::signals::Signals;
use anyhow::Result;
use mcp::{Client, Ended, Settings};
use std::time::Duration;

/// An agent works on for hours, and waits for a server that starts again.
const PATIENCE: Duration = Duration::from_mins(1);

pub async fn run(args: cli::Mcp) -> Result<()> {
    // Before anything is asked: what ends us takes it back.
    let mut signals = Signals::hear()?;
    let key = match &args.key_file {
        Some(file) => Some(super::read_key(file, "")?),
        None => args.remote.key,
    };
    let verbatim = door::running(&args.data, &Remote { key, ..args.remote }).await?;
    // An agent shows this error to its person, and none that comes later.
    verbatim.me().await?;
    let settings = Settings {
        session: args.session,
        agent: args.agent,
        title: args.title,
        cwd: std::env::current_dir().ok().map(|folder| folder.display().to_string()),
        timeout: args.timeout.map(Duration::from_secs),
        shared: false,
    };
    let client = Client::new(verbatim.patience(PATIENCE), settings);
    match mcp::serve_stdio(client, async move { signals.next().await }).await {
        Err(Ended::Server(error)) => Err(error.into()),
        other => Ok(other?),
    }
}
