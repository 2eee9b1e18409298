//! Every message as markdown: for export, copying and channels.

use crate::{Body, Draft, Provenance, Role, Status, envelope::edit_info, text, todo_state::TodoState};

/// Returns the whole message as markdown, without who said it. What can't be read typed is its content, then its data.
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

/// Returns what the writer of a typed message said besides: its content, unless that was made from the payload. None
/// for transcripts, whose readers write a preview of their own there, and for what a person pressed, which says itself.
pub fn said_besides<'a>(draft: &'a Draft, body: &Body) -> Option<&'a str> {
    besides(draft, body, |words| is_in_payload(draft, body, words))
}

/// Returns whether the content of a message that was posted was made from its payload: then its card says all of it.
pub fn is_made_from_payload(draft: &Draft, body: &Body) -> bool {
    has_card(body) && is_own(draft) && is_in_payload(draft, body, draft.content.trim())
}

/// Is it drawn from its payload alone? The content of the others is their text, their caption, or said with their data.
fn has_card(body: &Body) -> bool {
    !matches!(body, Body::Text(_) | Body::Action(_) | Body::File(_) | Body::Unknown { .. } | Body::Invalid { .. })
}

/// Told without a look at the payload: of what was imported nothing is drawn for it.
fn is_own(draft: &Draft) -> bool {
    matches!(draft.provenance, Provenance::Key | Provenance::Person) && !draft.content.trim().is_empty()
}

fn besides<'a>(draft: &'a Draft, body: &Body, repeats: impl Fn(&str) -> bool) -> Option<&'a str> {
    let words = draft.content.trim();
    // Content that only repeats the title adds nothing.
    (has_card(body) && is_own(draft) && !repeats(words)).then_some(words)
}

/// Does the payload say the words? What was made from it is in its beginning, which takes less memory than all of it.
fn is_in_payload(draft: &Draft, body: &Body, words: &str) -> bool {
    let beginning = typed(draft, body, GENERATED_BYTES);
    let is_all = beginning.len() < GENERATED_BYTES;
    beginning.contains(words) || !is_all && typed(draft, body, usize::MAX).contains(words)
}

/// The message as markdown; of a `CODE_EDIT`, what it begins with, of at least `most` bytes if it has so many.
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

/// The content of a FILE is its caption, unless it was generated from the list.
fn with_caption(caption: &str, list: String) -> String {
    if caption.is_empty() || caption == list { list } else { format!("{caption}\n\n{list}") }
}

/// Content that was made of the data has it already.
fn with_data(content: &str, body: &Body) -> String {
    let data = data(body);
    match content.trim() {
        "" => format!("{}\n\n{data}", heading(body)),
        said if said.ends_with(&data) => content.to_owned(),
        _ => format!("{content}\n\n{data}"),
    }
}

/// Returns the content of a message that can't be read typed, without its data at the end. Empty where it says nothing
/// else.
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

/// Longest content that is made from a payload, in bytes: a longer one would store the payload twice.
const GENERATED_BYTES: usize = 256 * 1024;

/// Returns the content of a message that has none of its own: its markdown, cut after 256 KiB. Of data that no component draws and
/// that is longer it is the heading alone, to which [`to_markdown`] adds the data.
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

/// Returns whether JSON has more bytes than a generated content. Nothing is written for it.
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

/// Returns a line for data that no component draws: its type, and what it is called, `acme.deploy/plan: Staging`.
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
