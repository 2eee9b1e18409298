//! A person's answer to a comment of a `CODE_REVIEW`: accept its suggestion, resolve it, or reopen it.

use crate::context::Scoped;
use crate::requests::buttons::{Press, press, pressed};
use api::Problem;
use api::posting::{Decide, Decided};
use model::envelope::review_info::{ReviewInfo, ReviewState, extra, review_info};
use model::message_type::action::Action;
use model::message_type::code_review::CodeReview;
use model::{Draft, MessageId, Micros, text};
use serde_json::{Map, Value};
use store::StoredMessage;

/// Characters of a comment that its answer repeats.
const WORDS: usize = 120;
/// How its buttons are named.
const BUTTONS: &str = "the index of a comment from 0, a colon, and `resolve`, `reopen` or, with a suggestion, `accept`";

/// The answer to one comment.
#[derive(Clone)]
struct ReviewAnswer {
    /// Index of the comment.
    comment: usize,
    /// The new state; None reopens it.
    state: Option<ReviewState>,
    /// Its index, its lines and how it begins, for the agent.
    about: Map<String, Value>,
}

pub async fn choose(
    scoped: &Scoped,
    input: Decide,
    found: StoredMessage,
    review: &CodeReview,
) -> Result<Decided, Problem> {
    let answer = pressed(&input, "a review", BUTTONS, |comment, word| ReviewAnswer::named(review, comment, word))?;
    press(scoped, &input, found, answer).await
}

impl ReviewAnswer {
    /// Reads a button: `0:accept` accepts the suggestion of the first comment.
    fn named(review: &CodeReview, comment: usize, word: &str) -> Option<Self> {
        let of = review.comments.get(comment)?;
        let state = match word {
            "accept" if of.suggestion.is_some() => Some(ReviewState::Accepted),
            "resolve" => Some(ReviewState::Resolved),
            "reopen" => None,
            _ => return None,
        };
        let about = Map::from_iter([
            ("comment".to_owned(), Value::from(comment)),
            ("lines".to_owned(), Value::from(review.place(of))),
            ("about".to_owned(), Value::from(text::one_line(&of.body, WORDS))),
        ]);
        Some(Self { comment, state, about })
    }

    fn before(&self, draft: &Draft) -> Option<ReviewState> {
        review_info(draft.metadata.as_ref()).get(&self.comment).map(|info| info.state)
    }
}

impl Press for ReviewAnswer {
    /// Between accepted and resolved the comment is opened first.
    fn is_taken(&self, draft: &Draft) -> bool {
        self.before(draft).is_some() == self.state.is_some()
    }

    fn is_kept(&self, draft: &Draft) -> bool {
        self.before(draft) == self.state
    }

    fn keep(&self, draft: &mut Draft, at: Micros) {
        let mut infos = review_info(draft.metadata.as_ref());
        match self.state {
            Some(state) => infos.insert(self.comment, ReviewInfo { state, at }),
            None => infos.remove(&self.comment),
        };
        let (key, value) = extra(&infos);
        let extras = draft.metadata.get_or_insert_default();
        if infos.is_empty() {
            extras.shift_remove(&key);
        } else {
            extras.insert(key, value);
        }
    }

    fn action(&self, message: &MessageId) -> Action {
        let words = match self.state {
            Some(ReviewState::Accepted) => "Accept suggestion",
            Some(ReviewState::Resolved) => "Resolve",
            None => "Reopen",
        };
        Action {
            reply_to: Some(message.to_string()),
            selected: vec![words.to_owned()],
            values: Some(self.about.clone()),
            ..Action::default()
        }
    }
}
