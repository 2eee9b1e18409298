//! Preview of a session's redacted export, with its downloads.

use crate::figures::counted;
use crate::icon::Glyph;
use crate::names::title;
use crate::part::{Part, part};
use crate::shared::session_href;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon};
use crate::visible;
use api::Route as _;
use api::contract::ExportSession;
use api::redaction::{RedactionReport, RuleReport};
use leptos::prelude::*;
use model::Session;

/// Data of the page.
pub struct RedactedPage {
    /// The session that is exported.
    pub session: Session,
    /// The masked places.
    pub report: RedactionReport,
    /// Patterns of the reader's own, as the form has them: one a line.
    pub masks: Vec<String>,
    /// The query that gives these patterns to the export: empty, or `&mask=...`.
    pub query: String,
    /// It came from a file.
    pub has_original: bool,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &RedactedPage) -> String {
    let heading = format!("Redacted export of {}", title(&data.session.title));
    shell::page(&data.shell, || Frame {
        title: &heading,
        place: NavItem::Nowhere,
        skip: ("#redacted", "Skip to what is masked"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

fn content(data: &RedactedPage) -> Part {
    let report = &data.report;
    let found = masked(report, &data.session);
    let files = (report.files_left_out > 0).then(|| {
        part! { <p class="mut">{format!("{} left out, because rules can't check them.", counted(report.files_left_out, "uploaded file"))}</p> }
    });
    let address = ExportSession.path([data.session.id.as_str()]);
    let link = |format: &str, glyph, words: &'static str| {
        let href = format!("{address}?format={format}&redact=1{}", data.query);
        part! { <a class="btn" href=href download="">{icon(glyph)}{words}</a> }
    };
    let original = data.has_original.then(|| link("original", Glyph::FILE, "Original file, masked"));
    part! {
        <main class="main" id="main"><div class="scroll" tabindex="-1"><div class="page redacted" id="redacted" tabindex="-1">
            <div class="pagehead"><h1>"Redacted export"</h1>
                <p><a href=session_href(data.session.id.as_str())>{title(&data.session.title)}</a></p>
                <p class="mut">{format!("{} masked in {}.", counted(report.places, "place"), counted(report.messages, "message"))}</p></div>
            {found}
            {files}
            <form method="get">
                <label for="masks">"Custom patterns, one regular expression per line"</label>
                <textarea id="masks" name="masks" rows="3" dir="auto" spellcheck="false">{format!("\n{}", data.masks.join("\n"))}</textarea>
                <div><button type="submit" class="btn">"Preview"</button></div>
            </form>
            <p class="actions">
                {link("html", Glyph::GLOBE, "HTML in one file")}
                {link("markdown", Glyph::MARKDOWN, "Markdown")}
                {link("json", Glyph::BRACES, "JSON")}
                {link("jsonl", Glyph::ARCHIVE, "Archive")}
                {original}
            </p>
        </div></div></main>
    }
}

/// Draws what the rules mask in a session.
pub(super) fn masked(report: &RedactionReport, session: &Session) -> Part {
    if report.rules.is_empty() {
        return part! { <p class="cap none-yet">"No rule matched. Read the session before you share it: the rules don't find every secret."</p> };
    }
    part! {
        <div class="table-wrap"><table class="table">
            <thead><tr><th scope="col">"What"</th><th scope="col" class="num">"Places"</th><th scope="col">"First places, masked"</th></tr></thead>
            <tbody>{report.rules.iter().map(|rule| row(session, rule)).collect::<Vec<_>>()}</tbody>
        </table></div>
    }
}

fn row(session: &Session, rule: &RuleReport) -> Part {
    let places = rule.examples.iter().map(|place| {
        let text = visible::line(&place.text);
        let at = place.seq.map(|seq| {
            part! { " "<a class="mut" href=format!("{}?at={seq}", session_href(session.id.as_str()))>{format!("message {seq}")}</a> }
        });
        part! { <li><code>{text}</code>{at}</li> }
    });
    part! {
        <tr><td>{rule.title.clone()}" "<code class="mut">{rule.rule.clone()}</code></td><td class="num">{rule.places}</td>
            <td><ul>{places.collect::<Vec<_>>()}</ul></td></tr>
    }
}
