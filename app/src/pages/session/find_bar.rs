//! The bar that finds words in the whole session, also in what isn't in the document. `frontend::transcript::find`
//! moves it.

use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_path;
use crate::shell::small_icon;
use leptos::prelude::*;

/// Stands above the transcript, hidden until it is asked for.
pub fn find_bar(session: &str) -> Part {
    let everywhere = format!("{}?session={}", page_path::SEARCH, api::endpoint::segment(session));
    part! {
        <form class="find-bar" id="find-bar" role="search" aria-label="Find in this session" hidden>
            <label class="field">{small_icon(Glyph::SEARCH)}<span class="sr">"Find in this session"</span>
                <input type="search" id="find-words" dir="auto" placeholder="Find in this session" maxlength="500" autocomplete="off" spellcheck="false" aria-describedby="find-count"/></label>
            <span class="num cap" id="find-count" role="status"></span>
            <button type="button" class="btn quiet icon" data-find="previous" title="Previous (Shift Enter)">{small_icon(Glyph::UP)}<span class="sr">"Previous"</span></button>
            <button type="button" class="btn quiet icon" data-find="next" title="Next (Enter)">{small_icon(Glyph::DN)}<span class="sr">"Next"</span></button>
            <a class="btn quiet tiny hide-narrow" id="find-everywhere" href=everywhere>"Search by words"</a>
            <span class="sp"></span>
            <button type="button" class="btn quiet icon" data-find="close" title="Close (Escape)">{small_icon(Glyph::X)}<span class="sr">"Close"</span></button>
            <span class="chips" id="find-types" role="group" aria-label="Types"></span>
        </form>
    }
}
