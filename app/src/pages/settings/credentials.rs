//! Credentials: keys of agents, and browsers of people.

use super::question::question;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::send::{as_, attribute, problem, send};
use crate::shared::attr;
use crate::shared::form::As;
use crate::shared::page_action::PageAction;
use crate::shell::{icon, small_icon};
use crate::visible;
use api::account::{LogInInfo, LogIns};
use api::contract::{CreateKey, CreatePairing, EditKeyEndpoint, EndLogIn, EndOtherLogIns, RevokeKey};
use api::keys::{KeyInfo, Keys, Scope};
use leptos::prelude::*;
use model::Micros;
use serde_json::json;

pub fn keys(keys: &Keys, clock: &Clock) -> Part {
    let (alive, over): (Vec<&KeyInfo>, Vec<&KeyInfo>) = keys.keys.iter().partition(|key| holds(key, clock));
    let rows: Vec<_> = alive.iter().map(|key| key_row(key, clock)).collect();
    let none = alive.is_empty().then(
        || part! { <p class="cap none-yet">"No keys yet. With one, your own agent can post with three lines of code."</p> },
    );
    let table = (!alive.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Name"</th><th scope="col" class="hide-narrow">"May"</th><th scope="col" class="hide-narrow">"Ends"</th><th scope="col" class="hide-narrow">"Posted"</th>
                    <th scope="col">"Last used"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    let old = (!over.is_empty()).then(|| {
        let rows: Vec<_> = over.iter().map(|key| old_key(key, clock)).collect();
        part! { <details class="old-keys"><summary class="btn quiet tiny">{format!("{} expired or revoked", over.len())}</summary><ul role="list">{rows}</ul></details> }
    });
    part! {
        <section id="agent-keys" aria-labelledby="keys-heading">
            <div class="pagehead with-action"><div><h2 id="keys-heading">"Agent keys"</h2>
                <p>"With a key, an agent can post messages and read its own sessions. It can never approve. Only a hash is stored, so a key is shown once."</p></div>
                <button type="button" class="btn primary" {..attribute(attr::OPENS, "new-key")}>{icon(Glyph::PLUS)}"New agent key"</button></div>
            {none}{table}{old}
        </section>
    }
}

fn holds(key: &KeyInfo, clock: &Clock) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > clock.now)
}

fn key_row(key: &KeyInfo, clock: &Clock) -> Part {
    let scopes: Vec<_> =
        key.scopes.iter().map(|scope| part! { <span class="chip">{scope_word(*scope)}</span> }).collect();
    let ends = match key.expires_at {
        // The last day on which it works.
        Some(at) => {
            part! { <span title=clock.full(at)>{clock.day(Micros(at.0 - 1)).strftime("%-d %b %Y").to_string()}</span> }
        }
        None => part! { "never" },
    };
    let used = match key.last_used_at {
        Some(at) => moment(clock, at, "num mut"),
        None => part! { <span class="mut">"never"</span> },
    };
    let words = format!("Revoke {}", key.name);
    let megabytes = (key.quota.bytes as f64 / 1e6).ceil();
    let quota =
        json!({ "quota/messages": key.quota.messages.to_string(), "quota/bytes": megabytes.to_string() }).to_string();
    let revoke = send(RevokeKey, [&key.id]).confirm("revoke").attributes();
    part! {
        <tr><th scope="row"><span class="name">{key.name.clone()}</span><br/><code class="mut">{format!("vbt_{}\u{2026}", key.id)}</code></th>
            <td class="hide-narrow"><span class="chips">{scopes}</span></td>
            <td class="num mut hide-narrow">{ends}</td>
            <td class="num hide-narrow">{posted(key)}</td>
            <td>{used}</td>
            <td class="end"><button type="button" class="btn quiet tiny" data-name=key.name.clone()
                {..attribute(attr::OPENS, "quota")} {..send(EditKeyEndpoint, [&key.id]).attributes()} {..attribute(attr::FILL, quota)}>"Limit"<span class="sr">{format!(" what {} may post", key.name)}</span></button>
                <button type="button" class="btn quiet tiny icon" {..revoke} data-name=key.name.clone() title=words.clone()>
                {small_icon(Glyph::TRASH)}<span class="sr">{words.clone()}</span></button></td></tr>
    }
}

/// How much a key posted, and a word where that is almost all that it may.
fn posted(key: &KeyInfo) -> Part {
    let (posted, quota) = (key.posted, key.quota);
    let bytes = |n: i64| figures::bytes(n.unsigned_abs());
    let words = format!("{} \u{b7} {}", figures::count(posted.messages), bytes(posted.bytes));
    let most = format!("Of its quota of {} messages and {}", figures::count(quota.messages), bytes(quota.bytes));
    let nearly = |posted: i64, most: i64| posted >= most - most / 10;
    let state = if posted.messages >= quota.messages || posted.bytes >= quota.bytes {
        Some(part! { " "<span class="chip" data-state="failed">"limit reached"</span> })
    } else if nearly(posted.messages, quota.messages) || nearly(posted.bytes, quota.bytes) {
        Some(part! { " "<span class="chip" data-state="waiting">"near its limit"</span> })
    } else {
        None
    };
    part! { <span class="mut" title=most>{words}</span>{state} }
}

fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Post => "post",
        Scope::Read => "read own",
        Scope::ReadAll => "read all",
        Scope::Mirror => "mirror",
        Scope::Bridge => "bridge",
        Scope::Hooks => "report hooks",
        Scope::Forward => "send files",
    }
}

fn old_key(key: &KeyInfo, clock: &Clock) -> Part {
    let (what, at) = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => ("revoked", at),
        (None, at) => ("ended", at.unwrap_or_default()),
    };
    part! { <li class="mut"><span class="name">{key.name.clone()}</span>" "<code>{format!("vbt_{}\u{2026}", key.id)}</code>{format!(" {what} ")}{moment(clock, at, "num")}</li> }
}

/// A part of an answer, with a button that copies it.
pub(super) fn copied(slot: &'static str) -> Part {
    part! {
        <div class="copyline"><code {..attribute(attr::SLOT, slot)}></code><button type="button" class="btn tiny" data-action=PageAction::Copy.name() data-text="" {..attribute(attr::SLOT, slot)}>{small_icon(Glyph::COPY)}"Copy"</button></div>
    }
}

/// Filled when a key was made.
pub fn made() -> Part {
    part! {
        <div id="key-made" class="callout" data-state="done" role="status" hidden>{icon(Glyph::KEY)}
            <div><p><b>"Key \u{201c}"<span {..attribute(attr::SLOT, "name")}></span>"\u{201d} was made."</b>" Copy it now; it isn't shown again."</p>
                {copied("key")}
                <p class="cap">"Give it to the agent as "<code>"VERBATIM_KEY"</code>", or to "<code>"verbatim send --key"</code>"."</p></div>
        </div>
    }
}

pub fn new_key_dialog() -> Part {
    let scope = |scope: Scope, words: &'static str, says: &'static str| {
        part! {
            <label class="check"><input type="checkbox" class="tick" name="scopes" {..as_(As::Ticked)} value=scope.as_str() checked=matches!(scope, Scope::Post | Scope::Read)/>
                <span><b>{words}</b><small>{says}</small></span></label>
        }
    };
    part! {
        <dialog id="new-key" class="ask" aria-labelledby="new-key-title"><form {..send(CreateKey, []).done("").attributes()} {..attribute(attr::SHOWS, "key-made")}>
            <h2 id="new-key-title">"New agent key"</h2>
            <label class="label">"Name"<span class="field"><input name="name" required maxlength="200" autocomplete="off" placeholder="ci-nightly"/></span>
                <small>"Name of the program that uses it"</small></label>
            <fieldset class="label"><legend>"It may"</legend>
                {scope(Scope::Post, "Post", "Create sessions and post messages")}
                {scope(Scope::Read, "Read", "Read its own sessions, and wait for answers")}
                {scope(Scope::ReadAll, "Read all", "Read all sessions, also of other keys")}
                {scope(Scope::Mirror, "Mirror", "Pass on what a person typed elsewhere")}
                {scope(Scope::Bridge, "Bridge", "Speak for people of a messenger, in its own sessions. Never for an agent")}
            </fieldset>
            <label class="label">"It ends"<span class="pick wide"><select name="expires_at" {..as_(As::Days)}>
                <option value="">"Never"</option><option value="7">"In a week"</option><option value="30">"In 30 days"</option>
                <option value="90" selected>"In 90 days"</option><option value="365">"In a year"</option></select></span></label>
            <p class="fg-err" {..problem("")} role="alert" hidden></p>
            <div class="actions"><button type="button" class="btn" data-action=PageAction::CloseDialog.name()>"Cancel"</button><button type="submit" class="btn primary">"Create the key"</button></div>
        </form></dialog>
    }
}

pub fn quota_dialog() -> Part {
    let field = |name: &'static str, kind: As, words: &'static str| {
        part! { <label class="label">{words}<span class="field"><input {..as_(kind)} name=name type="number" required min="1" step="1" inputmode="decimal" autocomplete="off"/></span></label> }
    };
    part! {
        <dialog id="quota" class="ask" aria-labelledby="quota-title"><form {..send(EditKeyEndpoint, [""]).attributes()}>
            <h2 id="quota-title">"What "<span data-name=""></span>" may post"</h2>
            <p class="mut">"The total since the key was created. Further posts are refused until you raise it."</p>
            {field("quota/messages", As::Number, "Messages")}
            {field("quota/bytes", As::Megabytes, "Megabytes, of messages and files")}
            <p class="fg-err" {..problem("")} role="alert" hidden></p>
            <div class="actions"><button type="button" class="btn" data-action=PageAction::CloseDialog.name()>"Cancel"</button><button type="submit" class="btn primary">"Save"</button></div>
        </form></dialog>
    }
}

pub fn revoke_dialog() -> Part {
    let says =
        "Programs that use it are refused from now on. This can't be undone, but you can create a new key at any time.";
    question("revoke", "Revoke ", says, ["Keep it", "Revoke"])
}

/// Asked where this browser has something that wasn't sent.
pub fn log_out_dialog() -> Part {
    part! {
        <dialog id="log-out" class="ask" aria-labelledby="log-out-title"><form method="dialog">
            <h2 id="log-out-title">"Log out?"</h2>
            <p class="mut">"You wrote messages or comments in this browser and didn't send them. Logging out deletes them."</p>
            <div class="actions"><button value="" class="btn">"Stay logged in"</button><button value="log-out" class="btn deny">"Log out and delete"</button></div>
        </form></dialog>
    }
}

pub fn devices(logins: &LogIns, is_public: bool, clock: &Clock) -> Part {
    let rows: Vec<_> = logins.logins.iter().map(|login| device(login, clock)).collect();
    let others = (logins.logins.iter().any(|login| !login.current)).then(|| {
        part! { <div class="actions after"><button type="button" class="btn" {..send(EndOtherLogIns, []).attributes()}>"Log out all others"</button></div> }
    });
    let (add, why_not) = if is_public {
        let button = part! { <button type="button" class="btn primary" {..attribute(attr::OPENS, "pair")}>{icon(Glyph::PLUS)}"Add a phone"</button> };
        (Some(button), None)
    } else {
        let words = part! {
            <p class="cap none-yet">"Phones and other computers don't reach this server. To add one, start it with "<code>"--public-url"</code>"; "
                <code>"docs/user/network.md"</code>" says what else it needs."</p>
        };
        (None, Some(words))
    };
    part! {
        <section id="devices" aria-labelledby="devices-heading">
            <div class="pagehead with-action"><div><h2 id="devices-heading">"Devices"</h2>
                <p>"Browsers that are logged in. A log-in ends after a week without use, and after 30 days."</p></div>{add}</div>
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Browser"</th><th scope="col" class="hide-narrow">"Since"</th><th scope="col">"Last seen"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
            {others}{why_not}
        </section>
    }
}

/// Filled when a link for another device was made.
pub fn paired() -> Part {
    part! {
        <div id="paired" class="callout" data-state="done" role="status" hidden>{icon(Glyph::LOCK)}
            <div><p><b>"Scan this with the camera of the phone."</b>" It logs in once, within 15 minutes: show it to nobody else."</p>
                <img class="qr" alt="QR code of the link below" width="220" height="220" {..attribute(attr::SLOT, "qr")}/>
                {copied("url")}</div>
        </div>
    }
}

pub fn pair_dialog() -> Part {
    part! {
        <dialog id="pair" class="ask" aria-labelledby="pair-title"><form {..send(CreatePairing, []).done("").attributes()} {..attribute(attr::SHOWS, "paired")}>
            <h2 id="pair-title">"Add a phone"</h2>
            <p class="mut">"Or another device of yours. Whoever opens the link is logged in as you."</p>
            <label class="label">"Name"<span class="field"><input name="name" {..as_(As::Given)} maxlength="60" autocomplete="off" placeholder="My phone"/></span>
                <small>"In the list of devices. Without one, its browser's name stands there"</small></label>
            <p class="fg-err" {..problem("")} role="alert" hidden></p>
            <div class="actions"><button type="button" class="btn" data-action=PageAction::CloseDialog.name()>"Cancel"</button><button type="submit" class="btn primary">"Show the code"</button></div>
        </form></dialog>
    }
}

fn device(login: &LogInInfo, clock: &Clock) -> Part {
    let name = model::browser::name(&login.label);
    let notified = login.notified.then(|| part! { " "<span class="chip">"Notifications"</span> });
    let person =
        login.person.as_deref().map(|name| part! { " "<span class="mut" dir="auto">{visible::line(name)}</span> });
    let words = format!("Log out {name}");
    let end = if login.current {
        part! { <span class="chip" data-state="done">"This one"</span> }
    } else {
        part! { <button type="button" class="btn quiet tiny" {..send(EndLogIn, [&login.id]).attributes()} title=words.clone()>"Log out"<span class="sr">{format!(" {name}")}</span></button> }
    };
    part! {
        <tr><th scope="row"><span class="name" title=login.label.clone()>{name.clone()}</span>{person}{notified}</th>
            <td class="hide-narrow">{moment(clock, login.created_at, "num mut")}</td>
            <td>{moment(clock, login.last_used_at, "num mut")}</td>
            <td class="end">{end}</td></tr>
    }
}
