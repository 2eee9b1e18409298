//! `verbatim send`: a message from the shell.

use super::text::{object, one_line as shown, text};
use super::{note, print, print_json};
use crate::cli::{SendMessage, Target};
use crate::door::Door;
use anyhow::{Result, bail};
use api::posting::Posted;
use model::text::one_line;
use sdk::{Message, NewSession, PostMessage, Sent, Session, Verbatim};
use serde_json::json;

/// Longest title that a text gives to its session, in characters.
const TITLE: usize = 80;

pub async fn run(args: SendMessage) -> Result<()> {
    let is_piped = args.metadata.as_deref().or(args.payload.as_deref()) == Some("@-");
    if is_piped && args.text.as_deref() == Some("-") {
        bail!("standard input can't be both text and metadata\nGive one of them on the command line, or in a file");
    }
    let metadata = if let (Some(message_type), Some(payload)) = (&args.message_type, &args.payload) {
        let payload = object("--payload", r#"{"label": "Tests", "state": "running"}"#, payload)?;
        Some(json!({ "message_type": message_type, "payload": payload }))
    } else {
        let read = |given| object("--metadata", r#"{"message_type": "my/type", "payload": {...}}"#, given);
        args.metadata.as_deref().map(read).transpose()?
    };
    // Piped input is the text, even with metadata, unless the metadata is read from it.
    let content = match args.text.as_deref() {
        None if is_piped => None,
        typed => text(typed)?,
    };
    if content.is_none() && metadata.is_none() {
        bail!("there is nothing to send\nGive a text, pipe one in, or give `--metadata` or `--type`");
    }
    let message =
        PostMessage { id: args.id, role: args.role, content, message_metadata: metadata, ..PostMessage::default() };
    let door = Door::to_or_make(&args.data, &args.remote).await?;
    let sent = send(&door.verbatim, &args.target, message).await;
    door.close().await;
    let sent = sent?;
    if args.json {
        return print_json(&posted(sent));
    }
    tell(&sent.queued_user_messages);
    match args.target.session {
        Some(_) => Ok(()),
        // For the next command.
        None => print(&format!("{}\n", sent.message.entry().message.session_id)),
    }
}

async fn send(verbatim: &Verbatim, target: &Target, message: PostMessage) -> Result<Sent> {
    let session = session(verbatim, target, message.content.as_deref().unwrap_or_default()).await?;
    Ok(session.send_message(message).await?)
}

/// The session that is meant, or a new one.
pub async fn session(verbatim: &Verbatim, target: &Target, text: &str) -> Result<Session> {
    if let Some(session) = &target.session {
        return Ok(verbatim.session(session));
    }
    let title = target.title.clone().or_else(|| Some(one_line(text, TITLE))).filter(|title| !title.is_empty());
    Ok(verbatim.create_session(NewSession { title, ..target.agent.as_str().into() }).await?)
}

fn posted(sent: Sent) -> Posted {
    Posted {
        message: sent.message.into_entry(),
        pos: sent.pos,
        replayed: sent.replayed,
        queued_user_messages: sent.queued_user_messages.into_iter().map(Message::into_entry).collect(),
    }
}

/// Prints messages of people to standard error: each is returned only once, so that it must not be lost.
pub fn tell(queued: &[Message]) {
    for message in queued {
        let name = message.draft().sender_name.as_deref().unwrap_or(&message.draft().sender);
        note(&format!("{} wrote: {}", shown(name), message.text()));
    }
}
