//! A webhook that a message names itself: the `webhook_url` of its envelope is the target of that one message.

use crate::Http;
use crate::channel::{Abilities, Channel, Kind, Outgoing, Receives, Sending, Sent};
use crate::failure::Failure;
use crate::webhook::{SECRET, Signer, event};
use futures::future::BoxFuture;
use model::policy::BotIdentity;
use serde_json::{Value, json};

pub const KIND: Kind = Kind {
    name: "addressed",
    title: "Webhook named by a message",
    about: "Posts a message, signed, to the `webhook_url` of its envelope, and no other message.",
    fields: &[SECRET],
    abilities: Abilities {
        edits: false,
        drops_repetitions: true,
        // Each message has a target of its own.
        is_ordered: false,
        bot_identity: BotIdentity::Hidden,
        receives: Receives::Nothing,
    },
    open: |settings, http| Ok(Box::new(Addressed { http: http.clone(), signer: Signer::new(settings, http)? })),
};

struct Addressed {
    http: Http,
    signer: Signer,
}

impl Channel for Addressed {
    fn render(&self, outgoing: &Outgoing<'_>) -> Option<String> {
        let target = outgoing.message.draft.metadata.as_ref()?.get("webhook_url")?.as_str()?;
        Some(json!({ "target": target, "event": event(outgoing)? }).to_string())
    }

    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>> {
        Box::pin(async {
            let body: Value = serde_json::from_str(&sending.body).unwrap_or_default();
            let target = body.get("target").and_then(Value::as_str).unwrap_or_default();
            let url = self.http.url("webhook_url", target).map_err(|error| Failure::never(error.to_string()))?;
            let event = body.get("event").map(Value::to_string).unwrap_or_default();
            self.signer.post(url, sending, &event).await
        })
    }
}
