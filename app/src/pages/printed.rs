//! A session as one page of its own: to print, to keep as a file, or to read by a link. The same components as in the
//! transcript, nothing cut, and no script but that of the button that prints.

use crate::clock::Clock;
use crate::figures;
use crate::icon::Glyph;
use crate::look::Look;
use crate::names::project_name;
use crate::names::title;
use crate::page::{Assets, Document, Script, document};
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::message_filter::MessageFilter;
use crate::shared::session_href;
use crate::shell::icon;
use crate::visible;
use api::sessions::SessionDetail;
use leptos::prelude::*;
use model::Micros;

pub struct Printed<'a> {
    pub detail: &'a SessionDetail,
    /// Purpose of the page.
    pub purpose: Purpose<'a>,
    /// The messages that are written.
    pub filter: &'a MessageFilter,
    /// URL of `print.js`; a file that is kept has no script.
    pub script: &'a str,
    pub look: Look,
    pub build: &'a str,
    pub assets: &'a Assets,
    pub clock: &'a Clock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// Everything unfolded, with a way back.
    Print,
    /// A file that needs nothing else.
    Keep,
    /// The page of a link, for somebody without a log-in.
    Share(Shared<'a>),
}

/// Facts about a link that its page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared<'a> {
    /// Who shared it.
    pub by: &'a str,
    pub at: Micros,
    pub expires_at: Micros,
    pub redacted: bool,
}

/// Returns the parts before and after the messages, which are too large to be in memory at once.
pub fn around(data: &Printed<'_>) -> (String, String) {
    // A comment that no message can hold: content never becomes markup.
    const HERE: &str = "<!--messages-->";
    let body = render(|| frame(data)).replacen("<hr id=\"messages\">", HERE, 1);
    let page = document(Document {
        title: &title(&data.detail.session.title),
        look: data.look,
        build: data.build,
        assets: data.assets,
        script: if data.purpose == Purpose::Print { Script::Module(data.script) } else { Script::None },
        body,
    });
    match page.split_once(HERE) {
        Some((before, after)) => (before.to_owned(), after.to_owned()),
        None => (page, String::new()),
    }
}

fn frame(data: &Printed<'_>) -> Part {
    let session = &data.detail.session;
    let class = match data.purpose {
        Purpose::Print => "printed unfolded",
        Purpose::Keep | Purpose::Share(_) => "printed",
    };
    let shared = match data.purpose {
        Purpose::Share(shared) => Some(shared),
        Purpose::Print | Purpose::Keep => None,
    };
    let back = (data.purpose == Purpose::Print).then(|| {
        part! { <p class="printed-back"><a class="btn" href=session_href(session.id.as_str())>"Back to the session"</a><button type="button" class="btn primary" id="print" hidden>{icon(Glyph::PRINT)}"Print"</button></p> }
    });
    let fact = |name: &'static str, value: Option<String>| {
        value
            .filter(|value| !value.is_empty())
            .map(|value| part! { <div><dt>{name}</dt><dd>{visible::html(&value).into_view()}</dd></div> })
    };
    // What changes after a link was made isn't for its readers.
    let current = |name: &'static str, value: Option<String>| fact(name, value.filter(|_| shared.is_none()));
    let filtered = (!data.filter.is_empty()).then(|| data.filter.words());
    let tokens = (session.usage.total() > 0).then(|| figures::count(session.usage.total()));
    part! {
        <main class=class id="main">
            {back}
            {shared.map(|shared| notice(&shared, data.clock))}
            <header><h1 dir="auto">{visible::html(&title(&session.title)).into_view()}</h1>
                <dl>
                    {fact("Agent", Some(data.detail.assistant.name.clone()))}
                    {fact("Model", session.model.clone())}
                    {fact("Project", Some(project_name(&session.project, &[])))}
                    {current("Branch", session.branch.clone())}
                    {fact("Began", Some(data.clock.full(session.created_at)))}
                    {current("Last message", Some(data.clock.full(session.last_activity_at)))}
                    {current("Messages", Some(figures::count(session.message_count)))}
                    {fact("Only", filtered)}
                    {current("Tokens", tokens)}
                    {current("Cost", session.cost_usd.map(figures::dollars))}
                    {current("Id", Some(session.id.as_str().to_owned()))}
                </dl></header>
            <div class="column"><hr id="messages"/></div>
            <footer class="cap">{format!("Written by Verbatim on {}", data.clock.full(data.clock.now))}</footer>
        </main>
    }
}

/// Who shared the page, until when, and what isn't on it.
fn notice(shared: &Shared<'_>, clock: &Clock) -> Part {
    let day = |at: Micros| clock.day(at).strftime("%-d %b %Y").to_string();
    let masked = if shared.redacted { " Secrets are masked; files and pictures are left out." } else { "" };
    part! {
        <div class="callout printed-shared">{icon(Glyph::LINK)}<div>
            <p><b>"Shared by "{visible::phrase(shared.by).into_view()}" on "{day(shared.at)}"."</b>{format!(" Expires {}.{masked}", clock.full(shared.expires_at))}</p>
            <p class="cap">"Messages as they were then. Later ones, those that were changed since, and messages of the system are left out."</p>
        </div></div>
    }
}

/// Returns the page of a link that doesn't open: with a title, and what to do.
pub fn closed(title: &str, hint: &str, build: &str) -> String {
    let body = render(|| {
        part! {
            <main class="gate" id="main"><div class="gate-box"><h1>{title.to_owned()}</h1><p class="mut">{hint.to_owned()}</p></div></main>
        }
    });
    let (look, assets) = (Look::default(), Assets::default());
    document(Document { title, look, build, assets: &assets, script: Script::None, body })
}
