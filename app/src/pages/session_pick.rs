//! A field to choose one of all sessions: words find them, and a list has those that were found; at first the latest
//! ones.

use crate::part::{Part, part};
use crate::session_field::session_field;
use crate::shared::attr;
use crate::shared::form::As;
use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use model::Session;
use model::text::one_line;

/// Longest title in the list, in characters.
const TITLE: usize = 80;

/// Purpose of the field.
pub struct Pick {
    /// Under which the form sends the session's id.
    pub name: &'static str,
    /// Conversion of the value, unless it is only the id.
    pub kind: Option<As>,
    /// For people who don't see the page.
    pub label: String,
    /// Text of the option for no session.
    pub none: &'static str,
    pub is_required: bool,
}

/// Returns the field, with the latest sessions in its list.
pub fn pick(pick: &Pick, recent: &[Session]) -> Part {
    let find = format!("Find: {}", pick.label);
    let list = part! {
        <span class="pick"><select name=pick.name {..custom_attribute(attr::AS, pick.kind.map(As::name))} required=pick.is_required aria-label=pick.label.clone()>
            <option value="">{pick.none}</option>{options(recent)}</select></span>
    };
    part! { {session_field(find, list)} }
}

/// Returns the HTML of sessions as options of a list.
pub fn found(sessions: &[Session]) -> String {
    options(sessions).to_html()
}

fn options(sessions: &[Session]) -> Vec<Part> {
    entries(sessions).into_iter().map(|(id, title)| part! { <option value=id>{title}</option> }).collect()
}

/// Returns ids and titles. Where several have the same title, the beginnings of their ids tell them apart.
pub fn entries(sessions: &[Session]) -> Vec<(String, String)> {
    let title = |session: &Session| one_line(&crate::names::title(&session.title), TITLE);
    let is_shared = |session: &Session| sessions.iter().filter(|other| title(other) == title(session)).count() > 1;
    let named = |session: &Session| {
        let id = session.id.to_string();
        let beginning: String = id.chars().take(8).collect();
        let title = if is_shared(session) { format!("{} ({beginning})", title(session)) } else { title(session) };
        (id, title)
    };
    sessions.iter().map(named).collect()
}
