//! An error as a page: what happened, what to do, a way back.

use crate::icon::Glyph;
use crate::look::Look;
use crate::page::{Assets, Document, Script, document};
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon};
use crate::visible;
use leptos::prelude::*;

pub struct ProblemPage {
    pub status: u16,
    /// One sentence without a trailing period.
    pub title: String,
    /// How to fix it.
    pub hint: Option<String>,
    pub look: Look,
    pub build: String,
    pub assets: Assets,
}

/// The page of a problem beside the rail, for who is logged in.
pub struct Within {
    pub status: u16,
    pub title: String,
    pub hint: Option<String>,
    pub shell: ShellData,
}

/// The whole page, in its surroundings.
pub fn within(data: &Within) -> String {
    shell::page(&data.shell, || Frame {
        title: &data.title,
        place: NavItem::Nowhere,
        skip: ("#problem", "Skip to what happened"),
        session: None,
        rail: Rail::Recent { open: None },
        content: part! {
            <main class="main" id="main"><div class="scroll" tabindex="-1"><div class="page narrow empty" id="problem" tabindex="-1">
                {says(Some("pagehead"), &data.title, data.hint.as_deref(), data.status)}
            </div></div></main>
        },
        layout: Layout::Main,
    })
}

fn says(class: Option<&'static str>, title: &str, hint: Option<&str>, status: u16) -> Part {
    let hint = hint.map(|hint| part! { <p class="mut">{visible::phrase(hint).into_view()}</p> });
    part! {
        <div class=class><h1>{visible::phrase(title).into_view()}</h1>{hint}</div>
        <p class="actions"><a class="btn" href=page_path::SESSIONS>"All sessions"</a><a class="btn quiet" href=page_path::SEARCH>"History"</a></p>
        <p class="cap num">{format!("Status {status}")}</p>
    }
}

/// The whole page. It needs no session and no script, since either may be what failed.
pub fn page(data: &ProblemPage) -> String {
    let body = render(|| {
        part! {
            <main class="gate" id="main"><div class="gate-box">
                <p class="gate-brand">{icon(Glyph::MARK)}"Verbatim"</p>
                {says(None, &data.title, data.hint.as_deref(), data.status)}
            </div></main>
        }
    });
    let (look, build, assets) = (data.look, &*data.build, &data.assets);
    document(Document { title: &data.title, look, build, assets, script: Script::None, body })
}
