//! Chips that filter the transcript by type and by role, with how many messages each would show. They are links: the
//! filter is in the address, and works without a script.

use super::{Dev, SessionPageData};
use crate::figures::{count, counted};
use crate::icon::Glyph;
use crate::message_renderer::{TYPES, type_name};
use crate::names::ROLES;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::message_filter::MessageFilter;
use crate::shared::page_action::PageAction;
use crate::shared::session_href;
use crate::shell::small_icon;
use leptos::prelude::*;
use model::{MessageType, Role, SessionId};

/// The filter of a page, and what it has to choose from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterData {
    pub filter: MessageFilter,
    /// Number of messages of each type and role in the session.
    pub counts: Vec<KindCount>,
    /// Chunks that hold a message that the filter takes, in order. Empty without a filter.
    pub holds: Vec<i64>,
    /// The chips are shown also without a filter.
    pub open: bool,
}

/// How many messages of one type and role a session has. What cards stand for is none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    pub message_type: String,
    pub role: Role,
    pub shown: i64,
    /// Behind the dev toggle.
    pub hidden: i64,
}

impl FilterData {
    fn sum(&self, takes: impl Fn(&KindCount) -> bool) -> (i64, i64) {
        let kinds = self.counts.iter().filter(|kind| takes(kind));
        kinds.fold((0, 0), |(shown, hidden), kind| (shown + kind.shown, hidden + kind.hidden))
    }

    /// How many of the session's messages the filter takes: shown, and behind the dev toggle.
    pub fn taken(&self) -> (i64, i64) {
        self.sum(|kind| self.filter.takes(&kind.message_type, kind.role))
    }

    /// A filter takes nothing that is shown.
    pub fn is_blank(&self) -> bool {
        !self.filter.is_empty() && self.taken().0 == 0
    }
}

/// The place of the chips, above the transcript.
pub fn bar(data: &SessionPageData) -> Part {
    let FilterData { filter, open, .. } = &data.filter;
    let shown = *open || !filter.is_empty();
    let inside = shown.then(|| inside(&data.detail.session.id, &data.filter, data.dev));
    part! { <nav class="filter-bar" id="filter" aria-label="Filter messages" hidden=!shown>{inside}</nav> }
}

/// The inner HTML of `#filter`.
pub fn chips(session: &SessionId, data: &FilterData, dev: Dev) -> String {
    render(|| inside(session, data, dev))
}

fn inside(session: &SessionId, data: &FilterData, dev: Dev) -> Part {
    let filter = &data.filter;
    let types: Vec<_> = types(data)
        .into_iter()
        .map(|tag| {
            let counts = data.sum(|kind| kind.message_type == tag && filter.takes_role(kind.role));
            let next = MessageFilter { types: turned(&filter.types, &tag), roles: filter.roles.clone() };
            chip(session, &next, type_name(&tag), filter.types.contains(&tag), counts)
        })
        .collect();
    let roles: Vec<_> = ROLES
        .into_iter()
        .filter(|(role, _)| filter.roles.contains(role) || data.counts.iter().any(|kind| kind.role == *role))
        .map(|(role, name)| {
            let counts = data.sum(|kind| kind.role == role && filter.takes_type(&kind.message_type));
            let next = MessageFilter { types: filter.types.clone(), roles: turned(&filter.roles, &role) };
            chip(session, &next, name, filter.roles.contains(&role), counts)
        })
        .collect();
    part! {
        <div class="chips" role="group" aria-label="Types">{types}</div>
        <div class="chips" role="group" aria-label="Roles">{roles}</div>
        <p class="cap">{status(session, data, dev)}</p>
    }
}

/// Built-in types in their order, then others. A comma stands between tags in the address: no chip has a tag with one.
fn types(data: &FilterData) -> Vec<String> {
    let chosen = data.filter.types.iter();
    let mut types: Vec<String> = data.counts.iter().map(|kind| &kind.message_type).chain(chosen).cloned().collect();
    types.retain(|tag| !tag.contains(','));
    let place = |tag: &str| {
        let known = MessageType::parse(tag).and_then(|tag| TYPES.iter().position(|known| *known == tag));
        known.unwrap_or(TYPES.len())
    };
    types.sort_by(|a, b| (place(a), a).cmp(&(place(b), b)));
    types.dedup();
    types
}

fn turned<T: Clone + PartialEq>(values: &[T], value: &T) -> Vec<T> {
    let mut values: Vec<T> = values.to_vec();
    match values.iter().position(|own| own == value) {
        Some(at) => drop(values.remove(at)),
        None => values.push(value.clone()),
    }
    values
}

fn chip(session: &SessionId, next: &MessageFilter, name: &str, on: bool, (shown, hidden): (i64, i64)) -> Part {
    let words = if hidden > 0 {
        format!("{} shown, {} hidden", count(shown), count(hidden))
    } else {
        counted(shown, "message")
    };
    let hidden = (hidden > 0).then(|| part! { <span class="num mut">{format!("+{}", count(hidden))}</span> });
    let name = name.to_owned();
    let word = name.clone();
    let label = format!("{name}, {words}");
    part! {
        <a class="chip" href=address(session, next) data-action=PageAction::SetFilter.name() data-name=word aria-current=on.then_some("true") aria-label=label title=words>
            {name}<span class="num">{count(shown)}</span>{hidden}
        </a>
    }
}

fn address(session: &SessionId, filter: &MessageFilter) -> String {
    let query = filter.page_query();
    let query = query.strip_prefix('&').unwrap_or("filter=1");
    format!("{}?{query}", session_href(session.as_str()))
}

/// Draws the active filter, with a link to all messages.
fn status(session: &SessionId, data: &FilterData, dev: Dev) -> Part {
    let (shown, hidden) = data.taken();
    let (all_shown, all_hidden) = data.sum(|_| true);
    let all = counted(all_shown + all_hidden, "message");
    let words = if data.filter.is_empty() { all } else { format!("Showing {} of {all}", count(shown)) };
    let hidden = (hidden > 0 && dev == Dev::Off).then(|| {
        let to = format!("{}?dev=1{}", session_href(session.as_str()), data.filter.page_query());
        part! { ", "<a class="link" data-action=PageAction::SetLevel.name() href=to>{format!("{} hidden", count(hidden))}</a> }
    });
    let back = (!data.filter.is_empty()).then(|| {
        part! { <a class="btn tiny" href=address(session, &MessageFilter::default()) data-action=PageAction::SetFilter.name()>{small_icon(Glyph::X)}"Show all"</a> }
    });
    part! { <span role="status">{words}{hidden}</span>{back} }
}

/// Draws the empty state if no message matches the filter.
pub fn blank(data: &SessionPageData) -> Part {
    let (_, hidden) = data.filter.taken();
    let hidden = match hidden {
        0 => String::new(),
        hidden => format!(" The developer view shows {} that match.", counted(hidden, "message")),
    };
    let back = address(&data.detail.session.id, &MessageFilter::default());
    part! {
        <p class="cap none">{format!("No message matches this filter.{hidden} ")}
            <a class="link" href=back data-action=PageAction::SetFilter.name()>"Show all messages"</a></p>
    }
}
