//! Hits, by session, in the order in which the sessions were found.

use super::{SearchPageData, href};
use crate::clock::moment;
use crate::figures;
use crate::icon::{Glyph, Icon};
use crate::message_renderer::{self, Kind, MessageRenderer};
use crate::names::{project_name, title};
use crate::part::{Part, part};
use crate::paths::{path_within, split_path};
use crate::shared::{message_id_href, session_href};
use crate::shell::small_icon;
use crate::unmarked;
use crate::visible;
use api::search::{Hit, SearchPage, SearchQuery, Snippet};
use leptos::prelude::*;
use model::{Provenance, Role};

pub fn hits(data: &SearchPageData, page: &SearchPage) -> Part {
    let mut sessions: Vec<(&str, Vec<&Hit>)> = Vec::new();
    for hit in &page.hits {
        match sessions.iter_mut().find(|(id, _)| *id == hit.session_id) {
            Some((_, hits)) => hits.push(hit),
            None => sessions.push((&hit.session_id, vec![hit])),
        }
    }
    // Other pages may have more hits of the same session.
    let is_part = page.next.is_some() || data.query.after.is_some();
    let sections: Vec<_> = sessions.iter().filter_map(|(_, hits)| section(hits, data, is_part)).collect();
    let more = page.next.clone().map(|next| {
        let query = SearchQuery { after: Some(next), ..data.query.clone() };
        part! { <a class="btn" href=href(&query)>"Show more"</a> }
    });
    let back = data.query.after.is_some().then(|| {
        let query = SearchQuery { after: None, ..data.query.clone() };
        part! { <a class="btn quiet" href=href(&query)>"Back to the first hits"</a> }
    });
    let ways = (more.is_some() || back.is_some()).then(|| part! { <div class="actions">{back}{more}</div> });
    part! { <div class="hits">{sections}</div>{ways} }
}

fn section(hits: &[&Hit], data: &SearchPageData, is_part: bool) -> Option<Part> {
    let projects = data.facets.projects.as_slice();
    let first = hits.first()?;
    let rows: Vec<_> = alike(hits).into_iter().filter_map(|hits| rows(&hits, data)).collect();
    let count = i64::try_from(hits.len()).unwrap_or(0);
    let count = if is_part { format!("{} shown", figures::count(count)) } else { figures::counted(count, "hit") };
    Some(part! {
        <section>
            <h2>{small_icon(Glyph::COMMENT)}
                <a href=session_href(&first.session_id) class="cut" dir="auto" title=first.session_title.clone()>{title(&first.session_title)}</a>
                <span class="cap hide-narrow" title=first.project.clone()>{project_name(&first.project, projects)}</span>
                <span class="sp"></span><span class="cap num">{count}</span></h2>
            {rows}
        </section>
    })
}

/// Hits that say the same, as the states of one plan do, together; each such group where its first one is.
fn alike<'h>(hits: &[&'h Hit]) -> Vec<Vec<&'h Hit>> {
    let mut groups: Vec<Vec<&Hit>> = Vec::new();
    for hit in hits {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| says(first) == says(hit))) {
            Some(group) => group.push(hit),
            None => groups.push(vec![hit]),
        }
    }
    groups
}

/// Returns the kind of a hit, its role, and the text from its first match on.
fn says(hit: &Hit) -> (&str, Role, &str) {
    const CHARS: usize = 60;
    let start = hit.snippet.marks.first().map_or(0, |(start, _)| *start);
    let text = hit.snippet.text.get(start..).unwrap_or_default();
    let end = text.char_indices().nth(CHARS).map_or(text.len(), |(at, _)| at);
    (hit.message_type.as_str(), hit.role, &text[..end])
}

/// The first of hits that say the same, and the others folded.
fn rows(hits: &[&Hit], data: &SearchPageData) -> Option<Part> {
    let (first, others) = hits.split_first()?;
    let folded = (!others.is_empty()).then(|| {
        let rows: Vec<_> = others.iter().map(|hit| row(hit, data)).collect();
        part! { <details class="alike"><summary>{format!("{} more like this", others.len())}</summary>{rows}</details> }
    });
    Some(part! { {row(first, data)}{folded} })
}

fn row(hit: &Hit, data: &SearchPageData) -> Part {
    let glyph = message_renderer::glyph(&hit.message_type, hit.role);
    let to = message_id_href(&hit.session_id, hit.seq, &hit.message_id);
    let code = message_renderer::kind(&hit.message_type) == Kind::Tool;
    let (class, direction) = if code { ("mono", "ltr") } else { ("", "auto") };
    // Markdown is shown as plain text; a person's text is shown unchanged.
    let written: fn(&str) -> String = if code || hit.role == Role::User { str::to_owned } else { unmarked::line };
    part! {
        <a class="hit" href=to data-row="">
            <Icon glyph/><span class="cap cut">{who(hit, data)}</span>
            {path(hit)}
            <p class=class dir=direction>{snippet(&hit.snippet, written)}</p>
            {moment(&data.shell.clock, hit.created_at, "cap")}
        </a>
    }
}

/// The file that the hit edits, and how many others.
fn path(hit: &Hit) -> Option<Part> {
    let (first, others) = hit.files.split_first()?;
    let shown = path_within(first, &hit.project).unwrap_or(first);
    let (folder, name) = split_path(shown);
    let more = match others.len() {
        0 => None,
        1 => Some(" and 1 other file".to_owned()),
        many => Some(format!(" and {many} other files")),
    };
    Some(part! {
        <span class="path" title=visible::plain(first)><span>{visible::plain(folder)}</span><b>{visible::plain(name)}</b>{more}</span>
    })
}

/// Returns the label of a type without an icon: its author.
fn who(hit: &Hit, data: &SearchPageData) -> String {
    let by_type = MessageRenderer::by_tag(&hit.message_type).filter(|entry| entry.glyph.is_some());
    let name = match (by_type, hit.role) {
        (Some(entry), _) => entry.name,
        (None, Role::User) if hit.provenance == Provenance::Key => "Passed on",
        (None, Role::User) => "You",
        (None, Role::Assistant) => return data.assistants.get(&hit.session_id).cloned().unwrap_or_default(),
        (None, Role::Model) => "Reasoning",
        (None, Role::Tool) => "Tool",
        (None, Role::System) => "System",
        (None, Role::Host) => "Verbatim",
    };
    name.to_owned()
}

/// The text with its marks. A range that doesn't fit the text is left out, never a failure.
fn snippet(snippet: &Snippet, written: fn(&str) -> String) -> Vec<Part> {
    let text = snippet.text.as_str();
    let mut parts = Vec::new();
    // The sign that something is cut before it never stands alone on a line.
    let written = |piece: &str| match piece.strip_prefix('\u{2026}') {
        Some(rest) => format!("\u{2026}\u{2060}{}", visible::line(&written(rest))),
        None => visible::line(&written(piece)),
    };
    let mut at = 0;
    for (start, end) in &snippet.marks {
        let (Some(before), Some(marked)) = (text.get(at..*start), text.get(*start..*end)) else { continue };
        parts.push(part! { {written(before)} });
        parts.push(part! { <mark>{written(marked)}</mark> });
        at = *end;
    }
    parts.push(part! { {written(text.get(at..).unwrap_or_default())} });
    parts
}
