//! The page on which a person erases a text, such as a password, from a session.

use crate::names::title;
use crate::part::{Part, part};
use crate::send::{attribute, body, problem, send};
use crate::shared::form::Then;
use crate::shared::{attr, session_href};
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData};
use api::contract::EraseTextEndpoint;
use api::redaction::EraseText;
use leptos::prelude::*;
use model::Session;

/// Data of the page.
pub struct ErasePage {
    pub session: Session,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &ErasePage) -> String {
    let heading = format!("Erase a text from {}", title(&data.session.title));
    shell::page(&data.shell, || Frame {
        title: &heading,
        place: NavItem::Nowhere,
        skip: ("#erase", "Skip to the form"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(&data.session),
        layout: Layout::Main,
    })
}

fn content(session: &Session) -> Part {
    let send = send(EraseTextEndpoint, [session.id.as_str()])
        .with(&EraseText { text: String::new(), preview: true })
        .then(Then::Stay)
        .done("")
        .attributes();
    let erases = body(&EraseText { text: String::new(), preview: false });
    part! {
        <main class="main" id="main"><div class="scroll" tabindex="-1"><div class="page" id="erase" tabindex="-1">
            <div class="pagehead"><h1>"Erase a text"</h1>
                <p><a href=session_href(session.id.as_str())>{title(&session.title)}</a></p>
                <p>"For a password or a key that got into a session. It is erased from messages, the search, the stored transcript and uploaded files, also in sessions with copies of these messages, and left out of all that is imported from now on. A mark of the same length takes its place. It can't be undone."</p>
                <p class="mut">"Transcripts on disk, backups, exports, and messages that channels have sent keep the text. Change the password or key as well: whoever has read it knows it."</p></div>
            <form class="answer" {..send} {..attribute(attr::SHOWS, "erase-found")} autocomplete="off">
                <div class="answer-field"><label for="erase-text">"The exact text"</label>
                    <textarea id="erase-text" name="text" rows="3" required minlength="8" spellcheck="false" dir="auto"></textarea></div>
                <p class="cap fg-err" role="alert" {..problem("text")} hidden></p>
                <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                <div class="actions"><button type="submit" class="btn primary">"Look for it"</button></div>
                <div id="erase-found" class="callout" role="status" hidden>
                    <p {..attribute(attr::SLOT, "summary")}></p>
                    <div class="actions"><button type="submit" class="btn fg-err" {..attribute(attr::BODY, erases)}>"Erase it"</button></div>
                </div>
            </form>
        </div></div></main>
    }
}
