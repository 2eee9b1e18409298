//! Slack, by an incoming webhook: one Slack channel, text only, nothing comes back.

use crate::Http;
use crate::channel::{Abilities, Channel, Field, Kind, Outgoing, Receives, Sending, Sent, continuation};
use crate::failure::Failure;
use futures::future::BoxFuture;
use model::policy::BotIdentity;
use model::text::clip;
use reqwest::Url;
use serde_json::json;

/// Characters of a message; Slack cuts at 40,000.
const MOST: usize = 38_000;

pub const KIND: Kind = Kind {
    name: "slack",
    title: "Slack",
    about: "Writes to one Slack channel by an incoming webhook.",
    fields: &[Field {
        name: "url",
        label: "Webhook address",
        help: "Slack shows it when you add an incoming webhook to an app",
        is_secret: true,
        is_required: true,
    }],
    abilities: Abilities {
        edits: false,
        drops_repetitions: false,
        is_ordered: true,
        bot_identity: BotIdentity::Hidden,
        receives: Receives::Nothing,
    },
    open: |settings, http| {
        let url = http.url("url", settings.get("url").map_or("", String::as_str))?;
        Ok(Box::new(Slack { http: http.clone(), url }))
    },
};

struct Slack {
    http: Http,
    url: Url,
}

impl Channel for Slack {
    fn render(&self, outgoing: &Outgoing<'_>) -> Option<String> {
        continuation(outgoing.before, outgoing.text?)
    }

    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>> {
        Box::pin(async {
            let body = json!({ "text": escaped(&clip(&sending.body, MOST)) });
            self.http.send(self.http.request("POST", self.url.clone()).json(&body)).await?;
            Ok(Sent::default())
        })
    }
}

/// Slack reads `<!channel>` and `<@U1>` as calls to people.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
