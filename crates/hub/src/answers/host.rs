//! Messages that people post as the host's. An agent can't: the endpoint isn't for it.

use super::{refusal, session};
use crate::Scoped;
use crate::host::{HostEvent, HostMessage as Message};
use api::Problem;
use api::host::{HostMessage, HostMessagePosted};
use api::sessions::SessionPath;
use model::{MessageId, SessionId, text};

const CHARS: usize = 10_000;

pub async fn post(scoped: &Scoped, input: HostMessage) -> Result<HostMessagePosted, Problem> {
    if text::is_blank(&input.content) || input.content.chars().count() > CHARS {
        return Err(Problem::field("/content", &format!("1 to {CHARS} characters that say something")));
    }
    let id = input.id.map(|id| MessageId::parse_new(id).map_err(|error| Problem::field("/id", &error.to_string())));
    let mut message = Message::new(&HostEvent::Notice { text: input.content });
    if let Some(id) = id.transpose()? {
        message = message.with_id(id.to_string());
    }
    let sessions = match input.session {
        Some(named) => {
            let found = session(scoped, &SessionPath { session: named }).await;
            vec![found.map_err(|problem| Problem { field: Some("/session".to_owned()), ..problem })?.id]
        }
        None => {
            let operations = scoped.hub.make_operations().await?;
            let mut sessions = scoped.hub.sessions_at_work().await?;
            if !sessions.contains(&operations) {
                sessions.insert(0, operations);
            }
            sessions
        }
    };
    for session in &sessions {
        scoped.hub.post_host_message(session, &message).await.map_err(refusal)?;
    }
    Ok(HostMessagePosted { sessions: sessions.iter().map(SessionId::to_string).collect() })
}
