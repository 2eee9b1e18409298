//! A person's press of a button on a file: of each file the first one holds, and it is bound to what was shown.

use super::decisions::{ACTIONS, shown_sha256};
use super::messages::entry;
use super::refusal;
use crate::writer::Failure;
use crate::{Scoped, clock, posting, problem};
use api::Problem;
use api::posting::{Decide, Decided};
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::message_type::file::{CHOSEN, Chosen, File, FileAction, FileItem};
use model::{Body, Draft, Message, MessageId, Micros, Payload as _, Role, SessionId, Status, envelope};
use serde_json::{Map, Value};
use store::{
    Changed, LiveChange, LiveDone, LivePost, LiveWrite, MessageQuery, Objection, Range, Refusal, StoredMessage,
};

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
    if input.shown_sha256 != shown_sha256(draft, &[])? {
        return Err(Problem::new(412, "changed", "The message has changed since it was shown")
            .hint("Read it again, and choose then"));
    }
    let (session, message) = (found.message.session_id.clone(), draft.id.clone());
    let now = clock::now();
    let action = action(&session, &message, &button, now)?;
    let chosen = Chosen { file: button.file, action: button.action.id.clone(), at: now };
    let chosen = serde_json::to_value(chosen).map_err(|_| Problem::internal())?;
    let (shown, number) = (input.shown_sha256, button.file);
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
        let extras = draft.metadata.get_or_insert_default();
        match extras.get_mut(CHOSEN).and_then(Value::as_array_mut) {
            Some(all) => all.push(chosen.clone()),
            None => {
                extras.insert(CHOSEN.to_owned(), Value::Array(vec![chosen.clone()]));
            }
        }
        let message = posting::new_message(draft);
        Ok(Changed { message, follow_up: Some(action.clone()), grows: false, alive: false })
    });
    let change = LiveChange { session, message, if_match: None, needs_calls: false, rule };
    match scoped.hub.writer.write(LiveWrite::Change(Box::new(change))).await {
        Ok((LiveDone::Changed { message, follow_up: Some(action) }, pos)) => {
            Ok(Decided { approval: entry(*message), action: entry(*action), pos, replayed: false })
        }
        Ok(_) => Err(Problem::internal()),
        Err(Failure::Refused(Refusal::Rule(Objection::Decided, Some(current)))) => {
            again(scoped, &button, *current).await
        }
        Err(failure) => Err(refusal(failure)),
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
    if first.as_ref() == Some(&button.action)
        && let Some(action) = told(scoped, &current, button).await?
    {
        let pos = scoped.hub.workspace.feed_pos().await.map_err(problem)?;
        return Ok(Decided { approval: entry(current), action: entry(action), pos, replayed: true });
    }
    Err(refusal(Failure::Refused(Refusal::Rule(Objection::Decided, Some(Box::new(current))))))
}

/// The ACTION that told the agent of a button.
async fn told(scoped: &Scoped, message: &StoredMessage, button: &Button) -> Result<Option<StoredMessage>, Problem> {
    let Message { session_id, seq, draft, .. } = &message.message;
    let range = Range::After(*seq, ACTIONS);
    let query = MessageQuery { types: vec!["ACTION".to_owned()], limit: ACTIONS, ..MessageQuery::new(range) };
    let actions = scoped.hub.workspace.messages(session_id, &query).await.map_err(problem)?;
    let wanted = payload(&draft.id, button);
    let tells = |action: &StoredMessage| matches!(Body::of(&action.message.draft), Body::Action(it) if it == wanted);
    Ok(actions.into_iter().find(tells))
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

/// The ACTION that tells the agent.
fn action(session: &SessionId, message: &MessageId, button: &Button, now: Micros) -> Result<LivePost, Problem> {
    let action = payload(message, button);
    let content = action.to_markdown();
    let payload = serde_json::to_value(&action).map_err(|_| Problem::internal())?;
    let metadata =
        envelope::build("ACTION", payload, Map::new(), envelope::VERSION).map_err(|_| Problem::internal())?;
    let mut draft = Draft {
        metadata: Some(metadata),
        reply_to: Some(message.clone()),
        ..Draft::text(posting::new_id(), Role::User, "user", content, now)
    };
    posting::complete(&mut draft);
    let hash = posting::create_hash(&draft)?;
    let mut post = LivePost::new(session.clone(), posting::new_message(draft), hash).map_err(problem)?;
    post.queued = true;
    Ok(post)
}
