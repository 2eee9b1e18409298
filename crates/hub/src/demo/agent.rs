//! The example's agent: a script without a model, which answers what people decide and write in its session.

use crate::caller::Caller;
use crate::context::{Hub, Scoped};
use crate::writing::refusal::refusal;
use api::messages::Entry;
use api::posting::{PostMessage, TakePending};
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::{Body, MessageType, Role, SessionId};
use serde_json::{Value, json};
use std::time::Duration;
use store::{LiveEdit, LiveWrite};

/// The session that it answers in, by its own id.
pub(super) const SESSION: &str = "demo-clock-change";
/// Seconds that it waits for a message at a time.
const WAIT: u32 = 50;
/// After a refusal, such as that of a full disk.
const PAUSE: Duration = Duration::from_secs(5);
const COMMAND: &str = "./scripts/publish.sh --piers 12";

/// Answers until the hub is shut down.
pub async fn answer(hub: Hub) {
    let agent =
        Agent { scoped: Scoped::new(hub.clone(), Caller::Local), path: SessionPath { session: SESSION.to_owned() } };
    let shutdown = hub.shutdown.clone();
    Box::pin(shutdown.run_until_cancelled(agent.go_on())).await;
}

/// Makes the session one whose agent takes messages.
pub(super) async fn register(hub: &Hub, session: SessionId) -> Result<(), Problem> {
    let edit = LiveEdit { registers: Some(SESSION.as_bytes().to_vec()), ..LiveEdit::new(session) };
    hub.writer.write(LiveWrite::Edit(Box::new(edit))).await.map_err(refusal)?;
    Ok(())
}

struct Agent {
    scoped: Scoped,
    path: SessionPath,
}

impl Agent {
    async fn go_on(&self) {
        let mut after = None;
        loop {
            match self.step(after).await {
                Ok(given) => after = Some(given),
                Err(problem) if problem.status == 404 => return,
                Err(problem) => {
                    tracing::debug!(%problem, "the example's agent can't go on");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Answers what was written since, and waits for it. Returns how far it read.
    async fn step(&self, after: Option<i64>) -> Result<i64, Problem> {
        let take = TakePending { after, wait: Some(WAIT), ..TakePending::default() };
        let pending = self.scoped.take_pending(self.path.clone(), take).await?;
        for entry in &pending.messages {
            self.reply(entry).await?;
        }
        Ok(pending.after)
    }

    async fn reply(&self, entry: &Entry) -> Result<(), Problem> {
        let draft = &entry.message.draft;
        match Body::of(draft) {
            Body::Action(action) => self.decided(&action).await,
            _ if draft.role != Role::User => Ok(()),
            Body::Text(_) => match draft.content.to_lowercase() {
                words if words.contains("publish") => self.ask().await,
                words if words.contains("edit") => self.edit().await,
                _ => self.say(&introduction(&draft.content)).await,
            },
            _ => self.say("I have seen it.").await,
        }
    }

    /// A person answered its question, or decided what it asked for.
    async fn decided(&self, action: &Action) -> Result<(), Problem> {
        let state = match &action.approval_id {
            Some(id) => self.state_of(id).await?,
            None => None,
        };
        match state {
            Some(ApprovalState::AllowedOnce | ApprovalState::AllowedAlways) => {
                self.post(json!({
                    "message_type": MessageType::ToolCall,
                    "payload": {
                        "tool_name": "Bash", "input": {"command": COMMAND},
                        "output": "12 of 12 piers show tonight's departures", "exit_code": 0
                    },
                }))
                .await?;
                self.say("Published: all **12 piers** have the fix. Write **edit** to see a change of a file.").await
            }
            Some(ApprovalState::Denied) => {
                let why =
                    action.text.as_deref().map(|why| format!(" You said: \u{201c}{why}\u{201d}.")).unwrap_or_default();
                self.say(&format!("Then the piers stay as they are.{why} Write **publish** to be asked again.")).await
            }
            Some(ApprovalState::Answered) => {
                self.say(&format!("**{}** it is. I only need your word for the command.", action.answer())).await?;
                self.ask().await
            }
            _ => self.say(&format!("I have your answer: {}.", action.answer())).await,
        }
    }

    async fn state_of(&self, message: &str) -> Result<Option<ApprovalState>, Problem> {
        let path = api::messages::MessagePath { session: SESSION.to_owned(), message: message.to_owned() };
        let detail = self.scoped.get_message(path, Nothing {}).await?;
        Ok(match Body::of(&detail.entry.message.draft) {
            Body::Approval(approval) => Some(approval.state),
            _ => None,
        })
    }

    async fn ask(&self) -> Result<(), Problem> {
        self.post(json!({
            "message_type": MessageType::Approval,
            "payload": {
                "kind": "permission", "state": "open", "title": "Publish the departures to the piers",
                "body": format!("```sh\n{COMMAND}\n```"),
                "questions": [{"question": "Publish the departures to the piers", "options": [
                    {"id": "yes", "label": "Publish", "kind": "allow_once"},
                    {"id": "no", "label": "Not now", "kind": "reject_once"},
                ]}],
            },
        }))
        .await
    }

    async fn edit(&self) -> Result<(), Problem> {
        self.post(json!({
            "message_type": MessageType::CodeEdit,
            "payload": {"edits": [{
                "file_path": "/home/ines/slipway/crates/timetable/src/board.rs",
                "old_content": "    let rows = departures.take(6);\n",
                "new_content": "    // The board has eight lines since the winter timetable.\n    let rows = departures.take(8);\n",
            }]},
        }))
        .await?;
        self.say("The board shows eight departures now.").await
    }

    async fn say(&self, content: &str) -> Result<(), Problem> {
        self.send(PostMessage { content: Some(content.to_owned()), ..PostMessage::default() }).await
    }

    async fn post(&self, metadata: Value) -> Result<(), Problem> {
        self.send(PostMessage { message_metadata: Some(metadata), ..PostMessage::default() }).await
    }

    async fn send(&self, message: PostMessage) -> Result<(), Problem> {
        let message = PostMessage { sender: Some("bot".to_owned()), ..message };
        self.scoped.post_message(self.path.clone(), message).await.map(drop)
    }
}

/// Returns the answer to any other message.
fn introduction(words: &str) -> String {
    let quoted = model::text::one_line(words, 200);
    format!(
        "You wrote: \u{201c}{quoted}\u{201d}. I am the example's agent, a script inside Verbatim without a model. Write **publish** and I \
         ask for permission to run a command, or **edit** and I change a file."
    )
}
