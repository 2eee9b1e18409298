//! Control words that people write: what the server does instead of the agent.

mod command;

use crate::basics::problem;
use crate::context::Scoped;
use crate::driving::Driving;
use crate::driving::endpoints::{restart, tell_agent};
use crate::host::{HostEvent, HostMessage};
use crate::people::mentions;
use crate::requests::decisions;
use crate::routing::RoutingTable;
use crate::writing::posts;
use api::driving::AgentAction;
use api::messages::MessagePath;
use api::posting::{Decide, PostMessage, PostMessages, Posted, PostedMessages};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::message_type::approval::{Approval, ApprovalState};
use model::routing::{ControlWord, Mark, Place, mention};
use model::{Message, MessageId, MessageType, SessionId};
use store::{MessageQuery, Range};

/// Open approvals that are looked through for an id.
const MOST: u32 = 200;

/// Posts a message. A control word is carried out, once.
pub async fn post_message(scoped: &Scoped, path: &SessionPath, input: PostMessage) -> Result<Posted, Problem> {
    let posted = posts::one(scoped, path, input).await?;
    follow(scoped, &posted).await;
    Ok(posted)
}

/// Posts messages, all or none.
pub async fn post_messages(
    scoped: &Scoped,
    path: &SessionPath,
    input: PostMessages,
) -> Result<PostedMessages, Problem> {
    let all = posts::all(scoped, path, input).await?;
    for posted in &all.messages {
        follow(scoped, posted).await;
    }
    Ok(all)
}

/// Notes whom a posted message mentions, and carries out the control word that it is, unless it was posted before.
pub async fn follow(scoped: &Scoped, posted: &Posted) {
    if !posted.replayed {
        mentions::note(scoped, &posted.message.message).await;
        carry_out(scoped, &posted.message.message).await;
    }
}

/// Carries out the control word that a message is, if it is one. Why that isn't possible, the session says.
async fn carry_out(scoped: &Scoped, message: &Message) {
    let Some(word) = Mark::of(&message.draft).control else { return };
    let session = &message.session_id;
    let path = SessionPath { session: session.to_string() };
    let done = match word {
        ControlWord::Approve => Err(Problem::new(ProblemCode::NotShown, "Nothing was approved")
            .hint("Press the button of the request: it records what you were shown")),
        ControlWord::Deny => deny(scoped, session, &message.draft.content).await,
        ControlWord::Pause => tell_agent(scoped, &path, AgentAction::Interrupt.into()).await.map(drop),
        ControlWord::Reset => restart(scoped, &path).await,
        ControlWord::Btw => match scoped.hub.state::<Driving>().of(session) {
            Some(running) => {
                running.steer();
                Ok(())
            }
            None => Ok(()),
        },
        ControlWord::Todo => Ok(()),
        ControlWord::Run => {
            let rules = scoped.hub.state::<RoutingTable>().rules(session, Place::Own);
            let content = &message.draft.content;
            let said = mention::rest(content, &rules.names, rules.mention_end).unwrap_or(content);
            let command = mention::visible_trim(said).trim_start_matches('!').trim().to_owned();
            tokio::spawn(command::run(scoped.hub.clone(), session.clone(), message.draft.id.clone(), command));
            Ok(())
        }
    };
    if let Err(refused) = done {
        let hint = refused.hint.map_or_else(String::new, |hint| format!(". {hint}"));
        let text = format!("`{word}` failed: {}{hint}", refused.title);
        let message =
            HostMessage::new(&HostEvent::Notice { text }).with_id(format!("host-control-{}", message.draft.id));
        scoped.hub.tell_session(session, &message).await;
    }
}

/// Denies the open approval whose id begins with what the message names last.
async fn deny(scoped: &Scoped, session: &SessionId, content: &str) -> Result<(), Problem> {
    let named = content.split_whitespace().last().unwrap_or_default().to_lowercase();
    let types = vec![MessageType::Approval.to_string()];
    let query = MessageQuery { types, ..MessageQuery::new(Range::Last(MOST)) };
    let stretch = scoped.hub.workspace.stretch(session, &query).await.map_err(problem)?;
    let mut found = stretch
        .messages
        .iter()
        .map(|stored| &stored.message.draft)
        .filter(|draft| Approval::open_in(draft).is_some() && draft.id.as_str().to_lowercase().starts_with(&named));
    let id: &MessageId = match (found.next(), found.next()) {
        (Some(draft), None) => &draft.id,
        (None, _) => return Err(Problem::not_found("open approval")),
        _ => return Err(Problem::new(ProblemCode::Ambiguous, format!("Several open approvals begin with `{named}`"))),
    };
    let path = MessagePath { session: session.to_string(), message: id.to_string() };
    let denied = Decide { state: Some(ApprovalState::Denied), ..Decide::default() };
    decisions::decide(scoped, &path, denied).await.map(drop)
}
