//! A webhook: every message is posted to an address as JSON, signed. What people answer comes back in the same way.

use crate::Http;
use crate::channel::{Abilities, Channel, Field, Kind, Outgoing, Receives, Sending, Sent, Settings};
use crate::failure::{Failure, SettingError};
use crate::signature::{ID, SIGNATURE, Secret, TIMESTAMP};
use futures::future::BoxFuture;
use model::policy::BotIdentity;
use reqwest::Url;
use serde_json::{Value, json};

pub const KIND: Kind = Kind {
    name: "webhook",
    title: "Webhook",
    about: "Posts each message as signed JSON to an address, and takes signed answers.",
    fields: &[
        Field { name: "url", label: "Address", help: "Where messages are posted", is_secret: false, is_required: true },
        SECRET,
    ],
    abilities: Abilities {
        edits: false,
        drops_repetitions: true,
        is_ordered: true,
        bot_identity: BotIdentity::Hidden,
        receives: Receives::Signed,
    },
    open: |settings, http| {
        let url = http.url("url", settings.get("url").map_or("", String::as_str))?;
        Ok(Box::new(Webhook { url, signer: Signer::new(settings, http)? }))
    },
};

/// The secret of a signature. One is made where the owner gives none.
pub const SECRET: Field = Field {
    name: "secret",
    label: "Secret",
    help: "Begins with whsec_. Leave it empty to have one made",
    is_secret: true,
    is_required: false,
};

struct Webhook {
    url: Url,
    signer: Signer,
}

impl Channel for Webhook {
    fn render(&self, outgoing: &Outgoing<'_>) -> Option<String> {
        event(outgoing).map(|event| event.to_string())
    }

    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>> {
        Box::pin(async { self.signer.post(self.url.clone(), sending, &sending.body).await })
    }
}

/// Posts signed bodies.
pub struct Signer {
    http: Http,
    secret: Secret,
}

impl Signer {
    /// Signs with the setting `secret`.
    pub fn new(settings: &Settings, http: &Http) -> Result<Self, SettingError> {
        let secret = Secret::parse(settings.get("secret").map_or("", String::as_str));
        let secret = secret.ok_or_else(|| SettingError::new("secret", "`whsec_` and 24 to 64 bytes in base64"))?;
        Ok(Self { http: http.clone(), secret })
    }

    /// Posts a body under the key of what is sent.
    pub async fn post(&self, url: Url, sending: &Sending, body: &str) -> Result<Sent, Failure> {
        let request = self
            .http
            .request("POST", url)
            .header("content-type", "application/json")
            .header(ID, &sending.key)
            .header(TIMESTAMP, sending.at.to_string())
            .header(SIGNATURE, self.secret.sign(&sending.key, sending.at, body.as_bytes()))
            .body(body.to_owned());
        self.http.send(request).await?;
        Ok(Sent::default())
    }
}

/// Returns the event that tells of a message. None where the channel says nothing of it.
pub fn event(outgoing: &Outgoing<'_>) -> Option<Value> {
    let is_new = outgoing.before.is_none();
    let kind = match outgoing.text {
        Some(_) if is_new => "message.created",
        Some(_) => "message.updated",
        None if is_new => return None,
        None => "message.retracted",
    };
    let mut message = serde_json::to_value(outgoing.message).ok()?;
    if let Some(fields) = message.as_object_mut() {
        // Where it was read from concerns this machine alone.
        for field in ["records", "origin"] {
            fields.shift_remove(field);
        }
        if outgoing.text.is_none() {
            fields.retain(|key, _| matches!(key.as_str(), "session_id" | "id" | "seq" | "revision" | "status"));
        }
    }
    Some(json!({
        "type": kind,
        "session": { "id": outgoing.message.session_id, "title": outgoing.title },
        "text": outgoing.text,
        "url": outgoing.page,
        "message": message,
    }))
}
