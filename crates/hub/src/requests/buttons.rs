//! A person's press of a button on a FILE or a `CODE_REVIEW`: it is bound to what was shown, kept with the message, and
//! told to the agent.

use crate::basics::clock;
use crate::context::Scoped;
use crate::requests::record::{
    DecisionWrite, Written, check_state, find_action, hash_shown, held, one, replayed, tell, write,
};
use crate::requests::shown::shown_sha256;
use crate::writing::posting;
use api::Problem;
use api::posting::{Decide, Decided};
use model::closed::Closed;
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::{Body, Draft, MessageId, Micros, Payload as _, Status};
use serde_json::Map;
use store::{Changed, Objection, Refusal, StoredMessage};

/// The effect of a button on its message.
pub(super) trait Press: Clone + Send + Sync + 'static {
    /// Returns whether the message holds an answer already which this one can't follow.
    fn is_taken(&self, draft: &Draft) -> bool;
    /// Returns whether the message holds this very answer.
    fn is_kept(&self, draft: &Draft) -> bool;
    /// Writes the answer into the message.
    fn keep(&self, draft: &mut Draft, at: Micros);
    /// Returns the ACTION that tells the agent.
    fn action(&self, message: &MessageId) -> Action;
}

/// Keeps the answer with the message, and tells the agent. The same answer again gets the first reply; any other one is
/// refused while the first one holds.
pub(super) async fn press(
    scoped: &Scoped,
    input: &Decide,
    found: StoredMessage,
    press: impl Press,
) -> Result<Decided, Problem> {
    if is_over(&press, &found.message.draft) {
        return replay_or_refuse(scoped, &press, found).await;
    }
    let shown = hash_shown(input)?.to_owned();
    let (session, message) = (found.message.session_id.clone(), found.message.draft.id.clone());
    let now = clock::now();
    let action = press.action(&message);
    let action = tell(scoped, (&session, &message), &action, Map::new(), action.to_markdown())?;
    let pressed = press.clone();
    let rule = Box::new(move |current: &StoredMessage, _: &[StoredMessage]| {
        let draft = &current.message.draft;
        let refuse = |objection| Err(Refusal::Rule(objection, Some(Box::new(current.clone()))));
        if is_over(&pressed, draft) {
            return refuse(Objection::Decided);
        }
        if shown_sha256(draft, &[]).ok().as_ref() != Some(&shown) {
            return refuse(Objection::Changed);
        }
        let mut draft = draft.clone();
        pressed.keep(&mut draft, now);
        let body = Body::of(&draft);
        let message = posting::new_message(draft, body);
        Ok(Changed { message, follow_up: Some(action.clone()), grows: false, alive: false })
    });
    let change = DecisionWrite { session, message, choice: ApprovalState::Answered, needs_calls: false, rule };
    match write(scoped, change).await? {
        Written::Now(decided) => Ok(*decided),
        Written::Before(current) => replay_or_refuse(scoped, &press, *current).await,
    }
}

fn is_over(press: &impl Press, draft: &Draft) -> bool {
    draft.status == Status::Retracted || Closed::of(draft).is_some() || press.is_taken(draft)
}

async fn replay_or_refuse(scoped: &Scoped, press: &impl Press, current: StoredMessage) -> Result<Decided, Problem> {
    let draft = &current.message.draft;
    let wanted = press.action(&draft.id);
    if draft.status != Status::Retracted
        && press.is_kept(draft)
        && let Some(action) = find_action(scoped, &current, |told| *told == wanted).await?
    {
        return replayed(scoped, current, action).await;
    }
    Err(held(current))
}

/// Reads which button of a message was pressed: `named` finds it by its number and its word, as in `0:keep`. `of` is
/// what the message is, and `expected` says how its buttons are named.
pub(super) fn pressed<T>(
    input: &Decide,
    of: &str,
    expected: &str,
    named: impl FnOnce(usize, &str) -> Option<T>,
) -> Result<T, Problem> {
    if input.text.is_some() || input.values.is_some() {
        let field = if input.text.is_some() { "/text" } else { "/values" };
        return Err(Problem::field(field, &format!("absent: {of} only has buttons")));
    }
    check_state(input)?;
    let (number, word) = one(input)?.split_once(':').unwrap_or_default();
    let found = number.parse().ok().and_then(|number| named(number, word));
    found.ok_or_else(|| Problem::field("/selected/0", expected))
}
