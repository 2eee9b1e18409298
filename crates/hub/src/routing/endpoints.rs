//! Settings of routing, and rooms that nobody registered.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::may::session;
use crate::routing::{RoutingTable, UnregisteredRooms, key};
use api::Problem;
use api::routing::{Room, Rooms, Routing};
use api::sessions::SessionPath;
use model::SessionId;
use model::audit::{Change, Event};
use model::routing::Settings;
use serde_json::json;

pub async fn get_routing(scoped: &Scoped) -> Result<Routing, Problem> {
    get(scoped, None).await
}

pub async fn set_routing(scoped: &Scoped, input: Settings) -> Result<Routing, Problem> {
    set(scoped, None, input).await
}

pub async fn get_session_routing(scoped: &Scoped, path: &SessionPath) -> Result<Routing, Problem> {
    get(scoped, Some(path)).await
}

pub async fn set_session_routing(scoped: &Scoped, path: &SessionPath, input: Settings) -> Result<Routing, Problem> {
    set(scoped, Some(path), input).await
}

async fn get(scoped: &Scoped, path: Option<&SessionPath>) -> Result<Routing, Problem> {
    let session = named(scoped, path).await?;
    Ok(shown(scoped, session.as_ref()))
}

async fn set(scoped: &Scoped, path: Option<&SessionPath>, input: Settings) -> Result<Routing, Problem> {
    input.check().map_err(|(field, expected)| Problem::field(&field, &expected))?;
    if path.is_none() && input.name.is_some() {
        let expected =
            "absent: set the name of the workspace's assistant by `assistant_name` of `PATCH /v1/preferences`";
        return Err(Problem::field("/name", expected));
    }
    let session = named(scoped, path).await?;
    let key = key(session.as_ref());
    let old = scoped.hub.state::<RoutingTable>().own(session.as_ref());
    let change = |_| {
        let changes = vec![Change { field: key.clone(), old: json!(old), new: json!(input) }];
        (serde_json::to_string(&input).ok(), (old != input).then_some(Event::PreferencesChanged { changes }))
    };
    scoped.signed().await.change_meta(&key, clock::now(), change).await.map_err(problem)?;
    scoped.hub.state::<RoutingTable>().load(&scoped.hub.workspace).await.map_err(problem)?;
    if old.name != input.name {
        super::tell_renamed(&scoped.hub, session.as_ref()).await?;
    }
    Ok(shown(scoped, session.as_ref()))
}

pub async fn list_rooms(scoped: &Scoped) -> Result<Rooms, Problem> {
    let workspace = &scoped.hub.workspace;
    let heard = UnregisteredRooms::list(workspace).await.map_err(problem)?;
    let mut rooms = Vec::new();
    for channel in workspace.channels().await.map_err(problem)?.iter().filter(|row| row.removed_at.is_none()) {
        let bound = workspace.bound_sessions(&channel.id).await.map_err(problem)?;
        let is_free = |room: &&Room| room.channel == channel.id && !channel.shows(&bound, &room.address);
        rooms.extend(heard.iter().filter(is_free).cloned());
    }
    rooms.sort_by_key(|room| std::cmp::Reverse(room.last_at));
    Ok(Rooms { rooms })
}

async fn named(scoped: &Scoped, path: Option<&SessionPath>) -> Result<Option<SessionId>, Problem> {
    match path {
        Some(path) => Ok(Some(session(scoped, path).await?.id)),
        None => Ok(None),
    }
}

fn shown(scoped: &Scoped, session: Option<&SessionId>) -> Routing {
    let layers = scoped.hub.state::<RoutingTable>().layers(session);
    let applies = layers.iter().fold(Settings::default(), Settings::or);
    Routing { settings: scoped.hub.state::<RoutingTable>().own(session), applies }
}
