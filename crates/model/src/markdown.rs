//! Every message as markdown: for export, copying and channels.

use crate::{Body, Draft, Provenance, Role, Status, envelope::edit_info, text, todo_state::TodoState};

/// Returns the whole message as markdown, without its sender. An invalid message is its content, then its data.
pub fn to_markdown(draft: &Draft) -> String {
    to_markdown_as(draft, &Body::of(draft), usize::MAX)
}

fn to_markdown_as(draft: &Draft, body: &Body, most: usize) -> String {
    if draft.status == Status::Retracted {
        return "*Retracted*".to_owned();
    }
    let markdown = typed(draft, body, most);
    let repeats = |words: &str| markdown.contains(words) || typed(draft, body, GENERATED_BYTES).contains(words);
    match besides(draft, body, repeats) {
        Some(words) => format!("{words}\n\n{markdown}"),
        None => markdown,
    }
}

/// Returns a typed message's own text: its content, unless that was made from the payload. None for transcripts, whose
/// content is a preview, and for pressed buttons.
pub fn said_besides<'a>(draft: &'a Draft, body: &Body) -> Option<&'a str> {
    besides(draft, body, |words| is_in_payload(draft, body, words))
}

/// Returns true if the content of a posted message was made from its payload, so that its card shows all of it.
pub fn is_made_from_payload(draft: &Draft, body: &Body) -> bool {
    has_card(body) && is_own(draft) && is_in_payload(draft, body, draft.content.trim())
}

/// Returns true if the card is drawn from the payload only. The content of other types is their text or caption.
fn has_card(body: &Body) -> bool {
    !matches!(body, Body::Text(_) | Body::Action(_) | Body::File(_) | Body::Unknown { .. } | Body::Invalid { .. })
}

/// Returns true for a posted message, without looking at its payload. Imported messages aren't drawn this way.
fn is_own(draft: &Draft) -> bool {
    matches!(draft.provenance, Provenance::Key | Provenance::Person) && !draft.content.trim().is_empty()
}

fn besides<'a>(draft: &'a Draft, body: &Body, repeats: impl Fn(&str) -> bool) -> Option<&'a str> {
    let words = draft.content.trim();
    // Content that only repeats the title adds nothing.
    (has_card(body) && is_own(draft) && !repeats(words)).then_some(words)
}

/// Returns true if the payload's markdown begins with these words. Only as much as needed is rendered, to save memory.
fn is_in_payload(draft: &Draft, body: &Body, words: &str) -> bool {
    let beginning = typed(draft, body, GENERATED_BYTES);
    let is_all = beginning.len() < GENERATED_BYTES;
    beginning.contains(words) || !is_all && typed(draft, body, usize::MAX).contains(words)
}

/// Returns the message as markdown; for a `CODE_EDIT` only about the first `most` bytes.
fn typed(draft: &Draft, body: &Body, most: usize) -> String {
    match body {
        Body::Text(_) => draft.content.clone(),
        Body::CodeEdit(edit) => edit.markdown_with(|index| edit_info(draft.metadata.as_ref(), index), most),
        Body::Todo(todo) if draft.role == Role::User => todo.ticked(),
        Body::Todo(todo) => TodoState::new(todo.clone(), draft.metadata.as_ref()).to_markdown(),
        // The content names the fields of a form; the payload only has their ids.
        Body::Action(_) if !draft.content.is_empty() => draft.content.clone(),
        Body::File(_) => with_caption(&draft.content, body.to_markdown()),
        Body::Unknown { .. } | Body::Invalid { .. } => with_data(&draft.content, body),
        _ => body.to_markdown(),
    }
}

/// Returns a file list with its caption, unless the caption was generated from the list.
fn with_caption(caption: &str, list: String) -> String {
    if caption.is_empty() || caption == list { list } else { format!("{caption}\n\n{list}") }
}

/// Returns the content with its data, unless the content was generated from the data.
fn with_data(content: &str, body: &Body) -> String {
    let data = data(body);
    match content.trim() {
        "" => format!("{}\n\n{data}", heading(body)),
        said if said.ends_with(&data) => content.to_owned(),
        _ => format!("{content}\n\n{data}"),
    }
}

/// Returns the content of an untyped message without the data at its end. Empty if it has no other text.
pub fn without_data<'a>(content: &'a str, body: &Body) -> &'a str {
    let said = content.trim();
    said.strip_suffix(&data(body)).unwrap_or(said).trim_end()
}

fn data(body: &Body) -> String {
    let written = match body {
        Body::Unknown { payload, .. } => serde_json::to_string_pretty(payload),
        Body::Invalid { payload, .. } => serde_json::to_string_pretty(payload),
        _ => serde_json::to_string_pretty(&body.payload()),
    };
    text::fence("json", &written.unwrap_or_default())
}

/// Maximum size of generated content in bytes. Longer content would store the payload twice.
const GENERATED_BYTES: usize = 256 * 1024;

/// Returns generated content for a message without its own: its markdown, cut after 256 KiB. For longer data without a
/// component only a heading, to which [`to_markdown`] adds the data.
pub fn generated(draft: &Draft, body: &Body) -> String {
    let payload = match body {
        Body::Unknown { payload, .. } => Some(is_long(payload)),
        Body::Invalid { payload, .. } => Some(is_long(payload)),
        _ => None,
    };
    if draft.status != Status::Retracted && payload == Some(true) {
        return heading(body);
    }
    let mut content = to_markdown_as(draft, body, GENERATED_BYTES);
    if content.len() > GENERATED_BYTES {
        content.truncate(content.floor_char_boundary(GENERATED_BYTES));
        content.shrink_to_fit();
    }
    content
}

/// Returns true if the JSON is larger than generated content may be. It isn't written to memory.
fn is_long(payload: &impl serde::Serialize) -> bool {
    struct Room(usize);
    impl std::io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::WriteZero)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer_pretty(Room(GENERATED_BYTES), payload).is_err()
}

/// Returns a heading for data without a component: its type and name, `acme.deploy/plan: Staging`.
pub fn heading(body: &Body) -> String {
    const NAMES: [&str; 5] = ["title", "summary", "name", "text", "message"];
    const LONGEST: usize = 120;
    let field = |name: &str| match body {
        Body::Unknown { payload, .. } => payload.get(name)?.as_str().map(str::to_owned),
        Body::Invalid { payload, .. } => payload.get(name)?.as_str().map(str::to_owned),
        _ => body.payload().get(name)?.as_str().map(str::to_owned),
    };
    let of_field = |name: &&str| field(name).map(|words| text::one_line(&words, LONGEST));
    let kind = body.message_type().split('@').next().unwrap_or_default();
    match NAMES.iter().filter_map(of_field).find(|words| !words.is_empty()) {
        Some(words) => format!("{kind}: {words}"),
        None => format!("{kind} message"),
    }
}
