//! A person's answer to a comment of a `CODE_REVIEW`: accept its suggestion, resolve it, or reopen it. It is bound to what was
//! shown, kept with the message, and told to the agent.

use super::decisions::{Written, find_action, shown_sha256, tell, write};
use super::messages::entry;
use super::refusal;
use crate::writer::Failure;
use crate::{Scoped, clock, posting, problem};
use api::Problem;
use api::posting::{Decide, Decided};
use model::audit::Event;
use model::envelope::review_info::{ReviewInfo, ReviewState, extra, review_info};
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::message_type::code_review::CodeReview;
use model::{Body, Draft, MessageId, Micros, Payload as _, Status, text};
use serde_json::{Map, Value};
use store::{Changed, LiveChange, Objection, Refusal, StoredMessage};

/// Characters of a comment that its answer repeats.
const WORDS: usize = 120;

/// The answer to one comment.
#[derive(Clone, Copy)]
struct Answer {
    /// Index of the comment.
    comment: usize,
    /// What becomes of it; None opens it again.
    state: Option<ReviewState>,
}

impl Answer {
    const fn words(self) -> &'static str {
        match self.state {
            Some(ReviewState::Accepted) => "Accept suggestion",
            Some(ReviewState::Resolved) => "Resolve",
            None => "Reopen",
        }
    }

    /// May it follow what was answered before? Between accepted and resolved the comment is opened first.
    const fn follows(self, before: Option<ReviewState>) -> bool {
        before.is_some() != self.state.is_some()
    }
}

/// Keeps the answer with the review, and tells the agent.
pub async fn choose(
    scoped: &Scoped,
    input: Decide,
    found: StoredMessage,
    review: &CodeReview,
) -> Result<Decided, Problem> {
    let answer = answer(review, &input)?;
    if !answer.follows(state_of(&found.message.draft, answer.comment)) {
        return again(scoped, answer, found, review).await;
    }
    let Some(shown) = input.shown_sha256 else {
        return Err(Problem::field("/shown_sha256", "the `shown_sha256` of the message as it was read"));
    };
    let (session, message) = (found.message.session_id.clone(), found.message.draft.id.clone());
    let now = clock::now();
    let action = payload(&message, review, answer);
    let action = tell(&session, &message, &action, Map::new(), action.to_markdown(), now)?;
    let rule = Box::new(move |current: &StoredMessage, _: &[StoredMessage]| {
        let draft = &current.message.draft;
        let refuse = |objection| Err(Refusal::Rule(objection, Some(Box::new(current.clone()))));
        if draft.status == Status::Retracted || !answer.follows(state_of(draft, answer.comment)) {
            return refuse(Objection::Decided);
        }
        if shown_sha256(draft, &[]).ok().as_ref() != Some(&shown) {
            return refuse(Objection::Changed);
        }
        let mut draft = draft.clone();
        keep(&mut draft, answer, now);
        let body = Body::of(&draft);
        let message = posting::new_message(draft, body);
        Ok(Changed { message, follow_up: Some(action.clone()), grows: false, alive: false })
    });
    let (told, approval) = (session.to_string(), message.to_string());
    let note = Event::Decided { session: told, approval, choice: ApprovalState::Answered };
    let note = Some(scoped.note(note).await);
    let change = LiveChange { session, message, if_match: None, needs_calls: false, rule, note };
    match write(scoped, change).await? {
        Written::Now(decided) => Ok(*decided),
        Written::Before(current) => again(scoped, answer, *current, review).await,
    }
}

/// The answer that is named: `0:accept` accepts the suggestion of the first comment.
fn answer(review: &CodeReview, input: &Decide) -> Result<Answer, Problem> {
    if input.text.is_some() || input.values.is_some() {
        let field = if input.text.is_some() { "/text" } else { "/values" };
        return Err(Problem::field(field, "absent: a review has buttons alone"));
    }
    if input.state.is_some_and(|state| state != ApprovalState::Answered) {
        return Err(Problem::field("/state", "`answered`, or absent"));
    }
    let named = |word: &String| {
        let (index, verb) = word.split_once(':')?;
        let comment: usize = index.parse().ok()?;
        let of = review.comments.get(comment)?;
        let state = match verb {
            "accept" if of.suggestion.is_some() => Some(ReviewState::Accepted),
            "resolve" => Some(ReviewState::Resolved),
            "reopen" => None,
            _ => return None,
        };
        Some(Answer { comment, state })
    };
    match input.selected.as_slice() {
        [one] => named(one).ok_or_else(|| {
            let expected =
                "the index of a comment from 0, a colon, and `resolve`, `reopen` or, with a suggestion, `accept`";
            Problem::field("/selected/0", expected)
        }),
        _ => Err(Problem::field("/selected", "one button")),
    }
}

fn state_of(draft: &Draft, comment: usize) -> Option<ReviewState> {
    review_info(draft.metadata.as_ref()).get(&comment).map(|info| info.state)
}

fn keep(draft: &mut Draft, answer: Answer, at: Micros) {
    let mut infos = review_info(draft.metadata.as_ref());
    match answer.state {
        Some(state) => infos.insert(answer.comment, ReviewInfo { state, at }),
        None => infos.remove(&answer.comment),
    };
    let (key, value) = extra(&infos);
    let extras = draft.metadata.get_or_insert_default();
    if infos.is_empty() {
        extras.shift_remove(&key);
    } else {
        extras.insert(key, value);
    }
}

/// The same answer again is answered as the first one; another one is refused until the comment is open again.
async fn again(
    scoped: &Scoped,
    answer: Answer,
    current: StoredMessage,
    review: &CodeReview,
) -> Result<Decided, Problem> {
    let draft = &current.message.draft;
    let wanted = payload(&draft.id, review, answer);
    if draft.status != Status::Retracted
        && state_of(draft, answer.comment) == answer.state
        && let Some(action) = find_action(scoped, &current, |told| *told == wanted).await?
    {
        let pos = scoped.hub.workspace.feed_pos().await.map_err(problem)?;
        return Ok(Decided { approval: entry(current), action: entry(action), pos, replayed: true });
    }
    Err(refusal(Failure::Refused(Refusal::Rule(Objection::Decided, Some(Box::new(current))))))
}

/// Names the comment by its index and its lines, and repeats how it begins.
fn payload(message: &MessageId, review: &CodeReview, answer: Answer) -> Action {
    let values = review.comments.get(answer.comment).map(|comment| {
        Map::from_iter([
            ("comment".to_owned(), Value::from(answer.comment)),
            ("lines".to_owned(), Value::from(review.place(comment))),
            ("about".to_owned(), Value::from(text::one_line(&comment.body, WORDS))),
        ])
    });
    Action {
        reply_to: Some(message.to_string()),
        selected: vec![answer.words().to_owned()],
        values,
        ..Action::default()
    }
}
