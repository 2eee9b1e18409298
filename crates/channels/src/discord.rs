//! Discord, by an incoming webhook: one Discord channel, whose messages are edited; nothing comes back.
//!
//! A long text is several messages there. Our id of them is `<id>:<hash of the text>`, with commas in between: an edit changes the
//! parts that are others now.

mod parts;

use crate::Http;
use crate::channel::{Abilities, Channel, Field, Kind, Outgoing, Receives, Sending, Sent};
use crate::failure::{Failure, SettingError};
use futures::future::BoxFuture;
use model::policy::BotIdentity;
use model::text::clip;
use parts::parts;
use reqwest::Url;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

/// Characters that a message may have.
const MOST: usize = 2000;
/// Messages that a text is sent as. What is beyond them is on the page.
const MOST_PARTS: usize = 25;
/// How often a part is tried again before the whole text is, and for how long it is waited at most: Discord bounds how many messages
/// a webhook may send in some seconds.
const TRIES: usize = 5;
const WAIT: Duration = Duration::from_secs(10);
/// Text of a retracted message.
const RETRACTED: &str = "(retracted)";

pub const KIND: Kind = Kind {
    name: "discord",
    title: "Discord",
    about: "Writes to one Discord channel by an incoming webhook, and edits what it wrote.",
    fields: &[Field {
        name: "url",
        label: "Webhook address",
        help: "In the channel's settings: Integrations, Webhooks",
        is_secret: true,
        is_required: true,
    }],
    abilities: Abilities {
        edits: true,
        drops_repetitions: false,
        is_ordered: true,
        bot_identity: BotIdentity::Hidden,
        receives: Receives::Nothing,
    },
    open: |settings, http| {
        let url = http.url("url", settings.get("url").map_or("", String::as_str))?;
        if url.query().is_some() {
            return Err(SettingError::new("url", "the webhook's address without a query"));
        }
        Ok(Box::new(Discord { http: http.clone(), url }))
    },
};

struct Discord {
    http: Http,
    url: Url,
}

impl Channel for Discord {
    fn render(&self, outgoing: &Outgoing<'_>) -> Option<String> {
        let text = match (outgoing.text, outgoing.before) {
            (Some(text), _) => text,
            (None, Some(_)) => RETRACTED,
            (None, None) => return None,
        };
        (outgoing.before != Some(text)).then(|| bounded(text, outgoing.page))
    }

    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>> {
        Box::pin(async {
            let mut earlier = sending.earlier.iter().flat_map(|ids| ids.split(',')).map(|id| {
                let (id, hash) = id.split_once(':').unwrap_or((id, ""));
                (id.to_owned(), hash.to_owned())
            });
            let mut ids = Vec::new();
            for part in parts(&sending.body, MOST) {
                let (id, known) = earlier.next().unzip();
                let hash = hash(&part);
                let is_there = known.is_some_and(|known| known == hash);
                let id = match id {
                    Some(id) if is_there => Some(id),
                    Some(id) => self.write("PATCH", Some(&id), Some(&part), ids.is_empty()).await?.or(Some(id)),
                    None => self.write("POST", None, Some(&part), ids.is_empty()).await?,
                };
                ids.extend(id.map(|id| format!("{id}:{hash}")));
            }
            // The text is shorter than before.
            for (id, _) in earlier {
                self.write("DELETE", Some(&id), None, false).await?;
            }
            Ok(Sent { id: (!ids.is_empty()).then(|| ids.join(",")) })
        })
    }
}

impl Discord {
    /// Writes one message. One that isn't the first is tried again for a while: the whole text would come twice.
    async fn write(
        &self,
        method: &str,
        id: Option<&str>,
        text: Option<&str>,
        is_first: bool,
    ) -> Result<Option<String>, Failure> {
        let mut url = self.url.clone();
        match id {
            Some(id) => {
                if let Ok(mut path) = url.path_segments_mut() {
                    path.pop_if_empty().push("messages").push(id);
                }
            }
            None => url.set_query(Some("wait=true")),
        }
        let mut tries = 0;
        loop {
            let mut request = self.http.request(method, url.clone());
            if let Some(text) = text {
                // Nobody is called by what an agent writes.
                request = request.json(&json!({ "content": text, "allowed_mentions": { "parse": [] } }));
            }
            let failed = match self.http.send(request).await {
                Ok(reply) => return Ok(reply.json.get("id").and_then(Value::as_str).map(str::to_owned)),
                Err(failed) => failed,
            };
            tries += 1;
            match &failed {
                Failure::Later { after: Some(after), .. } if !is_first && tries < TRIES => {
                    tokio::time::sleep(WAIT.min(*after)).await;
                }
                _ => return Err(failed),
            }
        }
    }
}

/// A text in no more messages than are sent; where it is cut, it says so.
fn bounded(text: &str, page: &str) -> String {
    if parts(text, MOST).len() <= MOST_PARTS {
        return text.to_owned();
    }
    let kept = clip(text, MOST * (MOST_PARTS - 1) / 2);
    let left = text.chars().count().saturating_sub(kept.chars().count());
    format!("{kept}\n\n{left} more characters: {page}")
}

/// By which a part is known to be as it was.
fn hash(part: &str) -> String {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    format!("{:08x}", hasher.finish() & 0xffff_ffff)
}
