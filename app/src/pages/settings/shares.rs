//! Links by which somebody without a log-in reads a session.

use super::question::question;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::names::title;
use crate::part::{Part, part};
use crate::send::send;
use crate::shared::session_href;
use crate::shell::small_icon;
use crate::visible;
use api::contract::RevokeShare;
use api::shares::{Share, Shares};
use leptos::prelude::*;

pub fn shares(shares: &Shares, clock: &Clock) -> Part {
    let (open, over): (Vec<&Share>, Vec<&Share>) = shares.shares.iter().partition(|share| share.is_open(clock.now));
    let rows: Vec<_> = open.iter().map(|share| row(share, clock)).collect();
    let none = open.is_empty().then(|| {
        part! { <p class="cap none-yet">"No links yet. To make one, open a session, then "<b>"Share a read-only link"</b>" in its menu."</p> }
    });
    let table = (!open.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Session"</th><th scope="col" class="hide-narrow">"Shared"</th><th scope="col">"Expires"</th>
                    <th scope="col" class="hide-narrow">"Opened"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    let old = (!over.is_empty()).then(|| {
        let rows: Vec<_> = over.iter().map(|share| ended(share, clock)).collect();
        part! { <details class="old-keys"><summary class="btn quiet tiny">{format!("{} expired or revoked", over.len())}</summary><ul role="list">{rows}</ul></details> }
    });
    part! {
        <section id="shares" aria-labelledby="shares-heading">
            <div class="pagehead"><h2 id="shares-heading">"Shared links"</h2>
                <p>"Whoever has one of these links reads a session, or a part of it, without a log-in."</p></div>
            {none}{table}{old}
        </section>
    }
}

fn row(share: &Share, clock: &Clock) -> Part {
    let name = named(share);
    let words = format!("Revoke the link to {name}");
    let revoke = send(RevokeShare, [&share.id]).confirm("revoke-share").done("Revoked").attributes();
    let unmasked = (!share.redacted).then(|| part! { " "<span class="chip" data-state="waiting">"Not masked"</span> });
    let opened = match share.last_opened_at {
        Some(at) => {
            let times = figures::counted(share.opened, "time");
            part! { {times}", "{moment(clock, at, "num")} }
        }
        None => part! { "never" },
    };
    part! {
        <tr><th scope="row"><a class="name" dir="auto" href=session_href(&share.session)>{name.clone()}</a>{unmasked}{note(share)}</th>
            <td class="mut hide-narrow">{moment(clock, share.created_at, "num")}<br/>{format!("by {}", visible::line(&share.shared_by))}</td>
            <td class="num">{clock.day(share.expires_at).strftime("%-d %b %Y").to_string()}</td>
            <td class="mut hide-narrow">{opened}</td>
            <td class="end"><button type="button" class="btn quiet tiny" {..revoke} data-name=name.clone() title=words>
                {small_icon(Glyph::TRASH)}"Revoke"<span class="sr">{format!(" the link to {name}")}</span></button></td></tr>
    }
}

fn named(share: &Share) -> String {
    share.session_title.as_deref().map_or_else(|| "deleted session".to_owned(), title)
}

fn note(share: &Share) -> Option<Part> {
    (!share.label.is_empty()).then(|| part! { <br/><span class="mut" dir="auto">{visible::line(&share.label)}</span> })
}

fn ended(share: &Share, clock: &Clock) -> Part {
    let (what, at) = match share.revoked_at {
        Some(at) => ("revoked", at),
        None => ("expired", share.expires_at),
    };
    let what = if share.session_title.is_none() { "session deleted; until" } else { what };
    part! { <li class="mut"><span class="name" dir="auto">{named(share)}</span>{format!(" {what} ")}{moment(clock, at, "num")}{note(share)}</li> }
}

pub fn revoke_dialog() -> Part {
    let says = "It doesn't open from now on. What somebody has read or saved, they keep. You can create a new link at any time.";
    question("revoke-share", "Revoke the link to ", says, ["Keep it", "Revoke"])
}
