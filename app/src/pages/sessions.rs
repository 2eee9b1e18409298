//! The sessions page: who needs you, what is working, then everything by day.

mod ask;
pub(crate) mod filters;
mod group;
mod row;
mod select;

use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::pages::panel::copy_line;
use crate::pages::stats::budget::warning;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, Waiting, icon};
use api::cost::Budgets;
use api::imports::ImportJob;
use api::messages::Ask;
use api::sessions::{ListSessions, SessionPage, SessionShow, SessionSort};
use leptos::prelude::*;
use model::Session;

/// Sessions that the page begins with. More of them come as the reader gets near the end.
pub const FIRST: u32 = 40;
/// Rows that are drawn whole at once: as many as most windows show. Two hundred whole ones would be 5,000 elements.
const WHOLE_ROWS: usize = 18;

pub struct SessionsPage {
    pub list: SessionPage,
    /// Those at the top, where the list is about all.
    pub pinned: Vec<Session>,
    /// Requests of sessions that wait for a person.
    pub asks: Vec<Ask>,
    pub query: ListSessions,
    /// Imports that run now; finished ones are ignored.
    pub imports: Vec<ImportJob>,
    pub budgets: Budgets,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &SessionsPage) -> String {
    shell::page(&data.shell, || Frame {
        title: heading(data),
        place: NavItem::Sessions,
        skip: ("#sessions", "Skip to the list"),
        session: None,
        rail: Rail::Facets(&data.list.facets),
        content: content(data),
        layout: Layout::Main,
    })
}

/// The inner HTML of `#sessions`: banner, rows, the way on, or why there is nothing. At its end stands what the rail
/// counts, for the island to put there.
pub fn list(data: &SessionsPage) -> String {
    render(|| {
        let facets = shell::by_facet(&data.shell, &data.list.facets);
        part! {
            {list_view(data)}
            <div hidden data-rail="" data-sessions=figures::count(data.list.all)>{facets}</div>
        }
    })
}

fn heading(data: &SessionsPage) -> &'static str {
    match data.query.show {
        None => "Sessions",
        Some(SessionShow::NeedsYou) => "Needs you",
        Some(SessionShow::Pinned) => "Pinned",
        Some(SessionShow::Archived) => "Archived",
    }
}

fn new_session() -> Part {
    part! { <a class="btn primary" href=page_path::NEW_SESSION>{icon(Glyph::PLUS)}<span class="hide-narrow">"New session"</span><span class="sr only-narrow">"New session"</span></a> }
}

fn content(data: &SessionsPage) -> Part {
    part! {
        <main class="main" id="main">
            <header class="bar">
                <div class="bar-title sr-narrow">
                    <h1>{heading(data)}</h1>
                    <p class="meta"><span>{figures::counted(if data.query.show.is_some() { data.list.total } else { data.list.all }, "session")}</span></p>
                </div>
                {filters::text(&data.query)}
                {data.shell.may_drive().then(new_session)}
            </header>
            {filters::bar(data)}
            <div class="scroll flush" id="scroller" tabindex="-1">
                <div id="sessions" tabindex="-1">{list_view(data)}</div>
            </div>
            {select::bar(data)}
            {select::menu()}
        </main>
    }
}

fn list_view(data: &SessionsPage) -> Part {
    let running: Vec<_> = data.imports.iter().filter(|job| !job.done).map(import_line).collect();
    let extra = data.pinned.iter().filter(|pinned| data.list.sessions.iter().all(|session| session.id != pinned.id));
    let shown = data.list.sessions.len() + extra.count();
    let rows = if shown > 0 {
        groups(data)
    } else if data.query.show.is_some() {
        nothing_to_show(data)
    } else if data.list.all > 0 {
        nothing_matches()
    } else {
        nothing_yet(data, !running.is_empty())
    };
    part! {
        {consent(data)}
        {warning(&data.budgets)}
        {running}
        <p class="sr" id="sessions-count">{format!("{} of {}", shown, figures::counted(data.list.total, "session"))}</p>
        {rows}
        {(shown > 0).then(|| way_on(data))}
    }
}

fn groups(data: &SessionsPage) -> Part {
    let (clock, projects) = (&data.shell.clock, data.list.facets.projects.as_slice());
    let mut agents = data.list.sessions.iter().chain(&data.pinned).map(|session| &session.agent);
    let first = agents.next();
    let agents = agents.any(|agent| Some(agent) != first);
    let look = row::RowContext { clock, projects, agents, asks: &data.asks, said: data.list.said.as_ref() };
    let rest = data.list.sessions.iter().filter(|session| data.pinned.iter().all(|pinned| pinned.id != session.id));
    let groups = group::grouped(rest, data.query.sort.unwrap_or_default(), clock, projects);
    let mut distant = Vec::new();
    let mut before = 0;
    let groups: Vec<_> = group::pinned(&data.pinned)
        .into_iter()
        .chain(groups)
        .map(|group| {
            let whole = WHOLE_ROWS.saturating_sub(before);
            before += group.sessions.len();
            distant.extend(group.sessions.iter().skip(whole).map(|session| row::row(session, &look)));
            group_view(group, &look, whole)
        })
        .collect();
    let distant = (!distant.is_empty()).then(|| part! { <template data-rows="">{distant}</template> });
    part! { <div class="sessions">{groups}{distant}</div> }
}

/// `whole`: so many of its rows are drawn whole. The others have their place, with the title: `frontend::sessions` puts
/// them there as they come near the view.
fn group_view(group: group::Group<'_>, look: &row::RowContext<'_>, whole: usize) -> Part {
    let rows: Vec<_> = group
        .sessions
        .iter()
        .enumerate()
        .map(|(number, session)| if number < whole { row::row(session, look) } else { row::place(session) })
        .collect();
    let badge = if group.state == "needs" { "badge needs" } else { "badge" };
    part! {
        <h2 data-state=group.state>
            {shell::small_icon(group.icon)}{group.heading}
            <span class=badge>{group.sessions.len()}<span class="sr">{if group.sessions.len() == 1 { " session" } else { " sessions" }}</span></span>
        </h2>
        <ul role="list">{rows}</ul>
    }
}

/// How many are shown, and a link to more: a longer list up to 500, then the next page.
fn way_on(data: &SessionsPage) -> Part {
    let shown = i64::try_from(data.list.sessions.len()).unwrap_or(i64::MAX);
    let limit = data.query.limit.unwrap_or(FIRST);
    let more = data.list.next.clone().map(|next| {
        let query = if limit < 500 {
            ListSessions { limit: Some((limit + 100).min(500)), ..data.query.clone() }
        } else {
            ListSessions { after: Some(next), ..data.query.clone() }
        };
        part! { <a class="btn" data-action=PageAction::MoreSessions.name() href=filters::href(&query)>"Show more"</a> }
    });
    let first = data.query.after.is_some().then(|| {
        let query = ListSessions { after: None, limit: None, ..data.query.clone() };
        part! { <a class="btn quiet" href=filters::href(&query)>"Back to the newest"</a> }
    });
    let says = format!("{} of {} shown", figures::count(shown), figures::counted(data.list.total, "session"));
    part! { <div class="way-on"><span class="cap num">{says}</span>{first}{more}</div> }
}

fn consent(data: &SessionsPage) -> Option<Part> {
    let Waiting { folders, bytes } = data.shell.waiting;
    // With nothing imported at all the list's own words lead there.
    (folders > 0 && data.list.all > 0).then(|| {
        let size = figures::bytes(u64::try_from(bytes).unwrap_or(0));
        let says = format!("{} with sessions found, {size}, not read yet", figures::counted(folders, "folder"));
        part! {
            <div class="banner">{icon(Glyph::FOLDER)}<span class="cut">{says}</span><span class="sp"></span>
                <a class="btn tiny" href=page_path::FOLDERS>"Choose what to import"</a>
            </div>
        }
    })
}

/// A running import: what is done of what, with a bar.
pub(crate) fn import_line(job: &ImportJob) -> Part {
    let percent = (job.bytes_done.saturating_mul(100)).checked_div(job.bytes).unwrap_or(0).min(100);
    let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let says = format!(
        "{} of {}, {} of {}, {}",
        figures::count(whole(job.files_done)),
        figures::counted(whole(job.files), "file"),
        figures::bytes(job.bytes_done),
        figures::bytes(job.bytes),
        figures::counted(whole(job.messages), "message")
    );
    part! {
        <div class="banner" data-import=job.id>
            <span class="state" data-state="working">
                <Icon glyph=Glyph::WORK size=Size::Small motion=Motion::Spins/><span>"Importing"</span>
            </span>
            <span class="meter" role="progressbar" aria-label="Import" aria-valuenow=percent.to_string() aria-valuemin="0" aria-valuemax="100">
                <span class="bar-fill" data-state="working" style=format!("--v:{percent}")></span>
            </span>
            <span class="cut num mut">{says}</span>
        </div>
    }
}

/// A view without a session.
fn nothing_to_show(data: &SessionsPage) -> Part {
    let (heading, words) = match data.query.show {
        Some(SessionShow::NeedsYou) => {
            ("Nothing needs you", "Sessions whose agents wait for an approval or an answer are listed here.")
        }
        Some(SessionShow::Archived) => (
            "The archive is empty",
            "Archived sessions are listed here instead of in the main list. Search still finds them.",
        ),
        _ => ("Nothing is pinned", "A session that you pin stays at the top of the list."),
    };
    part! {
        <div class="page narrow empty">
            <div class="pagehead"><h2>{heading}</h2><p>{words}</p></div>
            <div class="actions"><a class="btn" href=page_path::SESSIONS data-action=PageAction::ClearFilters.name()>"All sessions"</a></div>
        </div>
    }
}

fn nothing_matches() -> Part {
    part! {
        <div class="page narrow empty">
            <div class="pagehead"><h2>"No session matches"</h2>
                <p>"No session matches all of these filters."</p></div>
            <div class="actions"><a class="btn" href=page_path::SESSIONS data-action=PageAction::ClearFilters.name()>"Clear the filters"</a>
                <a class="btn quiet" href=page_path::SEARCH>"Search inside the sessions"</a></div>
        </div>
    }
}

fn nothing_yet(data: &SessionsPage, importing: bool) -> Part {
    let waiting = data.shell.waiting.folders > 0;
    let (heading, words) = if importing {
        ("The first sessions are being read", "They appear here as soon as they are read.")
    } else if waiting {
        (
            "Nothing imported yet",
            "Sessions of your agents were found on this machine. Nothing is read without your consent.",
        )
    } else {
        ("No sessions yet", "Sessions of your agents are listed here as soon as one starts, or is imported.")
    };
    let choose = (!importing && waiting).then(
        || part! { <div class="actions"><a class="btn primary" href=page_path::FOLDERS>"Choose what to import"</a></div> },
    );
    let ways = (!importing && !waiting).then(|| {
        let ways: Vec<_> = WAYS
            .into_iter()
            .map(|(label, command)| part! { <section><h3>{label}</h3>{copy_line(command.to_owned())}</section> })
            .collect();
        part! {
            <div class="ways">{ways}</div>
            <p class="after"><a class="link" href=page_path::FOLDERS>"Folders that are followed"</a></p>
        }
    });
    part! {
        <div class="page narrow empty" id="no-sessions"><div class="pagehead"><h2>{heading}</h2><p>{words}</p></div>{choose}{ways}</div>
    }
}

/// How sessions come here, each with its command.
const WAYS: [(&str, &str); 3] = [
    ("Import the transcripts of a folder", "verbatim import ~/.claude/projects"),
    ("Create a key for an agent that posts by itself", "verbatim key create --name my-agent"),
    ("Or send a first message now", "verbatim send \"Hello from my shell\""),
];

/// Returns true if the list is ordered by time, so that it can be grouped by day.
pub(crate) fn by_time(sort: SessionSort) -> bool {
    matches!(sort, SessionSort::Activity | SessionSort::Created)
}
