//! The statistics page: history in numbers, as charts with their tables. It works without script; its state is the URL.

mod bucket;
pub mod budget;
mod chart;
mod tables;

use crate::clock::Clock;
use crate::figures;
use crate::icon::Glyph;
use crate::names::project_name;
use crate::pages::sessions::filters::behind_a_button;
use crate::part::{Part, part};
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, agent_name, icon};
use api::cost::Budgets;
use api::sessions::{Facet, Facets};
use api::stats::{Figures, Stats, StatsQuery};
use bucket::Bucket;
use chart::Measure;
use leptos::prelude::*;

pub struct StatsPage {
    pub stats: Stats,
    pub query: StatsQuery,
    pub budgets: Budgets,
    /// Filter values.
    pub facets: Facets,
    pub shell: ShellData,
}

/// The first day of everything.
const BEGINNING: &str = "1970-01-01";

/// Where to begin instead, the newest first, where nobody says from when on and the usual days hold nothing.
pub fn earlier(clock: &Clock) -> [String; 3] {
    [clock.days_ago(89), clock.days_ago(364), BEGINNING.to_owned()]
}

/// Days the wrong way round mean the time between them; what begins on a day to come is that day, without figures.
pub fn in_order(query: StatsQuery, today: &str) -> StatsQuery {
    match (&query.from, &query.to) {
        (Some(from), Some(to)) if from > to => StatsQuery { from: query.to, to: query.from, ..query },
        (Some(from), None) if from.as_str() > today => StatsQuery { to: query.from.clone(), ..query },
        _ => query,
    }
}

/// The whole page.
pub fn page(data: &StatsPage) -> String {
    shell::page(&data.shell, || Frame {
        title: "Statistics",
        place: NavItem::Stats,
        skip: ("#stats", "Skip to the figures"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

fn content(data: &StatsPage) -> Part {
    let stats = &data.stats;
    let buckets = bucket::buckets(stats);
    let span = match (buckets.first(), buckets.last()) {
        (Some(first), Some(last)) => format!("{} to {}", first.first_text(), last.to_text()),
        _ => format!("{} to {}", stats.from, stats.to),
    };
    let empty = stats.total == Figures::default();
    let budgets = budget::meters(&data.budgets);
    let body = if empty { nothing(data) } else { figures_view(stats, &buckets, &data.facets.projects) };
    part! {
        <main class="main" id="main">
            <header class="bar"><div class="bar-title"><h1>"Statistics"</h1><p class="meta"><span>{span}</span></p></div></header>
            {filters(data, buckets.first())}
            <div class="scroll" tabindex="-1"><div class="page stats" id="stats" tabindex="-1">{budgets}{body}</div></div>
        </main>
    }
}

fn figures_view(stats: &Stats, buckets: &[Bucket], projects: &[Facet]) -> Part {
    let charts: Vec<_> = Measure::ALL
        .into_iter()
        .filter(|measure| buckets.iter().any(|bucket| measure.of(&bucket.figures) > 0.0))
        .map(|measure| chart::chart(measure, buckets))
        .collect();
    part! {
        {tiles(&stats.total)}
        <div class="charts">{charts}</div>
        {tables::projects(&stats.projects, projects)}
        {tables::models(&stats.models)}
        {tables::tools(&stats.tools)}
    }
}

/// The sums, large.
fn tiles(total: &Figures) -> Part {
    let mut tiles = vec![
        ("Sessions", figures::count(total.sessions), "with those of sub-agents".to_owned()),
        ("Messages", figures::count(total.messages), String::new()),
        ("Tool calls", figures::count(total.tool_calls), String::new()),
        ("Tokens", figures::tokens(total.usage.total()), tables::tokens_in_words(total.usage)),
    ];
    if let Some(cost) = total.cost_usd {
        tiles.push(("Cost", figures::dollars(cost), cost_in_words(total)));
    }
    let tiles: Vec<_> = tiles
        .into_iter()
        .map(|(name, value, more)| {
            let more = (!more.is_empty()).then(|| part! { <dd class="cap">{more}</dd> });
            part! { <div><dt>{name}</dt><dd class="num">{value}</dd>{more}</div> }
        })
        .collect();
    part! { <dl class="tiles">{tiles}</dl> }
}

/// Where a cost is from, and what it lacks.
fn cost_in_words(total: &Figures) -> String {
    let computed = total.computed_usd.filter(|usd| *usd > 0.0);
    let all = figures::dollars(total.cost_usd.unwrap_or(0.0));
    let words =
        |usd: String| if usd == all { "at list prices".to_owned() } else { format!("{usd} of it at list prices") };
    let computed = computed.map(figures::dollars).map(words);
    let unpriced = (total.unpriced_tokens > 0)
        .then(|| format!("without {} tokens whose price is unknown", figures::tokens(total.unpriced_tokens)));
    computed.into_iter().chain(unpriced).collect::<Vec<_>>().join(", ")
}

/// Time, project and agent: a plain form, and links for the usual times.
fn filters(data: &StatsPage, first: Option<&Bucket>) -> Part {
    let query = &data.query;
    let clock = &data.shell.clock;
    let usual = clock.days_ago(29);
    let period = |label: &'static str, from: String| {
        let here = query.from.as_ref().unwrap_or(&usual) == &from && query.to.is_none();
        let from = Some(from);
        let query = StatsQuery { from, to: None, ..query.clone() };
        part! { <a class="chip" href=href(&query) aria-current=here.then_some("true")>{label}</a> }
    };
    let narrowed = *query != StatsQuery { from: query.from.clone(), ..StatsQuery::default() };
    let clear = narrowed.then(|| {
        part! { <a class="btn quiet tiny" href=page_path::STATISTICS>{shell::small_icon(Glyph::X)}"Clear"</a> }
    });
    // Everything begins where the charts do.
    let from = match (&query.from, first) {
        (Some(from), Some(first)) if from == BEGINNING => first.from.to_string(),
        (from, _) => from.clone().unwrap_or_default(),
    };
    let to = query.to.clone().unwrap_or_default();
    part! {
        <form class="subbar" id="stats-filters" method="get" autocomplete="off" action=page_path::STATISTICS aria-label="Filters">
            {period("7 days", clock.days_ago(6))}
            {period("30 days", clock.days_ago(29))}
            {period("90 days", clock.days_ago(89))}
            {period("1 year", clock.days_ago(364))}
            {period("All", BEGINNING.to_owned())}
            <button type="button" class="btn quiet tiny hide-narrow" popovertarget="dates">{shell::small_icon(Glyph::CLOCK)}"Dates"</button>
            {behind_a_button()}
            <div id="filter-rest" popover="auto" class="menu rest">
                <button type="button" class="btn quiet tiny only-narrow" popovertarget="dates">{shell::small_icon(Glyph::CLOCK)}"Dates"</button>
                {clear}
                <span class="sp"></span>
                {select("project", "Project", "Every project", &query.project, &data.facets.projects, |v| project_name(v, &data.facets.projects))}
                {select("agent", "Agent", "Every agent", &query.agent, &data.facets.agents, agent_name)}
                <noscript><button type="submit" class="btn tiny">"Show"</button></noscript>
            </div>
        </form>
        <div id="dates" popover="auto" class="menu dates">
            <label class="label">"From"<span class="field"><input type="date" name="from" form="stats-filters" value=from/></span></label>
            <label class="label">"To"<span class="field"><input type="date" name="to" form="stats-filters" value=to/></span></label>
            <button type="submit" form="stats-filters" class="btn">"Show"</button>
        </div>
    }
}

/// A choice of one value, or of all.
pub(crate) fn select(
    name: &'static str,
    label: &'static str,
    all: &'static str,
    chosen: &[String],
    facets: &[Facet],
    word: impl Fn(&str) -> String,
) -> Part {
    let options: Vec<_> = facets
        .iter()
        .map(|facet| {
            let here = chosen.contains(&facet.value);
            part! { <option value=facet.value.clone() selected=here>{word(&facet.value)}</option> }
        })
        .collect();
    part! {
        <label class="pick"><span class="sr">{label}</span>
            <select name=name><option value="">{all}</option>{options}</select></label>
    }
}

/// The page with this query.
fn href(query: &StatsQuery) -> String {
    match serde_html_form::to_string(query) {
        Ok(query) if !query.is_empty() => format!("{}?{query}", page_path::STATISTICS),
        _ => page_path::STATISTICS.to_owned(),
    }
}

fn nothing(data: &StatsPage) -> Part {
    let (words, to, glyph, link) = if data.shell.sessions == 0 {
        ("They begin with the first session.", page_path::FOLDERS, Glyph::FOLDER, "Choose folders")
    } else {
        ("No activity on these days matches the filters.", "/stats?from=1970-01-01", Glyph::CHART, "All days")
    };
    part! {
        <div class="pagehead"><h2>"No figures"</h2><p>{words}</p></div>
        <p class="actions"><a class="btn" href=to>{icon(glyph)}{link}</a></p>
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;
    use api::stats::StatsQuery;

    #[test]
    fn days_are_put_in_order() {
        let order = |from: &str, to: &str| {
            let day = |day: &str| (!day.is_empty()).then(|| day.to_owned());
            let query = StatsQuery { from: day(from), to: day(to), ..StatsQuery::default() };
            let StatsQuery { from, to, .. } = in_order(query, "2026-11-23");
            (from.unwrap_or_default(), to.unwrap_or_default())
        };
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(order("2026-05-01", "2026-01-01"), pair("2026-01-01", "2026-05-01"));
        assert_eq!(order("2030-01-01", ""), pair("2030-01-01", "2030-01-01"));
        assert_eq!(order("2026-11-23", ""), pair("2026-11-23", ""));
        assert_eq!(order("", "2026-01-01"), pair("", "2026-01-01"));
    }
}
