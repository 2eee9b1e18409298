//! `verbatim sessions`: all top-level sessions, latest activity first.

use super::{minute, print, print_json};
use crate::cli::Sessions;
use crate::door::Door;
use anyhow::Result;
use api::sessions::ListSessions;
use api::{Client, Nothing};
use model::Session;

const PAGE: u32 = 500;

pub async fn run(args: Sessions) -> Result<()> {
    let door = Door::open(&args.data).await?;
    let sessions = all(&door.client).await;
    door.close().await;
    let sessions = sessions?;
    if args.json {
        return print_json(&sessions);
    }
    if sessions.is_empty() {
        return print(
            "No sessions yet. `verbatim import PATH` brings some in, `verbatim serve` finds this machine's\n",
        );
    }
    let line = |s: &Session| {
        // Of our own ids, made in one import, the beginning is the same.
        let id: String = s.agent_session_id.as_deref().unwrap_or(s.id.as_str()).chars().take(8).collect();
        format!("{}  {id}  {:>6} messages  {}  {}\n", minute(s.last_activity_at), s.message_count, s.project, s.title)
    };
    print(&sessions.iter().map(line).collect::<String>())
}

async fn all(client: &Client) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    let mut after = None;
    loop {
        let page = client
            .list_sessions(Nothing {}, ListSessions { after, limit: Some(PAGE), ..ListSessions::default() })
            .await?;
        sessions.extend(page.sessions);
        after = page.next;
        if after.is_none() {
            return Ok(sessions);
        }
    }
}
