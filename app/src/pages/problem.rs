//! An error as a page: what happened, what to do, a way back.

use crate::icon::Glyph;
use crate::look::Look;
use crate::page::{Assets, Document, Script, document};
use crate::part::part;
use crate::render::render;
use crate::shell::icon;
use leptos::prelude::*;

pub struct ProblemPage {
    pub status: u16,
    /// One sentence without a trailing period.
    pub title: String,
    /// What to do next.
    pub hint: Option<String>,
    pub look: Look,
    pub build: String,
    pub assets: Assets,
}

/// The whole page. It needs no session and no script, since either may be what failed.
pub fn page(data: &ProblemPage) -> String {
    let body = render(|| {
        let hint = data.hint.clone().map(|hint| part! { <p class="mut">{hint}</p> });
        part! {
            <main class="gate" id="main"><div class="gate-box">
                <p class="gate-brand">{icon(Glyph::MARK)}"Verbatim"</p>
                <h1>{data.title.clone()}</h1>
                {hint}
                <p class="actions"><a class="btn" href="/sessions">"All sessions"</a><a class="btn quiet" href="/search">"Search"</a></p>
                <p class="cap num">{format!("Status {}", data.status)}</p>
            </div></main>
        }
    });
    let (look, build, assets) = (data.look, &*data.build, &data.assets);
    document(Document { title: &data.title, look, build, assets, script: Script::None, body })
}
