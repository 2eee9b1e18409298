//! A session as markdown: as much of it as the reader's detail shows, and in one line what that leaves out.

use super::super::transcript::View;
use super::written::page;
use super::{download, file_name};
use crate::speaker::speaker;
use api::messages::{Display, Entry};
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use app::clock::Clock;
use app::figures::counted;
use app::pages::session::Dev;
use app::transcript::Verbosity;
use axum::body::Body;
use axum::response::Response;
use futures::stream::{self, StreamExt as _};
use hub::Scoped;
use model::{AssistantName, Body as Said, Part, Payload as _, Role};
use std::sync::Arc;

/// Which messages are written, and how much of them.
#[derive(Debug, Clone, Copy)]
struct Detail {
    inputs: bool,
    thoughts: bool,
    /// True to include messages that the dev toggle hides.
    hidden: bool,
}

impl Detail {
    fn of(view: &View) -> Self {
        let dev = view.dev == Dev::On;
        Self {
            inputs: dev || view.verbosity == Verbosity::Verbose,
            thoughts: dev || view.verbosity.shows_thinking(),
            hidden: dev,
        }
    }
}

/// How much of what is left out.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    inputs: i64,
    thoughts: i64,
    system: i64,
    others: i64,
}

impl Left {
    fn hide(&mut self, role: Role) {
        match role {
            Role::Model => self.thoughts += 1,
            Role::System => self.system += 1,
            _ => self.others += 1,
        }
    }

    /// The line that says so; nothing if nothing is.
    fn line(self) -> String {
        let part = |count: i64, what: &str| (count > 0).then(|| counted(count, what));
        let inputs = part(self.inputs, "tool call").map(|calls| format!("the input of {calls}"));
        let others = [
            part(self.thoughts, "thought"),
            part(self.system, "system message"),
            part(self.others, "message of the agent's program"),
        ];
        let parts: Vec<String> = inputs.into_iter().chain(others.into_iter().flatten()).collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!("\n---\n\n*Left out at this detail: {}*\n", parts.join(", "))
        }
    }
}

pub async fn markdown(scoped: Scoped, path: SessionPath, view: View, clock: Clock) -> Result<Response, Problem> {
    let detail = scoped.get_session(path, Nothing {}).await?;
    let (session, assistant) = (detail.session, detail.assistant);
    let project = if session.project.is_empty() { String::new() } else { format!(", {}", session.project) };
    let only = if view.filter.is_empty() { String::new() } else { format!("\n*Only {}*\n", view.filter.words()) };
    let head = format!(
        "# {}\n\n{}{project}, {} to {}, id `{}`\n{only}",
        model::text::one_line(&session.title, 200),
        assistant.name,
        clock.full(session.created_at),
        clock.full(session.last_activity_at),
        session.id
    );
    let name = file_name(&session, "md");
    let (id, last, detail) = (session.id.to_string(), session.last_seq, Detail::of(&view));
    let pieces = stream::try_unfold((Some(1), Left::default()), move |(from, mut left)| {
        let (scoped, id, assistant, clock) = (scoped.clone(), id.clone(), assistant.clone(), clock.clone());
        let filter = Arc::clone(&view.filter);
        async move {
            let Some(from) = from else { return Ok::<_, std::io::Error>(None) };
            if from > last {
                return Ok(Some((left.line(), (None, left))));
            }
            let dev = if detail.thoughts { Dev::On } else { Dev::Off };
            let page = page(&scoped, &id, from, (dev, &filter)).await.map_err(std::io::Error::other)?;
            for row in page.hidden.iter().filter(|row| !row.replaced) {
                left.hide(row.role);
            }
            let to = page.to.max(from);
            let writing = scoped.compute(move |job| {
                let mut text = String::new();
                for entry in page.messages {
                    job.goes_on()?;
                    if let Some(said) = written(&entry, detail, &mut left) {
                        let (who, said) = (before(&entry, &assistant, &clock), quoted(&entry, said));
                        // A long message isn't in memory more often than it has to be.
                        drop(entry);
                        let said = said.trim_end();
                        text.reserve(who.len() + said.len() + 1);
                        text.extend([&who, said, "\n"]);
                    }
                }
                Ok::<_, Problem>((text, left))
            });
            let (text, left) = writing.await.flatten().map_err(std::io::Error::other)?;
            Ok(Some((text, (Some(to + 1), left))))
        }
    });
    let whole = stream::once(async { Ok(head) }).chain(pieces);
    Ok(download(&name, "text/markdown; charset=utf-8", Body::from_stream(whole)))
}

/// Returns the text of a message. None if it is omitted; omitted ones are counted.
fn written(entry: &Entry, detail: Detail, left: &mut Left) -> Option<String> {
    let draft = &entry.message.draft;
    // The cards that were made of such a call stand for it.
    if draft.part == Part::Replaced {
        return None;
    }
    let shown = match draft.role {
        _ if entry.display != Display::Dev => true,
        Role::Model => detail.thoughts,
        _ => detail.hidden,
    };
    if !shown {
        left.hide(draft.role);
        return None;
    }
    let text = match entry.body() {
        Said::ToolCall(call) if detail.inputs => call.markdown_with_input(),
        Said::ToolCall(call) => {
            left.inputs += i64::from(!call.is_told_by_target());
            // The posted content may still describe a running call.
            if entry.outcome.is_some() { call.to_markdown() } else { model::markdown::to_markdown(draft) }
        }
        _ => model::markdown::to_markdown(draft),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Returns the heading of a message: its author and time.
fn before(entry: &Entry, assistant: &AssistantName, clock: &Clock) -> String {
    let draft = &entry.message.draft;
    let who = speaker(entry, assistant);
    let rewound = if draft.left_behind { ", rewound: what follows doesn't build on it" } else { "" };
    format!("\n## {who}\n\n*{}{rewound}*\n\n", clock.full(draft.created_at))
}

/// Reasoning is quoted: it was not said.
fn quoted(entry: &Entry, text: String) -> String {
    match entry.message.draft.role {
        Role::Model => text.lines().map(|line| format!("> {line}\n")).collect(),
        _ => text,
    }
}
