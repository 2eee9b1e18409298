//! The audit log: who did what, newest first.

use crate::audit::{Words, what, who};
use crate::clock::{Clock, exact_moment};
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shared::session_href;
use crate::shell::icon;
use crate::{names, visible};
use api::Route as _;
use api::audit::AuditPage;
use api::contract::ExportAudit;
use leptos::prelude::*;
use model::audit::Entry;
use std::collections::BTreeMap;

/// A page of the log.
pub struct Audit {
    pub page: AuditPage,
    /// Titles of its sessions that still exist, by their ids.
    pub titles: BTreeMap<String, String>,
}

pub fn audit(audit: &Audit, clock: &Clock) -> Part {
    let log = if audit.page.entries.is_empty() {
        part! { <p class="cap none-yet">"No entry yet. Log-ins, keys, decisions, deletions and changed settings are listed here."</p> }
    } else {
        part! {
            <table class="table audit-log">
                <thead><tr><th scope="col">"Time"</th><th scope="col" class="hide-narrow">"Who"</th><th scope="col">"What"</th></tr></thead>
                <tbody>{rows(audit, clock)}</tbody>
            </table>
            {older(&audit.page)}
        }
    };
    part! {
        <section id="audit" aria-labelledby="audit-heading">
            <div class="pagehead with-action"><div><h2 id="audit-heading">"Audit log"</h2>
                <p>"Log-ins, created keys, decisions, deletions and changed settings. Entries can only be added, and "<code>"verbatim doctor"</code>" detects changed ones."</p></div>
                <a class="btn" href=ExportAudit::PATH download="">{icon(Glyph::DN)}"Export"</a></div>
            {log}
        </section>
    }
}

/// Older entries, and the button for those before them. The page puts them below what it shows.
pub fn more(audit: &Audit, clock: &Clock) -> String {
    render(|| {
        part! { <table><tbody>{rows(audit, clock)}</tbody></table>{older(&audit.page)} }
    })
}

fn older(page: &AuditPage) -> Option<Part> {
    let next = page.next.clone()?;
    Some(part! {
        <div class="actions after" id="audit-older"><button type="button" class="btn" data-action=PageAction::OlderAudit.name() data-after=next>"Show older"</button></div>
    })
}

fn rows(audit: &Audit, clock: &Clock) -> Vec<Part> {
    audit.page.entries.iter().map(|entry| row(entry, audit, clock)).collect()
}

fn row(entry: &Entry, audit: &Audit, clock: &Clock) -> Part {
    let Words { text, session } = what(entry);
    let session = session.map(|id| match audit.titles.get(&id) {
        Some(title) => part! { " "<a href=session_href(&id)>{names::title(title)}</a> },
        None => {
            part! { " "<code class="mut" title=visible::line(&id)>{model::text::clip(&visible::line(&id), 13)}</code> }
        }
    });
    let who = who(&entry.who);
    part! {
        <tr data-number=entry.number tabindex="-1"><td>{exact_moment(clock, entry.at, "num mut")}</td>
            <td class="hide-narrow">{who.clone()}</td>
            <td>{text}{session}<span class="by only-narrow mut">{who}</span></td></tr>
    }
}
