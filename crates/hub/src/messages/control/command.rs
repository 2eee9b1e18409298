//! A command that a person runs in the folder of a session, where an owner enabled that. Its output is a message, which
//! the agent reads with the next one to it.

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::driving::real_folder;
use crate::notices::process;
use crate::writing::posting;
use api::Problem;
use model::{Body, Draft, MessageId, Provenance, Role, SessionId};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;
use store::{LivePost, LiveWrite};

/// How long a command may take.
const LIMIT: Duration = Duration::from_secs(30);
/// Exit code of a command that was interrupted.
const BROKEN_OFF: i64 = -1;

/// Runs a command, and posts its output as an answer to `asked`.
pub async fn run(hub: Hub, session: SessionId, asked: MessageId, command: String) {
    if let Err(problem) = post(&hub, &session, asked, &command).await {
        tracing::warn!(%problem, %session, "the output of a command isn't stored");
    }
}

async fn post(hub: &Hub, session: &SessionId, asked: MessageId, command: &str) -> Result<(), Problem> {
    let found = hub.workspace.session(session, clock::now()).await.map_err(problem)?;
    // A folder of another machine is none here.
    let folder = found.filter(|session| session.machine.is_none()).and_then(|session| session.cwd);
    let ended = match folder.map(|folder| real_folder(&folder)) {
        Some(Ok(folder)) => {
            // Both outputs, in the order in which they were written.
            let shell = ["sh".to_owned(), "-c".to_owned(), format!("exec 2>&1\n{command}")];
            process::run(&shell, Some(Path::new(&folder)), hub.settings.agents.variables(), LIMIT).await
        }
        Some(Err(problem)) => Err(problem.title),
        None => Err("The session has no folder to run it in".to_owned()),
    };
    let (code, text) = match ended {
        Ok(output) => {
            let cut = if output.cut { "\n(cut)" } else { "" };
            (output.code.map_or(BROKEN_OFF, i64::from), format!("{}{cut}", output.text.trim_end()))
        }
        Err(reason) => (BROKEN_OFF, reason),
    };
    let draft = Draft {
        provenance: Provenance::Ourselves,
        metadata: Some(Map::from_iter([("exit_code".to_owned(), Value::from(code))])),
        reply_to: Some(asked),
        ..Draft::text(posting::new_id(), Role::Tool, "command_output", text, clock::now())
    };
    let body = Body::of(&draft);
    let create_hash = create_hash(&draft)?;
    let mut post = LivePost::new(session.clone(), posting::new_message(draft, body), create_hash).map_err(problem)?;
    post.queued = true;
    let written = hub.writer.write(LiveWrite::Post(Box::new(post))).await;
    written.map(drop).map_err(crate::writing::refusal::refusal)
}
