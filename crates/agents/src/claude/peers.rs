//! Messages of other agents, sessions and channels. The program puts them into the user's role, in tags that name the
//! sender: `<teammate-message teammate_id="scout">`, `<cross-session-message from="...">`, `<channel source="...">`.

use super::at::extras;
use super::obj::Obj;
use super::said::{Said, Turn};
use model::{Context, Role};
use serde_json::{Map, Value};

/// Attributes that name a sender, the most readable first.
const NAMES: [&str; 12] = [
    "from_name",
    "name",
    "teammate_id",
    "sender_name",
    "sender",
    "agent_name",
    "agent",
    "user",
    "from",
    "agent_id",
    "session_id",
    "source",
];

/// The end of the program's line above a message.
const ABOVE: &str = " sent a message:";

/// Fields of a structured message that hold words.
const WORDS: [&str; 11] = [
    "subject",
    "description",
    "summary",
    "message",
    "text",
    "content",
    "plan",
    "reason",
    "feedback",
    "failureReason",
    "idleReason",
];

/// The messages that a text of the user's role is made of. None where a person wrote it.
pub(crate) fn peers(text: &str) -> Option<Vec<Said>> {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    let start = if first.ends_with(ABOVE) { text[first.len()..].trim_start() } else { text };
    let mut around = text[..text.len() - start.len()].to_owned();
    let mut rest = start;
    let mut all = Vec::new();
    while let Some((message, behind)) = message(rest) {
        all.push(message);
        rest = behind.trim_start();
    }
    let first = all.first_mut()?;
    around.push_str(rest);
    if !around.trim().is_empty() {
        // The program's words to the model around the message.
        first.metadata.get_or_insert_default().insert("around".to_owned(), around.trim().into());
    }
    Some(all)
}

/// The message that a text begins with, and what is behind it.
fn message(text: &str) -> Option<(Said, &str)> {
    let (head, inside) = text.strip_prefix('<')?.split_once('>')?;
    let (tag, attributes) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
    let kind = match tag {
        "command-message" => return None,
        "channel" => "channel",
        "teammate-message" => "teammate",
        _ if tag.ends_with("-message") && tag.chars().all(|c| c.is_ascii_lowercase() || c == '-') => "peer",
        _ => return None,
    };
    let fields = attributes_of(attributes);
    let text_of = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = NAMES.iter().find_map(|key| text_of(key)).filter(|name| !name.trim().is_empty())?;
    let close = format!("</{tag}>");
    let (body, behind) = inside.split_once(&close).unwrap_or((inside, ""));
    let (content, context) = words(body.trim());
    let content = if content.is_empty() { text_of("summary").unwrap_or_default() } else { content };
    Some((peer(kind, &name, content, context, Value::Object(fields)), behind))
}

/// A message of another agent.
pub(crate) fn peer(kind: &str, name: &str, content: String, context: Context, fields: Value) -> Said {
    Said {
        role: Role::System,
        sender: kind.to_owned(),
        name: Some(name.to_owned()),
        context,
        content,
        metadata: Some(extras("peer", fields)),
        turn: Turn::Causes,
    }
}

/// The words of a message. Some are objects that the programs send each other; that an agent is idle is for them alone.
pub(crate) fn words(body: &str) -> (String, Context) {
    let Some((object, kind)) = Obj::parse(body).and_then(|object| object.filled("type").map(|kind| (object, kind)))
    else {
        return (body.to_owned(), Context::Turn);
    };
    let idle = kind == "idle_notification" && !object.has("summary") && !object.has("failureReason");
    let kind = kind.replace(['_', '-'], " ");
    let mut letters = kind.chars();
    let mut content: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let found: Vec<String> = WORDS.iter().filter_map(|key| object.filled(key)).collect();
    if !found.is_empty() {
        content.push_str(": ");
        content.push_str(&found.join("\n\n"));
    }
    (content, if idle { Context::None } else { Context::Turn })
}

/// `name="value"` pairs. A dash in a name counts as an underscore.
fn attributes_of(text: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut rest = text;
    while let Some((name, quoted)) = rest.split_once('=') {
        let quoted = quoted.trim_start();
        let Some(quote) = quoted.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, behind)) = quoted[1..].split_once(quote) else { break };
        let value = [("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .iter()
            .fold(value.to_owned(), |value, (entity, sign)| value.replace(entity, sign));
        fields.insert(name.trim().replace('-', "_"), value.into());
        rest = behind;
    }
    fields
}
