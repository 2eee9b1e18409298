//! The input of a tool that an agent's hook asks about, to be changed before it is allowed.

use leptos::prelude::*;
use model::Draft;
use model::hook::HookAsk;

/// Lines of a text that are in view.
const LINES: usize = 12;

/// A field for each text of the input, folded. What is changed is sent with "Allow once"; `frontend::decisions` reads
/// it.
pub(super) fn fields(draft: &Draft) -> Option<impl IntoView + use<>> {
    let ask = HookAsk::of(draft)?;
    let fields: Vec<_> = ask
        .editable()
        .map(|(name, value)| {
            let rows = value.lines().count().clamp(1, LINES).to_string();
            let (label, value) = (name.to_owned(), value.to_owned());
            view! {
                <label class="answer-field">
                    <span dir="ltr">{label}</span>
                    // The first line break after the tag is none of the text.
                    <textarea dir="auto" rows=rows spellcheck="false" name=format!("edit-{name}")>{format!("\n{value}")}</textarea>
                </label>
            }
        })
        .collect();
    (!fields.is_empty()).then(|| {
        view! {
            <details class="edit-input">
                <summary>"Change the input first"</summary>
                <p class="mut">"What you change goes with \u{201c}Allow once\u{201d}"</p>
                {fields}
            </details>
        }
    })
}
