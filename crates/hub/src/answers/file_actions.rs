//! A person's press of a button on a file: of each file the first one holds, and it is bound to what was shown.

use super::decisions::{Written, find_action, shown_sha256, tell, write};
use super::messages::entry;
use super::refusal;
use crate::writer::Failure;
use crate::{Scoped, clock, posting, problem};
use api::Problem;
use api::posting::{Decide, Decided};
use model::audit::Event;
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::message_type::file::{CHOSEN, Chosen, File, FileAction, FileItem};
use model::{Body, Draft, MessageId, Payload as _, Status};
use serde_json::{Map, Value};
use store::{Changed, LiveChange, Objection, Refusal, StoredMessage};

/// A button of a message with files.
struct Button {
    /// Number of the file, from 0.
    file: usize,
    name: String,
    action: FileAction,
    /// Are there several files?
    several: bool,
}

/// Keeps with the message what was chosen, and tells the agent.
pub async fn choose(scoped: &Scoped, input: Decide, found: StoredMessage, file: &File) -> Result<Decided, Problem> {
    let button = button(file, &input)?;
    let draft = &found.message.draft;
    if is_taken(draft, button.file) {
        return again(scoped, &button, found).await;
    }
    let Some(shown) = input.shown_sha256 else {
        return Err(Problem::field("/shown_sha256", "the `shown_sha256` of the message as it was read"));
    };
    let (session, message) = (found.message.session_id.clone(), draft.id.clone());
    let now = clock::now();
    let action = payload(&message, &button);
    let action = tell(&session, &message, &action, Map::new(), action.to_markdown(), now)?;
    let chosen = Chosen { file: button.file, action: button.action.id.clone(), at: now };
    let chosen = serde_json::to_value(chosen).map_err(|_| Problem::internal())?;
    let number = button.file;
    let rule = Box::new(move |current: &StoredMessage, _: &[StoredMessage]| {
        let draft = &current.message.draft;
        let refuse = |objection| Err(Refusal::Rule(objection, Some(Box::new(current.clone()))));
        if is_taken(draft, number) {
            return refuse(Objection::Decided);
        }
        if shown_sha256(draft, &[]).ok().as_ref() != Some(&shown) {
            return refuse(Objection::Changed);
        }
        let mut draft = draft.clone();
        let body = Body::of(&draft);
        let extras = draft.metadata.get_or_insert_default();
        match extras.get_mut(CHOSEN).and_then(Value::as_array_mut) {
            Some(all) => all.push(chosen.clone()),
            None => {
                extras.insert(CHOSEN.to_owned(), Value::Array(vec![chosen.clone()]));
            }
        }
        let message = posting::new_message(draft, body);
        Ok(Changed { message, follow_up: Some(action.clone()), grows: false, alive: false })
    });
    let (told, approval) = (session.to_string(), message.to_string());
    let note = Event::Decided { session: told, approval, choice: ApprovalState::Answered };
    let note = Some(scoped.note(note).await);
    let change = LiveChange { session, message, if_match: None, needs_calls: false, rule, note };
    match write(scoped, change).await? {
        Written::Now(decided) => Ok(*decided),
        Written::Before(current) => again(scoped, &button, *current).await,
    }
}

/// The button that is named: `0:keep` is the one with the id `keep` of the first file.
fn button(file: &File, input: &Decide) -> Result<Button, Problem> {
    if input.text.is_some() || input.values.is_some() {
        let field = if input.text.is_some() { "/text" } else { "/values" };
        return Err(Problem::field(field, "absent: a file has buttons alone"));
    }
    if input.state.is_some_and(|state| state != ApprovalState::Answered) {
        return Err(Problem::field("/state", "`answered`, or absent"));
    }
    let named = |word: &String| {
        let (number, id) = word.split_once(':')?;
        let number: usize = number.parse().ok()?;
        let item: &FileItem = file.files.get(number)?;
        let action = item.actions.iter().find(|action| action.id == id)?.clone();
        Some(Button { file: number, name: item.name.clone(), action, several: file.files.len() > 1 })
    };
    match input.selected.as_slice() {
        [one] => named(one).ok_or_else(|| {
            Problem::field("/selected/0", "the number of a file from 0, a colon, and the id of an action of it")
        }),
        _ => Err(Problem::field("/selected", "one button")),
    }
}

/// Was a button of the file pressed, or the message taken back?
fn is_taken(draft: &Draft, file: usize) -> bool {
    let chosen = |held: &File| held.chosen(draft.metadata.as_ref(), file).is_some();
    draft.status == Status::Retracted || matches!(Body::of(draft), Body::File(held) if chosen(&held))
}

/// The same press again is answered as the first one; any other is told what was chosen.
async fn again(scoped: &Scoped, button: &Button, current: StoredMessage) -> Result<Decided, Problem> {
    let draft = &current.message.draft;
    let first = match Body::of(draft) {
        _ if draft.status == Status::Retracted => None,
        Body::File(file) => file.chosen(draft.metadata.as_ref(), button.file).cloned(),
        _ => None,
    };
    let wanted = payload(&draft.id, button);
    if first.as_ref() == Some(&button.action)
        && let Some(action) = find_action(scoped, &current, |told| *told == wanted).await?
    {
        let pos = scoped.hub.workspace.feed_pos().await.map_err(problem)?;
        return Ok(Decided { approval: entry(current), action: entry(action), pos, replayed: true });
    }
    Err(refusal(Failure::Refused(Refusal::Rule(Objection::Decided, Some(Box::new(current))))))
}

fn payload(message: &MessageId, button: &Button) -> Action {
    // Of one file it goes without saying.
    let name = button.several.then(|| Map::from_iter([("file".to_owned(), Value::from(button.name.as_str()))]));
    Action {
        reply_to: Some(message.to_string()),
        selected: vec![button.action.name().to_owned()],
        values: name,
        ..Action::default()
    }
}
