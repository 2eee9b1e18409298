//! One session as a row of the list.

use super::ask;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::names::{model_name, project_name, title};
use crate::part::{Part, part};
use crate::shell::{StateLook, agent_name, session_href};
use api::messages::Ask;
use api::sessions::Facet;
use leptos::prelude::*;
use model::{Session, SessionState};

/// What a row says of who works: the agent's name too where the rows have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worker {
    AgentAndModel,
    Model,
}

/// What the rows of a list have in common.
pub struct Look<'a> {
    pub clock: &'a Clock,
    pub projects: &'a [Facet],
    pub worker: Worker,
    pub asks: &'a [Ask],
}

pub fn row(session: &Session, look: &Look<'_>) -> Part {
    let Look { clock, projects, worker, asks } = *look;
    let state = StateLook::of(session.state);
    let motion = Motion::spins_if(session.state == SessionState::Working);
    let (pinned, archived) = (session.pinned_at.map(|_| ""), session.archived_at.map(|_| ""));
    let pin = pinned.map(|_| part! { <Icon glyph=Glyph::PIN size=Size::Small label="Pinned"/> });
    let project = project_name(&session.project, projects);
    let place = match &session.branch {
        Some(branch) => format!("{project} · {branch}"),
        None => project,
    };
    let agent = match &session.model {
        Some(model) if worker == Worker::Model => model_name(model),
        Some(model) => format!("{} · {}", agent_name(&session.agent), model_name(model)),
        None => agent_name(&session.agent),
    };
    let children = (session.child_count > 0).then(|| {
        let words = figures::counted(session.child_count, "sub-agent");
        part! { <span class="chip hide-mid" title=words><Icon glyph=Glyph::SUB size=Size::Small/><span aria-hidden="true">{session.child_count}</span><span class="sr">{words.clone()}</span></span> }
    });
    let messages = if session.message_count == 1 { " message" } else { " messages" };
    let waits = session.state == SessionState::NeedsYou;
    let asked = asks.iter().find(|ask| waits && ask.entry.message.session_id == session.id).map(ask::ask);
    let changed = session.lines_added > 0 || session.lines_removed > 0;
    part! {
        <li class="srow" data-state=state.tag data-row=session.id.as_str().to_owned() data-pinned=pinned data-archived=archived>
            <Icon glyph=state.icon motion label=state.word/>
            <label class="pick-row"><span class="sr">{format!("Select {}", session.title)}</span><input type="checkbox" class="tick" data-select="" autocomplete="off"/></label>
            <span class="title">
                {pin}
                <a href=session_href(session.id.as_str()) title=session.title.clone()>{title(&session.title).to_owned()}</a>
                {children}
                <span class="where" title=session.project.clone()>{place}</span>
            </span>
            <span class="now" title=session.model.clone()>{agent}</span>
            {todos(session)}
            <span class="delta">
                {changed.then(|| part! {
                    <ins>{format!("+{}", session.lines_added)}<span class="sr">" lines added"</span></ins>
                    <del>{format!("\u{2212}{}", session.lines_removed)}<span class="sr">" lines removed"</span></del>
                })}
            </span>
            <span class="num msgs" title="Messages">
                {figures::count(session.message_count)}<span class="sr">{messages}</span>
                <Icon glyph=Glyph::COMMENT size=Size::Small/>
            </span>
            <span class="num cost">{spent(session)}</span>
            {moment(clock, session.last_activity_at, "num when")}
            <button type="button" class="btn quiet tiny icon more" popovertarget="row-menu" title="More">
                <Icon glyph=Glyph::MORE size=Size::Small/><span class="sr">{format!("More for {}", session.title)}</span>
            </button>
            {asked}
        </li>
    }
}

/// Cost where the agent says it, else tokens.
fn spent(session: &Session) -> Option<Part> {
    match (session.cost_usd, session.usage.total()) {
        (Some(cost), _) => Some(part! { <span title="Cost">{figures::dollars(cost)}</span> }),
        (None, 0) => None,
        (None, total) => {
            let words = format!("{} tokens", figures::count(total));
            Some(
                part! { <span title=words>{figures::tokens(total)}<span aria-hidden="true">" tok"</span><span class="sr">" tokens"</span></span> },
            )
        }
    }
}

fn todos(session: &Session) -> Part {
    let (open, done) = (session.todos_open, session.todos_done);
    let all = open + done;
    let meter = (all > 0).then(|| {
        let percent = done * 100 / all;
        let state = if open == 0 { "done" } else { "working" };
        part! {
            <span class="meter"><span class="bar-fill" data-state=state style=format!("--v:{percent}")></span></span>
            <span><span class="sr">"todos done "</span>{format!("{done}/{all}")}</span>
        }
    });
    part! { <span class="todo-mini">{meter}</span> }
}
