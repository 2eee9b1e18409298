//! Rooms of channels: those in which somebody wrote or to which the bot was invited, and those that an owner
//! registered.

use crate::clock::{Clock, moment};
use crate::pages::session_pick::{Pick, pick};
use crate::part::{Part, part};
use crate::send::{problem, send};
use crate::shared::session_href;
use crate::visible;
use api::channels::{BindSession, Channel, ChannelSession};
use api::contract::{BindSessionEndpoint, LeaveRoomEndpoint, UnbindSession};
use api::routing::{LeaveRoom, Room, Rooms};
use leptos::prelude::*;
use model::Session;

/// `recent` are the sessions that a room can be registered for by choosing.
pub fn rooms(rooms: &Rooms, channels: &[Channel], recent: &[Session], clock: &Clock) -> Part {
    let name = |id: &str| channels.iter().find(|channel| channel.id == id).map(|channel| visible::line(&channel.name));
    let waiting: Vec<_> =
        rooms.rooms.iter().filter_map(|room| Some(waiting(room, name(&room.channel)?, recent, clock))).collect();
    let registered: Vec<_> = channels
        .iter()
        .flat_map(|channel| {
            let of_room = |shown: &&ChannelSession| shown.bound && shown.place.is_some();
            channel.sessions.iter().filter(of_room).map(move |shown| registered(channel, shown))
        })
        .collect();
    let none = (waiting.is_empty() && registered.is_empty()).then(|| {
        part! {
            <p class="cap none-yet">"No rooms yet. Invite the channel's bot to a room, as one of the channel's people. The room is then listed here."</p>
        }
    });
    let waiting = (!waiting.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table" id="rooms-waiting">
                <thead><tr><th scope="col">"No session shown"</th><th scope="col" class="hide-narrow">"Last activity"</th><th scope="col">"Register for"</th></tr></thead>
                <tbody>{waiting}</tbody>
            </table></div>
        }
    });
    let registered = (!registered.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table" id="rooms-registered">
                <thead><tr><th scope="col">"Registered"</th><th scope="col">"Session"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{registered}</tbody>
            </table></div>
        }
    });
    part! {
        <section id="rooms" aria-labelledby="rooms-heading">
            <div class="pagehead"><h2 id="rooms-heading">"Rooms"</h2>
                <p>"Rooms in which people write. A channel's bot joins rooms to which the channel's people invite it. Messages in a room without a session aren't stored."</p></div>
            {none}{waiting}{registered}
        </section>
    }
}

fn waiting(room: &Room, channel: String, recent: &[Session], clock: &Clock) -> Part {
    let address = visible::line(&room.address);
    let named = room.name.as_deref().map_or_else(|| address.clone(), visible::line);
    let by = room.invited_by.as_deref().map(visible::line);
    let by = by.map(|by| {
        if room.invitation {
            part! { <p class="cap fg-warn">{format!("{by} invites the bot, and isn't one of the channel's people. Registering accepts.")}</p> }
        } else {
            part! { <p class="cap">{format!("{by} invited the bot")}</p> }
        }
    });
    let bound = BindSession { session: String::new(), place: Some(room.address.clone()) };
    let register = send(BindSessionEndpoint, [&room.channel]).with(&bound).done("Registered").attributes();
    let left = LeaveRoom { channel: room.channel.clone(), address: room.address.clone() };
    let leaves = send(LeaveRoomEndpoint, []).with(&left).attributes();
    let leave = if room.invitation { "Decline" } else { "Leave" };
    let picked = Pick {
        name: "session",
        kind: None,
        label: format!("Session for {named}"),
        none: "Choose a session",
        is_required: true,
    };
    part! {
        <tr><th scope="row"><span class="name">{named.clone()}</span><br/><small class="mut">{channel}</small>{by}</th>
            <td class="hide-narrow">{moment(clock, room.last_at, "num mut")}</td>
            <td><form class="register" {..register}>
                {pick(&picked, recent)}
                <button type="submit" class="btn tiny">"Register"<span class="sr">{format!(" {named}")}</span></button>
                <button type="button" class="btn quiet tiny" {..leaves}>
                    {leave}<span class="sr">{format!(" {named}")}</span></button>
                <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            </form></td></tr>
    }
}

fn registered(channel: &Channel, shown: &ChannelSession) -> Part {
    let address = visible::line(shown.place.as_deref().unwrap_or_default());
    let id = shown.session.to_string();
    let title = crate::names::title(&shown.title);
    let unbind = send(UnbindSession, [&channel.id, &id]).attributes();
    part! {
        <tr><th scope="row"><span class="name">{address.clone()}</span><br/><small class="mut">{visible::line(&channel.name)}</small></th>
            <td><a class="link" dir="auto" href=session_href(&id)>{title}</a></td>
            <td class="end"><button type="button" class="btn quiet tiny" {..unbind}>
                "Unregister"<span class="sr">{format!(" {address}")}</span></button></td></tr>
    }
}
