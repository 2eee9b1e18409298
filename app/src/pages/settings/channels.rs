//! Channels: where sessions are shown besides the page, what waits there, what was refused, and a form to add one.

use super::credentials::copied;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::pages::session_pick::{Pick, pick};
use crate::part::{Part, part};
use crate::send::{address, as_, attribute, body, problem, send};
use crate::shared::attr;
use crate::shared::form::{As, Then};
use crate::shared::message_href;
use crate::shell::small_icon;
use crate::visible;
use api::channels::{
    Channel, ChannelDelivery, ChannelField, ChannelKind, Channels, DeliveryAction, EditChannel, NewChannel,
    SettleDeliveries,
};
use api::contract::{AddChannel, EditChannelEndpoint, RemoveChannel, SettleDeliveriesEndpoint, TestChannel};
use leptos::prelude::*;
use model::Session;

/// The channels, and what each refused for good.
pub struct ChannelsData {
    pub channels: Channels,
    /// By channel: the latest first.
    pub refused: Vec<(String, Vec<ChannelDelivery>)>,
}

/// `recent` are the sessions that a new channel offers first.
pub fn channels(data: &ChannelsData, recent: &[Session], clock: &Clock) -> Part {
    let all = &data.channels.channels;
    let rows: Vec<_> = all.iter().map(|channel| row(channel, &data.channels.kinds, clock)).collect();
    let none = rows.is_empty().then(|| {
        part! { <p class="cap none-yet">"No channels yet. Add one to read and answer sessions in a chat room or in your own program."</p> }
    });
    let table = (!rows.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Channel"</th><th scope="col" class="hide-narrow">"Shows"</th><th scope="col">"State"</th>
                    <th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    let refused: Vec<_> = data
        .refused
        .iter()
        .filter_map(|(id, deliveries)| Some(refused(all.iter().find(|channel| channel.id == *id)?, deliveries, clock)))
        .collect();
    let people: Vec<_> = all.iter().filter(|channel| answers(channel, &data.channels.kinds)).map(people).collect();
    let forms: Vec<_> = data.channels.kinds.iter().map(|kind| form(kind, recent)).collect();
    part! {
        <section id="channels" aria-labelledby="channels-heading">
            <div class="pagehead"><h2 id="channels-heading">"Channels"</h2>
                <p>"Chat rooms and webhooks in which sessions are also shown and answered. Each channel gets its messages in order. A slow one doesn't delay others."</p></div>
            {none}{table}{refused}{people}
            {forms}
        </section>
    }
}

fn answers(channel: &Channel, kinds: &[ChannelKind]) -> bool {
    kinds.iter().any(|kind| kind.name == channel.kind && kind.answers)
}

fn row(channel: &Channel, kinds: &[ChannelKind], clock: &Clock) -> Part {
    let name = visible::line(&channel.name);
    let title = kinds.iter().find(|kind| kind.name == channel.kind).map_or(&channel.kind, |kind| &kind.title);
    let bound = channel.sessions.iter().filter(|session| session.bound).count();
    let shows = if channel.every_session {
        "Every session".to_owned()
    } else {
        figures::counted(i64::try_from(bound).unwrap_or(i64::MAX), "session")
    };
    let is_paused = channel.paused_at.is_some();
    let edit = |change: EditChannel| send(EditChannelEndpoint, [&channel.id]).with(&change).attributes();
    let pause = edit(EditChannel { paused: Some(!is_paused), ..EditChannel::default() });
    let test =
        send(TestChannel, [&channel.id]).done("The channel accepted the test message").then(Then::Stay).attributes();
    let undo = body(&EditChannel { removed: Some(false), ..EditChannel::default() });
    let undo = (
        attribute(attr::SHOWS, "channel-removed"),
        attribute(attr::UNDO, address(EditChannelEndpoint, [&channel.id])),
        attribute(attr::UNDO_BODY, undo),
    );
    let removes = send(RemoveChannel, [&channel.id]).done("").attributes();
    let remove = format!("Remove {name}");
    part! {
        <tr><th scope="row"><span class="name">{name.clone()}</span><br/><small class="mut">{visible::line(title)}</small></th>
            <td class="hide-narrow">{shows}</td>
            <td>{state(channel, clock)}</td>
            <td class="end">
                <button type="button" class="btn quiet tiny" {..test}>"Send a test"<span class="sr">{format!(" to {name}")}</span></button>
                <button type="button" class="btn quiet tiny" {..pause}>{if is_paused { "Resume" } else { "Pause" }}<span class="sr">{format!(" {name}")}</span></button>
                <button type="button" class="btn quiet tiny icon" {..removes} {..undo} data-name=name.clone() title=remove.clone()>
                    {small_icon(Glyph::TRASH)}<span class="sr">{remove.clone()}</span></button></td></tr>
    }
}

fn settle(channel: &Channel, action: DeliveryAction) -> impl leptos::attr::Attribute {
    send(SettleDeliveriesEndpoint, [&channel.id]).with(&SettleDeliveries { action }).attributes()
}

fn state(channel: &Channel, clock: &Clock) -> Part {
    let paused = channel.paused_at.map(|_| part! { <span class="chip">"Paused"</span>" " });
    let waiting = (channel.waiting > 0).then(|| {
        part! { <span class="chip" data-state="waiting">{format!("{} waiting", figures::count(channel.waiting))}</span>" " }
    });
    let sent = match channel.sent_at {
        Some(at) => part! { <span class="mut">"Sent "{moment(clock, at, "num mut")}</span> },
        None => part! { <span class="mut">"Nothing sent yet"</span> },
    };
    let failing = channel.error.as_ref().map(|error| {
        let next = channel.next_at.map(|at| part! { " Tried again "{moment(clock, at, "num")}". " });
        part! {
            <p class="cap fg-err">{visible::line(error)}"."{next}
                <button type="button" class="btn quiet tiny" {..settle(channel, DeliveryAction::Now)}>"Try now"</button></p>
        }
    });
    let dead = (channel.dead > 0).then(|| {
        part! { <span class="chip fg-err">{format!("{} refused", figures::count(channel.dead))}</span>" " }
    });
    part! { {paused}{waiting}{dead}{sent}{failing} }
}

/// Draws the rejected deliveries of a channel.
fn refused(channel: &Channel, deliveries: &[ChannelDelivery], clock: &Clock) -> Part {
    let name = visible::line(&channel.name);
    let rows: Vec<_> = deliveries
        .iter()
        .map(|delivery| {
            let href = message_href(delivery.session.as_str(), delivery.seq);
            let text = model::text::one_line(delivery.text.as_deref().unwrap_or_default(), 120);
            part! {
                <tr><td><a href=href>{visible::line(&text)}</a></td><td class="fg-err">{visible::line(delivery.error.as_deref().unwrap_or_default())}</td>
                    <td class="hide-narrow">{moment(clock, delivery.queued_at, "num mut")}</td></tr>
            }
        })
        .collect();
    part! {
        <div class="callout" data-state="failed"><div>
            <p><b>{format!("{name} refused {}. ", figures::counted(channel.dead, "message"))}</b>"What came later was sent."</p>
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Message"</th><th scope="col">"Why"</th><th scope="col" class="hide-narrow">"When"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
            <p><button type="button" class="btn tiny" {..settle(channel, DeliveryAction::Retry)}>"Try again"<span class="sr">{format!(": {name}")}</span></button>" "
                <button type="button" class="btn quiet tiny" {..settle(channel, DeliveryAction::Clear)}>"Clear"<span class="sr">{format!(" what {name} refused")}</span></button></p>
        </div></div>
    }
}

/// Draws the people who can answer in a channel.
fn people(channel: &Channel) -> Part {
    let name = visible::line(&channel.name);
    let lines: Vec<String> = channel.people.iter().map(|(address, name)| format!("{address} = {name}")).collect();
    let incoming = channel.incoming.clone().map(|url| {
        part! { <p class="cap">"Signed answers are posted to "<code>{visible::line(&url)}</code></p> }
    });
    part! {
        <details class="old-keys"><summary class="btn quiet tiny">{format!("People of {name} ({})", channel.people.len())}</summary>
            <form class="answer" {..send(EditChannelEndpoint, [&channel.id]).attributes()}>
                <label class="answer-field"><span>"One per line: address = name"</span><textarea name="people" {..as_(As::Pairs)} rows="4" spellcheck="false">{lines.join("\n")}</textarea></label>
                {incoming}
                <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                <p><button type="submit" class="btn primary">"Save"</button></p>
            </form>
        </details>
    }
}

fn form(kind: &ChannelKind, recent: &[Session]) -> Part {
    let label = format!("Session of {}", kind.title);
    let shown = Pick { name: "sessions", kind: Some(As::Sessions), label, none: "Every session", is_required: false };
    let fields: Vec<_> = kind.fields.iter().map(field).collect();
    let new = NewChannel { kind: kind.name.clone(), ..NewChannel::default() };
    let add = send(AddChannel, []).with(&new).done("Added").attributes();
    let people = kind.answers.then(|| {
        part! {
            <label class="answer-field"><span>"People who can answer, one per line: address = name"</span>
                <textarea name="people" {..as_(As::Pairs)} rows="2" spellcheck="false" placeholder="@ada:example.org = Ada"></textarea></label>
        }
    });
    part! {
        <details class="old-keys"><summary class="btn tiny">{small_icon(Glyph::PLUS)}{format!("Add {}", kind.title)}</summary>
            <form class="answer" id=format!("add-{}", kind.name) {..add} {..attribute(attr::SHOWS, "channel-secret")} autocomplete="off">
                <p class="cap">{kind.about.clone()}</p>
                <label class="answer-field"><span>"Name"</span><input name="name" {..as_(As::Given)} maxlength="200" placeholder=kind.title.clone()/></label>
                {fields}{people}
                <div class="answer-field"><span>"Sessions"</span>{pick(&shown, recent)}</div>
                <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                <p><button type="submit" class="btn primary">"Add the channel"</button></p>
            </form>
        </details>
    }
}

fn field(field: &ChannelField) -> Part {
    let kind = if field.secret { "password" } else { "text" };
    part! {
        <label class="answer-field"><span>{field.label.clone()}</span>
            <input name=format!("settings/{}", field.name) {..as_(As::Given)} type=kind required=field.required spellcheck="false" autocomplete="off"/>
            <small>{field.help.clone()}</small></label>
    }
}

/// Filled when a channel was added whose secret was made, and when one was removed.
pub fn notices() -> Part {
    part! {
        <div id="channel-secret" class="callout" data-state="done" role="status" hidden>{small_icon(Glyph::KEY)}
            <div><p><b>"The channel was added."</b>" Copy its signing secret now; it isn't shown again."</p>
                {copied("secret")}</div>
        </div>
        <p id="channel-removed" class="callout" role="status" hidden><span data-name=""></span>" was removed. "
            <button type="button" class="btn quiet tiny" {..attribute(attr::HIDES, "channel-removed")}>"Undo"</button></p>
    }
}
