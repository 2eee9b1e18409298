//! The session page: header, transcript, panel. The transcript comes as HTML of whole chunks; the island `Transcript`
//! loads the others as the reader gets near them.

pub mod filter;
mod find_bar;
pub(crate) mod header;
mod landmarks;
mod levels;

use crate::clock::Clock;
use crate::html::Html;
use crate::icon::Glyph;
use crate::islands::agent_bar::AgentBar;
use crate::islands::composer::Composer;
use crate::names::{project_name, title};
use crate::pages::panel::{self, PanelData};
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shared::session_href;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, small_icon};
use crate::transcript::{Child, Verbosity};
use api::driving::{AgentAbility, AgentHolder, DrivenAgent};
use api::sessions::{Facet, SessionDetail};
use leptos::prelude::*;

pub use crate::shared::window::CHUNK;
pub use filter::FilterData;

/// Whether messages that the dev toggle hides are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dev {
    On,
    Off,
}

/// The right panel, as the URL asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelState {
    /// Nothing asked: open where there is room for it.
    WhereItFits,
    Open,
    Closed,
}

impl PanelState {
    /// Reads `?panel=`.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            None => Self::WhereItFits,
            Some("closed") => Self::Closed,
            Some(_) => Self::Open,
        }
    }
}

pub struct SessionPageData {
    pub detail: SessionDetail,
    /// Its agent, where the server started it.
    pub agent: Option<DrivenAgent>,
    /// Index and HTML of the chunks that the page begins with, in order and without a hole: the last ones, or those
    /// around `at`.
    pub chunks: Vec<(i64, String)>,
    pub dev: Dev,
    pub verbosity: Verbosity,
    pub filter: FilterData,
    /// The reader may export the bytes of transcripts.
    pub may_export_originals: bool,
    /// The tab that is shown, loaded.
    pub panel: PanelData,
    /// Files that it changed, see [`panel::edited`].
    pub edited: Option<usize>,
    pub panel_state: PanelState,
    /// The `seq` that the page opens at; the end if absent.
    pub at: Option<i64>,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &SessionPageData) -> String {
    let session = &data.detail.session;
    let project = project_name(&session.project, &data.shell.projects);
    let title = title(&session.title);
    let names = [project.as_str(), &*title];
    let words = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" - ");
    shell::page(&data.shell, || Frame {
        title: &words,
        place: NavItem::Session,
        skip: ("#transcript", "Skip to the transcript"),
        session: Some(session.id.as_str().to_owned()),
        rail: Rail::Recent { open: Some(session.id.as_str()) },
        content: content(data),
        layout: Layout::MainAndPanel { open: data.panel_state != PanelState::Closed },
    })
}

/// The inner HTML of `#session-head`, which follows the session.
pub fn head(detail: &SessionDetail, projects: &[Facet], clock: &Clock) -> String {
    render(|| header::head(detail, projects, clock))
}

fn content(data: &SessionPageData) -> Part {
    let open = (data.panel_state == PanelState::Open).then_some("");
    part! {
        <main class="main" id="main">
            {header::header(data)}
            {transcript(data)}
            {dock(data)}
            <div class="panel-edge" id="panel-edge" role="separator" aria-orientation="vertical" aria-label="Width of the details" aria-controls="panel" aria-valuenow="372" tabindex="0"></div>
        </main>
        <aside class="panel" id="panel" aria-label="Session details" data-open=open>
            {panel::inner(&data.detail, &data.panel, data.edited, &data.shell.clock)}
        </aside>
    }
}

/// Where a person writes to the agent. A session that is read from a file has nobody who would hear, until it goes on
/// here.
fn dock(data: &SessionPageData) -> Option<Part> {
    if !data.shell.may_drive() {
        return None;
    }
    let session = &data.detail.session;
    let bar = data.agent.clone().map(|agent| part! { <AgentBar agent=agent/> });
    let writes = data.agent.as_ref().is_some_and(|agent| agent.can(AgentAbility::Write));
    let way = match data.agent.as_ref().and_then(|agent| agent.held_by) {
        Some(AgentHolder::Terminal) if writes => "The terminal gets it as a note",
        Some(AgentHolder::Both) => "The terminal gets it after the turn",
        _ => "The agent gets it with its next call",
    };
    if !session.registered && !writes {
        return bar.or_else(|| elsewhere(&data.detail)).map(|bar| part! { <div class="dock">{bar}</div> });
    }
    Some({
        part! {
            <div class="dock">
                <div class="strip waits" id="waiting" role="status" hidden>
                    <span class="state" data-state="needs">{small_icon(Glyph::NEEDS)}<span></span></span><span class="cut mut"></span>
                    <span class="sp"></span><button type="button" class="btn tiny">"Show"</button>
                </div>
                {bar}
                <Composer session=session.id.as_str().to_owned() agent=data.detail.assistant.name.clone() way=way.to_owned()/>
            </div>
        }
    })
}

/// Where the agent of a transcript is answered, and how it goes on there.
fn elsewhere(detail: &SessionDetail) -> Option<Part> {
    let command = detail.resume_command.clone()?;
    Some(part! {
        <div class="strip">
            {small_icon(Glyph::TERM)}<span class="cut mut">"Read from a transcript: its agent is answered in its own terminal"</span>
            <span class="sp"></span>
            <button type="button" class="btn tiny" data-action=PageAction::Copy.name() data-text=command.clone() title=command>"Copy the resume command"</button>
        </div>
    })
}

fn transcript(data: &SessionPageData) -> Part {
    let session = &data.detail.session;
    let chunks: Vec<_> = data.chunks.iter().map(|(n, html)| chunk(*n, html.clone())).collect();
    let stick = data.at.is_none().then_some("end");
    let empty = (session.last_seq == 0).then(|| {
        let words = if Child::is_missing(session) {
            "Transcript not found: this sub-agent's file isn't on this machine. Its call has its prompt and its answer."
        } else {
            "No message yet. The first one appears here as soon as it is written."
        };
        part! { <p class="cap none">{words}</p> }
    });
    let blank = session.last_seq > 0 && data.filter.is_blank();
    let feed = (session.last_seq > 0 && !blank).then_some("feed");
    let filtered = !data.filter.filter.is_empty();
    let holds = filtered.then(|| data.filter.holds.iter().map(i64::to_string).collect::<Vec<_>>().join(" "));
    let (earlier, later) = beyond(data);
    // Rows that aren't near the view aren't in the document: paper would pass over them without a word.
    let whole = format!("{}/print", session_href(session.id.as_str()));
    part! {
        <div class="reader">
            <p class="only-print">"This is the part of the session that was open. The whole session is on its printable page: "{whole}</p>
            {filter::bar(data)}
            {find_bar::find_bar(session.id.as_str())}
            <div class="reading">
            {landmarks::sticky_prompt()}
            <div class="scroll" id="transcript" tabindex="0" data-stick=stick data-last-seq=session.last_seq data-at=data.at data-holds=holds>
            {way(data, earlier, "Earlier messages", Glyph::UP)}
            <div class="column" role=feed aria-label=feed.map(|_| "Transcript") aria-busy="false">{chunks}</div>
            {empty}
            {blank.then(|| filter::blank(data))}
            {way(data, later, "Later messages", Glyph::DN)}
            <button type="button" class="pill" id="new-messages" hidden>{small_icon(Glyph::DN)}<span></span></button>
            </div>
            {landmarks::minimap()}
            </div>
        </div>
    }
}

/// Wraps the rows of a chunk in their section of the column.
fn chunk(n: i64, rows: String) -> Part {
    part! { <section class="chunk" data-chunk=n.to_string()>{Html::rendered(rows).into_view()}</section> }
}

/// Returns the HTML of several chunks, each in its section, as the page holds them.
pub fn sections(chunks: Vec<(i64, String)>) -> String {
    chunks.into_iter().map(|(n, rows)| render(|| chunk(n, rows))).collect()
}

/// A place among the messages before those that the page begins with, and one among those after them.
fn beyond(data: &SessionPageData) -> (Option<i64>, Option<i64>) {
    let (first, last) = (data.chunks.first().map(|(n, _)| *n), data.chunks.last().map(|(n, _)| *n));
    if data.filter.filter.is_empty() {
        let later = last.map(|n| (n + 1) * CHUNK + 1).filter(|seq| *seq <= data.detail.session.last_seq);
        return (first.map(|n| n * CHUNK).filter(|seq| *seq > 0), later);
    }
    let begins = |n: &i64| n * CHUNK + 1;
    let earlier = first.and_then(|first| data.filter.holds.iter().rfind(|n| **n < first));
    let later = last.and_then(|last| data.filter.holds.iter().find(|n| **n > last));
    (earlier.map(begins), later.map(begins))
}

/// A plain link to what isn't loaded, for readers without script. The island takes it away.
fn way(data: &SessionPageData, seq: Option<i64>, label: &'static str, glyph: Glyph) -> Option<Part> {
    let dev = if data.dev == Dev::On { "&dev=1" } else { "" };
    let filter = data.filter.filter.page_query();
    let to = format!("{}?at={}{dev}{filter}", session_href(data.detail.session.id.as_str()), seq?);
    Some(part! { <p class="way" data-way=""><a class="btn quiet" href=to>{small_icon(glyph)}{label}</a></p> })
}
