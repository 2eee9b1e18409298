//! One request: whose it is, and the card with which it is answered.

use super::InboxPage;
use crate::clock::{Clock, moment_ago};
use crate::html::Html;
use crate::message::approval::{IN_ITS_TERMINAL, dismissal};
use crate::message::view_options::{Detail, TranscriptOptions};
use crate::message_renderer::render_article;
use crate::names::{listed, project_name, title};
use crate::part::{Part, part};
use crate::shared::hash::text_hash;
use crate::shared::message_href;
use crate::shell::agent_name;
use api::messages::{Ask, Entry, LATELY};
use leptos::prelude::*;
use model::Session;
use model::message_type::approval::Approval;

/// Returns true if the session of the request was active recently.
pub fn is_lately(ask: &Ask, clock: &Clock) -> bool {
    ask.session.as_ref().is_some_and(|session| clock.now.since(session.last_activity_at) <= LATELY)
}

/// A row as the browser knows it by its sign. One that it has already is empty.
pub fn row(ask: &Ask, data: &InboxPage) -> Part {
    let message = &ask.entry.message;
    let (session, seq) = (message.session_id.to_string(), message.seq);
    let key = format!("{session}/{seq}");
    let sign = sign(ask);
    if data.known.contains(&sign) {
        return part! { <article data-ask=key data-sign=sign></article> };
    }
    let heading = format!("ask-{sign}");
    let there = message_href(&session, seq);
    let name = ask.session.as_ref().map_or_else(|| session.clone(), |session| title(&session.title));
    let approval = Approval::open_in(&message.draft);
    let answers = ask.session.as_ref().is_some_and(|session| session.registered);
    let card = Html::rendered(render_article(&ask.entry, &options(ask, data, answers))).into_view();
    let reply = approval.is_none().then(|| reply(&ask.entry, answers));
    part! {
        <article class="request nested" data-row=session.clone() data-session=session data-ask=key data-sign=sign tabindex="-1" aria-labelledby=heading.clone()>
            <header>
                <h2 id=heading.clone()><a dir="auto" href=there>{name}</a></h2>
                <span class="cap">{place(ask.session.as_ref(), data)}</span>
                <span class="cap">"asked "{moment_ago(&data.shell.clock, message.draft.created_at)}</span>
            </header>
            {card}
            {reply}
        </article>
    }
}

fn place(session: Option<&Session>, data: &InboxPage) -> String {
    let facts = session.map(|session| {
        let project = project_name(&session.project, &data.shell.projects);
        [Some(agent_name(&session.agent)), Some(project), session.branch.clone()]
    });
    listed(facts.into_iter().flatten())
}

/// Changes with everything that the row shows, but not with the time that goes on.
fn sign(ask: &Ask) -> String {
    let message = &ask.entry.message;
    let session = ask.session.as_ref().map(|session| (&session.title, &session.branch, session.registered));
    let shown = (&ask.entry.shown_sha256, ask.entry.not_shown.as_ref().map(|it| it.bytes));
    let all = format!("{} {} {} {session:?} {shown:?}", message.session_id, message.draft.id, message.revision);
    text_hash(&all)
}

/// All of it, as far as a browser bears it: nothing on this page fetches the rest.
fn options(ask: &Ask, data: &InboxPage, answers: bool) -> TranscriptOptions {
    let message = &ask.entry.message;
    let options = TranscriptOptions::new(message.session_id.clone(), message.seq, data.shell.clock.now);
    let Some(session) = &ask.session else { return options };
    let assistant = data.assistants.get(session.id.as_str()).cloned().unwrap_or_default();
    TranscriptOptions {
        last_seq: session.last_seq,
        project: session.project.clone(),
        assistant,
        detail: Detail::Whole,
        answers,
        nested: true,
        ..options
    }
}

/// The field in which a question in words is answered.
fn reply(entry: &Entry, answers: bool) -> Part {
    let dismissal = dismissal(&entry.message.draft.id).into_view();
    if !answers {
        return part! { <div class="line note-line"><p>{IN_ITS_TERMINAL}</p> {dismissal}</div> };
    }
    part! {
        <form class="reply" data-reply=entry.message.draft.id.to_string()>
            <label><span class="sr">"Your answer"</span>
                <textarea name="content" dir="auto" rows="1" required placeholder="Your answer"></textarea></label>
            <p class="cap fg-warn" role="alert" data-problem="" hidden></p>
            <button type="submit" class="btn primary"><span>"Send answer"</span></button>
        </form>
        {dismissal}
    }
}
