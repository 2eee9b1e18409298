//! What the browser's worker gets: `app/assets/worker.js` reads it.

use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::writing::entries::entry;
use api::Problem;
use model::{Session, SessionId, summary, text};
use serde::Serialize;
use std::path::Path;
use store::{PushKind, PushSubject};

/// Characters of a title, of a project's name, and of what a request is about.
const TITLE: usize = 100;
const PROJECT: usize = 60;
const ABOUT: usize = 300;

/// A message for the worker.
#[derive(Debug, Default, Serialize)]
pub struct PushText {
    /// Notifications with one tag replace each other.
    pub tag: String,
    pub title: String,
    pub body: String,
    /// What a click opens.
    pub href: String,
    /// The number of requests that wait, for the icon of the app.
    pub waiting: usize,
    /// Makes itself heard, though it replaces one that is shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub renotify: bool,
    /// Closes what is shown under the tag.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub close: bool,
}

/// Returns the tag of a subject. The page's own notifications have the same ones for requests.
pub fn tag(subject: &PushSubject) -> String {
    match subject.kind {
        PushKind::Ask | PushKind::Mention => format!("{}/{}", subject.session, subject.seq),
        PushKind::Asks => "requests".to_owned(),
        PushKind::Failed | PushKind::Finished => subject.session.clone(),
    }
}

/// Returns the message that shows a subject. None if there is nothing to show any more.
pub async fn show(hub: &Hub, subject: &PushSubject, count: i64, details: bool) -> Result<Option<PushText>, Problem> {
    let tag = tag(subject);
    if subject.kind == PushKind::Asks {
        let (title, href) = (format!("{count} requests wait for you"), "/inbox".to_owned());
        return Ok(Some(PushText { tag, title, href, ..PushText::default() }));
    }
    let Ok(id) = SessionId::parse(subject.session.as_str()) else { return Ok(None) };
    let session = hub.workspace.session(&id, clock::now()).await.map_err(problem)?;
    let Some(session) = session.filter(|session| session.deleted_at.is_none()) else { return Ok(None) };
    let name = text::one_line(&session.title, TITLE);
    let page = format!("/s/{}", api::endpoint::segment(id.as_str()));
    let card = || format!("{page}?at={seq}#m{seq}", seq = subject.seq);
    let (title, href) = match subject.kind {
        PushKind::Ask | PushKind::Asks => (format!("{name} needs you"), card()),
        PushKind::Mention => (format!("You are mentioned in {name}"), card()),
        PushKind::Failed => (format!("{name} failed"), page),
        PushKind::Finished => (format!("{name} is finished"), page),
    };
    let mut body = project(&session);
    if details && let Some(about) = about(hub, &id, subject.seq).await? {
        body = if body.is_empty() { about } else { format!("{body}: {about}") };
    }
    Ok(Some(PushText { tag, title, body, href, ..PushText::default() }))
}

/// Returns the message that closes a subject. A browser that has to show something shows that it is settled.
pub fn close(subject: &PushSubject) -> PushText {
    let title = match subject.kind {
        PushKind::Ask => "A request was settled",
        PushKind::Asks | PushKind::Failed | PushKind::Finished | PushKind::Mention => "Nothing waits for you",
    };
    PushText {
        tag: tag(subject),
        title: title.to_owned(),
        href: "/inbox".to_owned(),
        close: true,
        ..PushText::default()
    }
}

/// The last part of the project's folder.
fn project(session: &Session) -> String {
    let name = Path::new(&session.project).file_name().map(|name| name.to_string_lossy().into_owned());
    text::one_line(&name.unwrap_or_default(), PROJECT)
}

/// A message in one line.
async fn about(hub: &Hub, session: &SessionId, seq: i64) -> Result<Option<String>, Problem> {
    let stored = hub.workspace.message_at(session, seq).await.map_err(problem)?;
    let about = stored.map(|stored| {
        let entry = entry(stored);
        text::one_line(&summary::summary_as(&entry.message.draft, entry.body()), ABOUT)
    });
    Ok(about.filter(|about| !about.is_empty()))
}
