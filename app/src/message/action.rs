//! ACTION: what a person chose.

use super::{Card, parts::Acts};
use crate::icon::{Glyph, Icon, Size};
use leptos::prelude::*;
use model::message_type::action;

#[component]
pub fn Action(card: Card, action: action::Action) -> impl IntoView {
    let answer = action.answer();
    let answer = if answer.is_empty() { card.draft().content.clone() } else { answer };
    view! {
        <div class="msg user action">
            <Icon glyph=Glyph::CHECK size=Size::Small />
            <span>
                "Selected: "
                <b>{answer}</b>
            </span>
            <Acts card />
        </div>
    }
}
