//! Messages that people post as the host's. An agent can't: the endpoint isn't for it.

use crate::context::Scoped;
use crate::host::{HostEvent, HostMessage as Message, OPERATIONS};
use crate::may::session;
use crate::writing::refusal::refusal;
use crate::writing::{posting, posts};
use api::Problem;
use api::host::{HostMessage, HostMessagePosted};
use api::posting::PostMessage;
use api::sessions::SessionPath;
use model::{MessageId, Role, SessionId, text};

const CHARS: usize = 10_000;

pub async fn post_host_message(scoped: &Scoped, input: HostMessage) -> Result<HostMessagePosted, Problem> {
    if text::is_blank(&input.content) || input.content.chars().count() > CHARS {
        return Err(Problem::field("/content", &format!("1 to {CHARS} characters that aren't all blank")));
    }
    let id = match input.id {
        Some(id) => MessageId::parse_new(id).map_err(|error| Problem::field("/id", &error.to_string()))?,
        None => posting::new_id(),
    };
    let deploys = input.deploy.unwrap_or_default();
    let text = input.content.clone();
    let event = if deploys { HostEvent::Deployed { text } } else { HostEvent::Notice { text } };
    let message = Message::new(&event).with_id(id.to_string());
    let sessions = if let Some(named) = input.session {
        let found = session(scoped, &SessionPath { session: named }).await;
        vec![found.map_err(|problem| Problem { field: Some("/session".to_owned()), ..problem })?.id]
    } else {
        let operations = scoped.hub.make_operations().await?;
        let mut sessions = scoped.hub.sessions_at_work().await?;
        if !sessions.contains(&operations) {
            sessions.insert(0, operations);
        }
        sessions
    };
    for session in &sessions {
        scoped.hub.post_host_message(session, &message).await.map_err(refusal)?;
        if deploys && session.as_str() != OPERATIONS {
            mark(scoped, session, &id, &input.content).await?;
        }
    }
    Ok(HostMessagePosted { sessions: sessions.iter().map(SessionId::to_string).collect() })
}

/// Tells the session's agent what the host said: no message of the host reaches it.
async fn mark(scoped: &Scoped, session: &SessionId, host: &MessageId, content: &str) -> Result<(), Problem> {
    let marker = PostMessage {
        id: Some(format!("{:.120}-deploy", host.as_str())),
        role: Some(Role::System),
        sender: Some("deploy".to_owned()),
        reply_to: Some(host.to_string()),
        ..PostMessage::from(content)
    };
    posts::one(scoped, &SessionPath { session: session.to_string() }, marker).await.map(drop)
}
