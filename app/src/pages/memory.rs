//! The memory page: shows, searches and forgets memories.

use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::names::title;
use crate::pages::search::refused;
use crate::part::{Part, part};
use crate::send::send;
use crate::shared::form::Then;
use crate::shared::message_id_href;
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon};
use crate::visible;
use api::Problem;
use api::contract::{EmbedMemory, ForgetMemoryEndpoint};
use api::memory::{ForgetMemory, FoundBy, MemoryPage, MemoryQuery, Recalled, VectorState};
use leptos::prelude::*;

pub struct MemoryPageData {
    pub query: MemoryQuery,
    /// The recalled memories. An invalid query is shown in place.
    pub result: Result<MemoryPage, Problem>,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &MemoryPageData) -> String {
    shell::page(&data.shell, || Frame {
        title: "Memory",
        place: NavItem::Memory,
        skip: ("#memories", "Skip to the memories"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

fn href(query: &MemoryQuery) -> String {
    match serde_html_form::to_string(query) {
        Ok(query) if !query.is_empty() => format!("{}?{query}", page_path::MEMORY),
        _ => page_path::MEMORY.to_owned(),
    }
}

fn content(data: &MemoryPageData) -> Part {
    let found = match &data.result {
        Err(problem) => refused(problem),
        Ok(page) if page.memories.is_empty() => nothing(data, page),
        Ok(page) => memories(data, page),
    };
    let state = data.result.as_ref().ok().map(state);
    let q = data.query.q.clone().unwrap_or_default();
    part! {
        <main class="main" id="main">
            <header class="bar"><div class="bar-title"><h1>"Memory"</h1></div></header>
            <div class="scroll" tabindex="-1"><div class="page">
            <form role="search" id="memory-search" class="search-head" method="get" autocomplete="off" action=page_path::MEMORY>
                <label class="field large">{icon(Glyph::SEARCH)}<span class="sr">"Search memories"</span>
                    <input type="search" name="q" id="find" dir="auto" autocomplete="off" value=q/>
                    <kbd class="hide-narrow">"/"</kbd></label>
                <div class="cap search-line">{state}</div>
            </form>
            <div id="memories" tabindex="-1">{found}</div>
        </div></div>
        <dialog id="forget-all" class="ask" aria-labelledby="forget-title">
            <form method="dialog">
                <h2 id="forget-title">"Forget everything?"</h2>
                <p>"All memories and their vectors are deleted permanently. The messages stay in their sessions."</p>
                <div class="actions"><button type="submit" class="btn" value="">"Keep"</button>
                    <button type="submit" class="btn deny" value="forget">"Forget all"</button></div>
            </form>
        </dialog></main>
    }
}

/// How much is remembered, and how far meanings can be compared.
fn state(page: &MemoryPage) -> Part {
    let total = match page.total {
        1 => "1 memory".to_owned(),
        many => format!("{} memories", figures::count(many)),
    };
    let model = page.model.as_deref().map(visible::line).unwrap_or_default();
    let (words, failed) = match page.vectors {
        VectorState::Off => ("Found by words. No embedding endpoint is set up.".to_owned(), false),
        VectorState::Ready => (format!("Found by words and by meaning ({model})."), false),
        VectorState::Pending => {
            let (some, all) = (figures::count(page.embedded), figures::count(page.total));
            (format!("Found by words and by meaning ({model}): {some} of {all} have a vector so far."), false)
        }
        VectorState::Failing => {
            let why = page.error.as_deref().map(visible::line).unwrap_or_default();
            (format!("Found by words only, because {model} fails. {why}"), true)
        }
    };
    let embed = (page.vectors != VectorState::Off).then(|| {
        part! { <button type="button" class="btn quiet tiny for-owners" {..send(EmbedMemory, []).done("").then(Then::Reload).attributes()} title="Computes all vectors again, for example after a change of the model">{shell::small_icon(Glyph::REFRESH)}"Recompute vectors"</button> }
    });
    let forget = (page.total > 0).then(|| {
        part! { <button type="button" class="btn quiet tiny for-owners" {..send(ForgetMemoryEndpoint, []).with(&ForgetMemory { all: true, ..ForgetMemory::default() }).done("").then(Then::Reload).confirm("forget-all").attributes()}>{shell::small_icon(Glyph::TRASH)}"Forget all"</button> }
    });
    let mark = failed.then(|| shell::small_icon(Glyph::FAIL));
    part! {
        <span class="num" role="status"><b>{total}</b></span><span>{mark}{words}</span><span class="sp"></span>{embed}{forget}
    }
}

fn memories(data: &MemoryPageData, page: &MemoryPage) -> Part {
    let rows: Vec<_> = page.memories.iter().map(|memory| row(memory, &data.shell.clock)).collect();
    let older = page.next.clone().map(|next| {
        let query = MemoryQuery { after: Some(next), ..data.query.clone() };
        part! { <a class="btn" href=href(&query)>"Show older"</a> }
    });
    let back = data.query.after.is_some().then(|| {
        let query = MemoryQuery { after: None, ..data.query.clone() };
        part! { <a class="btn quiet" href=href(&query)>"Back to the newest"</a> }
    });
    let ways = (older.is_some() || back.is_some()).then(|| part! { <div class="actions">{back}{older}</div> });
    part! { <ul class="memories" role="list">{rows}</ul>{ways} }
}

fn row(memory: &Recalled, clock: &Clock) -> Part {
    let to = message_id_href(&memory.session_id, memory.seq, &memory.message_id);
    let by: Vec<_> = memory
        .found_by
        .iter()
        .map(|by| match by {
            FoundBy::Words => part! { <span class="chip" title="It contains words of your query">"words"</span> },
            FoundBy::Meaning => {
                part! { <span class="chip" title="Its meaning is close to your query">"meaning"</span> }
            }
        })
        .collect();
    let short = model::text::one_line(&memory.text, 60);
    let (session, message) = (Some(memory.session_id.clone()), Some(memory.message_id.clone()));
    let this = ForgetMemory { session, message, all: false };
    part! {
        <li class="memory" data-row="">
            <p class="memory-text" dir="auto">{visible::html(&memory.text).into_view()}</p>
            <div class="cap">
                <a class="cut" dir="auto" href=to title="Show it in its session">{title(&memory.session_title)}</a>
                {moment(clock, memory.created_at, "num")}{by}<span class="sp"></span>
                <button type="button" class="btn quiet tiny for-owners" {..send(ForgetMemoryEndpoint, []).with(&this).done("Forgotten").then(Then::TakeRow).attributes()}>
                    {shell::small_icon(Glyph::TRASH)}"Forget"<span class="sr">{format!(": {}", visible::line(&short))}</span></button>
            </div>
        </li>
    }
}

fn nothing(data: &MemoryPageData, page: &MemoryPage) -> Part {
    let q = data.query.q.as_deref().filter(|q| !q.trim().is_empty());
    match q {
        Some(q) if page.total > 0 => part! {
            <div class="pagehead"><h2>{format!("No memory matches \u{201c}{}\u{201d}", visible::line(q))}</h2>
                <p>"The search finds memories with any of the words. Try other words."</p></div>
            <div class="actions"><a class="btn" href=page_path::MEMORY>"Show all memories"</a></div>
        },
        _ => part! {
            <div class="pagehead"><h2>"No memories yet"</h2>
                <p>"Messages that people write to agents are remembered, but not those of agents, tools or the system. Agents can search them with the tool \u{201c}recall\u{201d}."</p></div>
        },
    }
}
