//! Channels: adding, changing and testing them, their sessions, and what they are told.

use crate::account::login;
use crate::basics::line::is_line;
use crate::basics::query::limit;
use crate::basics::{clock, problem};
use crate::channels::open_channels::{Open, OpenChannels, people, settings};
use crate::context::Scoped;
use crate::may::{message, session};
use crate::routing::{self, UnregisteredRooms};
use crate::writing::posting;
use ::channels::signature::Secret;
use ::channels::{Failure, KINDS, Lane, Outgoing, Place, Receives, Sending, SettingError, Settings};
use api::channels::{
    BindSession, Channel, ChannelAdded, ChannelDelivery, ChannelField, ChannelKind, ChannelPath, ChannelSession,
    ChannelSessionPath, Channels, Deliveries, DeliveriesQuery, DeliveriesSettled, DeliveryAction, DeliveryState,
    EditChannel, MessageDeliveries, MessageDelivery, NewChannel, SettleDeliveries,
};
use api::contract::ChannelIncoming;
use api::messages::MessagePath;
use api::routing::{LeaveRoom, Room, Rooms};
use api::sessions::SessionPath;
use api::{Nothing, Problem, ProblemCode, Route as _};
use model::audit::Event;
use model::policy::Verbosity;
use model::text::is_blank;
use model::{Draft, Message, MessageId, Micros, Provenance, Role, SessionId};
use std::collections::BTreeMap;
use store::{ChannelCounts, ChannelRow};

/// Channels that a workspace may have.
const MOST: usize = 50;
const NAME_CHARS: usize = 200;
/// People of a channel, and the bytes of an address or a name.
const PEOPLE: usize = 200;
const PERSON_BYTES: usize = 255;
const SETTING_BYTES: usize = 4096;
const DEFAULT: u32 = 50;
const MOST_DELIVERIES: u32 = 500;

pub async fn list_channels(scoped: &Scoped) -> Result<Channels, Problem> {
    let workspace = &scoped.hub.workspace;
    let counts = workspace.channel_counts().await.map_err(problem)?;
    let mut channels = Vec::new();
    for row in workspace.channels().await.map_err(problem)?.into_iter().filter(|row| row.removed_at.is_none()) {
        channels.push(shown(scoped, &row, &counts).await?);
    }
    let field = |field: &channels::Field| ChannelField {
        name: field.name.to_owned(),
        label: field.label.to_owned(),
        help: field.help.to_owned(),
        secret: field.is_secret,
        required: field.is_required,
    };
    let kind = |kind: &&channels::Kind| ChannelKind {
        name: kind.name.to_owned(),
        title: kind.title.to_owned(),
        about: kind.about.to_owned(),
        answers: kind.abilities.receives != Receives::Nothing,
        fields: kind.fields.iter().map(field).collect(),
    };
    Ok(Channels { channels, kinds: KINDS.iter().map(kind).collect() })
}

async fn shown(scoped: &Scoped, row: &ChannelRow, counts: &[ChannelCounts]) -> Result<Channel, Problem> {
    let workspace = &scoped.hub.workspace;
    let kind = channels::kind(&row.kind);
    let is_open = |name: &str| kind.is_some_and(|kind| kind.fields.iter().any(|f| f.name == name && !f.is_secret));
    let mut sessions = Vec::new();
    for bound in workspace.bound_sessions(&row.id).await.map_err(problem)? {
        if !bound.bound && !row.every_session {
            continue;
        }
        let found = workspace.session(&bound.session, clock::now()).await.map_err(problem)?;
        let title = found.map_or_else(String::new, |found| found.title);
        sessions.push(ChannelSession { session: bound.session, title, bound: bound.bound, place: bound.place });
    }
    let counts = counts.iter().find(|counts| counts.channel == row.id).cloned().unwrap_or_default();
    let takes_signed = kind.is_some_and(|kind| kind.abilities.receives == Receives::Signed);
    Ok(Channel {
        id: row.id.clone(),
        kind: row.kind.clone(),
        name: row.name.clone(),
        settings: settings(row).into_iter().filter(|(name, _)| is_open(name)).collect(),
        people: people(row),
        verbosity: Verbosity::parse(&row.verbosity).unwrap_or(Verbosity::Normal),
        every_session: row.every_session,
        sessions,
        created_at: row.created_at,
        paused_at: row.paused_at,
        waiting: counts.waiting,
        dead: counts.dead,
        sent_at: counts.sent_at,
        error: counts.error,
        next_at: counts.next_at,
        incoming: takes_signed
            .then(|| format!("{}{}", scoped.hub.settings.base_url, ChannelIncoming.path([row.id.as_str()]))),
    })
}

pub async fn add_channel(scoped: &Scoped, input: NewChannel) -> Result<ChannelAdded, Problem> {
    let workspace = &scoped.hub.workspace;
    let kind = channels::kind(&input.kind).ok_or_else(|| {
        let names: Vec<String> = KINDS.iter().map(|kind| format!("`{}`", kind.name)).collect();
        Problem::field("/kind", &format!("one of {}", names.join(", ")))
    })?;
    let existing = workspace.channels().await.map_err(problem)?;
    if existing.iter().filter(|row| row.removed_at.is_none()).count() >= MOST {
        let problem = Problem::new(ProblemCode::TooManyChannels, format!("The maximum of {MOST} channels is reached"));
        return Err(problem.hint("Remove a channel that isn't needed"));
    }
    let name = name(input.name.as_deref().unwrap_or(kind.title))?;
    let mut given = checked_settings(kind, input.settings)?;
    let mut secret = None;
    if kind.fields.iter().any(|field| field.name == "secret") && !given.contains_key("secret") {
        let made = Secret::write(&login::bytes::<32>()?);
        secret = Some(made.clone());
        given.insert("secret".to_owned(), made);
    }
    open(scoped, kind.name, &given)?;
    let people = checked_people(input.people)?;
    let mut sessions = Vec::new();
    for (index, named) in input.sessions.iter().enumerate() {
        let at = |problem: Problem| Problem { field: Some(format!("/sessions/{index}")), ..problem };
        sessions.push(session(scoped, &SessionPath { session: named.clone() }).await.map_err(at)?.id);
    }
    let now = clock::now();
    let row = ChannelRow {
        id: login::short_id()?,
        kind: kind.name.to_owned(),
        name,
        settings: json(&given)?,
        people: json(&people)?,
        verbosity: input.verbosity.unwrap_or(Verbosity::Normal).as_str().to_owned(),
        every_session: input.every_session,
        created_at: now,
        paused_at: None,
        removed_at: None,
        position: None,
    };
    let signed = scoped.signed().await;
    let added = Event::ChannelAdded { channel: row.id.clone(), name: row.name.clone(), channel_kind: row.kind.clone() };
    signed.put_channel(&row, now, added).await.map_err(problem)?;
    for session in &sessions {
        signed.bind_session(&row.id, (session, None), now, changed(&row, &["sessions"])).await.map_err(problem)?;
    }
    scoped.hub.state::<OpenChannels>().ring();
    Ok(ChannelAdded { channel: shown(scoped, &row, &[]).await?, secret })
}

pub async fn edit_channel(scoped: &Scoped, path: &ChannelPath, input: EditChannel) -> Result<Channels, Problem> {
    let mut row = found(scoped, path, input.removed == Some(false)).await?;
    let before = row.clone();
    let kind = channels::kind(&row.kind).ok_or_else(|| Problem::not_found("kind of channel in this version"))?;
    if let Some(given) = &input.name {
        row.name = name(given)?;
    }
    if !input.settings.is_empty() {
        let mut all = settings(&row);
        all.extend(checked_settings(kind, input.settings)?);
        open(scoped, kind.name, &all)?;
        row.settings = json(&all)?;
    }
    if let Some(given) = input.people {
        row.people = json(&checked_people(given)?)?;
    }
    row.verbosity = input.verbosity.map_or(row.verbosity, |verbosity| verbosity.as_str().to_owned());
    row.every_session = input.every_session.unwrap_or(row.every_session);
    let now = clock::now();
    if let Some(paused) = input.paused {
        row.paused_at = paused.then(|| row.paused_at.unwrap_or(now));
    }
    if let Some(removed) = input.removed {
        row.removed_at = removed.then_some(now);
    }
    let fields = [
        ("name", row.name != before.name),
        ("settings", row.settings != before.settings),
        ("people", row.people != before.people),
        ("verbosity", row.verbosity != before.verbosity),
        ("sessions", row.every_session != before.every_session),
        ("paused", row.paused_at != before.paused_at),
    ];
    let fields: Vec<&str> = fields.iter().filter(|(_, is_new)| *is_new).map(|(name, _)| *name).collect();
    let (channel, name) = (row.id.clone(), row.name.clone());
    let event = match (before.removed_at, row.removed_at) {
        (None, Some(_)) => Some(Event::ChannelRemoved { channel, name }),
        (Some(_), None) => Some(Event::ChannelAdded { channel, name, channel_kind: row.kind.clone() }),
        _ => (!fields.is_empty()).then(|| changed(&row, &fields)),
    };
    if let Some(event) = event {
        let signed = scoped.signed().await;
        signed.put_channel(&row, now, event).await.map_err(problem)?;
        // New settings may fix an error.
        if row.settings != before.settings {
            signed.hurry_deliveries(&row.id, now, 0).await.map_err(problem)?;
        }
        scoped.hub.state::<OpenChannels>().ring();
    }
    list_channels(scoped).await
}

pub async fn remove_channel(scoped: &Scoped, path: &ChannelPath) -> Result<Channels, Problem> {
    edit_channel(scoped, path, EditChannel { removed: Some(true), ..EditChannel::default() }).await
}

/// Sends a message that belongs to no session.
pub async fn test_channel(scoped: &Scoped, path: &ChannelPath) -> Result<Nothing, Problem> {
    let row = found(scoped, path, false).await?;
    let open = open(scoped, &row.kind, &settings(&row))?;
    let page = scoped.hub.settings.base_url.as_str();
    let refused = |failure: Failure| {
        let problem = Problem::new(ProblemCode::ChannelFailed, format!("The channel rejected the message: {failure}"));
        problem.hint("Check the channel's settings, and that its service is running")
    };
    let message = test_message()?;
    let text = message.draft.content.clone();
    let outgoing =
        Outgoing { title: "Test", message: &message, text: Some(&text), lane: Lane::Talk, before: None, page };
    let Some(body) = open.channel.render(&outgoing) else {
        return Err(Problem::new(
            ProblemCode::NothingToTest,
            "This kind of channel only sends messages that have an address",
        ));
    };
    let people: Vec<String> = people(&row).into_keys().collect();
    let session = format!("test-{}", row.id);
    let place = Place { session: &session, title: "Verbatim test", page, people: &people };
    let place = open.channel.make_place(&place).await.map_err(refused)?;
    let key = format!("vb-{}-test-{}", row.id, message.draft.id);
    let at = clock::now().0 / Micros::SECOND;
    open.channel.send(&Sending { key, body, earlier: None, place, thread: None, at }).await.map_err(refused)?;
    Ok(Nothing {})
}

fn test_message() -> Result<Message, Problem> {
    let now = clock::now();
    let id: MessageId = posting::new_id();
    let session_id = SessionId::parse("test").map_err(|_| Problem::internal())?;
    let draft = Draft {
        provenance: Provenance::Ourselves,
        ..Draft::text(id, Role::Host, "host", "🏠 Verbatim reaches this channel", now)
    };
    Ok(Message { session_id, seq: 1, revision: 1, draft, records: Vec::new(), received_at: now })
}

pub async fn bind_session(scoped: &Scoped, path: &ChannelPath, input: BindSession) -> Result<Channels, Problem> {
    let row = found(scoped, path, false).await?;
    let at = |problem: Problem| Problem { field: Some("/session".to_owned()), ..problem };
    let session = session(scoped, &SessionPath { session: input.session }).await.map_err(at)?;
    let workspace = &scoped.hub.workspace;
    let bound = workspace.bound_sessions(&row.id).await.map_err(problem)?;
    let known = bound.iter().find(|bound| bound.bound && bound.session == session.id);
    // Binding it again would skip messages that still wait.
    if known.is_none_or(|known| input.place.is_some() && known.place != input.place) {
        if let Some(place) = &input.place {
            let room = free(scoped, &row, ("/place", place)).await?;
            if room.invitation {
                let open = open(scoped, &row.kind, &settings(&row))?;
                open.channel.join(place).await.map_err(|failure| not_entered(&failure))?;
            }
        }
        let signed = scoped.signed().await;
        let event = changed(&row, &["sessions"]);
        let shown = (&session.id, input.place.as_deref());
        signed.bind_session(&row.id, shown, clock::now(), event).await.map_err(problem)?;
        if let Some(place) = &input.place {
            scoped.hub.state::<UnregisteredRooms>().settled(workspace, &row.id, place).await.map_err(problem)?;
        }
        scoped.hub.state::<OpenChannels>().ring();
    }
    list_channels(scoped).await
}

/// Returns a room that was heard of and shows no session.
async fn free(scoped: &Scoped, row: &ChannelRow, (field, place): (&str, &str)) -> Result<Room, Problem> {
    let workspace = &scoped.hub.workspace;
    let heard = UnregisteredRooms::find(workspace, &row.id, place).await.map_err(problem)?;
    let bound = workspace.bound_sessions(&row.id).await.map_err(problem)?;
    heard.filter(|_| !row.shows(&bound, place)).ok_or_else(|| {
        let problem = Problem::field(field, "the address of a room of this channel that shows no session");
        problem.hint("`GET /v1/rooms` lists rooms in which somebody wrote or to which the bot was invited")
    })
}

fn not_entered(failure: &Failure) -> Problem {
    let problem = Problem::new(ProblemCode::ChannelFailed, format!("The room can't be joined: {failure}"));
    problem.hint("Invite the bot again, or decline the invitation")
}

/// Leaves a room that shows no session, and takes it off the list.
pub async fn leave_room(scoped: &Scoped, input: LeaveRoom) -> Result<Rooms, Problem> {
    let at = |problem: Problem| match problem.status {
        404 => Problem::field("/channel", "the id of a channel: `GET /v1/channels` lists them"),
        _ => problem,
    };
    let row = found(scoped, &ChannelPath { channel: input.channel }, false).await.map_err(at)?;
    free(scoped, &row, ("/address", &input.address)).await?;
    let open = open(scoped, &row.kind, &settings(&row))?;
    match open.channel.leave(&input.address).await {
        Ok(()) => {}
        // The bot is out of it already, unless its own log-in is refused.
        Err(Failure::Never { reason, status }) if status != Some(401) => {
            tracing::info!(reason, channel = row.id, "a room wasn't left");
        }
        Err(failure) => {
            let problem = Problem::new(ProblemCode::ChannelFailed, format!("The room can't be left: {failure}"));
            return Err(problem.hint("Test the channel's settings with a test message, and try again"));
        }
    }
    scoped
        .hub
        .state::<UnregisteredRooms>()
        .settled(&scoped.hub.workspace, &row.id, &input.address)
        .await
        .map_err(problem)?;
    routing::list_rooms(scoped).await
}

pub async fn unbind_session(scoped: &Scoped, path: &ChannelSessionPath) -> Result<Channels, Problem> {
    let row = found(scoped, &ChannelPath { channel: path.channel.clone() }, false).await?;
    let session = session(scoped, &SessionPath { session: path.session.clone() }).await?;
    let event = changed(&row, &["sessions"]);
    if !scoped.signed().await.unbind_session(&row.id, &session.id, event).await.map_err(problem)? {
        return Err(Problem::not_found("session in this channel"));
    }
    list_channels(scoped).await
}

pub async fn list_deliveries(
    scoped: &Scoped,
    path: &ChannelPath,
    input: DeliveriesQuery,
) -> Result<Deliveries, Problem> {
    let row = found(scoped, path, false).await?;
    let limit = limit(input.limit, DEFAULT, MOST_DELIVERIES)?;
    let state = input.state.and_then(|state| store::DeliveryState::parse(state.as_str()));
    let found = scoped.hub.workspace.channel_deliveries(&row.id, state, limit).await.map_err(problem)?;
    Ok(Deliveries { deliveries: found.into_iter().filter_map(delivery).collect() })
}

/// Lists the deliveries of a message to all channels, including removed ones.
pub async fn list_message_deliveries(scoped: &Scoped, path: &MessagePath) -> Result<MessageDeliveries, Problem> {
    let workspace = &scoped.hub.workspace;
    let session = session(scoped, &SessionPath { session: path.session.clone() }).await?;
    let seq = message(scoped, &session.id, &path.message).await?.message.seq;
    let channels = workspace.channels().await.map_err(problem)?;
    let told = workspace.message_deliveries(&session.id, seq).await.map_err(problem)?.into_iter();
    let named = told.filter_map(|told| {
        let row = channels.iter().find(|row| row.id == told.channel)?;
        Some(MessageDelivery { channel: row.id.clone(), name: row.name.clone(), delivery: delivery(told)? })
    });
    Ok(MessageDeliveries { deliveries: named.collect() })
}

fn delivery(delivery: store::Delivery) -> Option<ChannelDelivery> {
    let state = DeliveryState::parse(delivery.state.as_str())?;
    Some(ChannelDelivery {
        session: delivery.session,
        seq: delivery.seq,
        state,
        text: delivery.said,
        attempts: delivery.attempts,
        next_at: (state == DeliveryState::Pending).then_some(delivery.next_at),
        error: delivery.error,
        queued_at: delivery.queued_at,
        sent_at: delivery.sent_at,
    })
}

pub async fn settle_deliveries(
    scoped: &Scoped,
    path: &ChannelPath,
    input: SettleDeliveries,
) -> Result<DeliveriesSettled, Problem> {
    let row = found(scoped, path, false).await?;
    let (workspace, now) = (&scoped.hub.workspace, clock::now());
    let deliveries = match input.action {
        DeliveryAction::Now => workspace.hurry_deliveries(&row.id, now, 0).await,
        DeliveryAction::Retry => workspace.retry_dead(&row.id, now).await,
        DeliveryAction::Clear => workspace.clear_dead(&row.id).await,
    };
    let deliveries = deliveries.map_err(problem)?;
    scoped.hub.state::<OpenChannels>().ring();
    Ok(DeliveriesSettled { deliveries })
}

async fn found(scoped: &Scoped, path: &ChannelPath, with_removed: bool) -> Result<ChannelRow, Problem> {
    let rows = scoped.hub.workspace.channels().await.map_err(problem)?;
    let found = rows.into_iter().find(|row| row.id == path.channel && (with_removed || row.removed_at.is_none()));
    found.ok_or_else(|| Problem::not_found("channel"))
}

fn open(scoped: &Scoped, kind: &str, settings: &Settings) -> Result<Open, Problem> {
    let refused = |SettingError { field, expected }| match field {
        "kind" => Problem::field("/kind", &expected),
        field => Problem::field(&format!("/settings/{field}"), &expected),
    };
    scoped.hub.state::<OpenChannels>().open(kind, settings).map_err(refused)
}

fn changed(row: &ChannelRow, fields: &[&str]) -> Event {
    let fields = fields.iter().map(ToString::to_string).collect();
    Event::ChannelChanged { channel: row.id.clone(), name: row.name.clone(), fields }
}

fn name(given: &str) -> Result<String, Problem> {
    let name = given.trim();
    if is_line(name, NAME_CHARS) {
        Ok(name.to_owned())
    } else {
        Err(Problem::field("/name", &format!("1 to {NAME_CHARS} characters in one line")))
    }
}

fn checked_settings(kind: &channels::Kind, given: Settings) -> Result<Settings, Problem> {
    for (name, value) in &given {
        let pointer = format!("/settings/{name}");
        if !kind.fields.iter().any(|field| field.name == name) {
            let names: Vec<String> = kind.fields.iter().map(|field| format!("`{}`", field.name)).collect();
            return Err(Problem::field(&pointer, &format!("one of {}", names.join(", "))));
        }
        if value.len() > SETTING_BYTES || value.chars().any(char::is_control) {
            return Err(Problem::field(&pointer, &format!("at most {SETTING_BYTES} bytes in one line")));
        }
    }
    // A form sends its empty fields too.
    Ok(given.into_iter().filter(|(_, value)| !value.trim().is_empty()).collect())
}

fn checked_people(given: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Problem> {
    if given.len() > PEOPLE {
        return Err(Problem::field("/people", &format!("at most {PEOPLE} people; got {}", given.len())));
    }
    let fits = |text: &str| !is_blank(text) && text.len() <= PERSON_BYTES && !text.chars().any(char::is_control);
    match given.iter().find(|(address, name)| !fits(address) || !fits(name)) {
        Some((address, _)) => {
            let expected = format!("a name and an address of 1 to {PERSON_BYTES} bytes each");
            Err(Problem::field(&format!("/people/{address}"), &expected))
        }
        None => {
            Ok(given.into_iter().map(|(address, name)| (address.trim().to_owned(), name.trim().to_owned())).collect())
        }
    }
}

fn json(map: &BTreeMap<String, String>) -> Result<String, Problem> {
    serde_json::to_string(map).map_err(|_| Problem::internal())
}
