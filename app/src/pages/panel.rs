//! The right panel of a session: changed files, todos now, sub-agents, requests to models, tools, events, records,
//! about. One tab is loaded at a time.

mod about;
mod agents;
mod changes;
pub(crate) mod context;
mod events;
mod records;
mod todos;
mod tools;
mod waterfall;

use about::copy_button;
pub(crate) use about::copy_line;
pub use context::{LISTED as REQUESTS, RUNS};
pub use events::{EVENTS, aligned};
pub use records::RECORDS;

use crate::clock::Clock;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shared::session_href;
use crate::shell::icon;
use api::cost::{ModelRequest, RunCost, SessionTools};
use api::inspector::{Records, SessionEvents, Waterfall};
use api::messages::{Changes, TodoState};
use api::sessions::SessionDetail;
use leptos::prelude::*;
use model::Session;

/// A tab, as `?panel=` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Changes,
    Todos,
    Agents,
    Context,
    Tools,
    Events,
    Records,
    About,
}

impl Tab {
    pub const ALL: [Self; 8] = [
        Self::Changes,
        Self::Todos,
        Self::Agents,
        Self::Context,
        Self::Tools,
        Self::Events,
        Self::Records,
        Self::About,
    ];

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.as_str() == word)
    }

    /// The tab that says most about a session, when the URL names none.
    pub fn for_session(session: &Session) -> Self {
        [Self::Changes, Self::Todos, Self::Agents].into_iter().find(|tab| tab.is_filled(session)).unwrap_or(Self::About)
    }

    /// Returns true if the session has data for this part.
    fn is_filled(self, session: &Session) -> bool {
        match self {
            Self::Changes => session.lines_added + session.lines_removed > 0,
            Self::Todos => !session.todos().is_empty(),
            Self::Agents => session.child_count > 0,
            Self::Context => session.usage.total() > 0,
            Self::Tools | Self::Events => session.last_seq > 0,
            // A registered session is posted, not read from a file.
            Self::Records => session.last_seq > 0 && !session.registered,
            Self::About => true,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Todos => "todos",
            Self::Changes => "changes",
            Self::Agents => "agents",
            Self::Context => "context",
            Self::Tools => "tools",
            Self::Events => "events",
            Self::Records => "records",
            Self::About => "about",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Todos => "Todos",
            Self::Changes => "Changes",
            Self::Agents => "Agents",
            Self::Context => "Context",
            Self::Tools => "Tools",
            Self::Events => "Events",
            Self::Records => "Records",
            Self::About => "About",
        }
    }
}

/// The loaded content of one tab.
#[derive(Debug, Clone)]
pub enum PanelData {
    Todos(TodoState),
    Changes(Changes),
    /// The sub-agents' sessions, oldest first.
    Agents(Vec<Session>),
    /// The last requests to models, by number; the last runs, and how many there are; with dev on also where the time
    /// of the requests went.
    Context {
        requests: Vec<ModelRequest>,
        runs: (Vec<RunCost>, i64),
        times: Option<Waterfall>,
    },
    Tools(SessionTools),
    /// The last events, or those before others.
    Events(SessionEvents),
    /// Lines of its files, from the first one of the message `at` on if it is named.
    Records {
        page: Records,
        at: Option<i64>,
    },
    About,
}

impl PanelData {
    fn tab(&self) -> Tab {
        match self {
            Self::Todos(_) => Tab::Todos,
            Self::Changes(_) => Tab::Changes,
            Self::Agents(_) => Tab::Agents,
            Self::Context { .. } => Tab::Context,
            Self::Tools(_) => Tab::Tools,
            Self::Events(_) => Tab::Events,
            Self::Records { .. } => Tab::Records,
            Self::About => Tab::About,
        }
    }
}

/// How many files a session changed, if it edited any: whatever tab is shown.
pub fn edited(changes: &Changes) -> Option<usize> {
    (!changes.files.is_empty()).then(|| changes::count(changes))
}

/// The inner HTML of `#panel`.
pub fn panel(detail: &SessionDetail, data: &PanelData, edited: Option<usize>, clock: &Clock) -> String {
    render(|| inner(detail, data, edited, clock))
}

/// The edits of one changed file. None if the session didn't change it.
pub fn edits(session: &Session, changes: &Changes, path: &str) -> Option<String> {
    let file = changes.files.iter().find(|file| file.path == path)?;
    Some(render(|| changes::edits(session, file)))
}

/// The changed files that the tab doesn't begin with.
pub fn more_files(session: &Session, changes: &Changes) -> String {
    render(|| changes::more(session, changes))
}

/// The events before those that the tab begins with.
pub fn more_events(session: &Session, page: &SessionEvents, clock: &Clock) -> String {
    render(|| events::more(session, page, clock))
}

/// The records behind those that the tab begins with.
pub fn more_records(session: &Session, page: &Records) -> String {
    render(|| records::more(session, page))
}

/// One record in full. None if the page has none.
pub fn record(page: &Records) -> Option<String> {
    page.records.first().map(|record| render(|| records::one(record)))
}

/// A part of a sub-agent's transcript, with the way to all of it.
pub fn nested(child: &Session, rows: String, earlier: i64) -> String {
    render(|| agents::nested(child, rows, earlier))
}

pub(crate) fn inner(detail: &SessionDetail, data: &PanelData, edited: Option<usize>, clock: &Clock) -> Part {
    let session = &detail.session;
    let selected = data.tab();
    // One that is empty isn't offered; an address may ask for it.
    let there = |tab: &Tab| {
        // Edits of which none was applied are there to be read, too.
        let is_edited = *tab == Tab::Changes && edited.is_some();
        is_edited || tab.is_filled(session) || *tab == selected
    };
    let tabs: Vec<_> = Tab::ALL.into_iter().filter(there).map(|tab| tab_link(session, tab, data, edited)).collect();
    let body = match data {
        PanelData::Todos(state) => todos::todos(session, state),
        PanelData::Changes(all) => changes::changes(session, all),
        PanelData::Agents(children) => agents::agents(children, clock),
        PanelData::Context { requests, runs, times } => context::context(detail, requests, runs, times.as_ref(), clock),
        PanelData::Tools(all) => tools::tools(all),
        PanelData::Events(page) => events::events(session, page, clock),
        PanelData::Records { page, at } => records::records(session, page, *at),
        PanelData::About => about::about(detail, clock),
    };
    // By which the tab is asked for again as the session goes on.
    let again = match data {
        PanelData::Records { at: Some(at), .. } => Some(format!("&at={at}")),
        _ => None,
    };
    part! {
        <div class="tabs">
            <h2 class="sr">"Details"</h2>
            <div class="tablist" role="tablist" aria-label="Details">{tabs}</div>
            <span class="sp"></span>
            <button type="button" class="btn quiet icon" data-action=PageAction::TogglePanel.name() title="Close">{icon(Glyph::X)}<span class="sr">"Close the details"</span></button>
        </div>
        <div class="panel-body" role="tabpanel" id="panel-body" tabindex="0" data-again=again aria-labelledby=format!("tab-{}", selected.as_str())>{body}</div>
    }
}

fn tab_link(session: &Session, tab: Tab, shown: &PanelData, edited: Option<usize>) -> Part {
    let here = tab == shown.tab();
    let todos = session.todos();
    let count = match tab {
        Tab::Changes => edited.filter(|files| *files > 0).map(|files| files.to_string()),
        Tab::Todos if !todos.is_empty() => Some(format!("{}/{}{}", todos.done, todos.whole(), todos.besides())),
        Tab::Agents if session.child_count > 0 => Some(session.child_count.to_string()),
        _ => None,
    };
    let badge = count.map(|count| part! { <span class="badge">{count}</span> });
    part! {
        <a role="tab" id=format!("tab-{}", tab.as_str()) data-tab=tab.as_str() aria-selected=here.to_string()
            aria-controls=here.then_some("panel-body") tabindex=if here { "0" } else { "-1" }
            href=format!("{}?panel={}", session_href(session.id.as_str()), tab.as_str())>
            {tab.label()}{badge}
        </a>
    }
}

/// Draws the empty state of a tab.
fn nothing(words: &'static str) -> Part {
    part! { <p class="cap none">{words}</p> }
}
