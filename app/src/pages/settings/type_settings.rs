//! The way back from message types: switches for all of them, and for each that is built in.

use crate::message_renderer::{MessageRenderer, TYPES};
use crate::part::{Part, part};
use crate::send::{as_, send};
use crate::shared::form::As;
use api::contract::EditTypeSettingsEndpoint;
use api::type_settings::{ALL_TYPES, TypeSettings};
use leptos::prelude::*;
use model::MessageType;

pub fn type_settings(settings: &TypeSettings) -> Part {
    let checked = |tag: MessageType| !matches!(tag, MessageType::Approval | MessageType::Action | MessageType::Text);
    part! {
        <section id="type-settings" aria-labelledby="type-settings-heading">
            <div class="pagehead"><h2 id="type-settings-heading">"Cards and checks"</h2>
                <p>"For everybody in this workspace. Open pages apply it to older messages after a reload. Stored messages don't change."</p></div>
            {switches("plain", &settings.plain, "Draw messages as cards",
                "When off, messages are shown as plain text. Requests that wait for you keep their buttons.",
                "Draw as cards", |tag| tag != MessageType::Text)}
            {switches("unvalidated", &settings.unvalidated, "Check the data of known types",
                "When off, data that doesn't fit its type is stored and marked, not refused. Requests and answers are always checked.",
                "Check the data of", checked)}
        </section>
    }
}

/// All switches of a name are sent together.
fn switch() -> impl leptos::attr::Attribute {
    (send(EditTypeSettingsEndpoint, []).attributes(), as_(As::Unticked))
}

/// A switch for all types, and one for each that has the choice. A switch that is on leaves its type out of the list.
fn switches(
    field: &'static str,
    off: &[String],
    words: &'static str,
    says: &'static str,
    each: &'static str,
    has_choice: impl Fn(MessageType) -> bool,
) -> Part {
    let is_off = |tag: &str| off.iter().any(|own| own == tag);
    let all = !is_off(ALL_TYPES);
    let types: Vec<_> = TYPES
        .iter()
        .filter(|tag| has_choice(**tag))
        .map(|tag| {
            let name = MessageRenderer::of(*tag).name;
            part! { <label class="switch"><input type="checkbox" role="switch" {..switch()} name=field value=tag.as_str() checked=!is_off(tag.as_str())/>{name}</label> }
        })
        .collect();
    // A type that isn't built in was switched off by a request: it stays so.
    let others: Vec<_> = off
        .iter()
        .filter(|tag| *tag != ALL_TYPES && MessageType::parse(tag).is_none_or(|tag| !has_choice(tag)))
        .map(|tag| part! { <label class="switch"><input type="checkbox" role="switch" {..switch()} name=field value=tag.clone() checked=false/>{tag.clone()}</label> })
        .collect();
    part! {
        <div class="setting"><label class="switch"><input type="checkbox" role="switch" {..switch()} name=field value=ALL_TYPES checked=all/>{words}</label>
            <p class="cap">{says}</p></div>
        <details class="setting" id=format!("types-{field}")><summary class="btn tiny">"By type"</summary>
            <fieldset class="choice" disabled=!all><legend>{each}</legend>{types}{others}</fieldset>
        </details>
    }
}
