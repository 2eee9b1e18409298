//! The last ways of showing a message: plain text and JSON without any component that could fail, or an address.

use crate::html::Html;
use api::Route as _;
use api::contract::GetMessage;
use api::messages::Entry;
use model::text::clip;

/// Longest text shown, in characters.
const MAX_CHARS: usize = 20_000;

/// Says that there was no time to draw it, and where it can be read.
pub fn late(entry: &Entry) -> Html {
    let message = &entry.message;
    let address = GetMessage.path([message.session_id.as_str(), &message.seq.to_string()]);
    let mut html = Html::new();
    html.tag("<section class=\"card\" data-state=\"failed\"><div class=\"head\"><b>Took too long to draw</b></div>");
    html.tag("<div class=\"body\"><p class=\"cap\"><a class=\"link\" target=\"_blank\"").attr("href", &address);
    html.tag(">Open the message as JSON</a></p></div></section>");
    html
}

/// Says that drawing failed, and shows everything that there is.
pub fn broken(entry: &Entry) -> Html {
    let draft = &entry.message.draft;
    let mut html = Html::new();
    html.tag("<section class=\"card\" data-state=\"failed\"><div class=\"head\"><b>Could not draw ");
    html.text(&clip(&entry.message_type, 60)).tag(", raw below</b></div><div class=\"body\">");
    if !draft.content.is_empty() {
        html.tag("<p class=\"lines\">").text(&clip(&draft.content, MAX_CHARS)).tag("</p>");
    }
    let json = serde_json::to_string_pretty(&draft.metadata).unwrap_or_default();
    html.tag("<pre class=\"well json\" tabindex=\"0\">").text(&clip(&json, MAX_CHARS)).tag("</pre></div></section>");
    html
}
