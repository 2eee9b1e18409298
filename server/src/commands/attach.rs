//! `verbatim attach`: agents that run in their own terminals, listed, joined and left.

use super::text::one_line;
use super::{note, print, print_json};
use crate::cli::Attach;
use crate::door;
use anyhow::Result;
use api::Nothing;
use api::driving::{AgentAction, AgentHome, RunningAgent, RunningAgents};
use api::sessions::SessionPath;
use app::shared::session_href;

pub async fn run(args: Attach) -> Result<()> {
    let verbatim = door::answering(&args.data).await?;
    let client = verbatim.client();
    let Some(session) = args.session else {
        let running = client.list_running_agents(Nothing {}, Nothing {}).await?;
        return if args.json { print_json(&running) } else { print(&list(&running)) };
    };
    let action = if args.leave { AgentAction::Leave } else { AgentAction::Join };
    let agent = client.tell_agent(SessionPath { session }, action.into()).await?;
    if args.json {
        return print_json(&agent);
    }
    if args.leave {
        return print(&format!("{} goes on in its terminal alone\n", agent.title));
    }
    let url = verbatim.url().unwrap_or_default();
    note(&format!("{} is joined at {url}{}", agent.title, session_href(&agent.session)));
    print(&format!("{}\n", agent.session))
}

fn list(running: &RunningAgents) -> String {
    let mut lines: Vec<String> = running.sessions.iter().map(line).collect();
    lines.extend(running.homes.iter().filter_map(|home| home.reason.as_deref().map(|why| refusal(home, why))));
    if lines.is_empty() {
        lines.push("No session is open in a terminal that can be joined\n".to_owned());
    }
    lines.concat()
}

fn line(running: &RunningAgent) -> String {
    let (id, folder) = (one_line(&running.agent_session_id), one_line(&running.folder));
    let joined = match (&running.reason, running.joined) {
        (_, true) => "joined".to_owned(),
        (Some(reason), false) => format!("not joined: {}", one_line(reason)),
        (None, false) => "not joined".to_owned(),
    };
    let title = running.title.as_deref().map(one_line).unwrap_or_default();
    format!("{id}  {}  {:7}  {folder}  {title}  {joined}\n", running.agent, running.state.as_str())
}

fn refusal(home: &AgentHome, reason: &str) -> String {
    format!("{}: {}\n", one_line(&home.folder), one_line(reason))
}
