//! Types that nothing here knows, and data that doesn't fit its type: content first, then the data. Never blank.

use super::{Card, parts::TextButton};
use crate::icon::{Glyph, Icon};
use crate::shared::fragments_href;
use crate::shared::page_action::PageAction;
use crate::{json_tree, unmarked};
use leptos::prelude::*;
use model::MessageType;
use model::text::clip;
use serde_json::Value;

/// Lines of a long message that are drawn before all of it is asked for: they may be its data, written out.
const LINES: usize = 12;

/// A message of a type without a component of its own.
#[component]
pub fn Unknown(card: Card, message_type: String, payload: Value, problem: Option<String>) -> impl IntoView {
    // The data is shown once, as a tree.
    let content = model::markdown::without_data(&card.draft().content, card.entry.body());
    let is_cut = card.options.cut.contains_key(&card.entry.message.seq);
    let end = is_cut.then(|| content.match_indices('\n').nth(LINES - 1)).flatten();
    let content = end.map_or(content, |(end, _)| &content[..end]);
    let title = if content.is_empty() { &card.entry.summary } else { content };
    let title = clip(unmarked::line(title.lines().next().unwrap_or_default()).trim_start(), 80);
    let title = if title.is_empty() { message_type.clone() } else { title };
    let prose = (content.lines().nth(1).is_some() || content.chars().count() > 80)
        .then(|| view! { <div class="prose">{card.prose(content).into_view()}</div> });
    let empty = payload.is_null() || payload.as_object().is_some_and(serde_json::Map::is_empty);
    let data = (!empty).then(|| json_tree::tree(&payload).into_view());
    // A built-in type can't be declared.
    let built_in = MessageType::parse(&message_type);
    let template = (problem.is_none() && built_in.is_none() && !card.printed()).then(|| {
        let address =
            format!("{}/template/{}", fragments_href(card.options.session_id.as_str()), card.entry.message.seq);
        view! { <a class="btn quiet tiny" target="_blank" href=address>"Make a template from this"</a> }
    });
    let note = match (&problem, built_in) {
        (Some(_), _) => "its data doesn't fit its type",
        (None, Some(_)) => "a newer version of this type",
        (None, None) => "no component for this type",
    };
    let says_nothing = prose.is_none() && problem.is_none() && data.is_none();
    let nothing = says_nothing.then(|| {
        let words = if content.is_empty() {
            "This message has neither text nor data."
        } else {
            "This message has no data besides its text."
        };
        view! { <p class="cap">{words}</p> }
    });
    let problem = problem.map(|problem| view! { <div class="prose fg-warn">{card.typed(&problem).into_view()}</div> });
    view! {
        <details class="card unknown" open>
            <summary>
                <Icon glyph=Glyph::CODE />
                <b>{title}</b>
                <span class="chip">{clip(&message_type, 60)}</span>
                <span class="sp"></span>
                <span class="cap hide-narrow">{note}</span>
            </summary>
            <div class="body">{prose} {problem} {data} {nothing}</div>
            <footer>
                {template}
                <span class="sp"></span>
                <TextButton action=PageAction::Copy label="Copy".to_owned() />
            </footer>
        </details>
    }
}
