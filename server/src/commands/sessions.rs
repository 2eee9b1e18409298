//! `verbatim sessions`: all top-level sessions, latest activity first.

use super::text::one_line;
use super::{minute, print, print_json};
use crate::cli::Sessions;
use crate::door::{self, Door};
use anyhow::Result;
use api::sessions::{ListSessions, SessionShow};
use api::{Client, Nothing};
use model::Session;

const PAGE: u32 = 500;

pub async fn run(args: Sessions) -> Result<()> {
    door::note_key(&args.remote);
    let door = Door::to(&args.data, &args.remote).await?;
    let sessions = all(&door.client, None).await;
    door.close().await;
    let sessions = sessions?;
    if args.json {
        return print_json(&sessions);
    }
    if sessions.is_empty() {
        return print(
            "No sessions yet. `verbatim import PATH` imports some, `verbatim serve` finds those of this machine\n",
        );
    }
    let length = telling(sessions.iter().map(id).collect());
    let width = sessions.iter().map(|s| one_line(&s.agent).chars().count()).max().unwrap_or(0);
    let line = |s: &Session| {
        let (at, id): (_, String) = (minute(s.last_activity_at), id(s).chars().take(length).collect());
        let (state, agent, messages) = (s.state.as_str().replace('_', " "), one_line(&s.agent), s.message_count);
        let (id, project, title) = (one_line(&id), one_line(&s.project), one_line(&s.title));
        format!("{at}  {id}  {state:9}  {agent:width$}  {messages:>6} messages  {project}  {title}\n")
    };
    print(&sessions.iter().map(line).collect::<String>())
}

/// The agent's own id: of ours, made in one import, the beginning is the same.
fn id(session: &Session) -> &str {
    session.agent_session_id.as_deref().unwrap_or(session.id.as_str())
}

/// How many characters tell these ids apart; 8 at least.
fn telling(mut ids: Vec<&str>) -> usize {
    ids.sort_unstable();
    ids.dedup();
    let common = |pair: &[&str]| pair[0].chars().zip(pair[1].chars()).take_while(|(a, b)| a == b).count();
    ids.windows(2).map(|pair| common(pair) + 1).max().unwrap_or(0).max(8)
}

/// Returns all sessions but those of sub-agents: those of a view, or all that aren't put away.
pub async fn all(client: &Client, show: Option<SessionShow>) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    let mut after = None;
    loop {
        let page = client
            .list_sessions(Nothing {}, ListSessions { show, after, limit: Some(PAGE), ..ListSessions::default() })
            .await?;
        sessions.extend(page.sessions);
        after = page.next;
        if after.is_none() {
            return Ok(sessions);
        }
    }
}
