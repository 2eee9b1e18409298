//! Search over all history: a query, filters, hits by session.

mod filters;
mod hits;

use crate::figures;
use crate::icon::Glyph;
use crate::names::title;
use crate::part::{Part, part};
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon};
use api::Problem;
use api::search::{SearchPage, SearchQuery};
use api::sessions::{Facets, SessionRef};
use leptos::prelude::*;
use std::collections::BTreeMap;

pub struct SearchPageData {
    pub query: SearchQuery,
    /// The results; None for an empty query. An invalid query is shown in place.
    pub result: Option<Result<SearchPage, Problem>>,
    pub facets: Facets,
    /// Names of assistants, by session.
    pub assistants: BTreeMap<String, String>,
    /// The session that the search is limited to.
    pub session: Option<SessionRef>,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &SearchPageData) -> String {
    let words = match data.query.q.trim() {
        "" => data.query.file.as_ref().map_or_else(|| "History".to_owned(), |file| format!("{file} - History")),
        words => format!("{words} - History"),
    };
    shell::page(&data.shell, || Frame {
        title: &words,
        place: NavItem::Search,
        skip: ("#results", "Skip to the results"),
        session: None,
        rail: Rail::Facets(&data.facets),
        content: content(data),
        layout: Layout::Main,
    })
}

/// The query as it is meant: `file:lib.rs` among the words is a part of a path.
pub fn read(query: SearchQuery) -> SearchQuery {
    let mut file = query.file.clone();
    let mut named = |word: &&str| match word.strip_prefix("file:").filter(|path| !path.is_empty()) {
        Some(path) => {
            file = Some(path.to_owned());
            false
        }
        None => true,
    };
    let words: Vec<&str> = query.q.split_whitespace().filter(&mut named).collect();
    // Words stay as they were typed where no path is among them.
    let q = if file == query.file { query.q.clone() } else { words.join(" ") };
    SearchQuery { q, file, ..query }
}

/// The page with this query.
pub(crate) fn href(query: &SearchQuery) -> String {
    match serde_html_form::to_string(query) {
        Ok(query) if !query.is_empty() => format!("{}?{query}", page_path::SEARCH),
        _ => page_path::SEARCH.to_owned(),
    }
}

fn content(data: &SearchPageData) -> Part {
    let found = match &data.result {
        None => start(data),
        Some(Err(problem)) => refused(problem),
        Some(Ok(page)) if page.hits.is_empty() => nothing(data),
        Some(Ok(page)) => hits::hits(data, page),
    };
    let within = data.session.as_ref().map(|session| {
        let without = SearchQuery { session: None, after: None, ..data.query.clone() };
        part! {
            <a class="chip" href=href(&without) title="Search all sessions again">
                <span class="sr">"Only in "</span><span class="cut" dir="auto">{title(&session.title)}</span><crate::icon::Icon glyph=Glyph::X size=crate::icon::Size::Small/><span class="sr">"Remove"</span>
            </a>
            <input type="hidden" name="session" value=session.id.clone()/>
        }
    });
    part! {
        <main class="main" id="main">
            <header class="bar"><div class="bar-title"><h1>"Search the history"</h1></div></header>
            <div class="scroll" tabindex="-1"><div class="page">
            <form role="search" id="search" class="search-head" method="get" autocomplete="off" action=page_path::SEARCH>
                <label class="field large">{icon(Glyph::SEARCH)}<span class="sr">"Search the history"</span>
                    <input type="search" name="q" id="find" dir="auto" autocomplete="off" autofocus=data.result.is_none() value=data.query.q.clone()/>
                    <kbd class="hide-narrow">"/"</kbd></label>
                <div class="cap search-line">{within}{says(data)}</div>
                // Enter sends a form of several fields by its button alone.
                <button type="submit" hidden="">"Search"</button>
            </form>
            <div class="beside">
                {filters::filters(data)}
                <div id="results" tabindex="-1">{found}</div>
            </div>
        </div></div></main>
    }
}

fn says(data: &SearchPageData) -> Option<Part> {
    let page = data.result.as_ref()?.as_ref().ok()?;
    let at_least = if page.total_is_floor { "At least " } else { "" };
    let hits = figures::counted(page.total, "hit");
    let shown = i64::try_from(page.hits.len()).unwrap_or(0);
    let part = (shown < page.total).then(|| format!(", {} shown", figures::count(shown)));
    Some(
        part! { <span class="num" role="status"><b>{at_least}{hits}</b>{part}</span><span class="sp"></span><span>"Newest first"</span> },
    )
}

fn start(data: &SearchPageData) -> Part {
    let all = figures::counted(data.shell.sessions, "session");
    part! {
        <div class="pagehead"><h2>{format!("Search in {all}")}</h2>
            <p>"Prompts, answers, code edits, commands and their output. All words must occur; the last one can be the beginning of a word. "<code>"file:lib.rs"</code>" finds the edits of a file by its name or a part of its path."</p></div>
        <section id="recent-searches" class="recent-searches" hidden><h3>"Recent searches on this device"</h3><ul role="list"></ul></section>
    }
}

pub(super) fn refused(problem: &Problem) -> Part {
    part! {
        <div class="callout" data-state="failed" role="alert">{icon(Glyph::FAIL)}
            <div><b>{problem.title.clone()}</b>{problem.hint.clone().map(|hint| part! { <p class="mut">{hint}</p> })}</div></div>
    }
}

fn nothing(data: &SearchPageData) -> Part {
    let q = &data.query;
    // One of the two is what is looked for.
    let (words, file) = if q.q.trim().is_empty() { ("", q.file.clone()) } else { (q.q.as_str(), None) };
    let wide = SearchQuery { q: words.to_owned(), file: file.clone(), ..SearchQuery::default() };
    let filtered = *q != SearchQuery { limit: q.limit, ..wide.clone() };
    let wider = filtered.then(|| {
        part! { <div class="actions"><a class="btn" href=href(&wide)>"Search everywhere"</a></div> }
    });
    let hint = if filtered { "Not with these filters." } else { "Try fewer words, or the beginning of a word." };
    part! { <div class="pagehead"><h2>{format!("Nothing found for \u{201c}{}\u{201d}", file.as_deref().unwrap_or(words))}</h2><p>{hint}</p></div>{wider} }
}
