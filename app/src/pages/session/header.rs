//! The header of a session: what it is, how it stands, what can be done with it.

use super::{Dev, SessionPageData};
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::names::{PARENT_MISSING, model_name, session_project, title};
use crate::pages::changes::parts::delta;
use crate::pages::panel::{Tab, context};
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shared::session_href;
use crate::shell::{StateLook, agent_name, icon, small_icon};
use crate::time_text::span;
use crate::visible;
use api::Route as _;
use api::contract::ExportSession;
use api::endpoint::segment;
use api::people::PersonRole;
use api::sessions::{Facet, SessionDetail};
use leptos::prelude::*;
use model::{Micros, Session, SessionState};

pub fn header(data: &SessionPageData) -> Part {
    let session = &data.detail.session;
    let id = session.id.as_str();
    let find = find_href(session);
    part! {
        <header class="bar">
            <a class="btn quiet icon only-narrow back" href=page_path::SESSIONS title="Sessions">{icon(Glyph::CHEV)}<span class="sr">"Sessions"</span></a>
            <div class="bar-head" id="session-head">{head(&data.detail, &data.shell.projects, &data.shell.clock)}</div>
            <label class="switch hide-narrow" title="Developer view  .">
                <input type="checkbox" role="switch" id="dev" checked=data.dev == Dev::On/>"Dev"
            </label>
            <span class="tools">
                <a class="btn quiet icon hide-narrow" href=format!("{}?filter=1", session_href(id)) data-action=PageAction::ToggleFilter.name() title="Filter messages">{icon(Glyph::FILTER)}<span class="sr">"Filter messages"</span></a>
                <a class="btn quiet icon hide-narrow" href=find data-action=PageAction::Find.name() title="Find in this session">{icon(Glyph::SEARCH)}<span class="sr">"Find in this session"</span></a>
                <a class="btn quiet icon" href=format!("{}?panel=about", session_href(id)) data-action=PageAction::TogglePanel.name() title="Details">{icon(Glyph::PANEL)}<span class="sr">"Details"</span></a>
                <button type="button" class="btn quiet icon" popovertarget="session-menu" title="More">{icon(Glyph::MORE)}<span class="sr">"More"</span></button>
            </span>
            {menu(data)}
        </header>
    }
}

/// Draws the parts that change while the session is active: title, place, state and cost.
pub fn head(detail: &SessionDetail, projects: &[Facet], clock: &Clock) -> Part {
    let session = &detail.session;
    part! {
        <div class="bar-title"><h1 dir="auto" title=title(&session.title)>{title(&session.title)}</h1>{meta(detail, projects)}</div>
        {machine(session, clock)}
        {state(session, clock)}
        {meter(detail)}
        {spent(detail)}
    }
}

/// The machine that the session is from, and since when nothing came from it.
fn machine(session: &Session, clock: &Clock) -> Option<Part> {
    let machine = session.machine.as_ref()?;
    let name = visible::line(&machine.name);
    Some(match machine.offline_since {
        None => part! { <span class="chip hide-narrow" title="The machine that sends this session">{name}</span> },
        Some(at) => part! {
            <span class="chip" data-state="waiting" title="Nothing comes from this machine: what happens there is shown when it is online again">
                {format!("{name} is offline, last heard of ")}{moment(clock, at, "num")}</span>
        },
    })
}

/// How full the context is, and how long it lasts.
fn meter(detail: &SessionDetail) -> Option<Part> {
    let meter = detail.meter?;
    let percent = context::percent(meter);
    let to = format!("{}?panel={}", session_href(detail.session.id.as_str()), Tab::Context.as_str());
    let words = context::words(meter);
    Some(part! {
        <a class="fact num hide-narrow context-meter" href=to data-tab=Tab::Context.as_str() title=words data-state=context::state(percent)>
            <span class="meter" aria-hidden="true"><span class="bar-fill" style=format!("--v:{percent}")></span></span>
            <span class="sr">"Context "</span>{format!("{percent} %")}</a>
    })
}

fn meta(detail: &SessionDetail, projects: &[Facet]) -> Part {
    let session = &detail.session;
    let parent = detail.ancestors.last().map(|parent| {
        let words = format!("Sub-agent of {}", title(&parent.title));
        part! { <a class="cut" href=session_href(&parent.id) title=words>"Sub-agent of "<bdi>{title(&parent.title)}</bdi></a> }
    });
    let orphan = session.parent_missing.then(|| part! { <span class="cut" title=PARENT_MISSING>"Sub-agent"</span> });
    let fork = detail.forked_from.as_ref().map(|from| {
        let words = format!("Forked from {}", title(&from.title));
        part! { <a class="hide-narrow cut" href=session_href(&from.id) title=words>"Forked from "<bdi>{title(&from.title)}</bdi></a> }
    });
    let project = session_project(session, projects);
    let project = (!project.is_empty()).then(|| part! { <span title=session.project.clone()>{project}</span> });
    let branch = session
        .branch
        .clone()
        .map(|branch| part! { <span class="hide-narrow">{small_icon(Glyph::BRANCH)}{branch}</span> });
    let model = session
        .model
        .as_deref()
        .map(|model| part! { <span class="hide-narrow" title=model.to_owned()>{model_name(model)}</span> });
    part! {
        <div class="meta">
            {parent}
            {orphan}
            {project}
            {branch}
            <span class="cut agent">{agent_name(&session.agent)}</span>
            {model}
            {fork}
            {came_to(session)}
        </div>
    }
}

/// Draws the results, each as a link. Beside the open panel, its tabs show them.
fn came_to(session: &Session) -> Part {
    let id = session.id.as_str();
    let tab = |tab: Tab| format!("{}?panel={}", session_href(id), tab.as_str());
    let (added, removed) = (session.lines_added, session.lines_removed);
    let changes = (added + removed > 0).then(|| {
        let to = format!("{}/changes", session_href(id));
        part! { <a class="fact" href=to title="Review the changes">{delta(added, removed)}</a> }
    });
    let progress = session.todos();
    let todos = (!progress.is_empty()).then(|| {
        let words = format!("{}/{} todos{}", progress.done, progress.whole(), progress.besides());
        part! { <a class="fact num" href=tab(Tab::Todos) data-tab=Tab::Todos.as_str()>{words}</a> }
    });
    let agents = (session.child_count > 0).then(|| {
        let words = figures::counted(session.child_count, "sub-agent");
        part! { <a class="fact num" href=tab(Tab::Agents) data-tab=Tab::Agents.as_str()>{words}</a> }
    });
    let took = session.last_activity_at.since(session.created_at);
    let took = (session.created_at.0 > 0 && took >= 60 * Micros::SECOND).then(|| {
        part! { <span class="num" title="From the first message to the last">{span(took)}</span> }
    });
    part! { {took}{changes}{todos}{agents} }
}

/// The state, and where an agent posts by itself its last sign of life.
fn state(session: &Session, clock: &Clock) -> Part {
    let look = StateLook::of_session(session, clock.now);
    let motion = Motion::spins_if(session.state == SessionState::Working);
    let seen = session.heartbeat_at.map(|at| {
        part! { <span class="cap hide-mid" title="The agent's last activity">"seen "{moment(clock, at, "num")}</span> }
    });
    let quiet = session.state == SessionState::Quiet;
    let sign = match look.hint {
        hint if quiet => {
            let how = if hint.is_some() { "for " } else { "last message " };
            let hint = hint.map(|hint| part! { <span class="hide-narrow">{format!(". {hint}")}</span> });
            Some(part! { <span class="cap sign">{how}{moment(clock, session.last_activity_at, "num")}{hint}</span> })
        }
        Some(_) => {
            let at = session.heartbeat_at.unwrap_or(session.last_activity_at);
            Some(
                part! { <span class="cap hide-narrow">"seen "{moment(clock, at, "num")}": start its agent again"</span> },
            )
        }
        None => seen,
    };
    // The hooks' report is the reason for the state.
    let why = session.live.as_ref().map(|live| {
        part! { <span class="cap hide-narrow">{visible::line(&live.reason)}" "{moment(clock, live.at, "num")}</span> }
    });
    let sign = why.or(sign);
    part! { <span class="state" id="session-state" data-state=look.tag title=look.hint><Icon glyph=look.icon size=Size::Small motion/><span>{look.word}</span></span>{sign} }
}

fn spent(detail: &SessionDetail) -> Part {
    let usage = detail.session.usage;
    let words = format!(
        "Input {}, output {}, read from the cache {}, written to it {}",
        figures::count(usage.input),
        figures::count(usage.output),
        figures::count(usage.cache_read),
        figures::count(usage.cache_write)
    );
    let tokens = (usage.total() > 0).then(|| {
        part! { <span class="hide-mid num" title=words>{figures::tokens(usage.total())}" tokens"</span> }
    });
    let words = context::cost_words(&detail.cost);
    let cost =
        detail.cost.usd.map(|cost| part! { <span class="hide-mid num" title=words>{figures::dollars(cost)}</span> });
    let sum = detail.cost_with_sub_agents.as_ref().and_then(|sum| sum.usd);
    let sum = sum.map(|sum| {
        let words = format!("{} with sub-agents", figures::dollars(sum));
        part! { <span class="hide-mid num" title="Cost of this session and of its sub-agents">{words}</span> }
    });
    part! { {tokens}{cost}{sum} }
}

fn find_href(session: &Session) -> String {
    format!("{}?session={}", page_path::SEARCH, segment(session.id.as_str()))
}

fn menu(data: &SessionPageData) -> Part {
    let session = &data.detail.session;
    let page = session_href(session.id.as_str());
    let resume = data.detail.resume_command.clone().map(|command| {
        part! {
            <button type="button" class="menu-item" data-action=PageAction::Copy.name() data-text=command.clone() title=command>
                {icon(Glyph::TERM)}<span>"Copy the resume command"</span>
            </button>
        }
    });
    let dev = match data.dev {
        Dev::On => ("dev=0", "Leave the developer view"),
        Dev::Off => ("dev=1", "Developer view"),
    };
    let (only, printed) = (data.filter.filter.api_query(), data.filter.filter.page_query());
    let printed = format!("{page}/print{}", printed.replacen('&', "?", 1));
    let address = ExportSession.path([session.id.as_str()]);
    let export = |format: &str| format!("{address}?format={format}{only}");
    let whole = format!("{address}?format=original");
    // All of the session, whatever the filter shows.
    let archive = (only.is_empty() && data.may_export_originals).then(|| {
        part! { <a class="menu-item" href=export("jsonl") download="">{icon(Glyph::ARCHIVE)}<span>"Archive"</span></a> }
    });
    let original = (!data.detail.sources.is_empty() && data.may_export_originals).then(|| {
        part! { <a class="menu-item" href=whole download="">{icon(Glyph::FILE)}<span>"Original file"</span></a> }
    });
    let erase = (data.shell.role == PersonRole::Owner).then(|| {
        part! { <hr/><a class="menu-item" href=format!("{page}/erase")>{icon(Glyph::KEY)}<span>"Erase a text…"</span></a> }
    });
    let share = (data.shell.role == PersonRole::Owner).then(|| {
        part! { <a class="menu-item" href=format!("{page}/share")>{icon(Glyph::LINK)}<span>"Share a read-only link…"</span></a> }
    });
    let (pinned, archived) = (session.pinned_at.map(|_| ""), session.archived_at.map(|_| ""));
    // Where nothing more is said there is nothing to pause.
    let ongoing = (session.registered && session.ended_at.is_none()).then_some("");
    part! {
        <div id="session-menu" popover="auto" class="menu" data-session=session.id.as_str().to_owned() data-pinned=pinned data-archived=archived>
            <fieldset data-asks="" role="none">{manage()}</fieldset>
            <hr/>
            {super::levels::levels(data)}
            {resume}
            {data.shell.may_drive().then(|| part! { <a class="menu-item" href=format!("{page}/routing")>{icon(Glyph::BRANCH)}<span>"Routing and channels"</span></a> })}
            <button type="button" class="menu-item" data-action=PageAction::CopyViewLink.name()>{icon(Glyph::LINK)}<span>"Copy link to this view"</span></button>
            <button type="button" class="menu-item" data-action=PageAction::PauseOutput.name() data-ongoing=ongoing aria-pressed="false">{icon(Glyph::STOP)}<span>"Pause output"</span></button>
            <a class="menu-item only-narrow" href=find_href(session) data-action=PageAction::Find.name()>{icon(Glyph::SEARCH)}<span>"Find in this session"</span></a>
            <a class="menu-item only-narrow" href=format!("{page}?filter=1") data-action=PageAction::ToggleFilter.name()>{icon(Glyph::FILTER)}<span>"Filter messages"</span></a>
            <a class="menu-item only-narrow" data-action=PageAction::SetLevel.name() href=format!("{page}?{}", dev.0)>{icon(Glyph::CODE)}<span>{dev.1}</span></a>
            {share}
            <p class="menu-head">{if only.is_empty() { "Export" } else { "Export what the filter shows" }}</p>
            <a class="menu-item" href=printed>{icon(Glyph::PRINT)}<span>"Printable page"</span></a>
            <a class="menu-item" href=export("html") download="">{icon(Glyph::GLOBE)}<span>"HTML in one file"</span></a>
            <a class="menu-item" href=export("markdown") download="">{icon(Glyph::MARKDOWN)}<span>"Markdown"</span></a>
            <a class="menu-item" href=export("json") download="">{icon(Glyph::BRACES)}<span>"JSON"</span></a>
            {archive}
            {original}
            <a class="menu-item" href=format!("{page}/redacted")>{icon(Glyph::EYE)}<span>"Redacted…"</span></a>
            {erase}
            <fieldset data-asks="" role="none">{delete()}</fieldset>
        </div>
    }
}

/// Draws the actions on a session, for the menus of its page and its row. Of each pair the style shows one.
pub(crate) fn manage() -> Part {
    part! {
        {item(PageAction::Rename, Glyph::EDIT, "Rename")}
        {item(PageAction::Pin, Glyph::PIN, "Pin to the top")}
        {item(PageAction::Unpin, Glyph::PIN, "Unpin")}
        {item(PageAction::Archive, Glyph::ARCHIVE, "Archive")}
        {item(PageAction::Unarchive, Glyph::ARCHIVE, "Unarchive")}
    }
}

/// The last item of both menus, behind a line: what is deleted is gone after a while.
pub(crate) fn delete() -> Part {
    item(PageAction::Delete, Glyph::TRASH, "Delete")
}

fn item(action: PageAction, glyph: Glyph, words: &'static str) -> Part {
    part! { <button type="button" class="menu-item" data-action=action.name()>{icon(glyph)}<span>{words}</span></button> }
}
