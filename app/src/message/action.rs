//! ACTION: what a person chose.

use super::{Card, parts::Acts};
use crate::icon::{Glyph, Icon, Size};
use leptos::prelude::*;
use model::message_type::action::{self, SELECTED};

#[component]
pub fn Action(card: Card, action: action::Action) -> impl IntoView {
    // Its content has the names of fields, where the payload has their ids.
    let content = card.draft().content.as_str();
    let said = content.strip_prefix(SELECTED).unwrap_or(content).trim();
    let answer = if said.is_empty() { action.answer() } else { said.to_owned() };
    let class = format!("{} action", card.voice_class());
    view! {
        <div class=class>
            <Icon glyph=Glyph::CHECK size=Size::Small />
            <span>
                {SELECTED}
                <b>{answer}</b>
            </span>
            <Acts card />
        </div>
    }
}
