//! Matrix, by its client API: a room per session, threads for what tools do, edits, and answers by words or reactions.
//!
//! `api`: the requests. `events`: what a sync says that people did.

mod api;
mod events;

use crate::channel::{
    Abilities, Channel, Field, Incoming, Kind, Lane, Outgoing, Place, Received, Receives, Sending, Sent,
};
use crate::failure::{Failure, SettingError};
use api::Api;
use futures::future::BoxFuture;
use model::Role;
use model::policy::BotIdentity;
use model::text::clip;
use serde_json::{Value, json};

/// Characters of a message: an event has at most 64 KiB, and an edit holds its text twice.
const MOST: usize = 7000;

pub const KIND: Kind = Kind {
    name: "matrix",
    title: "Matrix",
    about: "A room for each session, by a bot's account: threads for tools, edits, answers by words or reactions.",
    fields: &[
        Field {
            name: "homeserver",
            label: "Homeserver",
            help: "Its address, like https://matrix.example.org",
            is_secret: false,
            is_required: true,
        },
        Field {
            name: "access_token",
            label: "Access token",
            help: "Of an account of the bot's own, which nobody else uses",
            is_secret: true,
            is_required: true,
        },
    ],
    abilities: Abilities {
        edits: true,
        drops_repetitions: true,
        is_ordered: true,
        bot_identity: BotIdentity::Shown,
        receives: Receives::Polled,
    },
    open: |settings, http| {
        let homeserver = http.url("homeserver", settings.get("homeserver").map_or("", String::as_str))?;
        let token = settings.get("access_token").map(|token| token.trim()).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| SettingError::new("access_token", "the access token of the bot's account"))?;
        Ok(Box::new(Matrix { api: Api::new(http, homeserver, token) }))
    },
};

struct Matrix {
    api: Api,
}

impl Channel for Matrix {
    fn render(&self, outgoing: &Outgoing<'_>) -> Option<String> {
        let Some(text) = outgoing.text else {
            return outgoing.before.map(|_| json!({ "redact": true }).to_string());
        };
        if outgoing.before == Some(text) {
            return None;
        }
        let is_work = outgoing.lane == Lane::Work;
        // Clients notify nobody of a notice.
        let kind = if is_work || outgoing.message.draft.role == Role::Host { "m.notice" } else { "m.text" };
        Some(json!({ "msgtype": kind, "body": clip(text, MOST), "in_thread": is_work }).to_string())
    }

    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>> {
        Box::pin(async {
            let room = sending.place.as_deref().ok_or_else(|| Failure::later("the session has no room yet"))?;
            let body: Value = serde_json::from_str(&sending.body).unwrap_or_default();
            if body.get("redact").is_some() {
                let Some(earlier) = &sending.earlier else { return Ok(Sent::default()) };
                self.api.redact(room, earlier, &sending.key).await?;
                return Ok(Sent { id: sending.earlier.clone() });
            }
            let id = self.api.message(room, &sending.key, &content(&body, sending)).await?;
            // Reactions and replies are to the first event, edits as well.
            Ok(Sent { id: sending.earlier.clone().or(Some(id)) })
        })
    }

    fn make_place<'a>(&'a self, place: &'a Place<'_>) -> BoxFuture<'a, Result<Option<String>, Failure>> {
        Box::pin(async { self.api.make_room(place).await.map(Some) })
    }

    fn tell<'a>(&'a self, place: &'a str, key: &'a str, text: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let content = json!({ "msgtype": "m.notice", "body": clip(text, MOST) });
            self.api.message(place, key, &content).await.map(drop)
        })
    }

    fn join<'a>(&'a self, place: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(self.api.join(place))
    }

    fn leave<'a>(&'a self, place: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(self.api.leave(place))
    }

    fn receive<'a>(&'a self, position: Option<&'a str>) -> BoxFuture<'a, Result<Received, Failure>> {
        Box::pin(async move {
            let me = self.api.me().await?;
            let sync = self.api.sync(position).await?;
            let next = sync.get("next_batch").and_then(Value::as_str);
            let next = next.ok_or_else(|| Failure::later("the homeserver's sync has no `next_batch`"))?.to_owned();
            // An invitation waits until it is answered: the first sync has those of before.
            let mut happened: Vec<Incoming> = events::invitations(&sync, &me).collect();
            if let Some(since) = position {
                for (room, timeline) in events::timelines(&sync) {
                    if let Some(before) = events::gap(timeline) {
                        let missed = self.api.between(room, before, since).await?;
                        happened.extend(missed.iter().filter_map(|event| events::read(room, event, &me)));
                    }
                    happened.extend(events::of(timeline).filter_map(|event| events::read(room, event, &me)));
                }
            }
            Ok(Received { events: happened, position: next })
        })
    }
}

/// The content of an event: new, in a thread, or in place of an earlier one.
fn content(body: &Value, sending: &Sending) -> Value {
    let text = body.get("body").and_then(Value::as_str).unwrap_or_default();
    let kind = body.get("msgtype").and_then(Value::as_str).unwrap_or("m.text");
    let mut content = json!({ "msgtype": kind, "body": text });
    if let Some(earlier) = &sending.earlier {
        let fresh = content.clone();
        content["body"] = format!("* {text}").into();
        content["m.new_content"] = fresh;
        content["m.relates_to"] = json!({ "rel_type": "m.replace", "event_id": earlier });
    } else if body.get("in_thread") == Some(&Value::Bool(true))
        && let Some(root) = &sending.thread
    {
        content["m.relates_to"] = json!({
            "rel_type": "m.thread",
            "event_id": root,
            "is_falling_back": true,
            "m.in_reply_to": { "event_id": root },
        });
    }
    content
}
