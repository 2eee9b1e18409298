//! Navigation aids in a long transcript. `frontend::transcript::outline` moves both.

use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::small_icon;
use leptos::prelude::*;

/// The prompt of the turn that is being read, at the top of the view while its own row isn't in it.
pub fn sticky_prompt() -> Part {
    part! {
        <div class="sticky-prompt" id="sticky-prompt" hidden>
            <button type="button" title="To this prompt">{small_icon(Glyph::USER)}<span class="sr">"Prompt of this turn: "</span><span class="cut" id="sticky-words"></span></button>
        </div>
    }
}

/// Where prompts, edits, approvals and errors lie in the whole session. The keys lead there too: it needs no focus.
pub fn minimap() -> Part {
    part! {
        <div class="mini" id="minimap" aria-hidden="true" hidden>
            <div class="view"></div>
            <svg viewBox="0 0 10 1000" preserveAspectRatio="none">
                <path data-kind="edit"></path><path data-kind="prompt"></path><path data-kind="approval"></path><path data-kind="error"></path>
            </svg>
        </div>
    }
}
