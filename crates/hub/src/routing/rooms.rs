//! Rooms of channels that somebody wrote in and nobody registered: an owner finds them in a list.

use api::routing::Room;
use model::Micros;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use store::{StoreError, Workspace};

/// The name of a room's value begins with it.
const KEY: &str = "room";
/// Rooms that are listed: strangers can make any number.
pub const MOST: usize = 200;
/// A room is noted again after this long.
const EVERY: i64 = 60 * Micros::SECOND;
/// Longest address or name, in characters.
const CHARS: usize = 255;

/// When each room was noted last.
#[derive(Default)]
pub struct Rooms(Mutex<HashMap<String, Micros>>);

impl Rooms {
    /// Notes that somebody wrote in a room which nobody registered. Nothing else is stored of what they wrote.
    pub async fn heard(
        &self,
        workspace: &Workspace,
        (channel, address): (&str, &str),
        name: Option<&str>,
        now: Micros,
    ) -> Result<(), StoreError> {
        let clip = |text: &str| model::text::clip(text, CHARS).replace('\0', "");
        let (channel, address) = (clip(channel), clip(address));
        let key = key(&channel, &address);
        if !self.is_due(&key, now) {
            return Ok(());
        }
        let others = workspace.metas(KEY).await?;
        if others.len() >= MOST && !others.iter().any(|(other, _)| *other == key) {
            return Ok(());
        }
        let change = |stored: Option<String>| {
            let known = stored.and_then(|stored| serde_json::from_str::<Room>(&stored).ok());
            let first_at = known.as_ref().map_or(now, |room| room.first_at);
            let name = name.map(clip).or(known.and_then(|room| room.name));
            let room = Room { channel: channel.clone(), address: address.clone(), name, first_at, last_at: now };
            (serde_json::to_string(&room).ok(), None)
        };
        workspace.change_meta(&key, now, change).await.map(drop)
    }

    /// Takes a room off the list: it was registered.
    pub async fn registered(&self, workspace: &Workspace, channel: &str, address: &str) -> Result<(), StoreError> {
        let key = key(channel, address);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        workspace.delete_meta(&key).await
    }

    /// Returns the rooms that nobody registered, the last one first.
    pub async fn list(workspace: &Workspace) -> Result<Vec<Room>, StoreError> {
        let stored = workspace.metas(KEY).await?;
        let mut rooms: Vec<Room> = stored.iter().filter_map(|(_, value)| serde_json::from_str(value).ok()).collect();
        rooms.sort_by_key(|room| std::cmp::Reverse(room.last_at));
        Ok(rooms)
    }

    fn is_due(&self, key: &str, now: Micros) -> bool {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(key).is_some_and(|at| now.since(*at) < EVERY) {
            return false;
        }
        if noted.len() >= MOST {
            noted.retain(|_, at| now.since(*at) < EVERY);
        }
        if noted.len() < MOST {
            noted.insert(key.to_owned(), now);
        }
        true
    }
}

fn key(channel: &str, address: &str) -> String {
    format!("{KEY}/{channel}/{address}")
}
