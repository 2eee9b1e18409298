//! Discord, by an incoming webhook: one Discord channel, whose messages are edited; nothing comes back.

use crate::Http;
use crate::channel::{Abilities, Channel, Failure, Field, Kind, Outgoing, Receives, Sending, Sent, SettingError};
use futures::future::BoxFuture;
use model::policy::BotIdentity;
use model::text::clip;
use reqwest::Url;
use serde_json::{Value, json};

/// Characters that a message may have.
const MOST: usize = 2000;
/// What is left of a retracted message.
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
        (outgoing.before != Some(text)).then(|| text.to_owned())
    }

    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>> {
        Box::pin(async {
            let mut url = self.url.clone();
            let method = if let Some(id) = &sending.earlier {
                if let Ok(mut path) = url.path_segments_mut() {
                    path.pop_if_empty().push("messages").push(id);
                }
                "PATCH"
            } else {
                url.set_query(Some("wait=true"));
                "POST"
            };
            // Nobody is called by what an agent writes.
            let body = json!({ "content": clip(&sending.body, MOST), "allowed_mentions": { "parse": [] } });
            let reply = self.http.send(self.http.request(method, url).json(&body)).await?;
            Ok(Sent { id: reply.json.get("id").and_then(Value::as_str).map(str::to_owned) })
        })
    }
}
