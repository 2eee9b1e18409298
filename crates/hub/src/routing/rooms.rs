//! Rooms of channels that somebody wrote in or invited the bot to, and nobody registered: an owner finds them in a
//! list.

use crate::context::TopicState;
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
pub struct UnregisteredRooms(Mutex<HashMap<String, Micros>>);

/// An event in an unregistered room.
#[derive(Debug, Clone, Copy)]
pub struct Heard<'a> {
    /// Id of the channel.
    pub channel: &'a str,
    /// The room's address in the channel.
    pub address: &'a str,
    /// Its name, where the channel says it.
    pub name: Option<&'a str>,
    /// The event.
    pub what: Doing<'a>,
}

/// An event in an unregistered room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing<'a> {
    /// One of the channel's people wrote there.
    Wrote,
    /// This person invited the bot.
    Invited {
        by: &'a str,
        /// The bot accepted.
        joined: bool,
    },
}

impl TopicState for UnregisteredRooms {}

impl UnregisteredRooms {
    /// Notes that something was done in a room which nobody registered. Nothing else is stored of what was written.
    pub async fn heard(&self, workspace: &Workspace, heard: Heard<'_>, now: Micros) -> Result<(), StoreError> {
        let clip = |text: &str| model::text::clip(text, CHARS).replace('\0', "");
        let (channel, address) = (clip(heard.channel), clip(heard.address));
        let key = key(&channel, &address);
        if heard.what == Doing::Wrote && !self.is_due(&key, now) {
            return Ok(());
        }
        let others = workspace.metas(KEY).await?;
        // Invitations by strangers leave room for what the channel's people do.
        let is_strangers = matches!(heard.what, Doing::Invited { joined: false, .. });
        let most = if is_strangers { MOST / 2 } else { MOST };
        if others.len() >= most && !others.iter().any(|(other, _)| *other == key) {
            return Ok(());
        }
        let change = |stored: Option<String>| {
            let known = stored.and_then(|stored| serde_json::from_str::<Room>(&stored).ok());
            let first_at = known.as_ref().map_or(now, |room| room.first_at);
            let (known_name, known_by) = known.map_or((None, None), |room| (room.name, room.invited_by));
            let (invited_by, invitation) = match heard.what {
                Doing::Wrote => (known_by, false),
                Doing::Invited { by, joined } => (Some(clip(by)), !joined),
            };
            let name = heard.name.map(clip).or(known_name);
            let (channel, address) = (channel.clone(), address.clone());
            let room = Room { channel, address, name, invited_by, invitation, first_at, last_at: now };
            (serde_json::to_string(&room).ok(), None)
        };
        workspace.change_meta(&key, now, change).await.map(drop)
    }

    /// Takes a room off the list: it was registered, or left.
    pub async fn settled(&self, workspace: &Workspace, channel: &str, address: &str) -> Result<(), StoreError> {
        let key = key(channel, address);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        workspace.delete_meta(&key).await
    }

    /// Returns a room, if somebody wrote in it and nobody registered it.
    pub async fn find(workspace: &Workspace, channel: &str, address: &str) -> Result<Option<Room>, StoreError> {
        let stored = workspace.meta(&key(channel, address)).await?;
        Ok(stored.and_then(|stored| serde_json::from_str(&stored).ok()))
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
        if noted.get(key).is_some_and(|at| at.is_within(EVERY, now)) {
            return false;
        }
        if noted.len() >= MOST {
            noted.retain(|_, at| at.is_within(EVERY, now));
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
