//! Parses people's events in a sync response.

use crate::channel::{Incoming, What};
use serde_json::Value;

/// The joined rooms of a sync, each with its timeline.
pub fn timelines(sync: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let rooms = sync.pointer("/rooms/join").and_then(Value::as_object).into_iter().flatten();
    rooms.filter_map(|(room, joined)| Some((room.as_str(), joined.get("timeline")?)))
}

/// The invitations of a sync.
pub fn invitations<'a>(sync: &'a Value, me: &'a str) -> impl Iterator<Item = Incoming> + 'a {
    let rooms = sync.pointer("/rooms/invite").and_then(Value::as_object).into_iter().flatten();
    rooms.filter_map(move |(room, invited)| {
        let state = invited.pointer("/invite_state/events").and_then(Value::as_array)?;
        let text = |event: &Value, pointer: &str| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let of = |kind: &'static str| state.iter().filter(move |event| event.get("type").is_some_and(|it| it == kind));
        let mine = |event: &&Value| text(event, "/state_key").as_deref() == Some(me);
        let invitation = of("m.room.member")
            .filter(mine)
            .find(|it| it.pointer("/content/membership").is_some_and(|word| word == "invite"))?;
        let name = of("m.room.name").find_map(|event| text(event, "/content/name"));
        let alias = || of("m.room.canonical_alias").find_map(|event| text(event, "/content/alias"));
        let name = name.filter(|name| !name.trim().is_empty()).or_else(alias);
        let is_encrypted = of("m.room.encryption").next().is_some();
        Some(Incoming {
            id: format!("invited-{room}"),
            place: room.clone(),
            sender: text(invitation, "/sender")?,
            at: None,
            what: What::Invited { name, is_encrypted },
        })
    })
}

/// The events of a timeline, the oldest first.
pub fn of(timeline: &Value) -> impl Iterator<Item = &Value> {
    timeline.get("events").and_then(Value::as_array).into_iter().flatten()
}

/// Where a timeline begins that leaves out what happened before.
pub fn gap(timeline: &Value) -> Option<&str> {
    let is_limited = timeline.get("limited") == Some(&Value::Bool(true));
    timeline.get("prev_batch").and_then(Value::as_str).filter(|_| is_limited)
}

/// Reads an event. None for our own, and for what says nothing to a session.
pub fn read(room: &str, event: &Value, me: &str) -> Option<Incoming> {
    let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let sender = text(event, "/sender").filter(|sender| sender != me)?;
    let id = text(event, "/event_id")?;
    let content = event.get("content")?;
    let relation = text(content, "/m.relates_to/rel_type");
    let related = || text(content, "/m.relates_to/event_id");
    let what = match event.get("type")?.as_str()? {
        "m.room.message" if relation.as_deref() == Some("m.replace") => {
            What::Edit { of: related()?, text: text(content, "/m.new_content/body")? }
        }
        "m.room.message" => {
            let is_fallback = content.pointer("/m.relates_to/is_falling_back") == Some(&Value::Bool(true));
            let reply = text(content, "/m.relates_to/m.in_reply_to/event_id").filter(|_| !is_fallback);
            let about = reply.or_else(|| related().filter(|_| relation.as_deref() == Some("m.thread")));
            What::Text { text: without_quote(&text(content, "/body")?), about }
        }
        "m.reaction" => What::Reaction { of: related()?, key: text(content, "/m.relates_to/key")? },
        // Rooms from version 11 on have it in the content.
        "m.room.redaction" => What::Retract { of: text(content, "/redacts").or_else(|| text(event, "/redacts"))? },
        _ => return None,
    };
    let at = event.get("origin_server_ts").and_then(Value::as_i64).and_then(|millis| millis.checked_mul(1000));
    Some(Incoming { id, place: room.to_owned(), sender, at, what })
}

/// A reply may begin with what it answers, in lines that begin with `>`, and an empty line.
fn without_quote(body: &str) -> String {
    if !body.starts_with("> <") {
        return body.to_owned();
    }
    let rest: Vec<&str> = body.lines().skip_while(|line| line.starts_with('>')).collect();
    let rest = rest.join("\n");
    rest.strip_prefix('\n').unwrap_or(&rest).to_owned()
}
