//! One session as a row of the list.

use super::ask;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::names::{PARENT_MISSING, listed, model_name, session_project, title};
use crate::part::{Part, part};
use crate::shared::session_href;
use crate::shell::{StateLook, agent_name};
use crate::time_text::span;
use crate::{unmarked, visible};
use api::messages::Ask;
use api::sessions::Facet;
use leptos::prelude::*;
use model::session::Live;
use model::text::as_host;
use model::{Session, SessionState};
use std::collections::BTreeMap;

/// State that the rows of a list share.
pub struct RowContext<'a> {
    pub clock: &'a Clock,
    pub projects: &'a [Facet],
    /// Are the rows of several agents? Each names its own then.
    pub agents: bool,
    pub asks: &'a [Ask],
    /// The agent's last text, by session.
    pub said: Option<&'a BTreeMap<String, String>>,
}

pub fn row(session: &Session, look: &RowContext<'_>) -> Part {
    let RowContext { clock, projects, agents, asks, said } = *look;
    let state = StateLook::of_session(session, clock.now);
    let motion = Motion::spins_if(session.state == SessionState::Working);
    let (pinned, archived) = (session.pinned_at.map(|_| ""), session.archived_at.map(|_| ""));
    let pin = pinned.map(|_| part! { <Icon glyph=Glyph::PIN size=Size::Small label="Pinned"/> });
    // Nothing happens in most of them: only what does has a mark.
    let mark = match session.state {
        // A session that was interrupted long ago is shown as idle.
        SessionState::Idle => part! { <span class="i at-rest"><span class="sr">{state.word}</span></span> },
        SessionState::Quiet if state.hint.is_none() => {
            part! { <span class="i at-rest"><span class="sr">{state.word}</span></span> }
        }
        _ => part! { <Icon glyph=state.icon motion label=state.word/> },
    };
    let agent = agents.then(|| agent_name(&session.agent));
    let machine = session.machine.as_ref().map(|machine| visible::line(&machine.name));
    let place = listed([agent, machine, Some(session_project(session, projects)), session.branch.clone()]);
    let about = listed([Some(session.project.clone()), session.model.as_deref().map(model_name)]);
    let children = (session.child_count > 0).then(|| {
        let words = figures::counted(session.child_count, "sub-agent");
        part! { <span class="chip hide-mid" title=words><Icon glyph=Glyph::SUB size=Size::Small/><span aria-hidden="true">{session.child_count}</span><span class="sr">{words.clone()}</span></span> }
    });
    let orphan = session.parent_missing.then(|| {
        part! { <span class="chip" title=PARENT_MISSING><Icon glyph=Glyph::SUB size=Size::Small/>"sub-agent"</span> }
    });
    let messages = if session.message_count == 1 { " message" } else { " messages" };
    let waits = session.state == SessionState::NeedsYou;
    let asked = asks.iter().find(|ask| waits && ask.entry.message.session_id == session.id);
    let asked = asked.map(|asked| ask::ask(asked, session.registered || ask::is_awaited(asked)));
    // Its request is shown below.
    let said = said.filter(|_| asked.is_none()).and_then(|said| said.get(session.id.as_str()));
    let said = said.map(|said| unmarked::line(as_host(said).unwrap_or(said)));
    let quiet = (session.state == SessionState::Quiet).then(|| span(clock.now.since(session.last_activity_at)));
    let hint = state.hint.map(|hint| match quiet {
        Some(since) => format!("No news for {since}. {hint}"),
        None => hint.to_owned(),
    });
    // Its turn is over, but not all that it began.
    let behind = session.live.as_ref().filter(|_| session.state == SessionState::Idle).and_then(Live::background);
    let said = hint.or_else(|| behind.map(str::to_owned)).or(said);
    let (added, removed) = (session.lines_added, session.lines_removed);
    part! {
        <li class="srow" data-state=state.tag data-row=session.id.as_str().to_owned() data-pinned=pinned data-archived=archived>
            {mark}
            <label class="pick-row"><span class="sr">{format!("Select {}", title(&session.title))}</span><input type="checkbox" class="tick" data-select="" autocomplete="off"/></label>
            <span class="title">
                {pin}
                <a dir="auto" href=session_href(session.id.as_str()) data-title=session.title.clone() title=format!("{}\n{about}", title(&session.title))>{title(&session.title)}</a>
                {orphan}
                {children}
                <span class="where">{place}</span>
            </span>
            <span class="said"><span dir="auto">{said.map(|said| visible::phrase(&said).into_view())}</span></span>
            {todos(session)}
            <span class="delta">
                {(added > 0).then(|| part! { <ins>{format!("+{added}")}<span class="sr">" lines added"</span></ins> })}
                {(removed > 0).then(|| part! { <del>{format!("\u{2212}{removed}")}<span class="sr">" lines removed"</span></del> })}
            </span>
            <span class="num msgs" title="Messages">
                <Icon glyph=Glyph::COMMENT size=Size::Small/>
                {figures::count(session.message_count)}<span class="sr">{messages}</span>
            </span>
            <span class="num cost">{spent(session)}</span>
            {moment(clock, session.last_activity_at, "num when")}
            <button type="button" class="btn quiet tiny icon more" popovertarget="row-menu" title="More">
                <Icon glyph=Glyph::MORE size=Size::Small/><span class="sr">{format!("More for {}", title(&session.title))}</span>
            </button>
            {asked}
        </li>
    }
}

/// Where a row comes that is far from the view: its title, which leads to the session and is found by the browser.
pub fn place(session: &Session) -> Part {
    let (pinned, archived) = (session.pinned_at.map(|_| ""), session.archived_at.map(|_| ""));
    part! {
        <li class="srow distant" data-row=session.id.as_str().to_owned() data-pinned=pinned data-archived=archived>
            <a dir="auto" href=session_href(session.id.as_str()) data-title=session.title.clone()>{title(&session.title)}</a>
        </li>
    }
}

/// Cost where it is known, else tokens.
fn spent(session: &Session) -> Option<Part> {
    match (session.cost_usd, session.usage.total()) {
        (Some(cost), _) => {
            let how = if session.computed_usd.is_some() { "Cost, computed from list prices" } else { "Cost" };
            Some(part! { <span title=how>{figures::dollars(cost)}</span> })
        }
        (None, 0) => None,
        (None, total) => {
            let words = format!("{} tokens", figures::count(total));
            Some(
                part! { <span title=words>{figures::tokens(total)}<span aria-hidden="true">" tok"</span><span class="sr">" tokens"</span></span> },
            )
        }
    }
}

/// A plan that is done is a figure; one that is open says how far it is.
fn todos(session: &Session) -> Part {
    let progress = session.todos();
    let (done, whole, besides) = (progress.done, progress.whole(), progress.besides());
    let meter = (progress.open > 0).then(|| {
        let percent = progress.percent();
        part! { <span class="meter"><span class="bar-fill" data-state="working" style=format!("--v:{percent}")></span></span> }
    });
    let title = (!progress.is_empty()).then(|| format!("{done} of {whole} todos done{besides}"));
    let count = title.is_some().then(|| {
        let besides = (!besides.is_empty()).then(|| part! { <span class="sr">{besides}</span> });
        part! { <span class="count"><span class="sr">"todos done "</span>{format!("{done}/{whole}")}{besides}</span> }
    });
    part! { <span class="todo-mini" title=title>{meter}{count}</span> }
}
