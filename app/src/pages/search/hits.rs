//! Hits, by session, in the order in which the sessions were found.

use super::{SearchPageData, href};
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::{Glyph, Icon};
use crate::names::last_part;
use crate::part::{Part, part};
use crate::shell::{agent_name, session_href, small_icon};
use api::search::{Hit, SearchPage, SearchQuery, Snippet};
use leptos::prelude::*;
use model::Role;

pub fn hits(data: &SearchPageData, page: &SearchPage) -> Part {
    let mut sessions: Vec<(&str, Vec<&Hit>)> = Vec::new();
    for hit in &page.hits {
        match sessions.iter_mut().find(|(id, _)| *id == hit.session_id) {
            Some((_, hits)) => hits.push(hit),
            None => sessions.push((&hit.session_id, vec![hit])),
        }
    }
    let sections: Vec<_> = sessions.iter().filter_map(|(_, hits)| section(hits, &data.shell.clock)).collect();
    let more = page.next.clone().map(|next| {
        let query = SearchQuery { after: Some(next), ..data.query.clone() };
        part! { <div class="actions"><a class="btn" href=href(&query)>"Show more"</a></div> }
    });
    part! { <div class="hits">{sections}</div>{more} }
}

fn section(hits: &[&Hit], clock: &Clock) -> Option<Part> {
    let first = hits.first()?;
    let rows: Vec<_> = hits.iter().map(|hit| row(hit, clock)).collect();
    let count = figures::counted(i64::try_from(hits.len()).unwrap_or(0), "hit");
    Some(part! {
        <section>
            <h2>{small_icon(Glyph::COMMENT)}
                <a href=session_href(&first.session_id) class="cut" title=first.session_title.clone()>{first.session_title.clone()}</a>
                <span class="cap hide-narrow" title=first.project.clone()>{last_part(&first.project).to_owned()}</span>
                <span class="sp"></span><span class="cap num">{count}</span></h2>
            {rows}
        </section>
    })
}

fn row(hit: &Hit, clock: &Clock) -> Part {
    let (glyph, who) = look(hit);
    let id = api::client::segment(&hit.message_id);
    let to = format!("{}?at={}#m={id}", session_href(&hit.session_id), hit.seq);
    let class = if matches!(hit.message_type.as_str(), "CODE_EDIT" | "TOOL_CALL") { "mono" } else { "" };
    part! {
        <a class="hit" href=to data-row="">
            <Icon glyph/><span class="cap cut">{who}</span>
            <p class=class>{snippet(&hit.snippet)}</p>
            {moment(clock, hit.created_at, "cap")}
        </a>
    }
}

fn look(hit: &Hit) -> (Glyph, String) {
    let named = |glyph, word: &str| (glyph, word.to_owned());
    match (hit.message_type.as_str(), hit.role) {
        ("CODE_EDIT", _) => named(Glyph::DIFF, "Code edit"),
        ("TODO", _) => named(Glyph::LIST, "Todo"),
        ("TOOL_CALL", _) => named(Glyph::TERM, "Tool call"),
        ("APPROVAL", _) => named(Glyph::NEEDS, "Approval"),
        ("FILE", _) => named(Glyph::FILE, "File"),
        ("ERROR", _) => named(Glyph::FAIL, "Error"),
        (_, Role::User) => named(Glyph::USER, "You"),
        (_, Role::Assistant) => (Glyph::COMMENT, agent_name(&hit.agent)),
        (_, Role::Model) => named(Glyph::THINK, "Reasoning"),
        (_, Role::Tool) => named(Glyph::TERM, "Tool"),
        (_, Role::System) => named(Glyph::GEAR, "System"),
        (_, Role::Host) => named(Glyph::HOME, "Verbatim"),
    }
}

/// The text with its marks. A range that doesn't fit the text is left out, never a failure.
fn snippet(snippet: &Snippet) -> Vec<Part> {
    let text = snippet.text.as_str();
    let mut parts = Vec::new();
    let mut at = 0;
    for (start, end) in &snippet.marks {
        let (Some(before), Some(marked)) = (text.get(at..*start), text.get(*start..*end)) else { continue };
        parts.push(part! { {before.to_owned()} });
        parts.push(part! { <mark>{marked.to_owned()}</mark> });
        at = *end;
    }
    parts.push(part! { {text.get(at..).unwrap_or_default().to_owned()} });
    parts
}
