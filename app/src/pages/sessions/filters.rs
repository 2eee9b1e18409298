//! The filters: one plain GET form, which works without script and whose state is the URL.

use super::SessionsPage;
use crate::clock::Clock;
use crate::figures;
use crate::icon::Glyph;
use crate::names::project_name;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shell::{agent_name, icon, small_icon};
use crate::visible;
use api::machines::LOCAL;
use api::sessions::{Facet, ListSessions, Order, SessionShow, SessionSort};
use leptos::prelude::*;

/// Orders that the page offers, each with its natural direction.
const SORTS: [(SessionSort, &str, &str); 6] = [
    (SessionSort::Activity, "activity", "Last activity"),
    (SessionSort::Created, "created", "Start"),
    (SessionSort::Project, "project", "Project"),
    (SessionSort::Title, "title", "Title"),
    (SessionSort::Messages, "messages", "Messages"),
    (SessionSort::Tokens, "tokens", "Tokens"),
];

/// The page with this query.
pub fn href(query: &ListSessions) -> String {
    match serde_html_form::to_string(query) {
        Ok(query) if !query.is_empty() => format!("{}?{query}", page_path::SESSIONS),
        _ => page_path::SESSIONS.to_owned(),
    }
}

/// The text field, in the page's header.
pub fn text(query: &ListSessions) -> Part {
    part! {
        <label class="field filter-text">
            {icon(Glyph::SEARCH)}<span class="sr">"Filter sessions"</span>
            <input type="search" name="q" form="filters" id="find" dir="auto" autocomplete="off" placeholder="Filter by title, project or branch"
                value=query.q.clone().unwrap_or_default()/>
            <kbd class="hide-narrow">"/"</kbd>
        </label>
    }
}

/// Time, project, agent and order.
pub fn bar(data: &SessionsPage) -> Part {
    let query = &data.query;
    let facets = &data.list.facets;
    let filtered = query.q.is_some()
        || !query.project.is_empty()
        || !query.agent.is_empty()
        || !query.machine.is_empty()
        || query.show.is_some()
        || query.since.is_some()
        || query.until.is_some();
    let has_machines = facets.machines.len() > 1 || !query.machine.is_empty();
    // The island shows it when a filter is set in place.
    let clear = part! {
        <a class="btn quiet tiny" href=page_path::SESSIONS data-action=PageAction::ClearFilters.name() hidden=!filtered>{small_icon(Glyph::X)}"Clear"</a>
    };
    part! {
        <form class="subbar" id="filters" method="get" autocomplete="off" action=page_path::SESSIONS aria-label="Filters">
            {shows(data)}
            {behind_a_button()}
            <div id="filter-rest" popover="auto" class="menu rest">
                <span class="divider-v" aria-hidden="true"></span>
                {periods(query, &data.shell.clock)}
                <button type="button" class="btn quiet tiny" popovertarget="dates">{small_icon(Glyph::CLOCK)}"Dates"</button>
                {clear}
                <span class="sp"></span>
                {select("project", "Project", "Every project", &query.project, &facets.projects, |v| project_name(v, &facets.projects))}
                {select("agent", "Agent", "Every agent", &query.agent, &facets.agents, agent_name)}
                {has_machines.then(|| select("machine", "Machine", "Every machine", &query.machine, &facets.machines, machine_name))}
                {sort(query)}
            </div>
            <button type="button" class="btn quiet tiny icon" popovertarget="save-view" title="Save or copy this view">{small_icon(Glyph::LINK)}<span class="sr">"Save or copy this view"</span></button>
            <noscript><button type="submit" class="btn tiny">"Apply"</button></noscript>
        </form>
        {views(data)}
        <div id="dates" popover="auto" class="menu dates">
            <label class="label">"From"<span class="field"><input type="date" name="since" form="filters" value=day(query.since.as_deref())/></span></label>
            <label class="label">"To"<span class="field"><input type="date" name="until" form="filters" value=day(query.until.as_deref())/></span></label>
            <button type="submit" form="filters" class="btn">"Apply"</button>
        </div>
    }
}

/// The name of a machine, for people.
fn machine_name(name: &str) -> String {
    if name == LOCAL { "This server".to_owned() } else { visible::line(name) }
}

/// Opens the filters that have no room in the bar of a phone. Where there is room they stand in it.
pub(crate) fn behind_a_button() -> Part {
    part! { <button type="button" class="btn tiny only-narrow filters" popovertarget="filter-rest">{small_icon(Glyph::FILTER)}"Filters"</button> }
}

/// A date field takes days alone; a moment shows as its day.
fn day(text: Option<&str>) -> String {
    text.and_then(|t| t.get(..10)).unwrap_or_default().to_owned()
}

/// All, or one of the views.
fn shows(data: &SessionsPage) -> Part {
    let chip = |label: &'static str, show: Option<SessionShow>| {
        let here = data.query.show == show;
        let query = ListSessions { show, after: None, ..data.query.clone() };
        part! { <a class="chip" data-action=PageAction::FilterShow.name() aria-current=here.then_some("true") href=href(&query)>{label}</a> }
    };
    let word = data.query.show.map(|show| match show {
        SessionShow::NeedsYou => "needs_you",
        SessionShow::Pinned => "pinned",
        SessionShow::Archived => "archived",
    });
    part! {
        {chip("All", None)}
        {chip("Needs you", Some(SessionShow::NeedsYou))}
        {chip("Archived", Some(SessionShow::Archived))}
        {word.map(|word| part! { <input type="hidden" name="show" value=word/> })}
    }
}

/// Keeps the filters under a name, or copies their address.
fn views(data: &SessionsPage) -> Part {
    let saved: Vec<_> = data
        .shell
        .preferences
        .views
        .iter()
        .map(|view| {
            let words = format!("Delete the view {}", view.name);
            part! {
                <li><a class="cut" href=format!("{}?{}", page_path::SESSIONS, view.query)>{view.name.clone()}</a>
                    <button type="button" class="btn quiet tiny icon" data-forget=view.name.clone() title=words.clone()>{small_icon(Glyph::TRASH)}<span class="sr">{words.clone()}</span></button></li>
            }
        })
        .collect();
    part! {
        <div id="save-view" popover="auto" class="menu saved">
            <button type="button" class="menu-item" data-action=PageAction::CopyViewLink.name()>{icon(Glyph::LINK)}<span>"Copy link to this view"</span></button>
            <form class="save-form">
                <label class="label">"Save this view as"<span class="field"><input id="view-name" maxlength="80" required autocomplete="off"/></span></label>
                <button type="submit" class="btn">"Save"</button>
            </form>
            {(!saved.is_empty()).then(|| part! { <p class="menu-head">"Saved views"</p><ul role="list">{saved}</ul> })}
        </div>
    }
}

fn periods(query: &ListSessions, clock: &Clock) -> Part {
    let chip = |label: &'static str, since: Option<String>| {
        let here = query.since == since && query.until.is_none();
        let query = ListSessions { since, until: None, after: None, ..query.clone() };
        part! { <a class="chip" data-action=PageAction::FilterPeriod.name() aria-current=here.then_some("true") href=href(&query)>{label}</a> }
    };
    part! {
        {chip("Any time", None)}
        {chip("Today", Some(clock.days_ago(0)))}
        {chip("7 days", Some(clock.days_ago(6)))}
        {chip("30 days", Some(clock.days_ago(29)))}
    }
}

fn select(
    name: &'static str,
    label: &'static str,
    every: &'static str,
    chosen: &[String],
    facets: &[Facet],
    says: impl Fn(&str) -> String,
) -> Part {
    let known = facets.iter().map(|f| (f.value.clone(), Some(f.sessions)));
    // A value from the URL that no session has stays visible, so that the reader sees why the list is empty.
    let unknown = chosen.iter().filter(|c| facets.iter().all(|f| f.value != **c)).map(|c| (c.clone(), None));
    let options: Vec<_> = known
        .chain(unknown)
        .map(|(value, sessions)| {
            let count = sessions.map(|n| format!(" ({})", figures::count(n))).unwrap_or_default();
            let text = format!("{}{count}", says(&value));
            let here = chosen.first() == Some(&value);
            part! { <option value=value selected=here>{text}</option> }
        })
        .collect();
    part! {
        <label class="pick"><span class="sr">{label}</span>
            <select name=name><option value="">{every}</option>{options}</select>
        </label>
    }
}

fn sort(query: &ListSessions) -> Part {
    let chosen = query.sort.unwrap_or_default();
    let options: Vec<_> = SORTS
        .into_iter()
        .map(|(sort, value, label)| part! { <option value=value selected=sort == chosen>{label}</option> })
        .collect();
    let order = query.order.map(|order| {
        let value = if order == Order::Asc { "asc" } else { "desc" };
        part! { <input type="hidden" name="order" value=value/> }
    });
    // Without an order, words go from A to Z, and times and figures from the greatest down.
    let words_first = matches!(chosen, SessionSort::Title | SessionSort::Project);
    let ascends = query.order.map_or(words_first, |order| order == Order::Asc);
    let other = if ascends { Order::Desc } else { Order::Asc };
    let turned = ListSessions { order: Some(other), after: None, ..query.clone() };
    let words = if other == Order::Asc { "Sort ascending" } else { "Sort descending" };
    part! {
        <label class="pick"><span class="sr">"Sort by"</span><select name="sort">{options}</select></label>
        {order}
        <a class="btn quiet tiny icon" data-action=PageAction::FilterOrder.name() href=href(&turned) title=words>
            {small_icon(if other == Order::Asc { Glyph::UP } else { Glyph::DN })}<span class="sr">{words}</span>
        </a>
    }
}
