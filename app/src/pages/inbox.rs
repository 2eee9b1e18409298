//! Needs you: every open approval and question of all sessions, answered in place.
//!
//! Sessions that were active lately come first, the longest waiting first, so that what comes new stands behind what is
//! read already. `frontend::inbox` brings the rows up to date; what was decided meanwhile stays until the page is left.

mod row;

use crate::figures;
use crate::icon::Glyph;
use crate::pages::panel::copy_line;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon, install_button};
use api::messages::Asks;
use leptos::prelude::*;
use model::AssistantName;
use std::collections::{BTreeMap, BTreeSet};

/// Asks that the page begins with, and that each "Show more" adds.
pub const STEP: u32 = 20;
/// Asks that one page lists at most.
pub const MOST: u32 = 200;

/// Data of the inbox.
pub struct InboxPage {
    pub asks: Asks,
    /// How many of them were asked for.
    pub limit: u32,
    /// Signs of rows that the browser has already, and that come without content.
    pub known: BTreeSet<String>,
    /// Names of assistants, by session.
    pub assistants: BTreeMap<String, AssistantName>,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &InboxPage) -> String {
    shell::page(&data.shell, || Frame {
        title: "Needs you",
        place: NavItem::NeedsYou,
        skip: ("#asks", "Skip to the list"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

/// The parts of the page that change: rows, count, and what stands below the rows. `data-open` names all that is open,
/// also beyond the rows that are here.
pub fn list(data: &InboxPage) -> String {
    render(|| part! { <div id="asks" data-open=data.shell.asks.join(" ")>{rows(data)}</div>{count(data)}{below(data)} })
}

fn content(data: &InboxPage) -> Part {
    part! {
        <main class="main" id="main">
            <header class="bar">
                <div class="bar-title"><h1>"Needs you"</h1>{count(data)}</div>
                {install_button()}
                <button type="button" class="btn quiet" id="notify" data-action=PageAction::Notify.name() aria-pressed="false" hidden>"Notify me"</button>
            </header>
            <div class="scroll" id="scroller" tabindex="-1">
                <div class="inbox">
                    <div id="asks" tabindex="-1">{rows(data)}</div>
                    {below(data)}
                </div>
            </div>
        </main>
    }
}

fn rows(data: &InboxPage) -> Part {
    let lately = |ask: &&api::messages::Ask| row::is_lately(ask, &data.shell.clock);
    let (new, old): (Vec<_>, Vec<_>) = data.asks.asks.iter().partition(lately);
    let draw = |asks: Vec<&api::messages::Ask>| asks.into_iter().map(|ask| row::row(ask, data)).collect::<Vec<_>>();
    let heading = (!new.is_empty() && !old.is_empty())
        .then(|| part! { <h2 class="older" data-ask="older" data-sign="older">"Quiet for more than a day"</h2> });
    part! { {draw(new)}{heading}{draw(old)} }
}

fn count(data: &InboxPage) -> Part {
    let total = total(data);
    let sessions: BTreeSet<_> = data.asks.asks.iter().map(|ask| ask.entry.message.session_id.as_str()).collect();
    let words = match (total, data.asks.next.is_some()) {
        (0, _) => String::new(),
        (n, false) if sessions.len() > 1 => {
            format!("{} of {}", figures::counted(n, "request"), figures::counted(sessions.len() as i64, "session"))
        }
        (n, _) => figures::counted(n, "request"),
    };
    part! { <p class="meta" id="asks-count"><span>{words}</span></p> }
}

fn total(data: &InboxPage) -> i64 {
    data.asks.total.unwrap_or(data.asks.asks.len() as i64)
}

/// The way to more, or why there is nothing.
fn below(data: &InboxPage) -> Part {
    let shown = data.asks.asks.len() as i64;
    let inside = if total(data) == 0 {
        Some(nothing())
    } else if data.asks.next.is_some() {
        let says = format!("{} of {} shown", figures::count(shown), figures::count(total(data)));
        let more = (data.limit < MOST).then(|| {
            let limit = (data.limit + STEP).min(MOST);
            part! { <a class="btn" data-action=PageAction::MoreAsks.name() data-limit=limit.to_string() href=format!("{}?limit={limit}", page_path::INBOX)>"Show more"</a> }
        });
        Some(part! { <div class="way-on"><span class="cap num">{says}</span>{more}</div> })
    } else {
        None
    };
    part! { <div id="asks-below">{inside}</div> }
}

/// How requests come here, each with its command.
const WAYS: [(&str, &str); 3] = [
    ("Answer Claude Code's permission requests here", "verbatim hook install"),
    ("Run an agent from here", "verbatim run --agent claude \"Fix the failing test\""),
    ("Create a key for an agent that uses the API", "verbatim key create --name my-agent"),
];

fn nothing() -> Part {
    let ways: Vec<_> = WAYS
        .into_iter()
        .map(|(label, command)| part! { <section><h3>{label}</h3>{copy_line(command.to_owned())}</section> })
        .collect();
    part! {
        <div class="page narrow empty">
            <div class="pagehead">
                <h2>{icon(Glyph::DONE)}" Nothing needs you"</h2>
                <p>"When an agent asks for a permission or has a question, it appears here with its command or change. You answer it in place."</p>
            </div>
            <div class="ways">{ways}</div>
            <p class="after"><a class="link" href=page_path::SESSIONS>"All sessions"</a></p>
        </div>
    }
}
