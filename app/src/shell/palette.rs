//! The palette's frame. What it lists comes from [`crate::pages::palette`] when it is opened.

use super::icon;
use crate::icon::Glyph;
use crate::part::{Part, part};
use leptos::prelude::*;

pub fn dialog() -> Part {
    let hint = |key: &'static str, words: &'static str| part! { <span><kbd>{key}</kbd>{words}</span> };
    part! {
        <dialog id="palette" class="palette" aria-label="Search or jump to">
            <label class="field">{icon(Glyph::SEARCH)}<span class="sr">"Search or jump to"</span>
                <input id="palette-field" dir="auto" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
                    autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Sessions, commands, files"/>
                <kbd>"Esc"</kbd></label>
            <div role="listbox" id="palette-list" aria-label="Results"></div>
            <footer>{hint("\u{2191} \u{2193}", "move")}{hint("\u{21b5}", "open")}{hint(">", "commands")}{hint("#", "sessions")}{hint("@", "files")}</footer>
        </dialog>
    }
}
