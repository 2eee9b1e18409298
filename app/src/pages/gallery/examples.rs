//! The messages of the gallery: made-up ones from `fixtures/gallery.json`, and the example of each built-in type.

use crate::message::code_review::reviewed::Reviewed;
use api::messages::{AskedCall, Entry, NotShown};
use model::message_type::approval::Approval;
use model::message_type::progress::UPDATED_AT;
use model::{Body, Draft, Message, MessageId, MessageType, Micros, Provenance, Role, SessionId, Status};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

const MADE_UP: &str = include_str!("../../../../fixtures/gallery.json");

/// Messages of one kind.
pub struct Group {
    pub title: String,
    pub examples: Vec<Example>,
}

/// One message in one state, or several that a transcript folds to one row.
pub struct Example {
    /// Which state it is, in words.
    pub state: String,
    pub entries: Vec<Entry>,
    /// Contents of its text files, by digest.
    pub texts: HashMap<String, String>,
    /// Later edits in the lines of a review, by its `seq`.
    pub reviews: HashMap<i64, Reviewed>,
}

#[derive(Deserialize)]
struct MadeUpGroup {
    title: String,
    #[serde(default)]
    entries: Vec<MadeUp>,
    #[serde(default)]
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    state: String,
    entries: Vec<MadeUp>,
}

#[derive(Deserialize)]
struct MadeUp {
    #[serde(default)]
    state: String,
    role: Role,
    #[serde(default)]
    sender: Option<String>,
    #[serde(default)]
    content: String,
    #[serde(default)]
    status: Option<Status>,
    #[serde(default)]
    call_id: Option<String>,
    /// Without one: read from a transcript.
    #[serde(default)]
    provenance: Option<Provenance>,
    #[serde(default)]
    sender_name: Option<String>,
    /// Without one: a plain text.
    #[serde(rename = "type", default)]
    message_type: Option<String>,
    #[serde(default)]
    payload: Value,
    /// Extras of the envelope.
    #[serde(default)]
    extras: Map<String, Value>,
    /// When it was changed last, if it was, in seconds before now.
    #[serde(default)]
    updated_seconds_ago: Option<i64>,
    /// The calls that an approval asks about.
    #[serde(default)]
    calls: Vec<AskedCall>,
    #[serde(default)]
    not_shown: Option<NotShown>,
    #[serde(default)]
    texts: HashMap<String, String>,
    /// Later edits in the lines of a review.
    #[serde(default)]
    reviewed: Option<Reviewed>,
}

/// How long ago they were said, in microseconds.
const BEFORE: i64 = 5 * 60 * Micros::SECOND;

/// All of them, as if they had been said a few minutes before `now`.
pub fn groups(now: Micros) -> Vec<Group> {
    let mut groups: Vec<MadeUpGroup> = serde_json::from_str(MADE_UP).unwrap_or_default();
    let title = "The example of each type".to_owned();
    groups.push(MadeUpGroup { title, entries: built_in(), runs: Vec::new() });
    // Three pages: one would have more elements than any page of the dashboard.
    let mut first = grid();
    let mut second = first.split_off(first.len() / 3);
    let third = second.split_off(second.len() / 2);
    let titles = ["Who says what", "Who says what, continued", "Who says what, concluded"];
    for (title, entries) in titles.into_iter().zip([first, second, third]) {
        groups.push(MadeUpGroup { title: title.to_owned(), entries, runs: Vec::new() });
    }
    let at = Micros(now.0 - BEFORE);
    let mut seq = 0;
    let mut made = |mut one: MadeUp| {
        seq += 1;
        let reviewed = one.reviewed.take().map(|reviewed| (seq, reviewed));
        entry(one, seq, at).map(|entry| (entry, reviewed))
    };
    let mut examples = |group: MadeUpGroup| {
        let alone = group.entries.into_iter().map(|one| (one.state.clone(), vec![one]));
        let together = group.runs.into_iter().map(|run| (run.state, run.entries));
        let all = alone.chain(together);
        let example = |(state, mut all): (String, Vec<MadeUp>)| {
            let texts = all.iter_mut().flat_map(|one| std::mem::take(&mut one.texts)).collect();
            let (entries, reviews): (Vec<_>, Vec<_>) = all.into_iter().filter_map(&mut made).unzip();
            Example { state, entries, texts, reviews: reviews.into_iter().flatten().collect() }
        };
        all.map(example).collect()
    };
    groups.into_iter().map(|group| Group { title: group.title.clone(), examples: examples(group) }).collect()
}

fn built_in() -> Vec<MadeUp> {
    let example = |(role, content, body): (Role, String, Body)| MadeUp {
        state: body.message_type().to_owned(),
        role,
        sender: None,
        content,
        status: None,
        call_id: None,
        provenance: None,
        sender_name: None,
        payload: body.payload(),
        message_type: Some(body.message_type().to_owned()).filter(|tag| *tag != MessageType::Text),
        extras: Map::new(),
        updated_seconds_ago: None,
        calls: Vec::new(),
        not_shown: None,
        texts: HashMap::new(),
        reviewed: None,
    };
    let mut examples: Vec<MadeUp> = Body::examples().into_iter().map(example).collect();
    // Nobody uploaded what the example of a file names.
    for file in examples.iter_mut().filter_map(|one| one.payload.get_mut("files")?.as_array_mut()).flatten() {
        if let Some(file) = file.as_object_mut() {
            file.shift_remove("blob");
        }
    }
    examples
}

/// Each type in each voice, and in a person's name by an agent's key.
fn grid() -> Vec<MadeUp> {
    let readers = Role::ALL.iter().map(|role| (*role, Provenance::Reader));
    let voices = readers.chain([(Role::User, Provenance::Key)]);
    let in_voice = |(role, provenance): (Role, Provenance)| {
        built_in().into_iter().map(move |one| {
            let by = if provenance == Provenance::Key { ", by a key" } else { "" };
            MadeUp { state: format!("{role} / {}{by}", one.state), role, provenance: Some(provenance), ..one }
        })
    };
    voices.flat_map(in_voice).collect()
}

fn entry(one: MadeUp, seq: i64, at: Micros) -> Option<Entry> {
    let id = MessageId::parse(format!("gallery-{seq}")).ok()?;
    let sender = one.sender.unwrap_or_else(|| one.role.as_str().to_owned());
    let mut draft = Draft::text(id, one.role, &sender, one.content, at);
    draft.status = one.status.unwrap_or(Status::Final);
    draft.call_id = one.call_id;
    draft.provenance = one.provenance.unwrap_or(Provenance::Reader);
    draft.sender_name = one.sender_name;
    draft.origin.cwd = Some("/home/ines/slipway".to_owned());
    let mut metadata = one.extras;
    if let Some(seconds) = one.updated_seconds_ago {
        metadata.insert(UPDATED_AT.to_owned(), json!(at.0 + BEFORE - seconds * Micros::SECOND));
    }
    if let Some(tag) = one.message_type {
        metadata.insert("message_type".to_owned(), json!(tag));
        metadata.insert("version".to_owned(), json!(1));
        metadata.insert("payload".to_owned(), one.payload);
    }
    draft.metadata = Some(metadata).filter(|metadata| !metadata.is_empty());
    let session_id = SessionId::parse("gallery").ok()?;
    let message = Message { session_id, seq, revision: 1, draft, records: Vec::new(), received_at: at };
    // No decision can be made here: the hash only has to be there for the form to be drawn.
    let asks = Approval::open_in(&message.draft).is_some() && one.not_shown.is_none();
    let asks = asks || matches!(Body::of(&message.draft), Body::CodeReview(review) if !review.comments.is_empty());
    let shown_sha256 = asks.then(|| "0".repeat(64));
    Some(Entry { shown_sha256, calls: one.calls, not_shown: one.not_shown, ..Entry::made_up(message) })
}

#[cfg(test)]
mod tests {
    use super::{Entry, MADE_UP, MadeUpGroup, groups};
    use model::{Body, MessageType, Micros};

    #[test]
    fn every_made_up_message_is_drawn_and_every_type_has_its_example() {
        let written: Vec<MadeUpGroup> = serde_json::from_str(MADE_UP).expect("the fixture fits");
        let of_runs = |group: &MadeUpGroup| group.runs.iter().map(|run| run.entries.len()).sum::<usize>();
        let written: usize = written.iter().map(|group| group.entries.len() + of_runs(group)).sum();
        let groups = groups(Micros(0));
        let drawn: usize = groups.iter().flat_map(|group| &group.examples).map(|one| one.entries.len()).sum();
        // Each type alone, in each of the six voices, and passed on by a key.
        assert_eq!(drawn, written + MessageType::WORDS.len() * 8);
    }

    #[test]
    fn each_fits_its_type_but_the_one_that_is_to_show_what_does_not() {
        let entries = groups(Micros(0)).into_iter().flat_map(|group| group.examples).flat_map(|one| one.entries);
        let problem = |entry: Entry| match entry.body() {
            Body::Invalid { problem, .. } => Some(problem.to_string()),
            _ => None,
        };
        let problems: Vec<String> = entries.filter_map(problem).collect();
        assert_eq!(problems, ["`/todos`: expected an array"]);
    }
}
