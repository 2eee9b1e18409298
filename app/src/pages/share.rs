//! The page on which a person makes a link, by which somebody without a log-in reads a session.

use super::redacted::masked;
use crate::figures::counted;
use crate::icon::Glyph;
use crate::names::title;
use crate::part::{Part, part};
use crate::send::{as_, attribute, problem, send};
use crate::shared::form::{As, Then};
use crate::shared::page_action::PageAction;
use crate::shared::{attr, page_path, session_href};
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon, small_icon};
use api::contract::CreateShare;
use api::redaction::RedactionReport;
use api::shares::NewShare;
use leptos::prelude::*;
use model::Session;

/// Data of the page.
pub struct SharePage {
    pub session: Session,
    /// The number of messages that a link shows, and what it masks.
    pub report: RedactionReport,
    /// Other machines reach the server.
    pub is_public: bool,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &SharePage) -> String {
    let heading = format!("Share {}", title(&data.session.title));
    shell::page(&data.shell, || Frame {
        title: &heading,
        place: NavItem::Nowhere,
        skip: ("#share", "Skip to the form"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

fn content(data: &SharePage) -> Part {
    let (session, report) = (&data.session, &data.report);
    let form = if report.messages == 0 {
        part! { <p class="cap none-yet">"There is nothing to share yet: nobody wrote a message."</p> }
    } else {
        form(session)
    };
    let local = (!data.is_public).then(|| {
        part! {
            <div class="callout" data-state="waiting"><p>"The link opens on this machine only. For others, start the server with "<code>"--public-url"</code>"; "
                <code>"docs/user/network.md"</code>" says what else it needs."</p></div>
        }
    });
    part! {
        <main class="main" id="main"><div class="scroll" tabindex="-1"><div class="page redacted share" id="share" tabindex="-1">
            <div class="pagehead"><h1>"Share a read-only link"</h1>
                <p><a href=session_href(session.id.as_str())>{title(&session.title)}</a></p>
                <p>"Whoever has the link reads the session in a browser, without a log-in, until the link expires or you revoke it. Later messages, messages of the system, sub-agents, and messages that change later aren't shared."</p></div>
            {local}
            {form}
            {made()}
            <h2>"What is masked"</h2>
            <p class="mut">{format!("{} to share. {} masked.", counted(report.messages, "message"), counted(report.places, "place"))}</p>
            {masked(report, session)}
            {(report.files_left_out > 0).then(|| part! { <p class="mut">{format!("{} left out, because rules can't check them.", counted(report.files_left_out, "uploaded file"))}</p> })}
        </div></div></main>
    }
}

fn form(session: &Session) -> Part {
    let send = send(CreateShare, [])
        .with(&NewShare { session: session.id.to_string(), ..NewShare::default() })
        .then(Then::Stay)
        .done("Link created")
        .attributes();
    let seq = |name: &'static str, words: &'static str, value: i64| {
        part! {
            <label class="label">{words}<span class="field"><input name=name type="number" min="1" max=session.last_seq.to_string() required inputmode="numeric" {..as_(As::Number)} value=value.to_string()/></span></label>
            <p class="cap fg-err" role="alert" {..problem(name)} hidden></p>
        }
    };
    part! {
        <form {..send} {..attribute(attr::SHOWS, "share-made")} autocomplete="off">
            <div><label class="switch"><input type="checkbox" role="switch" name="redacted" {..as_(As::Switch)} checked/><span>"Mask secrets"</span></label>
                <p class="cap">"The table below shows what is masked. Files and pictures are left out then. Switched off, everything is readable."</p></div>
            <label class="label">"Expires"<span class="pick wide"><select name="days" {..as_(As::Number)}>
                <option value="1">"In 1 day"</option><option value="7" selected>"In 7 days"</option><option value="30">"In 30 days"</option></select></span></label>
            <label class="label">"Note"<span class="field"><input name="label" {..as_(As::Given)} maxlength="200" dir="auto" placeholder="For the review"/></span>
                <small>"For your list of links. Readers don't see it"</small></label>
            <p class="cap fg-err" role="alert" {..problem("label")} hidden></p>
            <details><summary class="btn tiny">"Only a part"</summary>
                {seq("from", "From message", 1)}
                {seq("to", "To message", session.last_seq)}
                <p class="cap">"A message's link ends with its number."</p>
            </details>
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn primary">{icon(Glyph::LINK)}"Create link"</button></div>
        </form>
    }
}

/// Filled when a link was made.
fn made() -> Part {
    part! {
        <div id="share-made" class="callout" data-state="done" role="status" hidden>{icon(Glyph::LINK)}
            <div><p><b>"The link is ready."</b>" Copy it now; it isn't shown again. To revoke it, open "<a href=format!("{}#shares", page_path::SETTINGS)>"Shared links"</a>" in the settings."</p>
                <div class="copyline"><code {..attribute(attr::SLOT, "url")}></code><button type="button" class="btn tiny" data-action=PageAction::Copy.name() data-text="" {..attribute(attr::SLOT, "url")}>{small_icon(Glyph::COPY)}"Copy"</button></div></div>
        </div>
    }
}
